// A ring shared with the kernel (io_uring): requests in, completions out, and a pool of buffers that the kernel fills.
// For one thread. Where the system has none or refuses it, open() says so.
#ifndef METEOR_RUNTIME_OS_RING_H
#define METEOR_RUNTIME_OS_RING_H

#include <stddef.h>
#include <stdint.h>

struct io_uring_cqe;
struct io_uring_params;
struct io_uring_sqe;

namespace meteor::os {

// What the kernel works on for somebody. It owns the memory that the kernel reads or fills until it is completed, which
// it is once.
struct Operation {
  void (*completed)(Operation& operation, int32_t result);  // what the call would have given, or -errno
};

class Ring {
 public:
  static constexpr uint32_t BUFFERS = 1024;  // at most; a power of two
  static constexpr uint32_t BUFFER_BYTES = 4096;
  static constexpr uint16_t NO_BUFFER = UINT16_MAX;

  struct Completion {
    uint64_t key;    // of the request
    int32_t result;  // what the call would have given, or -errno
    uint16_t buffer;
    bool is_last;  // of its request

    uint32_t ready() const;  // of one that polls: READY_READ …, FAILED
  };

  bool open();
  void close();
  bool knows_files() const { return knows_files_; }

  // Requests, which the kernel sees with the next enter. Those with a key are for whoever takes the completions.
  void poll(int fd, uint32_t wanted, bool again,
            uint64_t key);             // READY_READ, READY_WRITE, READ_ENDED; once, or for each change
  void receive(int fd, uint64_t key);  // whatever comes, each piece in a buffer
  void send(Operation& operation, int fd, const void* from, uint32_t bytes);
  void open_file(Operation& operation, const char* path, int flags, uint32_t permissions);
  void read(Operation& operation, int fd, void* to, uint32_t bytes, int64_t place,
            bool in_thread);  // place -1: where it is
  void write(Operation& operation, int fd, const void* from, uint32_t bytes, int64_t place, bool in_thread);
  void close_file(Operation& operation, int fd);
  void cancel(uint64_t key);  // asks for it; its completion comes in any case
  void cancel_all(int fd);

  void enter(uint32_t wait_for, int64_t ns);  // hands over the requests; waits at most so long for so many completions
  bool take(Completion& completion);          // false: there is none
  bool find(uint64_t key, int32_t& result) const;  // among those that have not been taken

  static uint64_t key_of(const Operation& operation);  // of its request and its completion
  static Operation* operation_of(uint64_t key);        // null: it is another request's

  uint8_t* buffer(uint16_t id) { return memory_ + size_t(id) * BUFFER_BYTES; }
  void give_back(uint16_t id);  // the kernel may fill it again
  void add_buffers();           // as many again as there are
  bool is_short_of_buffers;     // the kernel had none left
  struct Filled {
    uint32_t size;
    uint16_t next;  // of a source's line
  };
  Filled filled[BUFFERS];

 private:
  io_uring_sqe& next_request();  // a zeroed one
  io_uring_sqe& start(Operation& operation, uint8_t opcode, int fd, const void* memory, uint32_t size);
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
  uint32_t buffers_;  // that the kernel has been given; it fills them in turn, so each of them takes memory
  bool knows_files_;
};

}  // namespace meteor::os

#endif
