// An Address as calls of the system take it.
#ifndef METEOR_RUNTIME_OS_LINUX_SOCKET_ADDRESS_H
#define METEOR_RUNTIME_OS_LINUX_SOCKET_ADDRESS_H

#include <sys/socket.h>

#include "runtime/os/addresses.h"

namespace meteor::os {

static_assert(sizeof(sockaddr_storage) == Address::ROOM && alignof(sockaddr_storage) <= alignof(Address) &&
              sizeof(socklen_t) == sizeof(uint32_t));

inline sockaddr* any(Address& address) { return reinterpret_cast<sockaddr*>(address.storage); }
inline const sockaddr* any(const Address& address) { return reinterpret_cast<const sockaddr*>(address.storage); }
inline int family_of(const Address& address) { return any(address)->sa_family; }

}  // namespace meteor::os

#endif
