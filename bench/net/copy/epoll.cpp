// The bar: a loop around epoll that reads 64 KB from one connection and writes it to the other; one pair after the other.
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static void wait_for(int epoll, int fd, uint32_t events) {
  epoll_event event = {};
  event.events = events | EPOLLONESHOT;
  if (epoll_ctl(epoll, EPOLL_CTL_MOD, fd, &event) < 0 && errno == ENOENT) epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
  epoll_event come;
  epoll_wait(epoll, &come, 1, -1);
}

static void copy(int epoll, int from, int to) {
  static char room[65536];
  for (;;) {
    ssize_t got = read(from, room, sizeof room);
    if (got == 0) return;
    if (got < 0) {
      wait_for(epoll, from, EPOLLIN);
      continue;
    }
    for (ssize_t at = 0; at < got;) {
      ssize_t sent = write(to, room + at, size_t(got - at));
      if (sent > 0) at += sent;
      else wait_for(epoll, to, EPOLLOUT);
    }
  }
}

int main() {
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  bind(listener, reinterpret_cast<sockaddr*>(&address), size);
  listen(listener, 16);
  getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  int epoll = epoll_create1(0);
  for (;;) {
    int from = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK), to = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK);
    copy(epoll, from, to);
    close(to);
    close(from);
  }
}
