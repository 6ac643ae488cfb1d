#include "runtime/net/stream.h"

#include <errno.h>
#include <string.h>

#include "runtime/loop/isolate.h"
#include "runtime/os/descriptors.h"
#include "runtime/os/simulated/faults.h"
#include "runtime/os/socket_calls.h"
#include "runtime/os/sockets.h"
#include "runtime/text/view.h"
#include "runtime/trace/trace.h"

namespace meteor::net {

using namespace meteor::async;
using namespace meteor::text;

namespace {

constexpr int64_t CHUNK = 64 * 1024;
constexpr int64_t MUCH = 256 * 1024;        // for who asks for so much: each call wakes the peer, which costs more than the bytes
constexpr int64_t AT_ONCE = 1024 * 1024;    // no more room than this is made for bytes that have yet to come, or as much as has come
constexpr int64_t LARGE_SEND = 16 * 1024;   // a call of its own is little beside it, and it takes at once what there is room for

// Where bytes are received when nobody knows how many come. A chunk that came full is handed out as it is, and a new one is
// made for the next; a small one is copied. It lives while there are streams.
__thread met_str_object* spare;
__thread int64_t spare_size;
__thread int64_t open_streams;

void drop_spare() {
  if (spare == nullptr) return;
  met_object_free_sized(&spare->header, object_bytes(spare_size));
  spare = nullptr;
}

uint8_t* spare_room(int64_t size = CHUNK) {
  if (spare_size != size) drop_spare();
  if (spare == nullptr) spare = new_text_object(size);
  spare_size = size;
  return reinterpret_cast<uint8_t*>(spare->text);
}

// The first `size` bytes of the spare.
met_str bytes_of_spare(int64_t size) {
  if (size < spare_size / 2) return make_known(reinterpret_cast<uint8_t*>(spare->text), size, false);
  met_str bytes = {reinterpret_cast<uint64_t>(spare), uint64_t(size)};
  spare = nullptr;
  return bytes;
}

int64_t buffered(const Stream& stream) { return stream.unread == nullptr ? 0 : stream.unread->size - stream.unread->at; }

void drop_buffer(Stream& stream) {
  drop_unread(stream.unread);
  stream.unread = nullptr;
}

// Room for so many more bytes behind those that are there.
Unread& reserve(Stream& stream, int64_t more) {
  Unread* unread = stream.unread;
  int64_t count = 0, capacity = 0;
  if (unread != nullptr) {
    if (unread->size + more <= unread->capacity) return *unread;
    count = unread->size - unread->at;
    if (unread->at > 0) memmove(unread->data, unread->data + unread->at, size_t(count));
    unread->at = 0;
    unread->size = count;
    capacity = unread->capacity;
    if (count + more <= capacity) return *unread;
  }
  int64_t wanted = capacity * 2 > count + more ? capacity * 2 : count + more;
  int64_t old_bytes = unread == nullptr ? 0 : int64_t(sizeof(Unread)) + capacity;
  unread = static_cast<Unread*>(met_raw_realloc(unread, old_bytes, int64_t(sizeof(Unread)) + wanted));
  unread->at = 0;
  unread->size = count;
  unread->capacity = wanted;
  return *(stream.unread = unread);
}

void keep(Stream& stream, const uint8_t* from, int64_t count) {
  if (count == 0) return;
  Unread& unread = reserve(stream, count);
  memcpy(unread.data + unread.size, from, size_t(count));
  unread.size += count;
}

// In front of what is there.
void put_back(Stream& stream, const uint8_t* from, int64_t count) {
  if (count == 0) return;
  Unread& unread = reserve(stream, count);
  int64_t size = unread.size - unread.at;
  memmove(unread.data + count, unread.data + unread.at, size_t(size));
  memcpy(unread.data, from, size_t(count));
  unread.at = 0;
  unread.size = count + size;
}

void skip(Stream& stream, int64_t count) {
  if (count == 0) return;
  stream.unread->at += count;
  if (buffered(stream) == 0) drop_buffer(stream);   // thousands of idle streams need no room
}

const uint8_t* unread_bytes(const Stream& stream) { return stream.unread == nullptr ? nullptr : stream.unread->data + stream.unread->at; }

int64_t receive(Stream& stream, uint8_t* to, int64_t most) {
  return stream.layer != nullptr ? stream.layer->transport->receive(stream, to, most) : receive_plain(stream, to, most);
}

// ---- Where a read ends ----

struct Found {
  int64_t count;   // how much the read takes; -1: more is needed
  int64_t drop;    // of these, at the end, not handed out
};

Found find_end(Read& read, const uint8_t* data, int64_t size, const met_str& delimiter) {
  switch (read.kind) {
    case SOME: return {size == 0 ? -1 : size < read.count ? size : read.count, 0};
    case EXACT: return {size >= read.count ? read.count : -1, 0};
    case LINE: {
      const void* end = size > read.looked ? memchr(data + read.looked, '\n', size_t(size - read.looked)) : nullptr;
      if (end == nullptr) {
        read.looked = size;
        return {-1, 0};
      }
      int64_t count = static_cast<const uint8_t*>(end) - data + 1;
      return {count, count > 1 && data[count - 2] == '\r' ? 2 : 1};
    }
    case UNTIL: {
      View wanted = view(delimiter);
      int64_t at = find_bytes({data, size}, wanted, read.looked);
      if (at >= 0) return {at + wanted.size, 0};
      read.looked = size >= wanted.size ? size - wanted.size + 1 : 0;
      return {-1, 0};
    }
    default: return {-1, 0};
  }
}

// The bytes as the read wants them. A line has to be text.
int64_t hand_out(const Read& read, const uint8_t* data, int64_t count, met_str* into) {
  if (read.kind == LINE) {
    if (find_bad_utf8(data, count) >= 0) return NOT_TEXT;
    store(into, make(data, count));
  } else {
    store(into, make_known(data, count, false));
  }
  return 0;
}

bool is_too_long(const Read& read, int64_t size) { return read.kind >= UNTIL && size > read.count; }

// The stream has ended: what is left is the last line, or all.
int64_t read_at_end(Stream& stream, Read& read, met_str* into) {
  if (read.kind == SOME) {
    store(into, EMPTY);
    return 0;
  }
  if (read.kind == EXACT || read.kind == UNTIL) return END;
  int64_t count = buffered(stream);
  if (read.kind == LINE && count == 0) return END;
  int64_t status = hand_out(read, unread_bytes(stream), count, into);
  skip(stream, count);
  return status;
}

// With nothing buffered the bytes go from the kernel into what is handed out.
int64_t read_fresh(Stream& stream, Read& read, const met_str& delimiter, met_str* into) {
  int64_t got = receive(stream, spare_room(), read.kind == SOME && read.count < CHUNK ? read.count : CHUNK);
  if (got <= 0) return got == 0 ? read_at_end(stream, read, into) : got;
  const uint8_t* data = reinterpret_cast<uint8_t*>(spare->text);
  Found found = find_end(read, data, got, delimiter);
  if (found.count < 0) {
    keep(stream, data, got);
    return got;
  }
  keep(stream, data + found.count, got - found.count);
  if (read.kind == LINE) return hand_out(read, data, found.count - found.drop, into);
  store(into, bytes_of_spare(found.count));
  return 0;
}

// 0: done; > 0: more has come, look again.
int64_t read_more(Stream& stream, Read& read, const met_str& delimiter, met_str* into) {
  int64_t missing = read.kind == EXACT ? read.count - buffered(stream) : 0;
  if (buffered(stream) == 0 && missing <= CHUNK && read.kind != ALL) return read_fresh(stream, read, delimiter, into);
  int64_t most = buffered(stream) > AT_ONCE ? buffered(stream) : AT_ONCE;   // a peer that names a size need not send so much
  if (missing > most) missing = most;
  Unread& unread = reserve(stream, missing > CHUNK ? missing : CHUNK);
  int64_t got = receive(stream, unread.data + unread.size, unread.capacity - unread.size);
  if (got > 0) {
    unread.size += got;
    return got;
  }
  if (buffered(stream) == 0) drop_buffer(stream);
  return got == 0 ? read_at_end(stream, read, into) : got;
}

int64_t closed_status(const Source& source) { return source.flags & SOURCE_ABANDONED ? ABANDONED : CLOSED; }

int64_t read_now(Stream& stream, Read& read, const met_str& delimiter, met_str* into) {
  if (stream.source.fd < 0) return closed_status(stream.source);
  for (;;) {
    int64_t size = buffered(stream);
    if (size > 0 || read.kind == EXACT) {
      const uint8_t* data = unread_bytes(stream);
      Found found = find_end(read, data, size, delimiter);
      if (found.count >= 0) {
        int64_t status = hand_out(read, data, found.count - found.drop, into);
        skip(stream, found.count);
        return status;
      }
      if (is_too_long(read, size)) return TOO_LONG;
    }
    int64_t status = read_more(stream, read, delimiter, into);
    if (status <= 0) return status;
  }
}

// What is buffered, `count` bytes at most; how many.
int64_t take_unread(Stream& stream, int64_t count, met_str& into) {
  int64_t size = buffered(stream) < count ? buffered(stream) : count;
  into = make_known(unread_bytes(stream), size, false);
  skip(stream, size);
  return size;
}

// With nothing buffered; also 0 at the end, WAIT, -errno.
int64_t take_fresh(Stream& stream, int64_t count, met_str& into) {
  int64_t room = count < MUCH ? CHUNK : MUCH;
  int64_t got = receive(stream, spare_room(room), count < room ? count : room);
  if (got > 0) into = bytes_of_spare(got);
  return got;
}

// The error to give instead of the call, 0: none. What EAGAIN hides is told again later.
int64_t simulated_fault(Source& source, os::Call call, int64_t& count) {
  int error = os::fault_of(call, source.fd, count);
  if (error == EAGAIN && !postpone_event(source, call == os::Call::Send ? READY_WRITE : READY_READ)) return 0;
  return error;
}

}  // namespace

void drop_unread(Unread* unread) {
  if (unread != nullptr) met_raw_free(unread, int64_t(sizeof(Unread)) + unread->capacity);
}

void open_stream(Stream& stream, int fd, uint32_t flags) {
  stream = {};
  open_source(stream.source, fd, flags & SOURCE_FILE ? flags : flags | SOURCE_STREAM);
  ++open_streams;
}

// After fewer bytes than there was room for nothing is left, and the kernel will tell when more has come; unless it has told of
// the end already.
int64_t receive_plain(Stream& stream, uint8_t* to, int64_t most) {
  Source& source = stream.source;
  for (;;) {
    if (!(source.ready & READY_READ)) {
      int64_t status = watch_source(source, READY_READ);
      return status < 0 ? status : int64_t(WAIT);
    }
    int64_t got = -simulated_fault(source, os::Call::Receive, most);
    if (got == 0) got = receive_from(source, to, most);
    if (got > 0) {
      trace(TraceKind::Receive, isolate.running, reinterpret_cast<void*>(intptr_t(source.fd)), uint32_t(got));
      if (got < most && source.slot != 0 && !(source.ready & READ_ENDED) && !(source.flags & SOURCE_FILE)) source.ready &= ~uint32_t(READY_READ);
      return got;
    }
    if (got == 0) return 0;
    if (got == -EINTR) continue;
    if (got != -EAGAIN) return got;
    source.ready &= ~uint32_t(READY_READ);
  }
}

int64_t send_plain(Stream& stream, const uint8_t* from, int64_t count) {
  Source& source = stream.source;
  for (;;) {
    if (!(source.ready & READY_WRITE)) {
      int64_t status = watch_source(source, READY_WRITE);
      return status < 0 ? status : int64_t(WAIT);
    }
    if (int64_t error = simulated_fault(source, os::Call::Send, count)) {
      if (error == EINTR) continue;
      if (error != EAGAIN) return -error;
      source.ready &= ~uint32_t(READY_WRITE);
      continue;
    }
    int64_t sent = source.flags & SOURCE_FILE ? os::write_descriptor(source.fd, from, count) : os::send_now(source.fd, from, count);
    if (sent >= 0) {
      trace(TraceKind::Send, isolate.running, reinterpret_cast<void*>(intptr_t(source.fd)), uint32_t(sent));
      return sent;
    }
    if (sent == -EINTR) continue;
    if (sent != -EAGAIN) return sent;
    source.ready &= ~uint32_t(READY_WRITE);
  }
}

}  // namespace meteor::net

using namespace meteor::async;
using namespace meteor::net;
using meteor::text::size_of;
using meteor::text::data_of;

extern "C" {

// Waiters stay in their line until they have what they want; who is in none goes behind those that are.
static bool has_turn(const WaitList& line, const Waiter* waiter) { return line.first == waiter || (waiter->list == nullptr && line.first == nullptr); }

// 0: *into has it; WAIT, END, …, -errno.
int64_t met_stream_read(Stream* stream, Waiter* waiter, Read* read, met_str delimiter, met_str* into) {
  if (!has_turn(stream->source.readers, waiter)) return stream->source.fd < 0 ? closed_status(stream->source) : int64_t(WAIT);
  return read_now(*stream, *read, delimiter, into);
}

// `count` bytes at most: how many met_stream_found will give, 0 at the end, -errno, … ; WAIT: it is in the line now.
int64_t met_stream_read_some(Stream* stream, Waiter* waiter, int64_t count) {
  Source& source = stream->source;
  if (source.fd < 0) return closed_status(source);
  int64_t status = WAIT;
  if (has_turn(source.readers, waiter)) {
    status = stream->unread != nullptr ? take_unread(*stream, count, stream->found) : take_fresh(*stream, count, stream->found);
    if (status != WAIT) return status;
  }
  if (waiter->list == nullptr) wait_for_source(source.readers, *waiter, isolate.strand);
  return WAIT;
}

// What the call before has found.
met_str met_stream_found(Stream* stream) {
  met_str bytes = stream->found;
  stream->found = {};
  return bytes;
}

// Nobody could use what was read: the next one reads it.
void met_stream_put_back(Stream* stream, met_str bytes) {
  if (stream->source.fd < 0) return;
  put_back(*stream, data_of(bytes), size_of(bytes));
  if (stream->source.readers.first != nullptr) wake(stream->source.readers.first->task);
}

// What has come, CHUNK at most: how much, 0 at the end, WAIT, -errno.
int64_t met_stream_take(Stream* stream, Waiter* waiter, met_str* into) {
  if (stream->source.fd < 0) return closed_status(stream->source);
  if (!has_turn(stream->source.readers, waiter)) return WAIT;
  met_str taken = {};
  int64_t got = stream->unread != nullptr ? take_unread(*stream, CHUNK, taken) : take_fresh(*stream, CHUNK, taken);
  if (got > 0) meteor::text::store(into, taken);
  return got;
}

// How much has been written, WAIT or -errno.
static int64_t write_to(Stream* stream, Waiter* waiter, const uint8_t* data, int64_t count) {
  Source& source = stream->source;
  if (source.fd < 0) return closed_status(source);
  if (!has_turn(source.writers, waiter)) return WAIT;
  int64_t written = 0;
  while (written < count) {
    int64_t sent = stream->layer != nullptr ? stream->layer->transport->send(*stream, data + written, count - written) : send_plain(*stream, data + written, count - written);
    if (sent < 0) return sent == WAIT && written > 0 ? written : sent;
    written += sent;
  }
  return written;
}

int64_t met_stream_write_raw(Stream* stream, Waiter* waiter, uint8_t* data, int64_t count) { return write_to(stream, waiter, data, count); }

// The same of data[at ..].
int64_t met_stream_write(Stream* stream, Waiter* waiter, met_str bytes, int64_t at) {
  return write_to(stream, waiter, data_of(bytes) + at, size_of(bytes) - at);
}

// The same for one that then waits in the line of writers until it has been told how much, or gives up:
// met_stream_stop_sending.
int64_t met_stream_send(Stream* stream, Waiter* waiter, met_str bytes, int64_t at) {
  Source& source = stream->source;
  if (stream->layer != nullptr || source.fd < 0 || size_of(bytes) == at || size_of(bytes) - at >= LARGE_SEND || !sends_by_itself(source)) return met_stream_write(stream, waiter, bytes, at);
  if (!has_turn(source.writers, waiter)) return WAIT;
  int64_t sent = send_from(source, bytes, at);
  if (sent >= 0) trace(TraceKind::Send, isolate.running, reinterpret_cast<void*>(intptr_t(source.fd)), uint32_t(sent));
  return sent == -EINPROGRESS ? int64_t(WAIT) : sent;
}

void met_stream_wait_read(Stream* stream, Waiter* waiter) { wait_for_source(stream->source.readers, *waiter, isolate.strand); }
void met_stream_wait_write(Stream* stream, Waiter* waiter) { wait_for_source(stream->source.writers, *waiter, isolate.strand); }

// Until the other side has ended: 0; WAIT: it is in the line now; -errno.
int64_t met_stream_await_end(Stream* stream, Waiter* waiter) {
  Source& source = stream->source;
  if (source.fd < 0) return closed_status(source);
  if (source.ready & (READ_ENDED | FAILED)) return 0;
  if (waiter->list != nullptr) return WAIT;
  int64_t status = watch_source(source, READ_ENDED);
  if (status < 0) return status;
  wait_for_source(source.enders, *waiter, isolate.strand);
  return WAIT;
}

void met_stream_leave(Stream* stream, Waiter* waiter) {
  leave_source(stream->source, *waiter);
  bool may_have_more = stream->unread != nullptr || stream->layer != nullptr;   // a layer has bytes of its own
  if (may_have_more && stream->source.readers.first != nullptr) wake(stream->source.readers.first->task);
}

// Whoever has its turn stops writing now: how much of what met_stream_send was given has gone; -1: part of it, which
// cannot be taken back.
int64_t met_stream_stop_sending(Stream* stream, Waiter* waiter) {
  if (stream->source.writers.first != waiter) return 0;
  if (stream->layer == nullptr) return stop_sending(stream->source);
  return stream->layer->transport->is_half_sent(*stream) ? -1 : 0;
}

// False: somebody waits for the stream.
bool met_stream_move(Stream* from, Stream* to) {
  const Source& source = from->source;
  if (source.readers.first != nullptr || source.writers.first != nullptr || source.enders.first != nullptr || from->layer != nullptr) return false;
  *to = *from;
  move_source(from->source, to->source);
  from->unread = nullptr;
  return true;
}

met_str met_bytes_as_text(met_str bytes) {
  met_str_retain(bytes);
  return bytes;
}

int64_t met_stream_buffered(const Stream* stream) { return buffered(*stream); }

void met_stream_open(Stream* stream, int64_t fd, bool is_file) { open_stream(*stream, int(fd), is_file ? SOURCE_FILE : 0); }

void met_stream_close(Stream* stream, bool abandoned) {
  if (stream->source.fd < 0) return;
  LastWords words;
  words.size = 0;
  words.more_comes = false;
  if (stream->layer != nullptr) stream->layer->transport->close(*stream, words);   // which ends it
  Source& source = stream->source;
  if ((source.flags & SOURCE_FILE) || (source.ready & FAILED)) close_source(source);
  else part_with(release_source(source), words);
  if (abandoned) stream->source.flags |= SOURCE_ABANDONED;
  drop_buffer(*stream);
  if (--open_streams == 0) drop_spare();
}

int64_t met_stream_shutdown(Stream* stream) {
  if (stream->source.fd < 0) return closed_status(stream->source);
  int64_t status = meteor::os::end_sending(stream->source.fd);
  return status == -ENOTCONN ? 0 : status;   // the peer has gone: there is nothing to end
}

}  // extern "C"
