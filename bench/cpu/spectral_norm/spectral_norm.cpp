#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

static inline double a(int64_t i, int64_t j) { return 1.0 / double((i + j) * (i + j + 1) / 2 + i + 1); }

static void times(const std::vector<double>& v, std::vector<double>& out) {
  int64_t n = int64_t(v.size());
  for (int64_t i = 0; i < n; ++i) {
    double sum = 0;
    for (int64_t j = 0; j < n; ++j) sum += a(i, j) * v[size_t(j)];
    out[size_t(i)] = sum;
  }
}

static void times_transposed(const std::vector<double>& v, std::vector<double>& out) {
  int64_t n = int64_t(v.size());
  for (int64_t i = 0; i < n; ++i) {
    double sum = 0;
    for (int64_t j = 0; j < n; ++j) sum += a(j, i) * v[size_t(j)];
    out[size_t(i)] = sum;
  }
}

int main(int argc, char** argv) {
  size_t n = argc > 1 ? size_t(std::atoi(argv[1])) : 2000;
  std::vector<double> u(n, 1.0), v(n), t(n);
  for (int i = 0; i < 10; ++i) {
    times(u, t);
    times_transposed(t, v);
    times(v, t);
    times_transposed(t, u);
  }
  double vbv = 0, vv = 0;
  for (size_t i = 0; i < n; ++i) { vbv += u[i] * v[i]; vv += v[i] * v[i]; }
  std::printf("%.9f\n", std::sqrt(vbv / vv));
}
