// load PORT CONNECTIONS MESSAGES: keeps one message of 64 bytes under way on each connection until so many have come back.
// Prints the seconds that took.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static double now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return double(t.tv_sec) + double(t.tv_nsec) / 1e9;
}

int main(int, char** argv) {
  int port = atoi(argv[1]), connections = atoi(argv[2]);
  long messages = atol(argv[3]);
  int epoll = epoll_create1(0);
  char message[64];
  memset(message, 'x', sizeof message);
  int* fds = static_cast<int*>(malloc(size_t(connections) * sizeof(int)));
  for (int i = 0; i < connections; ++i) {
    int fd = fds[i] = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(uint16_t(port));
    if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) < 0) return 1;
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    epoll_event event = {};
    event.events = EPOLLIN;
    event.data.fd = fd;
    epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
  }
  double start = now();
  for (int i = 0; i < connections; ++i)
    if (write(fds[i], message, sizeof message) < 0) return 1;
  epoll_event events[256];
  char room[4096];
  for (long done = 0; done < messages;) {
    int count = epoll_wait(epoll, events, 256, -1);
    for (int i = 0; i < count; ++i) {
      int fd = events[i].data.fd;
      if (read(fd, room, sizeof room) <= 0) return 1;
      ++done;
      if (write(fd, message, sizeof message) < 0) return 1;
    }
  }
  printf("%.3f\n", now() - start);
}
