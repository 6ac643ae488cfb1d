// What the process was started with, and what its end has to know.
#ifndef METEOR_RUNTIME_OS_PROCESS_H
#define METEOR_RUNTIME_OS_PROCESS_H

#include <stdint.h>

#include "runtime/os/linux/thin.h"

namespace meteor::os {

struct Arguments {
  int64_t count;
  char** texts;
};

extern Arguments arguments;
extern volatile int interrupts;  // the signal that asks the program to stop; 0: none
extern bool runs_on;             // something that was told to stop does not, and the program ends without it

const char* find_variable(const char* name);  // of the environment; null: not set
int64_t set_variable(const char* name, const char* value);
int64_t unset_variable(const char* name);
char** variables();  // "NAME=value" each, null after the last; may be null

[[noreturn]] inline void end_at_once(int exit_code);  // nothing is flushed or dropped; safe in a signal handler

}  // namespace meteor::os

#endif
