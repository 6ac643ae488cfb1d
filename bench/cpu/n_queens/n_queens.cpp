#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Board {
  int64_t n;
  std::vector<uint8_t> columns, up, down;

  int64_t solve(int64_t row) {
    if (row == n) return 1;
    int64_t found = 0;
    for (int64_t c = 0; c < n; ++c) {
      if (columns[c] || up[row + c] || down[row - c + n]) continue;
      columns[c] = up[row + c] = down[row - c + n] = 1;
      found += solve(row + 1);
      columns[c] = up[row + c] = down[row - c + n] = 0;
    }
    return found;
  }
};

int main(int argc, char** argv) {
  int64_t n = argc > 1 ? std::atoi(argv[1]) : 12;
  Board board{n, std::vector<uint8_t>(n), std::vector<uint8_t>(2 * n), std::vector<uint8_t>(2 * n + 1)};
  std::printf("%lld\n", (long long)board.solve(0));
}
