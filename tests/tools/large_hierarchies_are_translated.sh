# A thousand classes below each other, or beside each other, or a thousand traits: translating them takes no time by the cube of it.
# timeout: 200
source "$METEOR_ROOT/tests/tools/expect.bash"

python3 - <<'PY'
def write(name, *lines):
    open(f"{name}.met", "w").write("\n".join(lines) + "\n")

N = 1000
write("deep", "class C0:\n    v: int = 1", *[f"class C{i}(C{i - 1}):\n    def m{i}(self) -> int: return self.v + {i}" for i in range(1, N)],
      f"c = C{N - 1}()\nprint(c.m1() + c.m{N - 1}())")
write("overridden", "class C0:\n    def m(self) -> int: return 0", *[f"class C{i}(C{i - 1}):\n    def m(self) -> int: return {i}" for i in range(1, N)],
      f"def f(c: C0): return c.m()\nprint(f(C{N - 1}()) + f(C7()))")
write("wide", "class C0:\n    def m(self) -> int: return 0", *[f"class C{i}(C0):\n    def m(self) -> int: return {i}" for i in range(1, N)],
      f"def f(c: C0): return c.m()\nprint(f(C{N - 1}()) + f(C7()))")
write("traits", "class A:\n    v: int = 1", *[f"trait T{i}:\n    def t{i}(self) -> int\nimpl T{i} for A:\n    def t{i}(self) -> int: return self.v + {i}" for i in range(N)],
      f"a = A()\nprint(a.t0() + a.t{N - 1}())")
PY

prints() {
    call run -O0 "$1.met"
    [[ $code == 0 && $(cat out.txt) == "$2" ]] || fail "$1: exit code $code, $(cat out.txt)"
}
prints deep 1002
prints overridden 1006
prints wide 1006
prints traits 1001
finish
