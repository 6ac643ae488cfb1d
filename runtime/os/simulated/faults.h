// What the system may do to a program, drawn from a seed, so that a run with faults can be repeated: METEOR_FAULTS=n makes calls take or give less
// than they could, be interrupted, or find nothing though there is something, once or for some time; METEOR_FAULTS=n:hard also resets connections,
// refuses them, leaves no descriptor to accept with, and fills the disk.
//
// Invariant: without the variable a call costs one look at `faults.is_on`.
#ifndef METEOR_RUNTIME_OS_SIMULATED_FAULTS_H
#define METEOR_RUNTIME_OS_SIMULATED_FAULTS_H

#include <stddef.h>
#include <stdint.h>

namespace meteor::os {

struct Faults {
  bool is_on;
  bool is_hard;
  uint64_t seed;
  uint64_t draws;   // atomic
};
extern Faults faults;

enum class Call : uint8_t { Receive, Send, Accept, Connect, Datagram, ReadFile, WriteFile };

void read_faults();   // from the environment
int drawn_fault(Call call, int fd, int64_t& count);

// The error that the call gives instead of being made, 0: it is made, perhaps with a smaller `count`.
inline int fault_of(Call call, int fd, int64_t& count) { return faults.is_on ? drawn_fault(call, fd, count) : 0; }

}  // namespace meteor::os

#endif
