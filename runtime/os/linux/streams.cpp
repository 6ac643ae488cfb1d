// stdout, stderr and stdin. Output waits in one buffer of the process; a print is never torn apart by another one.
#include <errno.h>
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
  char data[INPUT_BYTES];
  int64_t from, to;
};

}  // namespace

// Every program has these: without the name of a namespace they take less room in it.
static Output output;
static Input input;
static pthread_mutex_t output_lock = PTHREAD_MUTEX_INITIALIZER;

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
  for (;;) {
    ssize_t got = read(STDIN_FILENO, input.data, INPUT_BYTES);
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

namespace meteor::os {

void print(const uint8_t* text, int64_t size) {
  OutputGuard guard;
  if (size > OUTPUT_BYTES - output.size) {
    flush_output();
    if (size > OUTPUT_BYTES) {
      if (int error = write_all(STDOUT_FILENO, reinterpret_cast<const char*>(text), size)) give_up_output(error);
      return;
    }
  }
  memcpy(output.data + output.size, text, size_t(size));
  output.size += size;
  if (output.terminal == Terminal::UNKNOWN) output.terminal = isatty(STDOUT_FILENO) ? Terminal::YES : Terminal::NO;
  if (output.terminal == Terminal::YES && memchr(text, '\n', size_t(size)) != nullptr) flush_output();
}

void print_error(const uint8_t* text, int64_t size) {
  OutputGuard guard;
  flush_output();
  write_all(STDERR_FILENO, reinterpret_cast<const char*>(text), size);
}

Waiting waiting_input() {
  if (input.from == input.to && !fill_input()) return {nullptr, 0};
  return {reinterpret_cast<const uint8_t*>(input.data + input.from), input.to - input.from};
}

void take_input(int64_t bytes) { input.from += bytes; }

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
