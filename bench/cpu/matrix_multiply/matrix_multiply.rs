fn make(n: usize, seed: f64) -> Vec<Vec<f64>> {
    let scale = seed / n as f64 / n as f64;
    (0..n as i64).map(|i| (0..n as i64).map(|j| scale * (i - j) as f64 * (i + j) as f64).collect()).collect()
}

fn multiply(a: &[Vec<f64>], b: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let (n, m, p) = (a.len(), b.len(), b[0].len());
    let mut out = vec![vec![0.0; p]; n];
    for i in 0..n {
        let row = &mut out[i];
        for k in 0..m {
            let x = a[i][k];
            let other = &b[k];
            for j in 0..p { row[j] += x * other[j]; }
        }
    }
    out
}

fn main() {
    let n: usize = std::env::args().nth(1).map_or(600, |a| a.parse().unwrap());
    let c = multiply(&make(n, 1.0), &make(n, 2.0));
    println!("{:.9} {:.9}", c[n / 2][n / 2], c[1][n - 1]);
}
