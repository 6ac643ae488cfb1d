# The modules that have the names of Python's give what those give.
set -eu
cat > cases.met <<'MET'
import bisect, statistics, textwrap

const TEXT = "The quick brown fox, of no extraordinary importance, jumps over the lazy dog and sleeps."

for n in range(2, 9):
    xs = [i * 7 % 5 + i / 4 for i in range(n)]
    ys = [i * 3 % 7 - 1.5 for i in range(n)]
    for f in [
        statistics.mean(xs), statistics.median(xs), statistics.variance(xs), statistics.pvariance(xs), statistics.stdev(xs), statistics.pstdev(xs),
        statistics.geometric_mean([x + 1 for x in xs]), statistics.harmonic_mean([x + 1 for x in xs]), statistics.median_low(xs), statistics.median_high(xs),
        statistics.covariance(xs, ys), statistics.fmean(xs, [i + 1 for i in range(n)]),
    ]: print(f"{f:.9f}")
    for cut in statistics.quantiles(xs, n=3) + statistics.quantiles(xs, method="inclusive"): print(f"{cut:.9f}")
    if n > 2: print(f"{statistics.correlation(xs, ys):.9f} {statistics.linear_regression(xs, ys)[0]:.9f}")
    ints = sorted([i * 7 % 5 for i in range(n)])
    print(statistics.mode(ints), statistics.multimode(ints))
    for x in range(-1, 6):
        print(bisect.bisect_left(ints, x), bisect.bisect_right(ints, x), bisect.bisect(ints, x, key=y -> y + 1))
        inserted = ints.copy()
        bisect.insort(inserted, x)
        print(inserted)
for width in range(1, 30):
    for line in textwrap.wrap(TEXT, width): print(line)
    for line in textwrap.wrap(TEXT, width, initial_indent="* ", subsequent_indent="  ", break_long_words=false): print(line)
    if width > 5: print(textwrap.shorten(TEXT, width))
for block in ["  a\n    b\n\n  c\n", "\tx\n\t  y", "none\n  some", "   \n  a\n b\n", "", "  \n\t\n"]:
    print(repr(textwrap.dedent(block)))
    print(repr(textwrap.indent(block, "> ")))
MET
cat > cases.py <<'PY'
import bisect, statistics, textwrap

TEXT = "The quick brown fox, of no extraordinary importance, jumps over the lazy dog and sleeps."

def shown(text): return '"' + text.replace("\n", "\\n").replace("\t", "\\t") + '"'

for n in range(2, 9):
    xs = [i * 7 % 5 + i / 4 for i in range(n)]
    ys = [i * 3 % 7 - 1.5 for i in range(n)]
    for f in [
        statistics.mean(xs), statistics.median(xs), statistics.variance(xs), statistics.pvariance(xs), statistics.stdev(xs), statistics.pstdev(xs),
        statistics.geometric_mean([x + 1 for x in xs]), statistics.harmonic_mean([x + 1 for x in xs]), statistics.median_low(xs), statistics.median_high(xs),
        statistics.covariance(xs, ys), statistics.fmean(xs, [i + 1 for i in range(n)]),
    ]: print(f"{f:.9f}")
    for cut in statistics.quantiles(xs, n=3) + statistics.quantiles(xs, method="inclusive"): print(f"{cut:.9f}")
    if n > 2: print(f"{statistics.correlation(xs, ys):.9f} {statistics.linear_regression(xs, ys)[0]:.9f}")
    ints = sorted([i * 7 % 5 for i in range(n)])
    print(statistics.mode(ints), statistics.multimode(ints))
    for x in range(-1, 6):
        print(bisect.bisect_left(ints, x), bisect.bisect_right(ints, x), bisect.bisect(ints, x, key=lambda y: y + 1))
        inserted = ints.copy()
        bisect.insort(inserted, x)
        print(inserted)
for width in range(1, 30):
    for line in textwrap.wrap(TEXT, width): print(line.rstrip())  # it leaves a space before a word that it breaks
    for line in textwrap.wrap(TEXT, width, initial_indent="* ", subsequent_indent="  ", break_long_words=False): print(line)
    if width > 5: print(textwrap.shorten(TEXT, width))
for block in ["  a\n    b\n\n  c\n", "\tx\n\t  y", "none\n  some", "   \n  a\n b\n", "", "  \n\t\n"]:
    print(shown(textwrap.dedent(block)))
    print(shown(textwrap.indent(block, "> ")))
PY
python3 cases.py > expected.txt
"$METEOR" run cases.met > found.txt
diff expected.txt found.txt
[ "$(wc -l < found.txt)" -gt 500 ]
