const a = (i, j) => 1.0 / (((i + j) * (i + j + 1)) / 2 + i + 1);

function times(v, out) {
  for (let i = 0; i < v.length; i++) {
    let sum = 0.0;
    for (let j = 0; j < v.length; j++) sum += a(i, j) * v[j];
    out[i] = sum;
  }
}

function timesTransposed(v, out) {
  for (let i = 0; i < v.length; i++) {
    let sum = 0.0;
    for (let j = 0; j < v.length; j++) sum += a(j, i) * v[j];
    out[i] = sum;
  }
}

const n = process.argv.length > 2 ? Number(process.argv[2]) : 2000;
const u = new Array(n).fill(1.0), v = new Array(n).fill(0.0), t = new Array(n).fill(0.0);
for (let i = 0; i < 10; i++) {
  times(u, t);
  timesTransposed(t, v);
  times(v, t);
  timesTransposed(t, u);
}
let vbv = 0.0, vv = 0.0;
for (let i = 0; i < n; i++) {
  vbv += u[i] * v[i];
  vv += v[i] * v[i];
}
console.log(Math.sqrt(vbv / vv).toFixed(9));
