struct Board {
    n: usize,
    columns: Vec<bool>,
    up: Vec<bool>,
    down: Vec<bool>,
}

impl Board {
    fn solve(&mut self, row: usize) -> i64 {
        if row == self.n { return 1; }
        let mut found = 0;
        for c in 0..self.n {
            if self.columns[c] || self.up[row + c] || self.down[row + self.n - c] { continue; }
            self.columns[c] = true;
            self.up[row + c] = true;
            self.down[row + self.n - c] = true;
            found += self.solve(row + 1);
            self.columns[c] = false;
            self.up[row + c] = false;
            self.down[row + self.n - c] = false;
        }
        found
    }
}

fn main() {
    let n: usize = std::env::args().nth(1).map_or(12, |a| a.parse().unwrap());
    let mut board = Board { n, columns: vec![false; n], up: vec![false; 2 * n], down: vec![false; 2 * n + 1] };
    println!("{}", board.solve(0));
}
