# `check --fix` writes code that compiles to what was meant, and nothing else.
set -eu
printf 'a = [1]\nb = [...a, 2]\nx: int[] = [1]\nprint("a" + b"b", math.sqrt(4.0), b, x)\n' > main.met
"$METEOR" check --fix main.met
printf 'import math\na = [1]\nb = [*a, 2]\nx: list<int> = [1]\nprint("a" + b"b".decode(), math.sqrt(4.0), b, x)\n' | diff - main.met
