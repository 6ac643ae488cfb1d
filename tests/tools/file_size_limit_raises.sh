# A write beyond the limit of a file's size (ulimit -f) raises, by `open` and by `fs`, on each reactor; a child gets the signal again.
set -eu
cat >limit.met <<'MET'
import fs, process
async def main():
    try:
        f = open("file", "w")
        f.write("x" * 200_000)
        f.close()
        print("no error")
    catch IOError as e: print("open:", e.message.split(":")[0])
    try:
        await fs.write("file", "x" * 200_000)
        print("no error")
    catch IOError as e: print("fs:", e.message.split(":")[0])
    child = await process.run("sh", "-c", "ulimit -c 0; head -c 200000 /dev/zero > file")
    print("child:", child.status)
MET
"$METEOR" build -o limit limit.met
for reactor in epoll io_uring; do
    told=$(ulimit -f 16; METEOR_REACTOR=$reactor ./limit)
    [ "$told" = $'open: File too large\nfs: File too large\nchild: 153' ] || { echo "$told"; exit 1; }
done

# The compiler itself says so too.
code=0
(ulimit -f 16; METEOR_CACHE_DIR=$PWD/cache "$METEOR" build -o out limit.met) >err.txt 2>&1 || code=$?
[ "$code" = 2 ] || { echo "the compiler ended with $code: $(cat err.txt)"; exit 1; }
