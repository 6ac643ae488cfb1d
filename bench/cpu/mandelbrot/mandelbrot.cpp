#include <cstdint>
#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  int64_t n = argc > 1 ? std::atoi(argv[1]) : 1600, inside = 0, steps = 0;
  for (int64_t y = 0; y < n; ++y) {
    double ci = 2.0 * double(y) / double(n) - 1.0;
    for (int64_t x = 0; x < n; ++x) {
      double cr = 2.0 * double(x) / double(n) - 1.5, zr = 0, zi = 0;
      int64_t i = 0;
      while (i < 50 && zr * zr + zi * zi <= 4.0) {
        double t = zr * zr - zi * zi + cr;
        zi = 2.0 * zr * zi + ci;
        zr = t;
        ++i;
      }
      steps += i;
      if (i == 50) ++inside;
    }
  }
  std::printf("%lld %lld\n", (long long)inside, (long long)steps);
}
