// Sockets: listening, accepting, connecting, datagrams, options. Nothing here waits.
#include <errno.h>

#include "runtime/loop/isolate.h"
#include "runtime/net/address.h"
#include "runtime/net/stream.h"
#include "runtime/os/descriptors.h"
#include "runtime/os/simulated/faults.h"
#include "runtime/os/sockets.h"
#include "runtime/text/view.h"

namespace meteor::net {

using namespace meteor::async;
using namespace meteor::text;

namespace {

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

}  // namespace

}  // namespace meteor::net

using namespace meteor::async;
using namespace meteor::net;
namespace os = meteor::os;
using meteor::text::store;

extern "C" {

bool met_net_is_address(met_str host) {
  os::Address address;
  return make_address(host, 0, address) == 0;
}

int64_t met_net_listen(Source* source, met_str host, int64_t port, int64_t backlog, bool reuse_port) {
  os::Address address;
  bool is_any = meteor::text::size_of(host) == 0;
  int64_t status = make_address(is_any ? meteor::text::make_c("::") : host, port, address);
  if (status < 0) return status;
  int64_t fd = os::open_listener(address, backlog, reuse_port);
  if (is_any && (fd == -EAFNOSUPPORT || fd == -EADDRNOTAVAIL)) {   // a machine without IPv6
    make_address(host, port, address);
    fd = os::open_listener(address, backlog, reuse_port);
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
    int64_t one = 1;
    int64_t fault = os::fault_of(os::Call::Accept, source->fd, one);
    if (fault == EAGAIN && !postpone_event(*source, READY_READ)) fault = 0;
    os::Address address = {};
    int64_t fd = fault != 0 ? -fault : os::accept_connection(source->fd, address);
    if (fd >= 0) {
      open_stream(*stream, int(fd), 0);
      store(host, host_of(address));
      *port = os::port_of(address);
      return 0;
    }
    if (fd == -EAGAIN) return wait_after(*source, READY_READ);
    if (fd != -EINTR) return fd;
  }
}

// 0: connected; WAIT: on its way; -errno.
int64_t met_net_connect(Stream* stream, met_str host, int64_t port) {
  os::Address address;
  int64_t status = make_address(host, port, address);
  if (status < 0) return status;
  int fd = int(os::open_connecting(address));
  if (fd < 0) return fd;
  int64_t one = 1;
  status = -int64_t(os::fault_of(os::Call::Connect, fd, one));
  if (status == 0) status = os::connect_socket(fd, address);
  if (status < 0 && status != -EINPROGRESS) {
    os::close_descriptor(fd);
    return status;
  }
  open_stream(*stream, fd, 0);
  return status == 0 ? 0 : wait_after(stream->source, READY_WRITE);
}

int64_t met_net_connected(Stream* stream) {
  Source& source = stream->source;
  if (source.fd < 0) return CLOSED;
  if (!(source.ready & READY_WRITE)) return WAIT;
  return os::problem_of_socket(source.fd);
}

int64_t met_net_name(Source* source, bool peer, met_str* host, int64_t* port) {
  if (source->fd < 0) return CLOSED;
  os::Address address;
  int64_t status = os::read_name(source->fd, peer, address);
  if (status < 0) return status;
  store(host, host_of(address));
  *port = os::port_of(address);
  return 0;
}

int64_t met_net_set_option(Source* source, int64_t option, int64_t value) {
  return source->fd < 0 ? int64_t(CLOSED) : os::set_option(source->fd, os::SocketOption(option), int(value));
}

// Off: closing waits for nothing, the system sends what is left. 0: what is left is thrown away, the peer sees a reset.
int64_t met_net_set_linger(Source* source, int64_t seconds) {
  return source->fd < 0 ? int64_t(CLOSED) : os::set_linger(source->fd, seconds);
}

void met_source_close(Source* source) { close_source(*source); }
void met_source_wait_read(Source* source, Waiter* waiter) { wait_for_source(source->readers, *waiter, isolate.strand); }
void met_source_wait_write(Source* source, Waiter* waiter) { wait_for_source(source->writers, *waiter, isolate.strand); }
void met_source_leave(Source* source, Waiter* waiter) { leave_source(*source, *waiter); }

// ---- Datagrams ----

int64_t met_udp_open(Source* source, met_str host, int64_t port, bool reuse_port) {
  os::Address address;
  int64_t status = make_address(host, port, address);
  if (status < 0) return status;
  int64_t fd = os::open_for_datagrams(address, reuse_port);
  if (fd < 0) return fd;
  open_source(*source, int(fd), 0);
  return 0;
}

int64_t met_udp_send(Source* source, Waiter* waiter, met_str data, met_str host, int64_t port) {
  if (source->fd < 0) return CLOSED;
  if (!has_turn(source->writers, waiter)) return WAIT;
  os::Address address;
  int64_t status = make_address(host, port, address);
  if (status < 0) return status;
  for (;;) {
    if (!(source->ready & READY_WRITE)) return wait_after(*source, READY_WRITE);
    if (!datagram_goes(*source, READY_WRITE)) return wait_after(*source, READY_WRITE);
    int64_t sent = os::send_datagram(source->fd, meteor::text::data_of(data), meteor::text::size_of(data), address);
    if (sent == -EAGAIN) return wait_after(*source, READY_WRITE);
    if (sent != -EINTR) return sent;
  }
}

int64_t met_udp_receive(Source* source, Waiter* waiter, met_str* data, met_str* host, int64_t* port) {
  constexpr int64_t LARGEST = 65536;
  if (source->fd < 0) return CLOSED;
  if (!has_turn(source->readers, waiter)) return WAIT;
  uint8_t room[LARGEST];
  for (;;) {
    if (!(source->ready & READY_READ)) return wait_after(*source, READY_READ);
    if (!datagram_goes(*source, READY_READ)) return wait_after(*source, READY_READ);
    os::Address address;
    int64_t got = os::receive_datagram(source->fd, room, LARGEST, address);
    if (got >= 0) {
      store(data, met_bytes_make(room, got));
      store(host, host_of(address));
      *port = os::port_of(address);
      return 0;
    }
    if (got == -EAGAIN) return wait_after(*source, READY_READ);
    if (got != -EINTR && got != -ECONNREFUSED) return got;   // refused: an answer to something sent earlier
  }
}

}  // extern "C"
