// pour PORT BYTES: connects twice, writes so many bytes to the first connection and counts what comes out of the second.
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

static int connect_to(int port) {
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(uint16_t(port));
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) < 0) exit(1);
  return fd;
}

int main(int, char** argv) {
  int port = atoi(argv[1]);
  long bytes = atol(argv[2]);
  int into = connect_to(port), out = connect_to(port);
  std::thread writer([&] {
    static char room[1 << 18];
    for (long left = bytes; left > 0;) {
      ssize_t sent = write(into, room, size_t(left < long(sizeof room) ? left : long(sizeof room)));
      if (sent <= 0) exit(1);
      left -= sent;
    }
    shutdown(into, SHUT_WR);
  });
  static char room[1 << 18];
  long come = 0;
  for (ssize_t got; (got = read(out, room, sizeof room)) > 0;) come += got;
  writer.join();
  printf("%ld\n", come);
  return come == bytes ? 0 : 1;
}
