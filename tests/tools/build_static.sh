# 'meteor build --static' makes a program that needs no shared library.
source "$METEOR_ROOT/tests/tools/expect.bash"
case $METEOR_BUILD in *san) exit 0 ;; esac      # a sanitizer can't be linked statically

echo 'print("static", sorted(["b", "a"]), 1.5)' >program.met
"$METEOR" build --static program.met -o program
[[ $(./program) == 'static ["a", "b"] 1.5' ]] || fail "printed: $(./program)"
python3 - program <<'PY' || fail "the program names a dynamic loader"
import struct, sys
data = open(sys.argv[1], "rb").read()
offset, = struct.unpack_from("<Q", data, 32)
size, count = struct.unpack_from("<HH", data, 54)
PT_INTERP = 3
sys.exit(any(struct.unpack_from("<I", data, offset + i * size)[0] == PT_INTERP for i in range(count)))
PY
finish
