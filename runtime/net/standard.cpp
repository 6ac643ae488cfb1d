// The standard streams as streams: io.stdin, io.stdout, io.stderr of std/io.met. They share the buffers of `input` and `print`
// (runtime/os/streams.h), so that mixing them keeps the order. Their descriptors may be blocking ones that other programs
// have too: each is asked before it is read or written.
#include <errno.h>

#include "runtime/net/stream.h"
#include "runtime/os/descriptors.h"
#include "runtime/os/streams.h"

namespace meteor::net {

using namespace meteor::async;

namespace {

__thread Stream* own_input;    // of this isolate, when it has claimed stdin
__thread Stream* own_output;   // of this isolate, while it is open

int64_t wait_until(Source& source, uint32_t which) {
  source.ready &= ~which;
  int64_t status = watch_source(source, which);
  return status < 0 ? status : int64_t(WAIT);
}

// Puts what was read and nobody has taken in front of what is read next.
void give_back(Stream& stream) {
  Unread* unread = stream.unread;
  if (unread == nullptr) return;
  os::put_back_input(unread->data + unread->at, unread->size - unread->at);
  drop_unread(unread);
  stream.unread = nullptr;
}

bool give_back_for_a_line(const void* owner) {
  if (own_input == nullptr || own_input != owner || own_input->source.readers.first != nullptr) return false;
  give_back(*own_input);
  return true;
}

bool is_output_awaited() { return own_output != nullptr && own_output->source.writers.first != nullptr; }

int64_t receive_input(Stream& stream, uint8_t* to, int64_t most) {
  if (!os::claim_input(&stream)) return -EBUSY;
  own_input = &stream;
  int64_t got = os::read_input(to, most);
  if (got == -EBADF) return 0;   // it is open for writing only: it has ended, as for `input`
  if (got != -EAGAIN) return got;
  return wait_until(stream.source, READY_READ);
}

int64_t send_output(Stream& stream, const uint8_t* from, int64_t count) {
  int64_t taken = os::offer_output(from, count);
  return taken == -EAGAIN ? wait_until(stream.source, READY_WRITE) : taken;
}

int64_t send_error(Stream&, const uint8_t* from, int64_t count) {
  os::print_error(from, count);
  return count;
}

int64_t receive_nothing(Stream&, uint8_t*, int64_t) { return -EBADF; }
int64_t send_nothing(Stream&, const uint8_t*, int64_t) { return -EBADF; }
bool is_half_sent(Stream&) { return false; }

// The descriptor stays open: it is the process's.
void let_go(Stream& stream, LastWords&) {
  if (own_input == &stream) {
    give_back(stream);
    os::leave_input(&stream);
    own_input = nullptr;
  }
  if (own_output == &stream) own_output = nullptr;
  Source& source = stream.source;
  if (source.slot != 0) this_reactor().kernel->forget_copy(this_reactor(), source);
  release_source(source);
}

constexpr Transport INPUT = {receive_input, send_nothing, let_go, is_half_sent};
constexpr Transport OUTPUT = {receive_nothing, send_output, let_go, is_half_sent};
constexpr Transport ERRORS = {receive_nothing, send_error, let_go, is_half_sent};

Layer layers[] = {{&INPUT}, {&OUTPUT}, {&ERRORS}};

}  // namespace

}  // namespace meteor::net

using namespace meteor::net;

extern "C" {

void met_standard_open(Stream* stream, int64_t fd) {
  open_stream(*stream, int(fd), meteor::async::SOURCE_FILE);
  stream->layer = &layers[fd];
  if (fd == meteor::os::STDIN) __atomic_store_n(&meteor::os::give_back_input, give_back_for_a_line, __ATOMIC_RELAXED);
  if (fd != meteor::os::STDOUT) return;
  own_output = stream;
  __atomic_store_n(&meteor::os::is_output_awaited, is_output_awaited, __ATOMIC_RELAXED);
}

// Of stdout: 0 when all is written, WAIT, -errno.
int64_t met_standard_flush(Stream* stream) {
  if (meteor::os::drain_output()) return 0;
  return wait_until(stream->source, meteor::async::READY_WRITE);
}

}  // extern "C"
