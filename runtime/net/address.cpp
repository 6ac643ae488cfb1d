#include "runtime/net/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>

#include "runtime/text/view.h"

namespace meteor::net {

using namespace meteor::text;

namespace {

int64_t make_unix(View path, Address& into) {
  sockaddr_un* to = reinterpret_cast<sockaddr_un*>(&into.storage);
  if (path.size == 0 || path.size >= int64_t(sizeof to->sun_path)) return -ENAMETOOLONG;
  to->sun_family = AF_UNIX;
  memcpy(to->sun_path, path.data, size_t(path.size));
  into.size = socklen_t(offsetof(sockaddr_un, sun_path) + size_t(path.size) + 1);
  return 0;
}

}  // namespace

int64_t make_address(const met_str& host, int64_t port, Address& into) {
  memset(&into, 0, sizeof into);
  View text = view(host);
  if (port == UNIX_PORT) return make_unix(text, into);
  if (port < 0 || port > 65535) return -EINVAL;
  char name[INET6_ADDRSTRLEN + IF_NAMESIZE + 1];
  if (text.size >= int64_t(sizeof name)) return -EINVAL;
  memcpy(name, text.data, size_t(text.size));
  name[text.size] = 0;
  sockaddr_in* v4 = reinterpret_cast<sockaddr_in*>(&into.storage);
  if (text.size == 0 || inet_pton(AF_INET, name, &v4->sin_addr) == 1) {   // no host: any of this machine
    v4->sin_family = AF_INET;
    v4->sin_port = htons(uint16_t(port));
    into.size = sizeof *v4;
    return 0;
  }
  sockaddr_in6* v6 = reinterpret_cast<sockaddr_in6*>(&into.storage);
  char* zone = strchr(name, '%');
  if (zone != nullptr) *zone++ = 0;
  if (inet_pton(AF_INET6, name, &v6->sin6_addr) != 1) return -EINVAL;
  v6->sin6_family = AF_INET6;
  v6->sin6_port = htons(uint16_t(port));
  v6->sin6_scope_id = zone != nullptr ? if_nametoindex(zone) : 0;
  into.size = sizeof *v6;
  return 0;
}

met_str host_of(const Address& address) {
  char name[INET6_ADDRSTRLEN + IF_NAMESIZE + 1] = "";
  if (address.family() == AF_INET) {
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(&address.storage)->sin_addr, name, sizeof name);
  } else if (address.family() == AF_INET6) {
    const sockaddr_in6* v6 = reinterpret_cast<const sockaddr_in6*>(&address.storage);
    if (IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr)) inet_ntop(AF_INET, v6->sin6_addr.s6_addr + 12, name, sizeof name);
    else inet_ntop(AF_INET6, &v6->sin6_addr, name, sizeof name);
    char zone[IF_NAMESIZE];
    if (v6->sin6_scope_id != 0 && if_indextoname(v6->sin6_scope_id, zone) != nullptr) {
      strcat(name, "%");
      strcat(name, zone);
    }
  } else if (address.family() == AF_UNIX && address.size > offsetof(sockaddr_un, sun_path)) {
    return met_str_from_c(reinterpret_cast<const sockaddr_un*>(&address.storage)->sun_path);
  }
  return make_c(name);
}

int64_t port_of(const Address& address) {
  if (address.family() == AF_INET) return ntohs(reinterpret_cast<const sockaddr_in*>(&address.storage)->sin_port);
  if (address.family() == AF_INET6) return ntohs(reinterpret_cast<const sockaddr_in6*>(&address.storage)->sin6_port);
  return UNIX_PORT;
}

}  // namespace meteor::net
