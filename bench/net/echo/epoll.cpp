// The bar: one loop around epoll, one read and one write per message, nothing else.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

int main() {
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  bind(listener, reinterpret_cast<sockaddr*>(&address), size);
  listen(listener, 4096);
  int on = 1;
  setsockopt(listener, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  int epoll = epoll_create1(0);
  epoll_event event = {};
  event.events = EPOLLIN;
  event.data.fd = listener;
  epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event);
  epoll_event events[256];
  char room[4096];
  for (;;) {
    int count = epoll_wait(epoll, events, 256, -1);
    for (int i = 0; i < count; ++i) {
      int fd = events[i].data.fd;
      if (fd == listener) {
        int conn;
        while ((conn = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK)) >= 0) {
          event.events = EPOLLIN | EPOLLET;
          event.data.fd = conn;
          epoll_ctl(epoll, EPOLL_CTL_ADD, conn, &event);
        }
        continue;
      }
      for (;;) {
        ssize_t got = read(fd, room, sizeof room);
        if (got == 0) close(fd);
        if (got <= 0) break;
        if (write(fd, room, size_t(got)) < 0) break;
        if (got < ssize_t(sizeof room)) break;
      }
    }
  }
}
