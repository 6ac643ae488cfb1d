# What a file has buffered is written when os.exit ends the program.
source "$METEOR_ROOT/tests/tools/expect.bash"
cat > leave.met <<'MET'
import os
f = open("kept.txt", "w")
def go():
    g = open("other.txt", "w")
    g.write("two")
    os.exit(4)
f.write("one")
go()
MET
code=0
"$METEOR" run leave.met || code=$?
[[ $code == 4 ]]
[[ $(cat kept.txt) == one ]]
[[ $(cat other.txt) == two ]]
