// A task dump: the tree of scopes of every isolate as text, asked for by SIGQUIT. It goes to stderr, or to `meteor ps`, which says by
// the signal's value that it listens on an abstract socket and tells apart who asked by the process's number in its name.
#ifndef METEOR_RUNTIME_INSPECT_DUMP_H
#define METEOR_RUNTIME_INSPECT_DUMP_H

#include <stdint.h>

namespace meteor::async {

enum class DumpTo : int { Nobody, Stderr, Asker };
constexpr int ASKED_BY_PS = 0x6d74;           // the signal's value; tools/cli/command_ps.cpp has the same
#define METEOR_PS_SOCKET "meteor-ps-%d"       // and this name, with the number of the process

void write_dump(DumpTo to, int64_t others);   // of the isolate that runs; to the asker the first one says how many others will follow, -1: another did
int64_t ask_others_to_dump(DumpTo to);        // those whose loops run do so when they next look at their inboxes; how many

}  // namespace meteor::async

#endif
