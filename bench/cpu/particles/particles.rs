struct Particles {
    x: Vec<f64>,
    y: Vec<f64>,
    vx: Vec<f64>,
    vy: Vec<f64>,
}

impl Particles {
    fn step(&mut self, dt: f64) {
        for i in 0..self.x.len() {
            self.x[i] += self.vx[i] * dt;
            self.y[i] += self.vy[i] * dt;
        }
    }
    fn pull(&mut self, dt: f64) {
        for i in 0..self.x.len() {
            self.vx[i] -= self.x[i] * dt;
            self.vy[i] -= self.y[i] * dt;
        }
    }
    fn energy(&self) -> f64 {
        let mut sum = 0.0;
        for i in 0..self.x.len() { sum += self.x[i] * self.x[i] + self.y[i] * self.y[i] + self.vx[i] * self.vx[i] + self.vy[i] * self.vy[i]; }
        sum
    }
}

fn main() {
    let n: i64 = std::env::args().nth(1).map_or(10000, |a| a.parse().unwrap());
    let mut p = Particles {
        x: (0..n).map(|i| (i % 100) as f64).collect(),
        y: (0..n).map(|i| (i % 77) as f64).collect(),
        vx: (0..n).map(|i| (i % 13) as f64).collect(),
        vy: (0..n).map(|i| (i % 7) as f64).collect(),
    };
    for _ in 0..10000 {
        p.step(0.001);
        p.pull(0.001);
    }
    println!("{:.6}", p.energy());
}
