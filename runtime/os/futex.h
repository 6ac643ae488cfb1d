// Sleeping on a word of memory until another thread of the process changes it and says so.
#ifndef METEOR_RUNTIME_OS_FUTEX_H
#define METEOR_RUNTIME_OS_FUTEX_H

#include <stdint.h>

namespace meteor::os {

void sleep_on(uint32_t& word, uint32_t value);              // while it has that value; or wakes early
bool sleep_on(uint32_t& word, uint32_t value, int64_t ns);  // false: the time is over
void wake_sleepers(uint32_t& word, int32_t most);

}  // namespace meteor::os

#endif
