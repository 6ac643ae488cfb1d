const PI: f64 = 3.141592653589793;
const SOLAR_MASS: f64 = 4.0 * PI * PI;
const DAYS: f64 = 365.24;

struct Body { x: f64, y: f64, z: f64, vx: f64, vy: f64, vz: f64, mass: f64 }

fn body(p: [f64; 3], v: [f64; 3], mass: f64) -> Box<Body> {
    Box::new(Body { x: p[0], y: p[1], z: p[2], vx: v[0] * DAYS, vy: v[1] * DAYS, vz: v[2] * DAYS, mass: mass * SOLAR_MASS })
}

fn make_bodies() -> Vec<Box<Body>> {
    vec![
        body([0.0, 0.0, 0.0], [0.0, 0.0, 0.0], 1.0),
        body([4.84143144246472090, -1.16032004402742839, -0.103622044471123109], [0.00166007664274403694, 0.00769901118419740425, -0.0000690460016972063023], 0.000954791938424326609),
        body([8.34336671824457987, 4.12479856412430479, -0.403523417114321381], [-0.00276742510726411, 0.00499852801234917238, 0.0000230417297573763929], 0.000285885980666130812),
        body([12.8943695621391310, -15.1111514016986312, -0.223307578892655734], [0.00296460137564761618, 0.0023784717395948095, -0.0000296589568540237556], 0.0000436624404335156298),
        body([15.3796971148509165, -25.9193146099879641, 0.179258772950371181], [0.00268067772490389322, 0.00162824170038242295, -0.000095159225451971587], 0.0000515138902046611451),
    ]
}

fn offset_momentum(bodies: &mut [Box<Body>]) {
    let (mut px, mut py, mut pz) = (0.0, 0.0, 0.0);
    for b in bodies.iter() {
        px += b.vx * b.mass;
        py += b.vy * b.mass;
        pz += b.vz * b.mass;
    }
    bodies[0].vx = -px / SOLAR_MASS;
    bodies[0].vy = -py / SOLAR_MASS;
    bodies[0].vz = -pz / SOLAR_MASS;
}

fn energy(bodies: &[Box<Body>]) -> f64 {
    let mut e = 0.0;
    for i in 0..bodies.len() {
        let b = &bodies[i];
        e += 0.5 * b.mass * (b.vx * b.vx + b.vy * b.vy + b.vz * b.vz);
        for c in &bodies[i + 1..] {
            let (dx, dy, dz) = (b.x - c.x, b.y - c.y, b.z - c.z);
            e -= b.mass * c.mass / (dx * dx + dy * dy + dz * dz).sqrt();
        }
    }
    e
}

fn advance(bodies: &mut [Box<Body>], dt: f64) {
    for i in 0..bodies.len() {
        let (head, tail) = bodies.split_at_mut(i + 1);
        let b = &mut head[i];
        for c in tail {
            let (dx, dy, dz) = (b.x - c.x, b.y - c.y, b.z - c.z);
            let d2 = dx * dx + dy * dy + dz * dz;
            let mag = dt / (d2 * d2.sqrt());
            b.vx -= dx * c.mass * mag;
            b.vy -= dy * c.mass * mag;
            b.vz -= dz * c.mass * mag;
            c.vx += dx * b.mass * mag;
            c.vy += dy * b.mass * mag;
            c.vz += dz * b.mass * mag;
        }
    }
    for b in bodies {
        b.x += dt * b.vx;
        b.y += dt * b.vy;
        b.z += dt * b.vz;
    }
}

fn main() {
    let n: usize = std::env::args().nth(1).map_or(5000000, |a| a.parse().unwrap());
    let mut bodies = make_bodies();
    offset_momentum(&mut bodies);
    println!("{:.9}", energy(&bodies));
    for _ in 0..n { advance(&mut bodies, 0.01); }
    println!("{:.9}", energy(&bodies));
}
