// Child processes, and signals as bytes in a pipe.
#ifndef METEOR_RUNTIME_OS_CHILD_H
#define METEOR_RUNTIME_OS_CHILD_H

#include <stdint.h>

namespace meteor::os {

// What becomes of one of the child's streams.
enum class ChildStream : uint8_t { Inherit, Pipe, Nothing, ToStdout };

struct Child {
  int64_t id;    // of the process, or -errno
  int ended;     // a descriptor that is readable when it has ended
  int pipes[3];  // our ends, which do not wait; -1: there is none
};

Child start_child(char** arguments, char** environment, const char* folder,
                  const ChildStream (&streams)[3]);  // environment null: this process's own

constexpr int64_t CHILD_RUNS = -1'000'000, BY_SIGNAL = 1000;
int64_t end_of_child(int64_t id);  // its exit code, BY_SIGNAL + the signal that ended it, CHILD_RUNS, or -errno
int64_t send_signal(int64_t id, int signal);  // 0 or -errno
void end_child(int64_t id);                   // at once, and waits for it

struct Pipe {
  int64_t reads, writes;  // neither waits; reads: -errno
};
Pipe open_pipe();
void hear_signal(int signal, void (*handler)(int));  // which leaves errno as it was
void unhear_signal(int signal);                      // as it was before

}  // namespace meteor::os

#endif
