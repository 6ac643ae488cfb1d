class Board {
  constructor(n) {
    this.n = n;
    this.columns = new Array(n).fill(false);
    this.up = new Array(2 * n).fill(false);
    this.down = new Array(2 * n + 1).fill(false);
  }
  solve(row) {
    if (row === this.n) return 1;
    let found = 0;
    for (let c = 0; c < this.n; c++) {
      if (this.columns[c] || this.up[row + c] || this.down[row - c + this.n]) continue;
      this.columns[c] = this.up[row + c] = this.down[row - c + this.n] = true;
      found += this.solve(row + 1);
      this.columns[c] = this.up[row + c] = this.down[row - c + this.n] = false;
    }
    return found;
  }
}

console.log(new Board(process.argv.length > 2 ? Number(process.argv[2]) : 12).solve(0));
