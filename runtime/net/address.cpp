#include "runtime/net/address.h"

#include "runtime/text/view.h"

namespace meteor::net {

int64_t make_address(const met_str& host, int64_t port, os::Address& into) {
  text::View name = text::view(host);
  return os::make_address(reinterpret_cast<const char*>(name.data), size_t(name.size), port, into);
}

met_str host_of(const os::Address& address) {
  char room[os::HOST_ROOM];
  const char* name = os::show_host(address, room);
  return os::is_unix(address) ? met_str_from_c(name) : text::make_c(name);  // a path may be no text
}

}  // namespace meteor::net
