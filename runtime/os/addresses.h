// Addresses of sockets as the system wants them, made from text and shown as text.
#ifndef METEOR_RUNTIME_OS_ADDRESSES_H
#define METEOR_RUNTIME_OS_ADDRESSES_H

#include <stddef.h>
#include <stdint.h>

namespace meteor::os {

constexpr int64_t UNIX_PORT = -1;  // the host is the path of a Unix socket

struct Address {
  static constexpr size_t ROOM = 128;
  alignas(8) uint8_t storage[ROOM];
  uint32_t size;
};

// 0, or -errno: -EINVAL when the host is a name rather than an address. No host: any of this machine.
int64_t make_address(const char* host, size_t host_bytes, int64_t port, Address& into);
void copy_address(const void* system_address, size_t bytes,
                  Address& into);  // as another library has it; nothing if it is too large

constexpr size_t HOST_ROOM = Address::ROOM;
const char* show_host(const Address& address,
                      char (&room)[HOST_ROOM]);  // in `room` or in the address; "": there is none
int64_t port_of(const Address& address);
bool is_unix(const Address& address);

}  // namespace meteor::os

#endif
