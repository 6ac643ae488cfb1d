#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

constexpr double PI = 3.141592653589793, SOLAR_MASS = 4 * PI * PI, DAYS = 365.24;
struct Body { double x, y, z, vx, vy, vz, mass; };
using Bodies = std::vector<std::unique_ptr<Body>>;

static Bodies make_bodies() {
  const Body all[] = {
      {0, 0, 0, 0, 0, 0, SOLAR_MASS},
      {4.84143144246472090, -1.16032004402742839, -0.103622044471123109, 0.00166007664274403694 * DAYS, 0.00769901118419740425 * DAYS, -0.0000690460016972063023 * DAYS, 0.000954791938424326609 * SOLAR_MASS},
      {8.34336671824457987, 4.12479856412430479, -0.403523417114321381, -0.00276742510726411 * DAYS, 0.00499852801234917238 * DAYS, 0.0000230417297573763929 * DAYS, 0.000285885980666130812 * SOLAR_MASS},
      {12.8943695621391310, -15.1111514016986312, -0.223307578892655734, 0.00296460137564761618 * DAYS, 0.0023784717395948095 * DAYS, -0.0000296589568540237556 * DAYS, 0.0000436624404335156298 * SOLAR_MASS},
      {15.3796971148509165, -25.9193146099879641, 0.179258772950371181, 0.00268067772490389322 * DAYS, 0.00162824170038242295 * DAYS, -0.000095159225451971587 * DAYS, 0.0000515138902046611451 * SOLAR_MASS}};
  Bodies bodies;
  for (const Body& b : all) bodies.push_back(std::make_unique<Body>(b));
  return bodies;
}

static void offset_momentum(Bodies& bodies) {
  double px = 0, py = 0, pz = 0;
  for (auto& b : bodies) { px += b->vx * b->mass; py += b->vy * b->mass; pz += b->vz * b->mass; }
  bodies[0]->vx = -px / SOLAR_MASS; bodies[0]->vy = -py / SOLAR_MASS; bodies[0]->vz = -pz / SOLAR_MASS;
}

static double energy(const Bodies& bodies) {
  double e = 0;
  for (size_t i = 0; i < bodies.size(); ++i) {
    const Body& b = *bodies[i];
    e += 0.5 * b.mass * (b.vx * b.vx + b.vy * b.vy + b.vz * b.vz);
    for (size_t j = i + 1; j < bodies.size(); ++j) {
      const Body& c = *bodies[j];
      double dx = b.x - c.x, dy = b.y - c.y, dz = b.z - c.z;
      e -= b.mass * c.mass / std::sqrt(dx * dx + dy * dy + dz * dz);
    }
  }
  return e;
}

static void advance(Bodies& bodies, double dt) {
  size_t count = bodies.size();
  for (size_t i = 0; i < count; ++i) {
    Body& b = *bodies[i];
    for (size_t j = i + 1; j < count; ++j) {
      Body& c = *bodies[j];
      double dx = b.x - c.x, dy = b.y - c.y, dz = b.z - c.z;
      double d2 = dx * dx + dy * dy + dz * dz;
      double mag = dt / (d2 * std::sqrt(d2));
      b.vx -= dx * c.mass * mag; b.vy -= dy * c.mass * mag; b.vz -= dz * c.mass * mag;
      c.vx += dx * b.mass * mag; c.vy += dy * b.mass * mag; c.vz += dz * b.mass * mag;
    }
  }
  for (auto& b : bodies) { b->x += dt * b->vx; b->y += dt * b->vy; b->z += dt * b->vz; }
}

int main(int argc, char** argv) {
  int n = argc > 1 ? std::atoi(argv[1]) : 5000000;
  Bodies bodies = make_bodies();
  offset_momentum(bodies);
  std::printf("%.9f\n", energy(bodies));
  for (int i = 0; i < n; ++i) advance(bodies, 0.01);
  std::printf("%.9f\n", energy(bodies));
}
