# A file changed while `meteor run` compiles belongs to the next run, whether it is the main file or a module.
source "$METEOR_ROOT/tests/tools/expect.bash"
export METEOR_CACHE_DIR=$PWD/cache

# The folder of the cache appears when the sources are read and translated, and before the program is put there.
run_and_edit() {
    rm -rf cache
    "$METEOR" run main.met >first.txt 2>&1 &
    local pid=$!
    for _ in $(seq 2000); do
        [[ -d cache ]] && break
        sleep 0.002
    done
    sed -i 's/old/new/' "$1"
    wait $pid
    [[ $(cat first.txt) == old || $(cat first.txt) == new ]] || fail "the first run printed '$(cat first.txt)'"
    for _ in 1 2; do
        call run main.met
        [[ $code == 0 && $(cat out.txt) == new ]] || fail "after a change of $1: '$(cat out.txt)' with exit code $code $(head -c 500 err.txt)"
    done
}

printf 'import net\nasync def main():\n    l = await net.listen("127.0.0.1", 0)\n    l.close()\n    print("old")\n' >main.met
run_and_edit main.met
echo 'pub def word() -> str: return "old"' >part.met
printf 'import part\nimport net\nasync def main():\n    l = await net.listen("127.0.0.1", 0)\n    l.close()\n    print(part.word())\n' >main.met
run_and_edit part.met
finish
