// How a run of the loop ended, for std/core/task.met.
#ifndef METEOR_RUNTIME_EXECUTOR_EXECUTOR_H
#define METEOR_RUNTIME_EXECUTOR_EXECUTOR_H

#include <stdint.h>

namespace meteor::async {

enum : int64_t {
  RUN_DONE,
  RUN_NESTED,    // a loop runs here already
  RUN_DEADLOCK,  // nothing will ever happen
};

}  // namespace meteor::async

#endif
