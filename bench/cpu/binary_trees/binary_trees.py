import sys


def make(depth):
    return (None, None) if depth == 0 else (make(depth - 1), make(depth - 1))


def check(node):
    left, right = node
    return 1 if left is None or right is None else 1 + check(left) + check(right)


depth = int(sys.argv[1]) if len(sys.argv) > 1 else 16
print("stretch", check(make(depth + 1)))
long_lived = make(depth)
for d in range(4, depth + 1, 4):
    rounds = 1 << (depth - d + 4)
    print(rounds, "trees of depth", d, "check", sum(check(make(d)) for _ in range(rounds)))
print("long lived", check(long_lived))
