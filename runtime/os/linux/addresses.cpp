#include "runtime/os/addresses.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "runtime/os/linux/socket_address.h"

namespace meteor::os {

namespace {

constexpr size_t NAME_ROOM = INET6_ADDRSTRLEN + IF_NAMESIZE + 1;
static_assert(NAME_ROOM <= HOST_ROOM);

template <typename Kind>
Kind& as(Address& address) {
  return *reinterpret_cast<Kind*>(address.storage);
}
template <typename Kind>
const Kind& as(const Address& address) {
  return *reinterpret_cast<const Kind*>(address.storage);
}

int64_t make_unix(const char* path, size_t bytes, Address& into) {
  auto& to = as<sockaddr_un>(into);
  if (bytes == 0 || bytes >= sizeof to.sun_path) return -ENAMETOOLONG;
  to.sun_family = AF_UNIX;
  memcpy(to.sun_path, path, bytes);
  into.size = uint32_t(offsetof(sockaddr_un, sun_path) + bytes + 1);
  return 0;
}

}  // namespace

int64_t make_address(const char* host, size_t host_bytes, int64_t port, Address& into) {
  memset(&into, 0, sizeof into);
  if (port == UNIX_PORT) return make_unix(host, host_bytes, into);
  if (port < 0 || port > 65535) return -EINVAL;
  char name[NAME_ROOM];
  if (host_bytes >= sizeof name) return -EINVAL;
  memcpy(name, host, host_bytes);
  name[host_bytes] = 0;
  auto& v4 = as<sockaddr_in>(into);
  if (host_bytes == 0 || inet_pton(AF_INET, name, &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(uint16_t(port));
    into.size = sizeof v4;
    return 0;
  }
  auto& v6 = as<sockaddr_in6>(into);
  char* zone = strchr(name, '%');
  if (zone != nullptr) *zone++ = 0;
  if (inet_pton(AF_INET6, name, &v6.sin6_addr) != 1) return -EINVAL;
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(uint16_t(port));
  v6.sin6_scope_id = zone != nullptr ? if_nametoindex(zone) : 0;
  into.size = sizeof v6;
  return 0;
}

void copy_address(const void* system_address, size_t bytes, Address& into) {
  memset(&into, 0, sizeof into);
  if (bytes > sizeof into.storage) return;
  memcpy(into.storage, system_address, bytes);
  into.size = uint32_t(bytes);
}

const char* show_host(const Address& address, char (&room)[HOST_ROOM]) {
  room[0] = 0;
  if (family_of(address) == AF_INET) {
    inet_ntop(AF_INET, &as<sockaddr_in>(address).sin_addr, room, sizeof room);
  } else if (family_of(address) == AF_INET6) {
    const auto& v6 = as<sockaddr_in6>(address);
    if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr))
      inet_ntop(AF_INET, v6.sin6_addr.s6_addr + 12, room, sizeof room);
    else
      inet_ntop(AF_INET6, &v6.sin6_addr, room, sizeof room);
    char zone[IF_NAMESIZE];
    if (v6.sin6_scope_id != 0 && if_indextoname(v6.sin6_scope_id, zone) != nullptr) {
      strcat(room, "%");
      strcat(room, zone);
    }
  } else if (is_unix(address) && address.size > offsetof(sockaddr_un, sun_path)) {
    return as<sockaddr_un>(address).sun_path;
  }
  return room;
}

int64_t port_of(const Address& address) {
  if (family_of(address) == AF_INET) return ntohs(as<sockaddr_in>(address).sin_port);
  if (family_of(address) == AF_INET6) return ntohs(as<sockaddr_in6>(address).sin6_port);
  return UNIX_PORT;
}

bool is_unix(const Address& address) { return family_of(address) == AF_UNIX; }

}  // namespace meteor::os
