# 100,000 levels of everything that nests get an answer: never an overflow of the compiler's own stack.
# timeout: 600
source "$METEOR_ROOT/tests/tools/expect.bash"

python3 - <<'PY'
N = 100_000
def write(name, text):
    open(f"{name}.met", "w").write(text)

write("parens", "x = " + "(" * N + "1" + ")" * N + "\n")
write("parens_open", "x = " + "(" * N)
write("lists", "x = " + "[" * N + "1" + "]" * N + "\n")
write("lists_open", "x = " + "[" * N)
write("dicts", "x = " + "{1: " * N + "1" + "}" * N + "\n")
write("sets_open", "x = " + "{" * N)
write("closers", "x = " + ")" * N + "\n")
write("mixed", "x = " + "([{" * (N // 3))
write("minus", "x = " + "-" * N + "1\n")
write("minus_spaced", "x = " + "- " * N + "1\n")
write("invert", "x = " + "~" * N + "1\n")
write("not", "x = " + "not " * N + "true\n")
write("await", "x = " + "await " * N + "y\n")
write("power", "x = 1" + " ** 1" * N + "\n")
write("sum", "x = 0" + " + 1" * N + "\nprint(x)\n")
write("and", "x = true" + " and true" * N + "\n")
write("coalesce", "y: int? = null\nx = y" + " ?? y" * N + "\n")
write("ternary", "x = " + "1 if true else " * N + "2\n")
write("lambda", "f = " + "x -> " * N + "1\n")
write("compare", "x = 1" + " < 1" * N + "\n")
write("members", "x = y" + ".a" * N + "\n")
write("calls", "x = y" + "()" * N + "\n")
write("nested_calls", "def f(x: int) -> int: return x\nx = " + "f(" * N + "1" + ")" * N + "\n")
write("indexes", "x = y" + "[0]" * N + "\n")
write("unwraps", "y: int? = 1\nx = y" + "!" * N + "\n")
write("types", "x: " + "list<" * N + "int" + ">" * N + " = []\n")
write("types_open", "x: " + "list<" * N)
write("optional_types", "x: int" + "?" * N + " = null\n")
write("function_types", "x: " + "func<" * N + "int" + ">" * N + " = y\n")
write("tuple_types", "x: " + "(" * N + "int" + ",)" * N + " = y\n")
write("patterns", "switch 1:\n    case " + "(" * N + "a" + ",)" * N + ": pass\n    default: pass\n")
write("alternatives", "switch 1:\n    case 1" + " | 1" * N + ": pass\n    default: pass\n")
write("one_line_ifs", "if true: " * N + "pass\n")
write("strings", "x = " + '"a" ' * N + "\n")
write("fstrings", "x = " + 'f"{' * N + "1" + '}"' * N + "\n")
write("comprehension", "x = [1 " + "for a in [1] " * N + "]\n")
write("elifs", "x = 1\nif x == 0: pass\n" + "".join(f"elif x == {i}: pass\n" for i in range(N)))
write("else_ifs", "x = 1\nif x == 0: pass\n" + "else if x == 1: pass\n" * N)
write("decorators", "@inline\n" * N + "def f(): pass\n")
write("targets", "x = " * N + "1\n")
write("unpacking", "(" * N + "a" + ",)" * N + " = 1\n")
write("modules", "import " + "a." * N + "a\n")
write("statements", "x = 0\n" + "x += 1\n" * N + "print(x)\n")
write("semicolons", "x = 1;" * N + "\n")
write("blocks", "".join(" " * i + "if true:\n" for i in range(3000)) + " " * 3000 + "pass\n")
write("functions", "".join(" " * i + "def f():\n" for i in range(3000)) + " " * 3000 + "pass\n")
write("classes", "".join(" " * i + "class A:\n" for i in range(3000)) + " " * 3000 + "pass\n")
write("tries", "".join(" " * i + "try:\n" for i in range(3000)) + " " * 3000 + "pass\n")
write("dedents", "".join(" " * (3000 - i) + "if true:\n" for i in range(3000)) + "pass\n")
PY
# A chain or a list this long is legal, so 'sum' and 'statements' may as well run; the others must only be answered.
for file in *.met; do
    call check "$file"
    case $code in
        0) ;;
        2) must_have_diagnostic check "$file" ;;
        *) fail "meteor check $file: exit code $code, expected 0 or 2" ;;
    esac
done
for file in parens.met minus.met nested_calls.met sum.met statements.met; do
    LIMIT_SECONDS=$((LIMIT_SECONDS * 4)) call run "$file"
    [[ $code == 0 || $code == 2 ]] || fail "meteor run $file: exit code $code, expected 0 or 2"
done
finish
