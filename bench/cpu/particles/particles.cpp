#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Particles {
  std::vector<double> x, y, vx, vy;

  void step(double dt) {
    for (size_t i = 0; i < x.size(); ++i) {
      x[i] += vx[i] * dt;
      y[i] += vy[i] * dt;
    }
  }
  void pull(double dt) {
    for (size_t i = 0; i < x.size(); ++i) {
      vx[i] -= x[i] * dt;
      vy[i] -= y[i] * dt;
    }
  }
  double energy() const {
    double sum = 0;
    for (size_t i = 0; i < x.size(); ++i) sum += x[i] * x[i] + y[i] * y[i] + vx[i] * vx[i] + vy[i] * vy[i];
    return sum;
  }
};

int main(int argc, char** argv) {
  int64_t n = argc > 1 ? std::atoi(argv[1]) : 10000;
  Particles p;
  for (int64_t i = 0; i < n; ++i) {
    p.x.push_back(double(i % 100));
    p.y.push_back(double(i % 77));
    p.vx.push_back(double(i % 13));
    p.vy.push_back(double(i % 7));
  }
  for (int i = 0; i < 10000; ++i) {
    p.step(0.001);
    p.pull(0.001);
  }
  std::printf("%.6f\n", p.energy());
}
