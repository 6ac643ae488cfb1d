// Sockets that listen, connect, and carry datagrams; their options.
#include <errno.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "runtime/os/linux/socket_address.h"
#include "runtime/os/sockets.h"

namespace meteor::os {

namespace {

int64_t result_of(int64_t returned) { return returned < 0 ? -int64_t(errno) : returned; }

bool set_flag(int fd, int level, int name, bool on) {
  int value = on;
  return setsockopt(fd, level, name, &value, sizeof value) == 0;
}

// Its descriptor, or -errno.
int64_t open_socket(const Address& address, int kind) {
  return result_of(socket(family_of(address), kind | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

int64_t close_failed(int64_t fd, int64_t status) {
  close(int(fd));
  return status;
}

int64_t bind_listener(int fd, const Address& address, bool reuse_port) {
  if (!is_unix(address)) set_flag(fd, SOL_SOCKET, SO_REUSEADDR, true);
  if (reuse_port && !set_flag(fd, SOL_SOCKET, SO_REUSEPORT, true)) return -errno;
  if (family_of(address) == AF_INET6 &&
      IN6_IS_ADDR_UNSPECIFIED(&reinterpret_cast<const sockaddr_in6*>(address.storage)->sin6_addr))
    set_flag(fd, IPPROTO_IPV6, IPV6_V6ONLY, false);
  return result_of(bind(fd, any(address), address.size));
}

struct Option {
  int level, name;
};
Option name_of(SocketOption option) {
  switch (option) {
    case SocketOption::NoDelay: return {IPPROTO_TCP, TCP_NODELAY};
    case SocketOption::KeepAlive: return {SOL_SOCKET, SO_KEEPALIVE};
    case SocketOption::ReceiveBuffer: return {SOL_SOCKET, SO_RCVBUF};
    case SocketOption::SendBuffer: return {SOL_SOCKET, SO_SNDBUF};
    case SocketOption::Broadcast: return {SOL_SOCKET, SO_BROADCAST};
    case SocketOption::KeepAliveIdle: return {IPPROTO_TCP, TCP_KEEPIDLE};
    case SocketOption::KeepAliveEvery: return {IPPROTO_TCP, TCP_KEEPINTVL};
  }
  return {SOL_SOCKET, -1};  // which the system refuses
}

}  // namespace

int64_t open_listener(const Address& address, int64_t backlog, bool reuse_port) {
  int64_t fd = open_socket(address, SOCK_STREAM);
  if (fd < 0) return fd;
  int64_t status = bind_listener(int(fd), address, reuse_port);
  if (status == 0) status = result_of(listen(int(fd), int(backlog)));
  if (status < 0) return close_failed(fd, status);
  if (!is_unix(address)) set_flag(int(fd), IPPROTO_TCP, TCP_NODELAY, true);  // what is accepted inherits it
  return fd;
}

int64_t accept_connection(int listener, Address& peer) {
  peer.size = sizeof peer.storage;
  int fd = accept4(listener, any(peer), &peer.size, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (fd >= 0) return fd;
  switch (errno) {
    case ECONNABORTED:  // gone before it was accepted, with the network's errors of that connection
    case EPROTO:
    case ENETDOWN:
    case ENOPROTOOPT:
    case EHOSTDOWN:
    case ENONET:
    case EHOSTUNREACH:
    case EOPNOTSUPP:
    case ENETUNREACH: return -EINTR;
    default: return -errno;
  }
}

int64_t open_connecting(const Address& address) {
  int64_t fd = open_socket(address, SOCK_STREAM);
  if (fd >= 0 && !is_unix(address)) set_flag(int(fd), IPPROTO_TCP, TCP_NODELAY, true);
  return fd;
}

int64_t connect_socket(int fd, const Address& address) { return result_of(connect(fd, any(address), address.size)); }

int64_t problem_of_socket(int fd) {
  int error = 0;
  socklen_t size = sizeof error;
  if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0) return -errno;
  return -error;
}

int64_t read_name(int fd, bool of_peer, Address& into) {
  into = {};
  into.size = sizeof into.storage;
  return result_of(of_peer ? getpeername(fd, any(into), &into.size) : getsockname(fd, any(into), &into.size));
}

int64_t set_option(int fd, SocketOption option, int value) {
  auto [level, name] = name_of(option);
  return result_of(setsockopt(fd, level, name, &value, sizeof value));
}

int64_t set_linger(int fd, int64_t seconds) {
  linger value = {seconds >= 0, int(seconds < 0 ? 0 : seconds)};
  return result_of(setsockopt(fd, SOL_SOCKET, SO_LINGER, &value, sizeof value));
}

bool has_linger(int fd) {
  linger told = {};
  socklen_t size = sizeof told;
  return getsockopt(fd, SOL_SOCKET, SO_LINGER, &told, &size) < 0 || told.l_onoff != 0;
}

int64_t count_unacknowledged(int fd) {
  int protocol = 0, bytes = 0;
  socklen_t size = sizeof protocol;
  if (getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &size) < 0 || protocol != IPPROTO_TCP) return 0;
  return ioctl(fd, SIOCOUTQ, &bytes) < 0 ? 0 : bytes;
}

int64_t open_for_datagrams(const Address& address, bool reuse_port) {
  int64_t fd = open_socket(address, SOCK_DGRAM);
  if (fd < 0) return fd;
  int64_t status = reuse_port && !set_flag(int(fd), SOL_SOCKET, SO_REUSEPORT, true) ? -errno : 0;
  if (status == 0) status = result_of(bind(int(fd), any(address), address.size));
  return status < 0 ? close_failed(fd, status) : fd;
}

int64_t send_datagram(int fd, const void* from, int64_t bytes, const Address& to) {
  return result_of(sendto(fd, from, size_t(bytes), MSG_NOSIGNAL, any(to), to.size));
}

int64_t receive_datagram(int fd, void* to, int64_t most, Address& from) {
  from = {};
  from.size = sizeof from.storage;
  return result_of(recvfrom(fd, to, size_t(most), 0, any(from), &from.size));
}

}  // namespace meteor::os
