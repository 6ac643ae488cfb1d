// A ring of the kernel (io_uring) without a library: requests in, completions out, and a pool of buffers that the kernel fills.
// For one thread. Needs Linux 6.1; where that or a container's rules refuse it, open() says so.
#ifndef METEOR_RUNTIME_REACTOR_URING_H
#define METEOR_RUNTIME_REACTOR_URING_H

#include <linux/io_uring.h>
#include <stddef.h>
#include <stdint.h>

namespace meteor::async {

// What the kernel works on for somebody. It owns the memory that the kernel reads or fills until it is completed, which it is once.
struct Operation {
  void (*completed)(Operation& operation, int32_t result);   // what the call would have given, or -errno
};

class Uring {
 public:
  static constexpr uint32_t BUFFERS = 1024;           // at most; a power of two
  static constexpr uint32_t BUFFER_BYTES = 4096;
  static constexpr uint16_t NO_BUFFER = UINT16_MAX;

  bool open();
  void close();
  bool knows(uint8_t opcode) const { return known_[opcode / 8] >> (opcode % 8) & 1; }

  io_uring_sqe& next_request();                       // a zeroed one; the kernel sees it with the next enter
  void enter(uint32_t wait_for, int64_t ns);          // hands over the requests; waits at most so long for so many completions
  bool take(io_uring_cqe& completion);                // false: there is none
  const io_uring_cqe* find(uint64_t key) const;       // among those that have not been taken; null: it is not there

  io_uring_sqe& start(Operation& operation, uint8_t opcode, int fd, const void* memory, uint32_t size);   // the rest of the request is the caller's
  void cancel(uint64_t key);                          // asks for it; its completion comes in any case
  static uint64_t key_of(const Operation& operation); // of its request and its completion
  static Operation* operation_of(uint64_t key);       // null: it is another request's

  uint8_t* buffer(uint16_t id) { return memory_ + size_t(id) * BUFFER_BYTES; }
  void give_back(uint16_t id);                        // the kernel may fill it again
  void add_buffers();                                 // as many again as there are
  bool is_short_of_buffers;                           // the kernel had none left
  struct Filled {
    uint32_t size;
    uint16_t next;                                    // of a source's line
  };
  Filled filled[BUFFERS];

 private:
  bool map_rings(const io_uring_params& params);
  bool make_buffers();
  bool ask_what_it_knows();

  int fd_;
  uint32_t to_submit_;
  uint32_t *sq_head_, *sq_tail_, *cq_head_, *cq_tail_;
  uint32_t sq_mask_, cq_mask_, sq_entries_;
  io_uring_sqe* sqes_;
  io_uring_cqe* cqes_;
  void *rings_, *buffer_ring_;
  size_t rings_bytes_, sqes_bytes_;
  uint8_t* memory_;
  uint16_t buffer_tail_;
  uint32_t buffers_;    // that the kernel has been given; it fills them in turn, so each of them takes memory
  uint8_t known_[32];   // a bit for each operation of the kernel
};

}  // namespace meteor::async

#endif
