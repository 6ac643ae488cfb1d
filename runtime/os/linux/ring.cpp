// By the system calls themselves, without a library; needs Linux 6.1.
//
// Ordering: the tails that the kernel reads are stored with release, those it writes are loaded with acquire.
#include "runtime/os/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "runtime/os/linux/poll_bits.h"

namespace meteor::os {

namespace {

constexpr uint32_t REQUESTS = 256, COMPLETIONS = 4096, FIRST_BUFFERS = 64;
constexpr uint8_t NEEDED[] = {IORING_OP_POLL_ADD, IORING_OP_RECV, IORING_OP_SEND, IORING_OP_ASYNC_CANCEL};
constexpr uint8_t FOR_FILES[] = {IORING_OP_OPENAT, IORING_OP_READ, IORING_OP_WRITE, IORING_OP_CLOSE};
constexpr uint64_t IS_OPERATION = uint64_t(1) << 63;   // the rest of the key is its address

void* map(size_t bytes, int fd, off_t offset) {
  int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED | MAP_POPULATE;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, fd, offset);
  return memory == MAP_FAILED ? nullptr : memory;
}

}  // namespace

bool Ring::open() {
  io_uring_params params = {};
  params.flags = IORING_SETUP_CQSIZE | IORING_SETUP_SUBMIT_ALL | IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN;
  params.cq_entries = COMPLETIONS;
  fd_ = int(syscall(__NR_io_uring_setup, REQUESTS, &params));
  if (fd_ < 0) return false;
  uint32_t needed = IORING_FEAT_SINGLE_MMAP | IORING_FEAT_NODROP | IORING_FEAT_EXT_ARG | IORING_FEAT_CQE_SKIP;
  if ((params.features & needed) == needed && ask_what_it_knows() && map_rings(params) && make_buffers()) return true;
  close();
  return false;
}

// A container may forbid some.
bool Ring::ask_what_it_knows() {
  constexpr uint32_t MOST = 256;
  alignas(io_uring_probe) char memory[sizeof(io_uring_probe) + MOST * sizeof(io_uring_probe_op)] = {};
  auto* probe = reinterpret_cast<io_uring_probe*>(memory);
  if (syscall(__NR_io_uring_register, fd_, IORING_REGISTER_PROBE, probe, MOST) < 0) return false;
  auto knows = [&](uint8_t opcode) {
    for (uint32_t i = 0; i < probe->ops_len; ++i)
      if (probe->ops[i].op == opcode) return (probe->ops[i].flags & IO_URING_OP_SUPPORTED) != 0;
    return false;
  };
  for (uint8_t opcode : NEEDED)
    if (!knows(opcode)) return false;
  knows_files_ = true;
  for (uint8_t opcode : FOR_FILES) knows_files_ &= knows(opcode);
  return true;
}

bool Ring::map_rings(const io_uring_params& params) {
  size_t sq_bytes = params.sq_off.array + params.sq_entries * sizeof(uint32_t);
  size_t cq_bytes = params.cq_off.cqes + params.cq_entries * sizeof(io_uring_cqe);
  rings_bytes_ = sq_bytes > cq_bytes ? sq_bytes : cq_bytes;
  sqes_bytes_ = params.sq_entries * sizeof(io_uring_sqe);
  rings_ = map(rings_bytes_, fd_, off_t(IORING_OFF_SQ_RING));
  sqes_ = static_cast<io_uring_sqe*>(map(sqes_bytes_, fd_, off_t(IORING_OFF_SQES)));
  if (rings_ == nullptr || sqes_ == nullptr) return false;
  char* at = static_cast<char*>(rings_);
  auto word = [&](uint32_t offset) { return reinterpret_cast<uint32_t*>(at + offset); };
  sq_head_ = word(params.sq_off.head);
  sq_tail_ = word(params.sq_off.tail);
  sq_mask_ = *word(params.sq_off.ring_mask);
  sq_entries_ = params.sq_entries;
  cq_head_ = word(params.cq_off.head);
  cq_tail_ = word(params.cq_off.tail);
  cq_mask_ = *word(params.cq_off.ring_mask);
  cqes_ = reinterpret_cast<io_uring_cqe*>(at + params.cq_off.cqes);
  for (uint32_t i = 0; i < params.sq_entries; ++i) word(params.sq_off.array)[i] = i;
  return true;
}

bool Ring::make_buffers() {
  buffer_ring_ = map(BUFFERS * sizeof(io_uring_buf), -1, 0);
  memory_ = static_cast<uint8_t*>(map(size_t(BUFFERS) * BUFFER_BYTES, -1, 0));
  if (buffer_ring_ == nullptr || memory_ == nullptr) return false;
  io_uring_buf_reg registration = {};
  registration.ring_addr = reinterpret_cast<uint64_t>(buffer_ring_);
  registration.ring_entries = BUFFERS;
  if (syscall(__NR_io_uring_register, fd_, IORING_REGISTER_PBUF_RING, &registration, 1) < 0) return false;
  add_buffers();
  return true;
}

void Ring::add_buffers() {
  uint32_t wanted = buffers_ == 0 ? FIRST_BUFFERS : buffers_ * 2;
  while (buffers_ < wanted && buffers_ < BUFFERS) give_back(uint16_t(buffers_++));
  is_short_of_buffers = false;
}

void Ring::close() {
  ::close(fd_);
  if (rings_ != nullptr) munmap(rings_, rings_bytes_);
  if (sqes_ != nullptr) munmap(sqes_, sqes_bytes_);
  if (buffer_ring_ != nullptr) munmap(buffer_ring_, BUFFERS * sizeof(io_uring_buf));
  if (memory_ != nullptr) munmap(memory_, size_t(BUFFERS) * BUFFER_BYTES);
}

io_uring_sqe& Ring::next_request() {
  if (to_submit_ == sq_entries_) enter(0, 0);
  uint32_t tail = *sq_tail_;
  io_uring_sqe& request = sqes_[tail & sq_mask_];
  memset(&request, 0, sizeof request);
  __atomic_store_n(sq_tail_, tail + 1, __ATOMIC_RELEASE);
  ++to_submit_;
  return request;
}

void Ring::enter(uint32_t wait_for, int64_t ns) {
  __kernel_timespec time = {ns / 1'000'000'000, ns % 1'000'000'000};
  io_uring_getevents_arg limit = {};
  limit.sigmask_sz = _NSIG / 8;
  limit.ts = ns == FOR_EVER ? 0 : reinterpret_cast<uint64_t>(&time);
  bool waits = wait_for > 0 && ns > 0;
  uint32_t flags = IORING_ENTER_GETEVENTS | (waits ? IORING_ENTER_EXT_ARG : 0);
  long taken = syscall(__NR_io_uring_enter, fd_, to_submit_, waits ? wait_for : 0, flags, waits ? &limit : nullptr, waits ? sizeof limit : 0);
  if (taken > 0) to_submit_ -= uint32_t(taken);
  else if (taken < 0 && (errno == ETIME || errno == EINTR)) to_submit_ = *sq_tail_ - __atomic_load_n(sq_head_, __ATOMIC_ACQUIRE);
}

bool Ring::take(Completion& completion) {
  uint32_t head = *cq_head_;
  if (head == __atomic_load_n(cq_tail_, __ATOMIC_ACQUIRE)) return false;
  const io_uring_cqe& told = cqes_[head & cq_mask_];
  completion.key = told.user_data;
  completion.result = told.res;
  completion.buffer = told.flags & IORING_CQE_F_BUFFER ? uint16_t(told.flags >> IORING_CQE_BUFFER_SHIFT) : NO_BUFFER;
  completion.is_last = !(told.flags & IORING_CQE_F_MORE);
  __atomic_store_n(cq_head_, head + 1, __ATOMIC_RELEASE);
  return true;
}

uint32_t Ring::Completion::ready() const { return ready_of(result >= 0 ? uint32_t(result) : uint32_t(POLLERR)); }

bool Ring::find(uint64_t key, int32_t& result) const {
  uint32_t end = __atomic_load_n(cq_tail_, __ATOMIC_ACQUIRE);
  for (uint32_t at = *cq_head_; at != end; ++at) {
    if (cqes_[at & cq_mask_].user_data != key) continue;
    result = cqes_[at & cq_mask_].res;
    return true;
  }
  return false;
}

uint64_t Ring::key_of(const Operation& operation) { return reinterpret_cast<uint64_t>(&operation) | IS_OPERATION; }
Operation* Ring::operation_of(uint64_t key) { return key & IS_OPERATION ? reinterpret_cast<Operation*>(key & ~IS_OPERATION) : nullptr; }

io_uring_sqe& Ring::start(Operation& operation, uint8_t opcode, int fd, const void* memory, uint32_t size) {
  io_uring_sqe& request = next_request();
  request.opcode = opcode;
  request.fd = fd;
  request.addr = reinterpret_cast<uint64_t>(memory);
  request.len = size;
  request.user_data = key_of(operation);
  return request;
}

void Ring::poll(int fd, uint32_t wanted, bool again, uint64_t key) {
  io_uring_sqe& request = next_request();
  request.opcode = IORING_OP_POLL_ADD;
  request.fd = fd;
  request.poll32_events = (wanted & READY_READ ? uint32_t(POLLIN) : 0) | (wanted & READY_WRITE ? uint32_t(POLLOUT) : 0) |
                          (wanted & READ_ENDED ? uint32_t(POLLRDHUP) : 0);
  request.len = again ? IORING_POLL_ADD_MULTI : 0;
  request.user_data = key;
}

void Ring::receive(int fd, uint64_t key) {
  io_uring_sqe& request = next_request();
  request.opcode = IORING_OP_RECV;
  request.fd = fd;
  request.ioprio = IORING_RECV_MULTISHOT;
  request.flags = IOSQE_BUFFER_SELECT;
  request.user_data = key;
}

void Ring::send(Operation& operation, int fd, const void* from, uint32_t bytes) {
  start(operation, IORING_OP_SEND, fd, from, bytes).msg_flags = MSG_NOSIGNAL;
}

void Ring::open_file(Operation& operation, const char* path, int flags, uint32_t permissions) {
  start(operation, IORING_OP_OPENAT, AT_FDCWD, path, permissions).open_flags = uint32_t(flags);
}

static void set_place(io_uring_sqe& request, int64_t place, bool in_thread) {
  request.off = uint64_t(place);
  if (in_thread) request.flags |= IOSQE_ASYNC;
}

void Ring::read(Operation& operation, int fd, void* to, uint32_t bytes, int64_t place, bool in_thread) {
  set_place(start(operation, IORING_OP_READ, fd, to, bytes), place, in_thread);
}

void Ring::write(Operation& operation, int fd, const void* from, uint32_t bytes, int64_t place, bool in_thread) {
  set_place(start(operation, IORING_OP_WRITE, fd, from, bytes), place, in_thread);
}

void Ring::close_file(Operation& operation, int fd) { start(operation, IORING_OP_CLOSE, fd, nullptr, 0); }

void Ring::cancel_all(int fd) {
  io_uring_sqe& request = next_request();
  request.opcode = IORING_OP_ASYNC_CANCEL;
  request.fd = fd;
  request.cancel_flags = IORING_ASYNC_CANCEL_FD | IORING_ASYNC_CANCEL_ALL;
  request.flags = IOSQE_CQE_SKIP_SUCCESS;
}

void Ring::cancel(uint64_t key) {
  io_uring_sqe& request = next_request();
  request.opcode = IORING_OP_ASYNC_CANCEL;
  request.addr = key;
  request.flags = IOSQE_CQE_SKIP_SUCCESS;
}

// The tail of the kernel's ring of buffers lies in the unused part of its first entry.
void Ring::give_back(uint16_t id) {
  auto* entries = static_cast<io_uring_buf*>(buffer_ring_);
  io_uring_buf& entry = entries[buffer_tail_ & (BUFFERS - 1)];
  entry.addr = reinterpret_cast<uint64_t>(buffer(id));
  entry.len = BUFFER_BYTES;
  entry.bid = id;
  ++buffer_tail_;
  __atomic_store_n(&entries[0].resv, buffer_tail_, __ATOMIC_RELEASE);
}

}  // namespace meteor::os
