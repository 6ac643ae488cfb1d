// Environment, clocks, random bytes, and the end of the process.
#include <errno.h>
#include <linux/close_range.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "runtime/os/os.h"
#include "runtime/os/process.h"
#include "runtime/os/simulated/simulation.h"

extern char** environ;

namespace meteor::os {

Arguments arguments;
volatile int interrupts;
bool runs_on;

const char* find_variable(const char* name) { return getenv(name); }
int64_t set_variable(const char* name, const char* value) { return setenv(name, value, 1) == 0 ? 0 : -errno; }
int64_t unset_variable(const char* name) { return unsetenv(name) == 0 ? 0 : -errno; }
char** variables() { return environ; }

}  // namespace meteor::os

namespace {

constexpr int64_t SECOND_NS = 1'000'000'000;

int64_t read_clock(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return int64_t(now.tv_sec) * SECOND_NS + now.tv_nsec;
}

}  // namespace

extern "C" {

void met_exit(int64_t code) {
  met_flush();
  met_write_pending_files();
  exit(int(code));
}

int64_t met_process_id(void) { return getpid(); }

int64_t met_cpu_count(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? online : 1;
}

bool met_has_room(int64_t bytes) {
  if (bytes <= 0) return bytes == 0;
  void* memory = mmap(nullptr, size_t(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  munmap(memory, size_t(bytes));
  return true;
}

void met_leave_descriptors(void) { syscall(SYS_close_range, 0u, ~0u, CLOSE_RANGE_UNSHARE); }

int64_t met_clock_monotonic_ns(void) {
  const meteor::os::Simulation& simulation = meteor::os::simulation;
  return simulation.has_clock ? __atomic_load_n(&simulation.now_ns, __ATOMIC_RELAXED)
                              : read_clock(CLOCK_MONOTONIC) + simulation.ahead_ns;
}
int64_t met_clock_wall_ns(void) { return read_clock(CLOCK_REALTIME); }
int64_t met_clock_cpu_ns(void) { return read_clock(CLOCK_PROCESS_CPUTIME_ID); }

void met_random_bytes(uint8_t* to, int64_t bytes) {
  while (bytes > 0) {
    ssize_t got = getrandom(to, size_t(bytes), 0);
    if (got < 0) {
      if (errno == EINTR) continue;
      met_panic("the system has no random bytes");
    }
    to += got;
    bytes -= got;
  }
}

int64_t met_random_seed_value(void) {
  int64_t seed;
  met_random_bytes(reinterpret_cast<uint8_t*>(&seed), sizeof seed);
  return seed;
}

}  // extern "C"
