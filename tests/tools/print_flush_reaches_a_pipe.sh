# print(flush=true) is read at the other end of a pipe while the program is busy and never lets go.
set -eu
cat >busy.met <<'MET'
import os
print("ready", flush=true)
print("kept", flush=1 > 2)
while not os.exists("go"): pass
print("done")
MET
"$METEOR" build -o busy busy.met
mkfifo pipe
./busy >pipe &
exec 3<pipe
read -r -t 60 line <&3
[ "$line" = ready ]
touch go
rest=$(cat <&3)
[ "$rest" = $'kept\ndone' ]
wait
