# The programs in the READMEs run and print what their last comments say.
for readme in README.md README.zh.md; do
    python3 - "$METEOR_ROOT/$readme" <<'PY'
import re, sys
program = re.search(r"```python\n(.*?)```", open(sys.argv[1]).read(), re.S).group(1)
open("program.met", "w").write(program)
expected = re.search(r"((?:^# .*\n)+)\Z", program, re.M).group(1)
open("expected.txt", "w").write(re.sub(r"^# ", "", expected, flags=re.M))
PY
    "$METEOR" run program.met >printed.txt
    diff expected.txt printed.txt
done
