# What std declares of the runtime holds, or the build breaks: a field that moved, a parameter of another type, another number.
source "$METEOR_ROOT/tests/tools/expect.bash"

# compiles NAME FILE: writes the boundary of the std in this folder and compiles that file of the runtime against it. Leaves what is said in err.txt.
compiles() {
    mkdir -p "$1/runtime/abi"
    (cd std && "$METEOR_BUILD/dev/write_boundary" "../$1/runtime/abi" $(find . -name '*.met' | sort)) 2>err.txt || return 1
    clang++-19 -std=c++20 -fsyntax-only -fno-exceptions -fno-rtti -Werror=missing-prototypes -I "$1" -I "$METEOR_ROOT" \
        -include "$1/runtime/abi/std_functions.h" "$METEOR_ROOT/runtime/$2" 2>err.txt
}

# breaks NAME FILE TEXT EDIT…: the same after the edit of std (a script for sed, and the file), which must be refused with that text.
breaks() {
    local name=$1 file=$2 text=$3 edit=$4 edited=$5
    cp "std/$edited" kept.met
    sed -i "$edit" "std/$edited"
    cmp -s "std/$edited" kept.met && fail "$name: the edit changes nothing"
    if compiles "$name" "$file"; then fail "$name: it compiles"; else grep -q "$text" err.txt || fail "$name: $(head -5 err.txt)"; fi
    cp kept.met "std/$edited"
}

cp -r "$METEOR_ROOT/std" std
for file in start/boundary.cpp waker/waiting.cpp net/stream.cpp; do
    compiles as_it_is "$file" || fail "$file: $(head -5 err.txt)"
done

breaks swapped_fields start/boundary.cpp '_since of Task' '/^    _flags: uint32$/{h;d};/^    _since: uint32$/{G}' core/task.met
breaks missing_field start/boundary.cpp 'is not as meteor::async::Source has it' '/^    _slot: uint32/d' io.met
breaks wider_field start/boundary.cpp '_ready of _Source' 's/_ready: uint32 = 0/_ready: int = 0/' io.met
breaks other_number start/boundary.cpp '_WAIT' 's/const _WAIT = -10000/const _WAIT = -10001/' io.met
breaks other_question start/boundary.cpp '_TIMERS' 's/const _TIMERS = 2/const _TIMERS = 3/' runtime.met
breaks other_status start/boundary.cpp '_STRAND_PENDING' 's/const _STRAND_PENDING = 1/const _STRAND_PENDING = 2/' core/task.met
breaks other_parameter net/stream.cpp 'met_stream_read_some' 's/\(_stream_read_some(.*\)count: int)/\1count: int32)/' io.met
breaks other_result net/stream.cpp 'met_stream_read_some' 's/\(_stream_read_some(.*\) -> int/\1 -> bool/' io.met
breaks other_object waker/waiting.cpp 'met_wait_for_task' 's/def _wait_for_task<T>(task: Task<T>/def _wait_for_task<T>(task: Scope/' core/task.met
breaks gone net/stream.cpp 'no previous prototype' '/^@extern("met_stream_read_some")$/,+1d' io.met
breaks said_twice waker/waiting.cpp 'core/generator.met' 's/def _wait_for_stream<T>(stream: Stream<T>/def _wait_for_stream<T>(stream: any/' core/generator.met
breaks unknown_struct net/stream.cpp 'say which of its own it is' '/^@native("meteor::net::Read")$/d' io.met

# Whatever is declared is there.
grep -o 'met_[a-z0-9_]*(' as_it_is/runtime/abi/std_functions.h | tr -d '(' | sort -u >declared.txt
nm --defined-only "$METEOR_BUILD/lib/libmeteor_rt.a" 2>/dev/null | awk '$2 == "T" { print $3 }' | sort -u >defined.txt
[[ -s declared.txt ]] || fail "nothing is declared"
[[ -z $(comm -23 declared.txt defined.txt) ]] || fail "declared and not there: $(comm -23 declared.txt defined.txt)"
finish
