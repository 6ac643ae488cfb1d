fn a(i: i64, j: i64) -> f64 { 1.0 / ((i + j) * (i + j + 1) / 2 + i + 1) as f64 }

fn times(v: &[f64], out: &mut [f64]) {
    for i in 0..v.len() {
        let mut sum = 0.0;
        for j in 0..v.len() { sum += a(i as i64, j as i64) * v[j]; }
        out[i] = sum;
    }
}

fn times_transposed(v: &[f64], out: &mut [f64]) {
    for i in 0..v.len() {
        let mut sum = 0.0;
        for j in 0..v.len() { sum += a(j as i64, i as i64) * v[j]; }
        out[i] = sum;
    }
}

fn main() {
    let n: usize = std::env::args().nth(1).map_or(2000, |a| a.parse().unwrap());
    let (mut u, mut v, mut t) = (vec![1.0; n], vec![0.0; n], vec![0.0; n]);
    for _ in 0..10 {
        times(&u, &mut t);
        times_transposed(&t, &mut v);
        times(&v, &mut t);
        times_transposed(&t, &mut u);
    }
    let (mut vbv, mut vv) = (0.0, 0.0);
    for i in 0..n {
        vbv += u[i] * v[i];
        vv += v[i] * v[i];
    }
    println!("{:.9}", f64::sqrt(vbv / vv));
}
