import sys


def main():
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 1600
    inside, steps = 0, 0
    for y in range(n):
        ci = 2.0 * y / n - 1.0
        for x in range(n):
            cr = 2.0 * x / n - 1.5
            zr, zi, i = 0.0, 0.0, 0
            while i < 50 and zr * zr + zi * zi <= 4.0:
                t = zr * zr - zi * zi + cr
                zi = 2.0 * zr * zi + ci
                zr = t
                i += 1
            steps += i
            if i == 50:
                inside += 1
    print(inside, steps)


main()
