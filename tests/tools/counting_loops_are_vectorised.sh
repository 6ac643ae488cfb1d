# A counting loop over lists of floats keeps its checks, but not inside: the part whose indexes are surely in range is
# vectorised. Looks for LLVM's vector loops in the optimised code of one function per shape of loop.
set -u
cat >loops.met <<'MET'
def scale(xs: list<float>, by: float):
    for i in range(len(xs)): xs[i] *= by

def add_row(row: list<float>, other: list<float>, x: float, n: int):
    for j in range(n): row[j] += x * other[j]

class Points:
    x: list<float>
    vx: list<float>
    def step(self, dt: float):
        for i in range(len(self.x)): self.x[i] += self.vx[i] * dt

def main(args: list<str>):
    xs = [float(i) for i in range(100)]
    ys = [float(i) for i in range(100)]
    for _ in range(len(args) + 2):
        scale(xs, 0.5)
        add_row(xs, ys, 2.0, len(xs))
        p = Points(xs, ys)
        p.step(0.5)
    print(xs[99])
MET
case $(uname -m) in x86_64 | aarch64) ;; *) echo "no vectors expected here"; exit 0 ;; esac
mkdir kept
METEOR_KEEP=kept timeout 120 "$METEOR" build -O2 -o loops loops.met >build.txt 2>&1 || { cat build.txt; exit 1; }
[[ $(./loops) == 396.0 ]] || { echo "wrong result: $(./loops)"; exit 1; }
vectors=$(grep -c '^vector\.body' kept/program.ll)
((vectors >= 3)) || { echo "$vectors vector loops instead of at least 3: something in the loops keeps LLVM from splitting off the checked part"; exit 1; }
