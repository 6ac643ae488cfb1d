// What the process was started with, and what its end has to know.
#ifndef METEOR_RUNTIME_OS_PROCESS_H
#define METEOR_RUNTIME_OS_PROCESS_H

#include <signal.h>
#include <stdint.h>

namespace meteor::os {

struct Arguments {
  int64_t count;
  char** texts;
};

extern Arguments arguments;
extern volatile sig_atomic_t interrupts;  // the signal that asks the program to stop; 0: none
extern bool runs_on;                      // something that was told to stop does not, and the program ends without it

}  // namespace meteor::os

#endif
