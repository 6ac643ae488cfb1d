// The bar for io_uring: one ring, one multishot accept, one multishot receive per connection into provided buffers, one send per message.
#include <liburing.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

constexpr unsigned BUFFERS = 4096, BUFFER_BYTES = 4096, GROUP = 1;
enum Kind : uint64_t { ACCEPT, RECEIVE, SEND };

io_uring ring;
io_uring_buf_ring* buffers;
char* memory;

uint64_t tag(Kind kind, int fd, unsigned buffer = 0) { return uint64_t(kind) << 56 | uint64_t(buffer) << 32 | uint32_t(fd); }

io_uring_sqe* next_entry() {
  io_uring_sqe* entry = io_uring_get_sqe(&ring);
  if (entry == nullptr) {
    io_uring_submit(&ring);
    entry = io_uring_get_sqe(&ring);
  }
  return entry;
}

void receive(int fd) {
  io_uring_sqe* entry = next_entry();
  io_uring_prep_recv_multishot(entry, fd, nullptr, 0, 0);
  entry->flags |= IOSQE_BUFFER_SELECT;
  entry->buf_group = GROUP;
  io_uring_sqe_set_data64(entry, tag(RECEIVE, fd));
}

void give_back(unsigned buffer) {
  io_uring_buf_ring_add(buffers, memory + size_t(buffer) * BUFFER_BYTES, BUFFER_BYTES, (unsigned short)buffer, io_uring_buf_ring_mask(BUFFERS), 0);
  io_uring_buf_ring_advance(buffers, 1);
}

void handle(int listener, const io_uring_cqe& done) {
  auto kind = Kind(done.user_data >> 56);
  int fd = int(uint32_t(done.user_data));
  bool goes_on = done.flags & IORING_CQE_F_MORE;
  if (kind == ACCEPT) {
    if (done.res >= 0) receive(done.res);
    if (!goes_on) {
      io_uring_sqe* entry = next_entry();
      io_uring_prep_multishot_accept(entry, listener, nullptr, nullptr, 0);
      io_uring_sqe_set_data64(entry, tag(ACCEPT, listener));
    }
  } else if (kind == RECEIVE) {
    if (done.res == 0) close(fd);
    else if (done.res > 0) {
      unsigned buffer = done.flags >> IORING_CQE_BUFFER_SHIFT;
      io_uring_sqe* entry = next_entry();
      io_uring_prep_send(entry, fd, memory + size_t(buffer) * BUFFER_BYTES, size_t(done.res), 0);
      io_uring_sqe_set_data64(entry, tag(SEND, fd, buffer));
    }
    if (!goes_on && (done.res > 0 || done.res == -ENOBUFS)) receive(fd);
  } else {
    give_back(unsigned(done.user_data >> 32 & 0xffffff));
  }
}

}  // namespace

int main() {
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  bind(listener, reinterpret_cast<sockaddr*>(&address), size);
  listen(listener, 4096);
  getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  io_uring_params params = {};
  params.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN;
  if (io_uring_queue_init_params(4096, &ring, &params) < 0) return 1;
  buffers = static_cast<io_uring_buf_ring*>(aligned_alloc(4096, BUFFERS * sizeof(io_uring_buf)));
  memory = static_cast<char*>(malloc(size_t(BUFFERS) * BUFFER_BYTES));
  io_uring_buf_reg registration = {};
  registration.ring_addr = reinterpret_cast<uint64_t>(buffers);
  registration.ring_entries = BUFFERS;
  registration.bgid = GROUP;
  if (io_uring_register_buf_ring(&ring, &registration, 0) < 0) return 1;
  io_uring_buf_ring_init(buffers);
  for (unsigned i = 0; i < BUFFERS; ++i) give_back(i);
  io_uring_sqe* entry = next_entry();
  io_uring_prep_multishot_accept(entry, listener, nullptr, nullptr, 0);
  io_uring_sqe_set_data64(entry, tag(ACCEPT, listener));
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  for (;;) {
    io_uring_submit_and_wait(&ring, 1);
    io_uring_cqe* done;
    unsigned head, count = 0;
    io_uring_for_each_cqe(&ring, head, done) {
      handle(listener, *done);
      ++count;
    }
    io_uring_cq_advance(&ring, count);
  }
}
