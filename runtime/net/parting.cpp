#include "runtime/net/parting.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/os/clock.h"
#include "runtime/os/descriptors.h"
#include "runtime/os/socket_calls.h"
#include "runtime/os/sockets.h"
#include "runtime/os/threads.h"
#include "runtime/threads/lock.h"

namespace meteor::net {

namespace {

using isolates::lock;
using isolates::unlock;

constexpr int64_t MS = 1'000'000;
constexpr int64_t STEP_NS = 5 * MS;             // acknowledgements are no events
constexpr int64_t QUIET_LIMIT_NS = 5'000 * MS;  // without any
constexpr int64_t WHOLE_LIMIT_NS = 30'000 * MS;
constexpr int64_t EXIT_LIMIT_NS = 2'000 * MS;  // that the program's end waits
constexpr int64_t MOST_PARTING = 4096;
constexpr size_t ROOM = 16'384;
constexpr int MOST_ROUNDS = 64;  // of reading at a time

struct Parting {
  Parting* next;
  int fd;
  int64_t unacknowledged;
  int64_t begun_ns;
  int64_t moved_ns;  // when the peer last acknowledged something
  LastWords words;
};

uint32_t guard;
Parting* arrived;  // guarded, as are the next two
int64_t count;     // of all, those that the thread has taken too
bool has_thread;

enum class Came { Nothing, Something, End };

// Reads what has come and forgets it. End: nothing more can come.
Came drain(int fd) {
  uint8_t room[ROOM];
  Came came = Came::Nothing;
  for (int i = 0; i < MOST_ROUNDS; ++i) {
    int64_t got = os::receive_without_waiting(fd, room, sizeof room);
    if (got > 0)
      came = Came::Something;
    else if (got == 0 || (got != -EAGAIN && got != -EINTR))
      return Came::End;
    else if (got == -EAGAIN)
      break;
  }
  return came;
}

// False: they can't be said.
bool say(int fd, LastWords& words) {
  if (words.size == 0) return true;
  int64_t sent = os::send_without_waiting(fd, words.data, words.size);
  if (sent < 0) return sent == -EAGAIN || sent == -EINTR;
  words.size -= sent;
  memmove(words.data, words.data + sent, size_t(words.size));
  if (words.size == 0) os::end_sending(fd);
  return true;
}

// The socket may be closed now.
bool is_over(Parting& parting, int64_t now) {
  Came came = drain(parting.fd);
  if (!say(parting.fd, parting.words)) return true;
  if (came == Came::End && parting.words.size == 0) return true;  // no reset can come; the system sends the rest
  int64_t left = os::count_unacknowledged(parting.fd);
  if (left <= 1 && parting.words.size == 0) return true;  // the end of the stream counts as one
  if (left != parting.unacknowledged) parting.moved_ns = now;
  parting.unacknowledged = left;
  return now - parting.moved_ns > QUIET_LIMIT_NS || now - parting.begun_ns > WHOLE_LIMIT_NS;
}

// Closes those that are over; the others, and how many were closed.
Parting* go_through(Parting* all, int64_t& closed) {
  int64_t now = os::monotonic_ns();
  Parting* others = nullptr;
  while (all != nullptr) {
    Parting* one = all;
    all = one->next;
    if (is_over(*one, now)) {
      os::close_descriptor(one->fd);
      free(one);
      ++closed;
    } else {
      one->next = others;
      others = one;
    }
  }
  return others;
}

void* keep_company(void*) {
  Parting* mine = nullptr;
  for (int64_t closed = 0;; closed = 0) {
    mine = go_through(mine, closed);
    lock(guard);
    count -= closed;
    while (arrived != nullptr) {
      Parting* one = arrived;
      arrived = one->next;
      one->next = mine;
      mine = one;
    }
    bool is_done = mine == nullptr;
    if (is_done) has_thread = false;
    unlock(guard);
    if (is_done) return nullptr;
    os::sleep_briefly(STEP_NS);
  }
}

void wait_for_all() {
  int64_t begun = os::monotonic_ns();
  for (;;) {
    lock(guard);
    bool is_done = count == 0 || !has_thread;
    unlock(guard);
    if (is_done || os::monotonic_ns() - begun > EXIT_LIMIT_NS) return;
    os::sleep_briefly(MS);
  }
}

bool start_thread() {
  static os::Once once;
  once.call([] { atexit(wait_for_all); });
  return os::start_thread(keep_company, nullptr, 256 * 1024, os::Signals::None) == 0;   // signals are for the program's own threads
}

// False: there is no room, no memory or no thread for it.
bool keep(int fd, int64_t unacknowledged, const LastWords& words) {
  Parting* parting = static_cast<Parting*>(malloc(sizeof(Parting)));
  if (parting == nullptr) return false;
  int64_t now = os::monotonic_ns();
  *parting = {nullptr, fd, unacknowledged, now, now, words};
  lock(guard);
  bool is_kept = count < MOST_PARTING && (has_thread || start_thread());
  if (is_kept) {
    has_thread = true;
    parting->next = arrived;
    arrived = parting;
    ++count;
  }
  unlock(guard);
  if (!is_kept) free(parting);
  return is_kept;
}

// True: the descriptor is kept.
bool keep_if_needed(int fd, const LastWords& words) {
  Came came = drain(fd);
  if (words.size == 0 && (came == Came::End || (came == Came::Nothing && !words.more_comes))) return false;
  if (os::has_linger(fd)) return false;  // the program has said how, and wants that
  int64_t unacknowledged = os::count_unacknowledged(fd);
  if (unacknowledged == 0 && words.size == 0) return false;
  if (words.size == 0) os::end_sending(fd);
  return keep(fd, unacknowledged, words);
}

}  // namespace

void part_with(int fd, const LastWords& words) {
  if (!keep_if_needed(fd, words)) os::close_descriptor(fd);
}

}  // namespace meteor::net
