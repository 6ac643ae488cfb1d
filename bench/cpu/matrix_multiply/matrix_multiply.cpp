#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

using Matrix = std::vector<std::vector<double>>;

static Matrix make(int64_t n, double seed) {
  double scale = seed / double(n) / double(n);
  Matrix m(n, std::vector<double>(n));
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) m[i][j] = scale * double(i - j) * double(i + j);
  return m;
}

static Matrix multiply(const Matrix& a, const Matrix& b) {
  size_t n = a.size(), m = b.size(), p = b[0].size();
  Matrix out(n, std::vector<double>(p));
  for (size_t i = 0; i < n; ++i) {
    std::vector<double>& row = out[i];
    for (size_t k = 0; k < m; ++k) {
      double x = a[i][k];
      const std::vector<double>& other = b[k];
      for (size_t j = 0; j < p; ++j) row[j] += x * other[j];
    }
  }
  return out;
}

int main(int argc, char** argv) {
  int64_t n = argc > 1 ? std::atoi(argv[1]) : 600;
  Matrix c = multiply(make(n, 1.0), make(n, 2.0));
  std::printf("%.9f %.9f\n", c[n / 2][n / 2], c[1][n - 1]);
}
