// The machine's clocks, whatever is simulated.
#ifndef METEOR_RUNTIME_OS_CLOCK_H
#define METEOR_RUNTIME_OS_CLOCK_H

#include <stdint.h>

namespace meteor::os {

int64_t monotonic_ns();
int64_t wall_seconds();          // since 1970, UTC; to some milliseconds
void sleep_briefly(int64_t ns);  // or less, when a signal comes

}  // namespace meteor::os

#endif
