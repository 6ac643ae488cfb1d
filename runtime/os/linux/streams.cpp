// stdout, stderr and stdin. Output waits in one buffer of the process; a print is never torn apart by another one.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "runtime/os/os.h"
#include "runtime/os/streams.h"
#include "runtime/os/threads.h"

using namespace meteor::os;

namespace {

constexpr int64_t OUTPUT_BYTES = 64 * 1024, INPUT_BYTES = 64 * 1024;

enum class Terminal : uint8_t { UNKNOWN, NO, YES };

struct Output {
  char data[OUTPUT_BYTES];
  int64_t size;
  Terminal terminal;
};

struct Input {
  char room[INPUT_BYTES];
  char* more_room;  // where more was put back than fits; null: it was not
  int64_t capacity;  // of that
  int64_t from, to;
  const void* owner;

  char* data() { return more_room != nullptr ? more_room : room; }
};

}  // namespace

// Every program has these: without the name of a namespace they take less room in it.
static Output output;
static Input input;
static pthread_mutex_t output_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t input_lock = PTHREAD_MUTEX_INITIALIZER;

namespace {

// Only programs with several isolates pay for the lock.
class OutputGuard {
 public:
  OutputGuard() : locked_(met_multi_isolate) {
    if (locked_) pthread_mutex_lock(&output_lock);
  }
  ~OutputGuard() {
    if (locked_) pthread_mutex_unlock(&output_lock);
  }
  OutputGuard(const OutputGuard&) = delete;

 private:
  bool locked_;
};

}  // namespace

[[noreturn]] static void give_up_output(int error) {
  if (error == EPIPE) {  // the reader is gone: end as other programs do then
    signal(SIGPIPE, SIG_DFL);
    raise(SIGPIPE);
  }
  char line[160];
  int size = snprintf(line, sizeof line, "error: stdout can't be written: %s\n", strerror(error));
  if (write(STDERR_FILENO, line, size_t(size)) < 0) {
  }
  _exit(1);
}

// Gives errno, or 0.
namespace meteor::os {

void hold_standard_places() {
  for (int place = STDIN_FILENO; place <= STDERR_FILENO; place++) {
    // The other way round: to read or to write it fails as if it were still closed.
    if (fcntl(place, F_GETFD) < 0) open("/dev/null", place == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace meteor::os

static int write_all(int fd, const char* data, int64_t size) {
  while (size > 0) {
    ssize_t written = write(fd, data, size_t(size));
    if (written >= 0) {
      data += written;
      size -= written;
    } else if (errno == EAGAIN) {
      pollfd wait = {fd, POLLOUT, 0};
      poll(&wait, 1, -1);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

static void flush_output() {
  int64_t size = output.size;
  output.size = 0;
  if (size == 0) return;
  if (int error = write_all(STDOUT_FILENO, output.data, size)) give_up_output(error);
}

// More bytes from stdin; false at the end or when it can't be read.
static bool fill_input() {
  input.from = input.to = 0;
  free(input.more_room);
  input.more_room = nullptr;
  for (;;) {
    ssize_t got = read(STDIN_FILENO, input.room, INPUT_BYTES);
    if (got > 0) {
      input.to = got;
      return true;
    }
    if (got == 0 || (errno != EINTR && errno != EAGAIN)) return false;
    if (errno == EAGAIN) {
      pollfd wait = {STDIN_FILENO, POLLIN, 0};
      poll(&wait, 1, -1);
    }
  }
}

static bool is_ready(int fd, short wanted) {
  pollfd wait = {fd, wanted, 0};
  int found;
  while ((found = poll(&wait, 1, 0)) < 0 && errno == EINTR) {
  }
  return found != 0;
}

// As much as goes without waiting: a pipe that can be written has room for a page.
static void write_ready_output() {
  constexpr int64_t AT_ONCE = 4096;
  int64_t at = 0;
  while (at < output.size && is_ready(STDOUT_FILENO, POLLOUT)) {
    int64_t left = output.size - at;
    ssize_t written = write(STDOUT_FILENO, output.data + at, size_t(left < AT_ONCE ? left : AT_ONCE));
    if (written >= 0) at += written;
    else if (errno == EAGAIN) break;
    else if (errno != EINTR) give_up_output(errno);
  }
  output.size -= at;
  memmove(output.data, output.data + at, size_t(output.size));
}

static void add_output(const uint8_t* text, int64_t size) {
  memcpy(output.data + output.size, text, size_t(size));
  output.size += size;
  if (output.terminal == Terminal::UNKNOWN) output.terminal = isatty(STDOUT_FILENO) ? Terminal::YES : Terminal::NO;
  if (output.terminal == Terminal::YES && memchr(text, '\n', size_t(size)) != nullptr) flush_output();
}

namespace meteor::os {

bool (*give_back_input)(const void* owner);
bool (*is_output_awaited)();

void print(const uint8_t* text, int64_t size) {
  OutputGuard guard;
  if (size > OUTPUT_BYTES - output.size) {
    flush_output();
    if (size > OUTPUT_BYTES) {
      if (int error = write_all(STDOUT_FILENO, reinterpret_cast<const char*>(text), size)) give_up_output(error);
      return;
    }
  }
  add_output(text, size);
}

int64_t offer_output(const uint8_t* bytes, int64_t size) {
  OutputGuard guard;
  int64_t taken = size < OUTPUT_BYTES ? size : OUTPUT_BYTES;
  if (taken > OUTPUT_BYTES - output.size) write_ready_output();
  if (taken > OUTPUT_BYTES - output.size) return -EAGAIN;
  add_output(bytes, taken);
  return taken;
}

bool drain_output() {
  OutputGuard guard;
  write_ready_output();
  return output.size == 0;
}

void flush_before_sleep() {
  auto is_awaited = __atomic_load_n(&is_output_awaited, __ATOMIC_RELAXED);
  if (is_awaited != nullptr && is_awaited()) drain_output();
  else met_flush();
}

void print_error(const uint8_t* text, int64_t size) {
  OutputGuard guard;
  flush_output();
  write_all(STDERR_FILENO, reinterpret_cast<const char*>(text), size);
}

bool begin_line() {
  pthread_mutex_lock(&input_lock);
  if (input.owner == nullptr || __atomic_load_n(&give_back_input, __ATOMIC_RELAXED)(input.owner)) return true;
  pthread_mutex_unlock(&input_lock);
  return false;
}

void end_line() { pthread_mutex_unlock(&input_lock); }

bool claim_input(const void* owner) {
  if (__atomic_load_n(&input.owner, __ATOMIC_RELAXED) == owner) return true;
  if (pthread_mutex_trylock(&input_lock) != 0) return false;
  bool is_free = input.owner == nullptr;
  if (is_free) __atomic_store_n(&input.owner, owner, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&input_lock);
  return is_free;
}

// Ordering: what the owner has put back is seen by the next one, who takes the lock.
void leave_input(const void* owner) {
  pthread_mutex_lock(&input_lock);
  if (input.owner == owner) __atomic_store_n(&input.owner, nullptr, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&input_lock);
}

Waiting waiting_input() {
  if (input.from == input.to && !fill_input()) return {nullptr, 0};
  return {reinterpret_cast<const uint8_t*>(input.data() + input.from), input.to - input.from};
}

void take_input(int64_t bytes) { input.from += bytes; }

int64_t read_input(uint8_t* to, int64_t most) {
  int64_t waiting = input.to - input.from;
  if (waiting > 0) {
    if (waiting > most) waiting = most;
    memcpy(to, input.data() + input.from, size_t(waiting));
    input.from += waiting;
    return waiting;
  }
  while (is_ready(STDIN_FILENO, POLLIN)) {
    ssize_t got = read(STDIN_FILENO, to, size_t(most));
    if (got >= 0) return got;
    if (errno != EINTR) return -errno;
  }
  return -EAGAIN;
}

void put_back_input(const uint8_t* bytes, int64_t size) {
  int64_t behind = input.to - input.from;
  int64_t capacity = input.more_room != nullptr ? input.capacity : INPUT_BYTES;
  if (size + behind > capacity) {
    char* larger = static_cast<char*>(malloc(size_t(size + behind)));
    if (larger == nullptr) met_panic("no memory is left for what was read of standard input");
    memcpy(larger + size, input.data() + input.from, size_t(behind));
    free(input.more_room);
    input.more_room = larger;
    input.capacity = size + behind;
  } else {
    memmove(input.data() + size, input.data() + input.from, size_t(behind));
  }
  memcpy(input.data(), bytes, size_t(size));
  input.from = 0;
  input.to = size + behind;
}

}  // namespace meteor::os

extern "C" {

void met_flush(void) {
  OutputGuard guard;
  flush_output();
}

// Whoever holds the lock may be this very thread. What stands before `size` is complete.
void met_write_last_output(void) {
  constexpr int64_t AT_ONCE = 4096;  // a pipe that has room takes so much without blocking
  constexpr int PATIENCE_MS = 200;
  for (int i = 0; i < 20 && pthread_mutex_trylock(&output_lock) != 0; ++i) {
    timespec moment = {0, 1'000'000};
    nanosleep(&moment, nullptr);
  }
  int64_t size = output.size;
  output.size = 0;
  for (int64_t at = 0; at < size;) {
    pollfd wait = {STDOUT_FILENO, POLLOUT, 0};
    if (poll(&wait, 1, PATIENCE_MS) <= 0) return;
    ssize_t written = write(STDOUT_FILENO, output.data + at, size_t(size - at < AT_ONCE ? size - at : AT_ONCE));
    if (written <= 0) return;
    at += written;
  }
}

}  // extern "C"
