// Addresses of sockets as text and port, the way programs see them, and as the kernel wants them.
#ifndef METEOR_RUNTIME_NET_ADDRESS_H
#define METEOR_RUNTIME_NET_ADDRESS_H

#include <sys/socket.h>

#include "runtime/abi/abi.h"

namespace meteor::net {

constexpr int64_t UNIX_PORT = -1;   // the host is the path of a Unix socket

struct Address {
  sockaddr_storage storage;
  socklen_t size;
  int family() const { return storage.ss_family; }
  const sockaddr* any() const { return reinterpret_cast<const sockaddr*>(&storage); }
  sockaddr* any() { return reinterpret_cast<sockaddr*>(&storage); }
};

// 0, or -EINVAL when the host is a name rather than an address.
int64_t make_address(const met_str& host, int64_t port, Address& into);
met_str host_of(const Address& address);
int64_t port_of(const Address& address);

}  // namespace meteor::net

#endif
