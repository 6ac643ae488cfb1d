#include "runtime/os/sockets.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "runtime/os/poll.h"

namespace meteor::os {

int64_t end_sending(int fd) { return shutdown(fd, SHUT_WR) == 0 ? 0 : -int64_t(errno); }

int connect_to_own(const char* name) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  size_t size = strlen(name);
  if (size >= sizeof address.sun_path) return -1;
  memcpy(address.sun_path + 1, name, size);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  ucred who = {};
  socklen_t who_size = sizeof who;
  bool good =
      connect(fd, reinterpret_cast<sockaddr*>(&address), socklen_t(offsetof(sockaddr_un, sun_path) + 1 + size)) == 0 &&
      getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &who_size) == 0 && (who.uid == geteuid() || who.uid == 0);
  if (good) return fd;
  close(fd);
  return -1;
}

const char* show_ip(const uint8_t* address, size_t bytes, char* into, size_t room) {
  return inet_ntop(bytes == sizeof(in_addr) ? AF_INET : AF_INET6, address, into, socklen_t(room));
}

bool is_ready(int fd, uint32_t wanted) {
  pollfd one = {fd, short((wanted & READY_READ ? POLLIN : 0) | (wanted & READY_WRITE ? POLLOUT : 0)), 0};
  return poll(&one, 1, 0) > 0;
}

}  // namespace meteor::os
