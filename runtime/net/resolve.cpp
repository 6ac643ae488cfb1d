// Names to addresses by c-ares (hosts file, then DNS), on the isolate's own loop. Only programs that resolve names link it.
#include <ares.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/loop/isolate.h"
#include "runtime/net/address.h"
#include "runtime/net/resolve.h"
#include "runtime/net/stream.h"
#include "runtime/text/view.h"

namespace meteor::net {

using namespace meteor::async;
using namespace meteor::text;

// Freed by whoever comes last: the answer, or the task that asked.
struct Lookup {
  WaitList line;
  int status;            // of c-ares, once done
  bool is_done;
  bool is_abandoned;
  char* addresses;       // one per line
};

namespace {

constexpr int MOST_SOCKETS = 32;

struct Resolver {
  ares_channel channel;
  Listener sockets[MOST_SOCKETS];   // a slot of 0: free
  Timer timer;
  int64_t active;                   // requests somebody waits for
};
__thread Resolver* resolver;

void set_timer();

void heard(Listener* listener, uint32_t ready) {
  ares_process_fd(resolver->channel, ready & READY_READ ? listener->fd : ARES_SOCKET_BAD, ready & READY_WRITE ? listener->fd : ARES_SOCKET_BAD);
  set_timer();
}

void fire(Timer*) {
  ares_process_fd(resolver->channel, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
  set_timer();
}

// c-ares says when it wants to be called though nothing has come.
void set_timer() {
  isolate.timers.stop(resolver->timer);
  timeval room;
  timeval* wait = resolver->active > 0 ? ares_timeout(resolver->channel, nullptr, &room) : nullptr;
  if (wait == nullptr) return;
  static const TimerCall ON_TIME = fire;
  async::set_timer(resolver->timer, &ON_TIME, TIMER_CALLS);
  isolate.timers.start(resolver->timer, now_ns() + int64_t(wait->tv_sec) * 1'000'000'000 + int64_t(wait->tv_usec) * 1000);
}

void socket_changed(void*, ares_socket_t fd, int reading, int writing) {
  Listener* own = nullptr;
  Listener* free_one = nullptr;
  for (Listener& listener : resolver->sockets) {
    if (listener.slot == 0) free_one = &listener;
    else if (listener.fd == fd) own = &listener;
  }
  if (!reading && !writing) {
    if (own != nullptr) stop_listening(*own);
    return;
  }
  if (own == nullptr) own = free_one;
  if (own == nullptr) return;   // the request will time out
  own->heard = heard;
  start_listening(*own, fd, reading, writing);
}

void close_resolver() {
  if (resolver == nullptr) return;
  isolate.timers.stop(resolver->timer);
  ares_destroy(resolver->channel);
  free(resolver);
  resolver = nullptr;
}

bool open_resolver() {
  if (resolver != nullptr) return true;
  resolver = static_cast<Resolver*>(calloc(1, sizeof(Resolver)));
  ares_options options = {};
  options.sock_state_cb = socket_changed;
  if (resolver != nullptr && ares_library_init(ARES_LIB_INIT_ALL) == ARES_SUCCESS &&
      ares_init_options(&resolver->channel, &options, ARES_OPT_SOCK_STATE_CB) == ARES_SUCCESS) {
    this_reactor().at_end = close_resolver;
    return true;
  }
  free(resolver);
  resolver = nullptr;
  return false;
}

void free_request(Lookup* request) {
  free(request->addresses);
  free(request);
}

// One address per line.
char* list_addresses(const ares_addrinfo* found) {
  size_t room = 1;
  for (const ares_addrinfo_node* node = found->nodes; node != nullptr; node = node->ai_next) room += 80;
  char* list = static_cast<char*>(calloc(1, room));
  if (list == nullptr) return nullptr;
  for (const ares_addrinfo_node* node = found->nodes; node != nullptr; node = node->ai_next) {
    if (node->ai_addrlen > os::Address::ROOM) continue;
    os::Address address;
    os::copy_address(node->ai_addr, node->ai_addrlen, address);
    met_str host = host_of(address);
    strncat(list, reinterpret_cast<const char*>(data_of(host)), size_t(size_of(host)));
    strcat(list, "\n");
    met_str_release(host);
  }
  return list;
}

void answered(void* data, int status, int, ares_addrinfo* found) {
  Lookup* request = static_cast<Lookup*>(data);
  if (found != nullptr) {
    if (status == ARES_SUCCESS) request->addresses = list_addresses(found);
    ares_freeaddrinfo(found);
  }
  request->status = status;
  request->is_done = true;
  if (request->is_abandoned) {
    free_request(request);
    return;
  }
  --resolver->active;
  for (Waiter* waiter = request->line.first; waiter != nullptr; waiter = waiter->next) wake(waiter->task);
}

}  // namespace

}  // namespace meteor::net

using namespace meteor::async;
using namespace meteor::net;

extern "C" {

Lookup* met_resolve_start(met_str host) {
  meteor::text::View name = meteor::text::view(host);
  char text[256];
  Lookup* request = static_cast<Lookup*>(calloc(1, sizeof(Lookup)));
  if (request == nullptr) met_out_of_memory(sizeof(Lookup));
  if (!open_resolver()) {
    request->is_done = true;
    request->status = ARES_ENOMEM;
    return request;
  }
  if (name.size >= int64_t(sizeof text) || memchr(name.data, 0, size_t(name.size)) != nullptr) {
    request->is_done = true;
    request->status = ARES_EBADNAME;
    return request;
  }
  memcpy(text, name.data, size_t(name.size));
  text[name.size] = 0;
  ares_addrinfo_hints hints = {};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  ++resolver->active;
  ares_getaddrinfo(resolver->channel, text, nullptr, &hints, answered, request);
  set_timer();
  return request;
}

void met_resolve_wait(Lookup* request, Waiter* waiter) {
  waiter->task = isolate.strand;
  append(request->line, *waiter);
  ++this_reactor().waiting;
}

// RESOLVED: *into has the addresses, one per line; else *into says why not. WAIT: not known yet.
int64_t met_resolve_answer(Lookup* request, met_str* into) {
  if (!request->is_done) return WAIT;
  if (request->status == ARES_SUCCESS && request->addresses != nullptr) {
    meteor::text::store(into, met_str_from_c(request->addresses));
    return RESOLVED;
  }
  meteor::text::store(into, met_str_from_c(ares_strerror(request->status)));
  bool is_known = request->status == ARES_ENOTFOUND || request->status == ARES_ENODATA || request->status == ARES_EBADNAME;
  return is_known ? NO_ADDRESS : NOT_RESOLVED;
}

void met_resolve_end(Lookup* request, Waiter* waiter) {
  if (waiter->list != nullptr) {
    remove(*waiter);
    --this_reactor().waiting;
  }
  if (request->is_done) {
    free_request(request);
    return;
  }
  request->is_abandoned = true;
  --resolver->active;
  set_timer();
}

}  // extern "C"
