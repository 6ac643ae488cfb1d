#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

static std::pair<int64_t, int64_t> fannkuch(int64_t n) {
  std::vector<int64_t> perm(n), perm1(n), count(n);
  for (int64_t i = 0; i < n; ++i) perm[i] = perm1[i] = i;
  int64_t checksum = 0, max_flips = 0, r = n, number = 0;
  while (true) {
    for (; r != 1; --r) count[r - 1] = r;
    for (int64_t i = 0; i < n; ++i) perm[i] = perm1[i];
    int64_t flips = 0;
    for (int64_t k = perm[0]; k != 0; k = perm[0]) {
      for (int64_t i = 0, j = k; i < j; ++i, --j) std::swap(perm[i], perm[j]);
      ++flips;
    }
    if (flips > max_flips) max_flips = flips;
    checksum += number % 2 == 0 ? flips : -flips;
    while (true) {
      if (r == n) return {checksum, max_flips};
      int64_t first = perm1[0];
      for (int64_t i = 0; i < r; ++i) perm1[i] = perm1[i + 1];
      perm1[r] = first;
      if (--count[r] > 0) break;
      ++r;
    }
    ++number;
  }
}

int main(int argc, char** argv) {
  int64_t n = argc > 1 ? std::atoi(argv[1]) : 10;
  auto [checksum, flips] = fannkuch(n);
  std::printf("%lld\nPfannkuchen(%lld) = %lld\n", (long long)checksum, (long long)n, (long long)flips);
}
