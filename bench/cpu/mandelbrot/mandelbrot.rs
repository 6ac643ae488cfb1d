fn main() {
    let n: i64 = std::env::args().nth(1).map_or(1600, |a| a.parse().unwrap());
    let (mut inside, mut steps) = (0i64, 0i64);
    for y in 0..n {
        let ci = 2.0 * y as f64 / n as f64 - 1.0;
        for x in 0..n {
            let cr = 2.0 * x as f64 / n as f64 - 1.5;
            let (mut zr, mut zi, mut i) = (0.0f64, 0.0f64, 0i64);
            while i < 50 && zr * zr + zi * zi <= 4.0 {
                let t = zr * zr - zi * zi + cr;
                zi = 2.0 * zr * zi + ci;
                zr = t;
                i += 1;
            }
            steps += i;
            if i == 50 { inside += 1; }
        }
    }
    println!("{} {}", inside, steps);
}
