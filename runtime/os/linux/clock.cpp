#include "runtime/os/clock.h"

#include <time.h>

namespace meteor::os {

int64_t monotonic_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

int64_t wall_seconds() {
  timespec now;
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return now.tv_sec;
}

void sleep_briefly(int64_t ns) {
  timespec time = {ns / 1'000'000'000, ns % 1'000'000'000};
  nanosleep(&time, nullptr);
}

}  // namespace meteor::os
