#include "runtime/os/simulated/faults.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

namespace meteor::os {

Faults faults;

namespace {

constexpr int64_t SMALL = 16;   // bytes that a call which does little does
constexpr uint64_t STORM = 40;  // calls in a row that find nothing
constexpr int FDS = 1024;

uint64_t storm_ends;            // at that draw; atomic, as are these
int64_t slow_until_ns[FDS];     // what the peer of a descriptor (by its last bits) takes its time for

// splitmix64 of the number of the draw: threads may draw at once.
uint64_t drawn() {
  uint64_t x = faults.seed + 0x9e3779b97f4a7c15ull * __atomic_add_fetch(&faults.draws, 1, __ATOMIC_RELAXED);
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

int64_t real_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

// A peer that is slow for 1 to 8 ms, and storms in which nobody gets anything.
bool finds_nothing(int fd, uint64_t number) {
  int64_t& until = slow_until_ns[fd % FDS];
  int64_t slow = __atomic_load_n(&until, __ATOMIC_RELAXED);
  if (slow != 0) {
    if (real_ns() < slow) return true;
    __atomic_store_n(&until, 0, __ATOMIC_RELAXED);
  }
  if (__atomic_load_n(&faults.draws, __ATOMIC_RELAXED) < __atomic_load_n(&storm_ends, __ATOMIC_RELAXED)) return true;
  if ((number >> 16) % 512 == 0) __atomic_store_n(&until, real_ns() + (1 + int64_t(number >> 56 & 7)) * 1'000'000, __ATOMIC_RELAXED);
  if ((number >> 16) % 512 == 1) __atomic_store_n(&storm_ends, __atomic_load_n(&faults.draws, __ATOMIC_RELAXED) + STORM, __ATOMIC_RELAXED);
  return (number >> 16) % 512 <= 1;
}

int hard_fault(Call call, int fd, uint64_t number) {
  switch (call) {
    case Call::Receive:
    case Call::Send:
      if (number % 256 != 0) return 0;
      if (shutdown(fd, SHUT_RDWR) < 0) return 0;   // no connection
      return ECONNRESET;
    case Call::Accept: return number % 8 == 0 ? EMFILE : 0;
    case Call::Connect: return number % 16 == 0 ? ECONNREFUSED : 0;
    case Call::WriteFile: return number % 16 == 0 ? ENOSPC : 0;
    default: return 0;
  }
}

}  // namespace

void read_faults() {
  const char* value = getenv("METEOR_FAULTS");
  if (value == nullptr || *value == 0) return;
  char* end = nullptr;
  faults.seed = strtoull(value, &end, 10);
  faults.is_hard = strcmp(end, ":hard") == 0;
  faults.is_on = true;
}

int drawn_fault(Call call, int fd, int64_t& count) {
  uint64_t number = drawn();
  if (faults.is_hard) {
    int error = hard_fault(call, fd, number >> 32);
    if (error != 0) return error;
  }
  if (call == Call::Connect) return 0;
  bool is_file = call == Call::ReadFile || call == Call::WriteFile;
  if (!is_file && finds_nothing(fd, number)) return EAGAIN;
  switch (number % 8) {
    case 0: return EINTR;
    case 1: return is_file ? 0 : EAGAIN;
    case 2:
    case 3: count = count > SMALL ? 1 + int64_t(number >> 8 & 0xff) % SMALL : count; return 0;
    case 4: count = count > 1 ? count - count / 2 : count; return 0;
    default: return 0;
  }
}

}  // namespace meteor::os
