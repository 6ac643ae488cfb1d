import sys


def make(n, seed):
    scale = seed / n / n
    return [[scale * (i - j) * (i + j) for j in range(n)] for i in range(n)]


def multiply(a, b):
    n, m, p = len(a), len(b), len(b[0])
    out = [[0.0] * p for _ in range(n)]
    for i in range(n):
        row = out[i]
        for k in range(m):
            x = a[i][k]
            other = b[k]
            for j in range(p):
                row[j] += x * other[j]
    return out


n = int(sys.argv[1]) if len(sys.argv) > 1 else 600
c = multiply(make(n, 1.0), make(n, 2.0))
print(f"{c[n // 2][n // 2]:.9f} {c[1][n - 1]:.9f}")
