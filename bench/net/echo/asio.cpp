// Asio (as in Boost) with coroutines: one per connection.
#define ASIO_HAS_CO_AWAIT 1
#define ASIO_HAS_STD_COROUTINE 1
#include <stdio.h>

#include <asio.hpp>

using asio::ip::tcp;

asio::awaitable<void> echo(tcp::socket socket) {
  char room[4096];
  asio::error_code error;
  auto token = asio::redirect_error(asio::use_awaitable, error);
  for (;;) {
    size_t got = co_await socket.async_read_some(asio::buffer(room), token);
    if (error) co_return;
    co_await asio::async_write(socket, asio::buffer(room, got), token);
    if (error) co_return;
  }
}

asio::awaitable<void> listen(tcp::acceptor& acceptor) {
  for (;;) asio::co_spawn(acceptor.get_executor(), echo(co_await acceptor.async_accept(asio::use_awaitable)), asio::detached);
}

int main() {
  asio::io_context context(1);
  tcp::acceptor acceptor(context, {asio::ip::address_v4::loopback(), 0});
  printf("%d\n", int(acceptor.local_endpoint().port()));
  fflush(stdout);
  asio::co_spawn(context, listen(acceptor), asio::detached);
  context.run();
}
