// epoll CERT KEY: the bar: one loop around epoll, SSL_read and SSL_write on the socket for each message.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

struct Conn {
  int fd;
  SSL* ssl;
};

// False: it has ended.
static bool serve(Conn& conn) {
  char room[4096];
  for (;;) {
    int got = SSL_read(conn.ssl, room, sizeof room);
    if (got <= 0) return SSL_get_error(conn.ssl, got) == SSL_ERROR_WANT_READ;
    if (SSL_write(conn.ssl, room, got) <= 0) return false;
    if (!SSL_has_pending(conn.ssl)) return true;   // level-triggered: what is in the socket is told again
  }
}

int main(int, char** argv) {
  signal(SIGPIPE, SIG_IGN);
  SSL_CTX* context = SSL_CTX_new(TLS_server_method());
  SSL_CTX_use_certificate_chain_file(context, argv[1]);
  SSL_CTX_use_PrivateKey_file(context, argv[2], SSL_FILETYPE_PEM);
  SSL_CTX_set_read_ahead(context, 1);   // one call of the system per message instead of two
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
  event.data.ptr = nullptr;
  epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event);
  epoll_event events[256];
  for (;;) {
    int count = epoll_wait(epoll, events, 256, -1);
    for (int i = 0; i < count; ++i) {
      Conn* conn = static_cast<Conn*>(events[i].data.ptr);
      if (conn == nullptr) {
        int fd = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK);
        if (fd < 0) continue;
        conn = new Conn{fd, SSL_new(context)};
        SSL_set_fd(conn->ssl, fd);
        SSL_set_accept_state(conn->ssl);
        event.data.ptr = conn;
        epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
      } else if (!serve(*conn)) {
        SSL_free(conn->ssl);
        close(conn->fd);
        delete conn;
      }
    }
  }
}
