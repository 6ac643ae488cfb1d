// The least a server can do for ./x bench http: epoll, one read, one write per request (or per batch of pipelined ones), no parsing
// beyond the end of the head. With a second argument: a proxy that passes bytes on to that port over a connection of its own.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <unordered_map>

namespace {

const char HELLO[] = "HTTP/1.1 200 OK\r\ncontent-type: text/plain; charset=utf-8\r\ndate: Mon, 16 Nov 2026 06:00:00 GMT\r\ncontent-length: 13\r\n\r\nHello, World!";
const char JSON[] =
    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ndate: Mon, 16 Nov 2026 06:00:00 GMT\r\ncontent-length: 56\r\n\r\n"
    "{\"message\":\"Hello, World!\",\"id\":42,\"tags\":[\"a\",\"b\",\"c\"]}";

struct Conn {
  std::string in;
  int peer = -1;   // of a proxy
};

int connect_to(int port) {
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in to = {};
  to.sin_family = AF_INET;
  to.sin_port = htons(uint16_t(port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof(to)) != 0) return -1;
  int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  return fd;
}

}  // namespace

int main(int argc, char** argv) {
  int port = atoi(argv[1]), behind = argc > 2 ? atoi(argv[2]) : 0;
  int listener = socket(AF_INET, SOCK_STREAM, 0), on = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  sockaddr_in at = {};
  at.sin_family = AF_INET;
  at.sin_port = htons(uint16_t(port));
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(listener, reinterpret_cast<sockaddr*>(&at), sizeof(at)) != 0 || listen(listener, 4096) != 0) return 1;
  int poll = epoll_create1(0);
  auto watch = [&](int fd) {
    epoll_event event = {};
    event.events = EPOLLIN;
    event.data.fd = fd;
    epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event);
  };
  watch(listener);
  std::unordered_map<int, Conn> conns;
  static char buffer[65536];
  for (;;) {
    epoll_event events[256];
    int count = epoll_wait(poll, events, 256, -1);
    for (int i = 0; i < count; ++i) {
      int fd = events[i].data.fd;
      if (fd == listener) {
        int made = accept(listener, nullptr, nullptr);
        setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
        watch(made);
        conns[made];
        if (behind != 0) {
          int other = connect_to(behind);
          conns[made].peer = other;
          conns[other].peer = made;
          watch(other);
        }
        continue;
      }
      ssize_t got = read(fd, buffer, sizeof(buffer));
      Conn& conn = conns[fd];
      if (got <= 0) {
        if (conn.peer >= 0) {
          int other = conn.peer;
          conns.erase(other);
          close(other);
        }
        conns.erase(fd);
        close(fd);
        continue;
      }
      if (conn.peer >= 0) {
        if (write(conn.peer, buffer, size_t(got)) < 0) continue;
        continue;
      }
      conn.in.append(buffer, size_t(got));
      std::string out;
      size_t done = 0;
      for (;;) {
        size_t end = conn.in.find("\r\n\r\n", done);
        if (end == std::string::npos) break;
        bool is_json = conn.in.compare(done, 9, "GET /json") == 0;
        if (is_json) out.append(JSON, sizeof(JSON) - 1);
        else out.append(HELLO, sizeof(HELLO) - 1);
        done = end + 4;
      }
      conn.in.erase(0, done);
      if (!out.empty() && write(fd, out.data(), out.size()) < 0) continue;
    }
  }
}
