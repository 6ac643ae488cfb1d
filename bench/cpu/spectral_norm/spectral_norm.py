import math
import sys


def a(i, j):
    return 1.0 / ((i + j) * (i + j + 1) // 2 + i + 1)


def times(v, out):
    n = len(v)
    for i in range(n):
        sum = 0.0
        for j in range(n):
            sum += a(i, j) * v[j]
        out[i] = sum


def times_transposed(v, out):
    n = len(v)
    for i in range(n):
        sum = 0.0
        for j in range(n):
            sum += a(j, i) * v[j]
        out[i] = sum


n = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
u, v, t = [1.0] * n, [0.0] * n, [0.0] * n
for _ in range(10):
    times(u, t)
    times_transposed(t, v)
    times(v, t)
    times_transposed(t, u)
vbv, vv = 0.0, 0.0
for i in range(n):
    vbv += u[i] * v[i]
    vv += v[i] * v[i]
print(f"{math.sqrt(vbv / vv):.9f}")
