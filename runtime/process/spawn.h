// What becomes of the three streams of a child process.
#ifndef METEOR_RUNTIME_PROCESS_SPAWN_H
#define METEOR_RUNTIME_PROCESS_SPAWN_H

#include <stdint.h>

namespace meteor::net {

enum : int64_t { INHERIT, PIPE, NOTHING, TO_STDOUT };

}  // namespace meteor::net

#endif
