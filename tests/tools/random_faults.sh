# A world of servers, clients, files and programs under faults of the system (METEOR_FAULTS): short reads and writes, interruptions, storms of
# EAGAIN, slow peers; with `hard` resets, refused connections, no descriptor left, full disks. Every call finishes or raises an error that
# fits, what arrives is right, nothing is left behind. FAULT_SEEDS="1 1000" looks at more of them.
# timeout: 600
set -u
read -r first last <<<"${FAULT_SEEDS:-1 5}"
failures=0
for ((seed = first; seed <= last; seed++)); do
    for faults in "" "$seed" "$seed:hard"; do
        for reactor in epoll io_uring; do
            code=0
            METEOR_FAULTS=$faults METEOR_REACTOR=$reactor timeout -s KILL 60 "$METEOR" run --leaks "$METEOR_ROOT/tests/tools/faulty_world.met" "$seed" >out.txt 2>err.txt || code=$?
            [[ $code == 0 && $(<out.txt) == "0 descriptors, 0 tasks left" && ! -s err.txt ]] && continue
            echo "METEOR_FAULTS=$faults METEOR_REACTOR=$reactor meteor run --leaks tests/tools/faulty_world.met $seed: exit code $code"
            head -20 out.txt err.txt
            failures=$((failures + 1))
        done
    done
done
((failures == 0))
