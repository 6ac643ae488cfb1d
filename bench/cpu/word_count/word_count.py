import sys


def make_text(words):
    parts = []
    seed = 42
    for _ in range(words):
        seed = (seed * 1103515245 + 12345) % 2147483648
        a = seed // 65536 % 300
        seed = (seed * 1103515245 + 12345) % 2147483648
        b = seed // 65536 % 300
        parts.append(f"word{a * b % 20011}")
    return " ".join(parts)


text = make_text(int(sys.argv[1]) if len(sys.argv) > 1 else 2000000)
counts = {}
for word in text.split(" "):
    counts[word] = counts.get(word, 0) + 1
ranked = sorted(counts.items(), key=lambda p: (-p[1], p[0]))
print(len(counts))
for word, count in ranked[:5]:
    print(word, count)
