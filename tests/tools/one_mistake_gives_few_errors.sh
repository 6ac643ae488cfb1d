# One small mistake in a program that compiles: mostly one error or two, never an avalanche, and no crash.
# timeout: 600
source "$METEOR_ROOT/tests/tools/expect.bash"

cd "$METEOR_ROOT/tests/run"
mapfile -t programs < <(ls {classes,enums,functions,generics,lists,dicts,errors,async,switch,traits,structs,program,programs}/*.met)
mkdir "$OLDPWD/mutants"
python3 "$METEOR_ROOT/tests/tools/make_mutants.py" 11 150 "$OLDPWD/mutants" "${programs[@]}"
cd "$OLDPWD"
many=0 most=0
for mutant in mutants/*.met; do
    call check --json "$mutant"
    [[ $code == 0 || $code == 2 ]] || fail "$mutant: exit code $code"
    count=$(cat out.txt err.txt | grep -c '"severity":"error"' || true)
    [[ $code == 0 || $count -gt 0 ]] || fail "$mutant: exit code $code without an error"
    [[ $count -le 2 ]] || { many=$((many + 1)); echo "$count errors: $mutant $(head -1 "$mutant")"; }
    [[ $count -le $most ]] || most=$count
done
echo "$many of 150 with more than two errors, at most $most"
[[ $many -le 7 && $most -le 8 ]] || fail "too many errors for one mistake"
finish
