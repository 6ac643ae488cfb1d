// Sockets: listening, accepting, connecting, datagrams, options. Nothing here waits.
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <unistd.h>

#include "runtime/loop/isolate.h"
#include "runtime/net/address.h"
#include "runtime/net/stream.h"
#include "runtime/os/simulated/faults.h"
#include "runtime/text/view.h"

namespace meteor::net {

using namespace meteor::async;
using namespace meteor::text;

namespace {

int64_t result_of(int64_t returned) { return returned < 0 ? -int64_t(errno) : returned; }

bool set_flag(int fd, int level, int name, bool on) {
  int value = on;
  return setsockopt(fd, level, name, &value, sizeof value) == 0;
}

int open_socket(const Address& address, int kind) { return socket(address.family(), kind | SOCK_NONBLOCK | SOCK_CLOEXEC, 0); }

int64_t bind_socket(int fd, const Address& address, bool reuse_port) {
  if (address.family() != AF_UNIX) set_flag(fd, SOL_SOCKET, SO_REUSEADDR, true);
  if (reuse_port && !set_flag(fd, SOL_SOCKET, SO_REUSEPORT, true)) return -errno;
  if (address.family() == AF_INET6 && IN6_IS_ADDR_UNSPECIFIED(&reinterpret_cast<const sockaddr_in6*>(&address.storage)->sin6_addr))
    set_flag(fd, IPPROTO_IPV6, IPV6_V6ONLY, false);
  return result_of(bind(fd, address.any(), address.size));
}

// Its descriptor, or -errno.
int64_t open_listener(const Address& address, int64_t backlog, bool reuse_port) {
  int fd = open_socket(address, SOCK_STREAM);
  if (fd < 0) return -errno;
  int64_t status = bind_socket(fd, address, reuse_port);
  if (status == 0) status = result_of(listen(fd, int(backlog)));
  if (status < 0) {
    close(fd);
    return status;
  }
  if (address.family() != AF_UNIX) set_flag(fd, IPPROTO_TCP, TCP_NODELAY, true);   // what is accepted inherits it
  return fd;
}

int64_t read_name(int fd, bool peer, met_str* host, int64_t* port) {
  Address address = {};
  address.size = sizeof address.storage;
  int status = peer ? getpeername(fd, address.any(), &address.size) : getsockname(fd, address.any(), &address.size);
  if (status < 0) return -errno;
  store(host, host_of(address));
  *port = port_of(address);
  return 0;
}

bool has_turn(const WaitList& line, const Waiter* waiter) { return line.first == waiter || (waiter->list == nullptr && line.first == nullptr); }

// What to do after a call on the source has found nothing.
int64_t wait_after(Source& source, uint32_t which) {
  source.ready &= ~which;
  int64_t status = watch_source(source, which);
  return status < 0 ? status : int64_t(WAIT);
}

// False: a simulated fault hides what is there, and it is told again later.
bool datagram_goes(Source& source, uint32_t ready) {
  int64_t whole = 1;
  return meteor::os::fault_of(meteor::os::Call::Datagram, source.fd, whole) != EAGAIN || !postpone_event(source, ready);
}

struct Option {
  int level, name;
};
constexpr Option OPTIONS[] = {{IPPROTO_TCP, TCP_NODELAY},  {SOL_SOCKET, SO_KEEPALIVE},  {SOL_SOCKET, SO_RCVBUF},      {SOL_SOCKET, SO_SNDBUF},
                              {SOL_SOCKET, SO_BROADCAST}, {IPPROTO_TCP, TCP_KEEPIDLE}, {IPPROTO_TCP, TCP_KEEPINTVL}, {SOL_SOCKET, SO_ERROR}};

}  // namespace

}  // namespace meteor::net

using namespace meteor::async;
using namespace meteor::net;
using meteor::text::store;

extern "C" {

bool met_net_is_address(met_str host) {
  Address address;
  return make_address(host, 0, address) == 0;
}

int64_t met_net_listen(Source* source, met_str host, int64_t port, int64_t backlog, bool reuse_port) {
  Address address;
  bool is_any = meteor::text::size_of(host) == 0;
  int64_t status = make_address(is_any ? meteor::text::make_c("::") : host, port, address);
  if (status < 0) return status;
  int64_t fd = open_listener(address, backlog, reuse_port);
  if (is_any && (fd == -EAFNOSUPPORT || fd == -EADDRNOTAVAIL)) {   // a machine without IPv6
    make_address(host, port, address);
    fd = open_listener(address, backlog, reuse_port);
  }
  if (fd < 0) return fd;
  open_source(*source, int(fd), 0);
  return 0;
}

// 0: *stream is open; WAIT, -errno.
int64_t met_net_accept(Source* source, Waiter* waiter, Stream* stream, met_str* host, int64_t* port) {
  if (source->fd < 0) return CLOSED;
  if (!has_turn(source->readers, waiter)) return WAIT;
  for (;;) {
    if (!(source->ready & READY_READ)) return wait_after(*source, READY_READ);
    Address address = {};
    address.size = sizeof address.storage;
    int64_t one = 1;
    errno = meteor::os::fault_of(meteor::os::Call::Accept, source->fd, one);
    if (errno == EAGAIN && !postpone_event(*source, READY_READ)) errno = 0;
    int fd = errno != 0 ? -1 : accept4(source->fd, address.any(), &address.size, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
      open_stream(*stream, fd, 0);
      store(host, host_of(address));
      *port = port_of(address);
      return 0;
    }
    switch (errno) {
      case EAGAIN: return wait_after(*source, READY_READ);
      case EINTR:
      case ECONNABORTED:   // gone before it was accepted, with the network's errors of that connection
      case EPROTO:
      case ENETDOWN:
      case ENOPROTOOPT:
      case EHOSTDOWN:
      case ENONET:
      case EHOSTUNREACH:
      case EOPNOTSUPP:
      case ENETUNREACH: continue;
      default: return -errno;
    }
  }
}

// 0: connected; WAIT: on its way; -errno.
int64_t met_net_connect(Stream* stream, met_str host, int64_t port) {
  Address address;
  int64_t status = make_address(host, port, address);
  if (status < 0) return status;
  int fd = open_socket(address, SOCK_STREAM);
  if (fd < 0) return -errno;
  if (address.family() != AF_UNIX) set_flag(fd, IPPROTO_TCP, TCP_NODELAY, true);
  int64_t one = 1;
  status = -int64_t(meteor::os::fault_of(meteor::os::Call::Connect, fd, one));
  if (status == 0) status = result_of(connect(fd, address.any(), address.size));
  if (status < 0 && status != -EINPROGRESS) {
    close(fd);
    return status;
  }
  open_stream(*stream, fd, 0);
  return status == 0 ? 0 : wait_after(stream->source, READY_WRITE);
}

int64_t met_net_connected(Stream* stream) {
  Source& source = stream->source;
  if (source.fd < 0) return CLOSED;
  if (!(source.ready & READY_WRITE)) return WAIT;
  int error = 0;
  socklen_t size = sizeof error;
  if (getsockopt(source.fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0) return -errno;
  return -error;
}

int64_t met_net_name(Source* source, bool peer, met_str* host, int64_t* port) {
  return source->fd < 0 ? int64_t(CLOSED) : read_name(source->fd, peer, host, port);
}

int64_t met_net_set_option(Source* source, int64_t option, int64_t value) {
  if (source->fd < 0) return CLOSED;
  int number = int(value);
  return result_of(setsockopt(source->fd, OPTIONS[option].level, OPTIONS[option].name, &number, sizeof number));
}

// Off: closing waits for nothing, the system sends what is left. 0: what is left is thrown away, the peer sees a reset.
int64_t met_net_set_linger(Source* source, int64_t seconds) {
  if (source->fd < 0) return CLOSED;
  linger value = {seconds >= 0, int(seconds < 0 ? 0 : seconds)};
  return result_of(setsockopt(source->fd, SOL_SOCKET, SO_LINGER, &value, sizeof value));
}

void met_source_close(Source* source) { close_source(*source); }
void met_source_wait_read(Source* source, Waiter* waiter) { wait_for_source(source->readers, *waiter, isolate.strand); }
void met_source_wait_write(Source* source, Waiter* waiter) { wait_for_source(source->writers, *waiter, isolate.strand); }
void met_source_leave(Source* source, Waiter* waiter) { leave_source(*source, *waiter); }

// ---- Datagrams ----

int64_t met_udp_open(Source* source, met_str host, int64_t port, bool reuse_port) {
  Address address;
  int64_t status = make_address(host, port, address);
  if (status < 0) return status;
  int fd = open_socket(address, SOCK_DGRAM);
  if (fd < 0) return -errno;
  if (reuse_port && !set_flag(fd, SOL_SOCKET, SO_REUSEPORT, true)) status = -errno;
  if (status == 0) status = result_of(bind(fd, address.any(), address.size));
  if (status < 0) {
    close(fd);
    return status;
  }
  open_source(*source, fd, 0);
  return 0;
}

int64_t met_udp_send(Source* source, Waiter* waiter, met_str data, met_str host, int64_t port) {
  if (source->fd < 0) return CLOSED;
  if (!has_turn(source->writers, waiter)) return WAIT;
  Address address;
  int64_t status = make_address(host, port, address);
  if (status < 0) return status;
  for (;;) {
    if (!(source->ready & READY_WRITE)) return wait_after(*source, READY_WRITE);
    if (!datagram_goes(*source, READY_WRITE)) return wait_after(*source, READY_WRITE);
    ssize_t sent = sendto(source->fd, meteor::text::data_of(data), size_t(meteor::text::size_of(data)), MSG_NOSIGNAL, address.any(), address.size);
    if (sent >= 0) return sent;
    if (errno == EAGAIN) return wait_after(*source, READY_WRITE);
    if (errno != EINTR) return -errno;
  }
}

int64_t met_udp_receive(Source* source, Waiter* waiter, met_str* data, met_str* host, int64_t* port) {
  constexpr size_t LARGEST = 65536;
  if (source->fd < 0) return CLOSED;
  if (!has_turn(source->readers, waiter)) return WAIT;
  uint8_t room[LARGEST];
  for (;;) {
    if (!(source->ready & READY_READ)) return wait_after(*source, READY_READ);
    Address address = {};
    address.size = sizeof address.storage;
    if (!datagram_goes(*source, READY_READ)) return wait_after(*source, READY_READ);
    ssize_t got = recvfrom(source->fd, room, sizeof room, 0, address.any(), &address.size);
    if (got >= 0) {
      store(data, met_bytes_make(room, got));
      store(host, host_of(address));
      *port = port_of(address);
      return 0;
    }
    if (errno == EAGAIN) return wait_after(*source, READY_READ);
    if (errno != EINTR && errno != ECONNREFUSED) return -errno;   // refused: an answer to something sent earlier
  }
}

}  // extern "C"
