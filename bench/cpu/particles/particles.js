class Particles {
  constructor(n) {
    const made = (by) => Array.from({length: n}, (_, i) => i % by);
    this.x = made(100);
    this.y = made(77);
    this.vx = made(13);
    this.vy = made(7);
  }
  step(dt) {
    for (let i = 0; i < this.x.length; i++) {
      this.x[i] += this.vx[i] * dt;
      this.y[i] += this.vy[i] * dt;
    }
  }
  pull(dt) {
    const {x, y, vx, vy} = this;
    for (let i = 0; i < x.length; i++) {
      vx[i] -= x[i] * dt;
      vy[i] -= y[i] * dt;
    }
  }
  energy() {
    let sum = 0.0;
    for (let i = 0; i < this.x.length; i++) sum += this.x[i] * this.x[i] + this.y[i] * this.y[i] + this.vx[i] * this.vx[i] + this.vy[i] * this.vy[i];
    return sum;
  }
}

const p = new Particles(process.argv.length > 2 ? Number(process.argv[2]) : 10000);
for (let i = 0; i < 10000; i++) {
  p.step(0.001);
  p.pull(0.001);
}
console.log(p.energy().toFixed(6));
