// SIGINT and SIGTERM ask the main task to stop, SIGQUIT asks for a task dump.
#ifndef METEOR_RUNTIME_EXECUTOR_INTERRUPTS_H
#define METEOR_RUNTIME_EXECUTOR_INTERRUPTS_H

#include "runtime/inspect/dump.h"
#include "runtime/loop/isolate.h"

namespace meteor::async {

void hear_signals();    // in the main isolate, from now on
bool is_main();         // the isolate that hears them
Isolate* find_main();   // null: it has no loop yet
void look_at_grace();   // in a signal handler of its thread: ends the program when that was asked for and nothing comes
                        // of it
bool is_interrupted();  // a signal asks the main isolate to stop
bool root_is_to_stop(); // which the root of the main isolate has not been told
void interrupt_main();  // as Ctrl-C does, without a signal
DumpTo take_dump_request();  // a signal asks it for a task dump

}  // namespace meteor::async

#endif
