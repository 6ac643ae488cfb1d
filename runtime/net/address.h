// Addresses of sockets as text and port, the way programs see them.
#ifndef METEOR_RUNTIME_NET_ADDRESS_H
#define METEOR_RUNTIME_NET_ADDRESS_H

#include "runtime/abi/abi.h"
#include "runtime/os/addresses.h"

namespace meteor::net {

// 0, or -EINVAL when the host is a name rather than an address.
int64_t make_address(const met_str& host, int64_t port, os::Address& into);
met_str host_of(const os::Address& address);

}  // namespace meteor::net

#endif
