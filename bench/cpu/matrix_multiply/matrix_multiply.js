function make(n, seed) {
  const scale = seed / n / n;
  return Array.from({length: n}, (_, i) => Array.from({length: n}, (_, j) => scale * (i - j) * (i + j)));
}

function multiply(a, b) {
  const n = a.length, m = b.length, p = b[0].length;
  const out = Array.from({length: n}, () => new Array(p).fill(0.0));
  for (let i = 0; i < n; i++) {
    const row = out[i];
    for (let k = 0; k < m; k++) {
      const x = a[i][k], other = b[k];
      for (let j = 0; j < p; j++) row[j] += x * other[j];
    }
  }
  return out;
}

const n = process.argv.length > 2 ? Number(process.argv[2]) : 600;
const c = multiply(make(n, 1.0), make(n, 2.0));
console.log(c[Math.floor(n / 2)][Math.floor(n / 2)].toFixed(9), c[1][n - 1].toFixed(9));
