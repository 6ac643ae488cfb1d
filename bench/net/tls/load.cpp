// load PORT CONNECTIONS MESSAGES: keeps one message of 64 bytes under way on each TLS connection until so many have come back.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

int main(int, char** argv) {
  int port = atoi(argv[1]), connections = atoi(argv[2]);
  long messages = atol(argv[3]);
  SSL_CTX* context = SSL_CTX_new(TLS_client_method());
  SSL_CTX_set_read_ahead(context, 1);
  int epoll = epoll_create1(0);
  char message[64];
  memset(message, 'x', sizeof message);
  SSL** all = static_cast<SSL**>(calloc(size_t(connections), sizeof(SSL*)));
  for (int i = 0; i < connections; ++i) {
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(uint16_t(port));
    if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) < 0) return 1;
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    all[i] = SSL_new(context);
    SSL_set_fd(all[i], fd);
    char back[64];
    if (SSL_connect(all[i]) != 1 || SSL_write(all[i], message, 1) != 1 || SSL_read(all[i], back, sizeof back) != 1) return 1;   // with what follows the handshake
    epoll_event event = {};
    event.events = EPOLLIN;
    event.data.ptr = all[i];
    epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
  }
  for (int i = 0; i < connections; ++i)
    if (SSL_write(all[i], message, sizeof message) <= 0) return 1;
  epoll_event events[256];
  char room[4096];
  for (long done = 0; done < messages;) {
    int count = epoll_wait(epoll, events, 256, -1);
    for (int i = 0; i < count; ++i) {
      SSL* ssl = static_cast<SSL*>(events[i].data.ptr);
      if (SSL_read(ssl, room, sizeof room) <= 0) return 1;
      ++done;
      if (SSL_write(ssl, message, sizeof message) <= 0) return 1;
    }
  }
}
