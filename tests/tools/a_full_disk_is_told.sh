# A write that meets a full disk raises, on each reactor, and the file holds no more than what was written.
set -eu
cat > full.met <<'MET'
import fs
async def main(args: list<str>):
    try:
        await fs.write(args[0], "x" * 3_000_000)
        print("no error")
    catch IOError as e: print(e.message.split(":")[0])
    try:
        async with await fs.open(args[0], "w") as f:
            for _ in range(30): await f.write("y" * 100_000)
        print("no error")
    catch IOError as e: print(e.message.split(":")[0])
MET
place=/dev/full
mkdir disk
if mount -t tmpfs -o size=1m tmpfs disk 2>/dev/null; then
    trap 'umount disk' EXIT
    place=disk/file
fi
for reactor in epoll io_uring; do
    for _ in 1 2 3; do
        told=$(METEOR_REACTOR=$reactor "$METEOR" run full.met "$place")
        [ "$told" = $'No space left on device\nNo space left on device' ]
    done
done
