// A task dump: the tree of scopes of every isolate as text on stderr, asked for by SIGQUIT.
#ifndef METEOR_RUNTIME_ASYNC_DUMP_H
#define METEOR_RUNTIME_ASYNC_DUMP_H

namespace meteor::async {

void write_dump();          // of the isolate that runs; one write
void ask_others_to_dump();  // those whose loops run do so when they next look at their inboxes

}  // namespace meteor::async

#endif
