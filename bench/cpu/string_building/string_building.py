import sys


def main():
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 3000000
    s = ""
    for i in range(n):
        s += "ab"
        if i % 3 == 0:
            s += "-"
    parts = []
    for i in range(n // 3):
        parts.append(f"{i}:{i * 7 % 13}")
    joined = ",".join(parts)
    dashes = 0
    for c in s:
        if c == "-":
            dashes += 1
    print(len(s), len(joined), dashes, joined.count(":12"), len(s.replace("-", "+-")))


main()
