// Work on files by the ring: opening, reading and writing, which the kernel does at once when what they need is in memory. The rest it would give to
// threads of its own, so that is done in ours (file_work.cpp).
//
// Invariant: one request of a piece of work is under way at a time; each completion makes the next one, or ends the work.
#include <errno.h>
#include <stdlib.h>

#include "runtime/fs/file_work.h"
#include "runtime/os/descriptors.h"
#include "runtime/text/view.h"

namespace meteor::net {

using namespace meteor::async;
using namespace meteor::text;

namespace {

constexpr int64_t MOST_AT_ONCE = 256 * 1024;   // copying more would hold up the loop: a thread of the kernel does it
constexpr int64_t MOST_BYTES = 1 << 30;        // of one request
constexpr int NO_FILE = -1;

Work& work_of(os::Operation& operation) { return *reinterpret_cast<Work*>(reinterpret_cast<char*>(&operation) - offsetof(Work, operation)); }

void finish(Work& work, int64_t status) {
  --this_reactor().waiting;
  work.status = status;
  work_is_done(work);
}

void closed(os::Operation& operation, int32_t result) {
  Work& work = work_of(operation);
  finish(work, work.status == 0 && result < 0 ? result : work.status);
}

// Closing tells of what could not be written.
void close_with(Work& work, int64_t status) {
  if (work.fd == NO_FILE) return finish(work, status);   // it stays open
  work.status = status;
  work.operation.completed = closed;
  this_reactor().ring->close_file(work.operation, work.fd);
}

uint32_t bytes_of(int64_t size) { return uint32_t(size < MOST_BYTES ? size : MOST_BYTES); }

// ---- Reading ----

void read(Work& work, int fd, uint8_t* to, int64_t size, int64_t place) {
  this_reactor().ring->read(work.operation, fd, to, bytes_of(size), place, size > MOST_AT_ONCE);
}

void read_more(Work& work);

void has_read(os::Operation& operation, int32_t result) {
  Work& work = work_of(operation);
  if (result == -EINTR) return read_more(work);
  if (result < 0) return close_with(work, result);
  work.result_size += result;
  bool is_whole = work.file_size > 0 && work.result_size == work.file_size;   // there was room for one more
  if (result == 0 || is_whole) return close_with(work, 0);
  read_more(work);
}

void read_more(Work& work) {
  int64_t status = make_room(work.fd, work);
  if (status < 0) return close_with(work, status);
  work.operation.completed = has_read;
  read(work, work.fd, work.result + work.result_size, work.room - work.result_size, NO_PLACE);
}

void has_read_some(os::Operation& operation, int32_t result) {
  Work& work = work_of(operation);
  if (result == -EINTR) return read(work, int(work.number[0]), work.result, work.number[1], work.number[2]);
  if (result > 0) work.result_size = result;
  finish(work, result);
}

bool read_some(Work& work) {
  work.result = static_cast<uint8_t*>(malloc(size_t(work.number[1])));
  if (work.result == nullptr) return false;
  work.operation.completed = has_read_some;
  read(work, int(work.number[0]), work.result, work.number[1], work.number[2]);
  return true;
}

// ---- Writing: `result_size` is how much has been written ----

void write_more(Work& work);

void has_written(os::Operation& operation, int32_t result) {
  Work& work = work_of(operation);
  if (result < 0 && result != -EINTR) return close_with(work, result);
  if (result > 0) work.result_size += result;
  write_more(work);
}

void write_more(Work& work) {
  View data = view(work.data);
  if (work.result_size == data.size) return close_with(work, 0);
  work.operation.completed = has_written;
  bool is_open_file = work.kind == WRITE_AT;
  // A write that ended early need not have moved the descriptor's own place.
  int64_t place = is_open_file ? (work.number[2] != NO_PLACE ? work.number[2] + work.result_size : NO_PLACE) : work.result_size;
  int64_t left = data.size - work.result_size;
  this_reactor().ring->write(work.operation, is_open_file ? int(work.number[0]) : work.fd, data.data + work.result_size, bytes_of(left), place, left > MOST_AT_ONCE);
}

// ---- Opening ----

void open_path(Work& work);

void has_opened(os::Operation& operation, int32_t result) {
  Work& work = work_of(operation);
  if (result == -EINTR) return open_path(work);
  if (result < 0) return finish(work, result);
  if (work.is_abandoned) {
    work.fd = result;
    return close_with(work, -ECANCELED);
  }
  if (work.kind == OPEN) {
    bool is_folder = os::is_folder(result);
    if (is_folder) os::close_descriptor(result);
    return finish(work, is_folder ? -EISDIR : result);
  }
  work.fd = result;
  work.kind == READ_FILE ? read_more(work) : write_more(work);
}

void open_path(Work& work) {
  constexpr uint32_t PERMISSIONS = 0666;
  work.operation.completed = has_opened;
  this_reactor().ring->open_file(work.operation, work.path, flags_to_open(work), PERMISSIONS);
}

}  // namespace

bool start_by_ring(Work& work) {
  bool opens = work.kind == READ_FILE || work.kind == OPEN || (work.kind == WRITE_FILE && work.number[0] != WRITE_ATOMIC);
  if (!opens && work.kind != READ_AT && work.kind != WRITE_AT) return false;
  const os::Ring* ring = find_ring(this_reactor());
  if (ring == nullptr || !ring->knows_files()) return false;
  work.fd = NO_FILE;
  if (work.kind == READ_AT && !read_some(work)) return false;
  if (work.kind == WRITE_AT) {
    if (size_of(work.data) == 0) return false;
    write_more(work);
  }
  if (opens) open_path(work);
  work.by_ring = true;
  ++this_reactor().waiting;
  return true;
}

}  // namespace meteor::net
