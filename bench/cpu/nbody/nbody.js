const PI = 3.141592653589793, SOLAR_MASS = 4 * PI * PI, DAYS = 365.24;

class Body {
  constructor(x, y, z, vx, vy, vz, mass) {
    this.x = x;
    this.y = y;
    this.z = z;
    this.vx = vx * DAYS;
    this.vy = vy * DAYS;
    this.vz = vz * DAYS;
    this.mass = mass * SOLAR_MASS;
  }
}

function makeBodies() {
  return [
    new Body(0, 0, 0, 0, 0, 0, 1),
    new Body(4.84143144246472090, -1.16032004402742839, -0.103622044471123109, 0.00166007664274403694, 0.00769901118419740425, -0.0000690460016972063023, 0.000954791938424326609),
    new Body(8.34336671824457987, 4.12479856412430479, -0.403523417114321381, -0.00276742510726411, 0.00499852801234917238, 0.0000230417297573763929, 0.000285885980666130812),
    new Body(12.8943695621391310, -15.1111514016986312, -0.223307578892655734, 0.00296460137564761618, 0.0023784717395948095, -0.0000296589568540237556, 0.0000436624404335156298),
    new Body(15.3796971148509165, -25.9193146099879641, 0.179258772950371181, 0.00268067772490389322, 0.00162824170038242295, -0.000095159225451971587, 0.0000515138902046611451),
  ];
}

function offsetMomentum(bodies) {
  let px = 0, py = 0, pz = 0;
  for (const b of bodies) {
    px += b.vx * b.mass;
    py += b.vy * b.mass;
    pz += b.vz * b.mass;
  }
  bodies[0].vx = -px / SOLAR_MASS;
  bodies[0].vy = -py / SOLAR_MASS;
  bodies[0].vz = -pz / SOLAR_MASS;
}

function energy(bodies) {
  let e = 0;
  for (let i = 0; i < bodies.length; i++) {
    const b = bodies[i];
    e += 0.5 * b.mass * (b.vx * b.vx + b.vy * b.vy + b.vz * b.vz);
    for (let j = i + 1; j < bodies.length; j++) {
      const c = bodies[j];
      const dx = b.x - c.x, dy = b.y - c.y, dz = b.z - c.z;
      e -= (b.mass * c.mass) / Math.sqrt(dx * dx + dy * dy + dz * dz);
    }
  }
  return e;
}

function advance(bodies, dt) {
  const count = bodies.length;
  for (let i = 0; i < count; i++) {
    const b = bodies[i];
    for (let j = i + 1; j < count; j++) {
      const c = bodies[j];
      const dx = b.x - c.x, dy = b.y - c.y, dz = b.z - c.z;
      const d2 = dx * dx + dy * dy + dz * dz;
      const mag = dt / (d2 * Math.sqrt(d2));
      b.vx -= dx * c.mass * mag;
      b.vy -= dy * c.mass * mag;
      b.vz -= dz * c.mass * mag;
      c.vx += dx * b.mass * mag;
      c.vy += dy * b.mass * mag;
      c.vz += dz * b.mass * mag;
    }
  }
  for (const b of bodies) {
    b.x += dt * b.vx;
    b.y += dt * b.vy;
    b.z += dt * b.vz;
  }
}

const n = process.argv.length > 2 ? Number(process.argv[2]) : 5000000;
const bodies = makeBodies();
offsetMomentum(bodies);
console.log(energy(bodies).toFixed(9));
for (let i = 0; i < n; i++) advance(bodies, 0.01);
console.log(energy(bodies).toFixed(9));
