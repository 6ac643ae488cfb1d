#include "runtime/os/futex.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace meteor::os {

void sleep_on(uint32_t& word, uint32_t value) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

bool sleep_on(uint32_t& word, uint32_t value, int64_t ns) {
  timespec wait = {ns / 1'000'000'000, ns % 1'000'000'000};
  return syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, &wait, nullptr, 0) == 0 || errno != ETIMEDOUT;
}

void wake_sleepers(uint32_t& word, int32_t most) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, most, nullptr, nullptr, 0);
}

}  // namespace meteor::os
