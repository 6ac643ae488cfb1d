# The loop waits for the network with io_uring where the kernel offers it, else with epoll, without a word; METEOR_REACTOR overrides. Who waits for time alone has no ring.
source "$METEOR_ROOT/tests/tools/expect.bash"
cat > waits.met <<'END'
import net
import os

async def main():
    if len(os.args) > 0:
        listener = await net.listen("127.0.0.1", 0)
        print("waits")
        try: await timeout(1s, listener.accept())
        catch TimeoutError: pass
    else:
        print("waits")
        await sleep(1s)
END
"$METEOR" build --debug waits.met -o waits

reactor_of() {   # what kind of descriptor a program started so has
    rm -f out
    env "$1" ./waits ${2-for-connections} > out 2> err &
    local pid=$!
    until grep -qs waits out; do sleep 0.05; done
    sleep 0.1
    ls -l /proc/$pid/fd | grep -o 'io_uring\|eventpoll' | sort -u
    wait $pid
    [[ ! -s err ]]
}
[[ $(reactor_of METEOR_REACTOR=epoll) == eventpoll ]]
[[ $(reactor_of METEOR_REACTOR= "") == eventpoll ]]
offered=$(python3 - <<'PY'
import ctypes
parameters = ctypes.create_string_buffer(120)
ctypes.memmove(parameters, (ctypes.c_uint32 * 3)(0, 0, (1 << 12) | (1 << 13)), 12)   # one thread, work when asked: Linux 6.1
print(ctypes.CDLL(None).syscall(425, 8, parameters) >= 0)
PY
)
if [[ $offered == True ]]; then wanted=io_uring; else wanted=eventpoll; fi
[[ $(reactor_of METEOR_REACTOR=io_uring) == "$wanted" ]]
[[ $(reactor_of METEOR_REACTOR=) == "$wanted" ]]
[[ $(reactor_of METEOR_FAULTS=1) == eventpoll ]]
