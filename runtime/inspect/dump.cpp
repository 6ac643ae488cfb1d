// Task dumps: who asks for one gets it as text, from each isolate.
#include "runtime/inspect/dump.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "runtime/inspect/describe.h"
#include "runtime/loop/watched.h"

namespace meteor::async {

namespace {

struct Request {
  Message message;
  DumpTo to;
};

void dump_here(Message* message) {
  DumpTo to = reinterpret_cast<Request*>(message)->to;
  free(message);
  write_dump(to, -1);
}

// Who asks is this user or root: nobody else is told. -1: nobody is there any more.
int connect_to_asker() {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  int size = snprintf(address.sun_path + 1, sizeof address.sun_path - 1, METEOR_PS_SOCKET, int(getpid()));
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  ucred who = {};
  socklen_t who_size = sizeof who;
  bool good = connect(fd, reinterpret_cast<sockaddr*>(&address), socklen_t(offsetof(sockaddr_un, sun_path) + 1 + size_t(size))) == 0 &&
              getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &who_size) == 0 && (who.uid == geteuid() || who.uid == 0);
  if (good) return fd;
  close(fd);
  return -1;
}

void write_all(int fd, bool is_socket, const Text& text) {
  for (size_t at = 0; at < text.size;) {
    ssize_t written = is_socket ? send(fd, text.data + at, text.size - at, MSG_NOSIGNAL) : write(fd, text.data + at, text.size - at);
    if (written <= 0) return;
    at += size_t(written);
  }
}

}  // namespace

void write_dump(DumpTo to, int64_t others) {
  Snapshot snapshot = {};
  if (isolate.root != nullptr) take_snapshot(snapshot, isolate.root);
  int64_t ready = 0;
  for (int64_t i = 0; i < snapshot.count; ++i) ready += snapshot.records[i].state == TaskState::Ready;
  Text text = {};
  if (to == DumpTo::Asker && others >= 0) add(text, "%lld\n", static_cast<long long>(others));
  add(text, "task dump of isolate %u: %lld tasks, %lld of them ready; %lld timers; %lld wait for the kernel; %llu turns\n", isolate.number,
      static_cast<long long>(snapshot.count), static_cast<long long>(ready), static_cast<long long>(isolate.timers.count()),
      static_cast<long long>(this_reactor().waiting), static_cast<unsigned long long>(isolate.turns));
  add_tree(text, snapshot, true);
  if (isolate.longest_turn_ms >= LONG_TURN_MS) {
    add(text, "  lint: %s held the loop for ", info_of(isolate.longest_turn_of)->function);
    add_time(text, isolate.longest_turn_ms);
    add(text, " in one turn; nobody else ran meanwhile\n");
  }
  free_snapshot(snapshot);
  int fd = to == DumpTo::Asker ? connect_to_asker() : STDERR_FILENO;
  if (fd >= 0) write_all(fd, to == DumpTo::Asker, text);
  if (fd >= 0 && to == DumpTo::Asker) close(fd);
  met_raw_free(text.data, int64_t(text.room));
}

int64_t ask_others_to_dump(DumpTo to) {
  static DumpTo wanted;      // the main isolate alone asks
  static int64_t asked;
  wanted = to;
  asked = 0;
  for_each_watched([](Watched& one) {
    Isolate* other = one.isolate;
    if (other == &isolate || !__atomic_load_n(&other->is_running, __ATOMIC_RELAXED)) return;
    Request* request = static_cast<Request*>(calloc(1, sizeof(Request)));   // its home is no isolate
    if (request == nullptr) return;
    request->message.run = dump_here;
    request->to = wanted;
    ++asked;
    post(other->inbox, request->message);
  });
  return asked;
}

}  // namespace meteor::async
