# One function with thousands of statements, cases or variables: the time grows with its size, not with the square of it.
# timeout: 300
source "$METEOR_ROOT/tests/tools/expect.bash"
ulimit -v 8000000 2>/dev/null || true
case $METEOR_BUILD in *san) exit 0 ;; esac   # shadow memory does not fit under the limit

python3 - <<'PY'
def write(name, *lines):
    open(f"{name}.met", "w").write("\n".join(lines) + "\n")

write("cases", "def f(s: str) -> int:", "    switch s:", *[f'        case "word{i}": return {i}' for i in range(6000)],
      "        default: return -1", 'print(f("word5999"), f("x"))')
write("lists", "def f() -> int:", *[f"    x{i} = [{i}]" for i in range(8000)], "    return len(x0)", "print(f(), -1)")
write("arms", "class A:", "    n: int", *[f"class C{i}(A):\n    f{i}: int" for i in range(50)],
      "def f(x: A?, k: int) -> int:", "    if k == -5: return 0",
      *[f"    elif x is C{i % 50} and k == {i}: return x.f{i % 50}" for i in range(3000)],
      "    else: return -1", "print(f(C3(1, 2), 3), f(C3(1, 2), 5000))")
write("awaits", "async def g(x: int) -> str:", "    await sleep(0ms)", "    return str(x)", "async def f() -> int:",
      *[f"    x{i} = await g({i})" for i in range(600)],
      "    return " + " + ".join(f"len(x{i})" for i in range(600)), "print(await f(), -1)")
write("lenders", "class Node:", "    next: Node?", "    n: int", "def f(x0: Node) -> int:",
      *[f"    x{i} = x{i - 1}.next ?? x{i - 1}" for i in range(1, 3000)], "    return x2999.n", "a = Node(null, 7)", "print(f(a), -1)")
PY

for program in "cases 5999" "lists 1" "arms 2" "awaits 1690" "lenders 7"; do
    read -r name first <<<"$program"
    call run -O0 "$name.met"
    [[ $code == 0 && $(<out.txt) == "$first -1" ]] || fail "$name: code $code, $(head -c 300 out.txt err.txt)"
done
finish
