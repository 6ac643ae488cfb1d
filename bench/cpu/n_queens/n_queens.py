import sys


class Board:
    def __init__(self, n):
        self.n = n
        self.columns = [False] * n
        self.up = [False] * (2 * n)
        self.down = [False] * (2 * n + 1)

    def solve(self, row):
        if row == self.n:
            return 1
        found = 0
        for c in range(self.n):
            if self.columns[c] or self.up[row + c] or self.down[row - c + self.n]:
                continue
            self.columns[c] = True
            self.up[row + c] = True
            self.down[row - c + self.n] = True
            found += self.solve(row + 1)
            self.columns[c] = False
            self.up[row + c] = False
            self.down[row - c + self.n] = False
        return found


print(Board(int(sys.argv[1]) if len(sys.argv) > 1 else 12).solve(0))
