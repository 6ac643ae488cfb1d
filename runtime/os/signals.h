// Signals that the runtime hears, by what they ask for. Handlers run in whatever thread the system chooses, and leave
// errno as it was.
#ifndef METEOR_RUNTIME_OS_SIGNALS_H
#define METEOR_RUNTIME_OS_SIGNALS_H

#include <stdint.h>

#include "runtime/os/linux/thin.h"
#include "runtime/os/threads.h"

namespace meteor::os {

int interrupt_signal();  // the number of what Ctrl-C sends
void hear_stop(
    void (*handler)(int signal));  // Ctrl-C, and whoever asks the process to end; a call that waits is interrupted
void hear_quit(void (*handler)(int value));  // Ctrl-\; a process may send it with a value, else 0
inline void let_writes_fail();               // into a broken pipe or beyond the limit of a file: an error, no signal

// A signal of ours to one thread: another thread asks it where it is, or its alarm tells that time is over.
enum class Urgent : uint8_t { Asked, Alarm };
void hear_urgent(void (*handler)(Urgent why));
void send_urgent(Thread thread);
bool make_alarm();                   // of this thread
void start_alarm(int64_t every_ns);  // from now on; safe in a signal handler

void hear_faults_alone();  // this thread; and what is urgent

}  // namespace meteor::os

#endif
