// Task dumps: who asks for one gets it as text, from each isolate.
#include "runtime/inspect/dump.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/inspect/describe.h"
#include "runtime/loop/watched.h"
#include "runtime/os/descriptors.h"
#include "runtime/os/os.h"
#include "runtime/os/socket_calls.h"
#include "runtime/os/sockets.h"

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
  char name[64];
  snprintf(name, sizeof name, METEOR_PS_SOCKET, int(met_process_id()));
  return os::connect_to_own(name);
}

void write_all(int fd, bool is_socket, const Text& text) {
  for (size_t at = 0; at < text.size;) {
    int64_t left = int64_t(text.size - at);
    int64_t written = is_socket ? os::send_now(fd, text.data + at, left) : os::write_descriptor(fd, text.data + at, left);
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
  add(text, "task dump of isolate %u: %lld tasks, %lld of them ready; %lld timers; %lld wait for the kernel; %llu turns\n", isolate.life.number,
      static_cast<long long>(snapshot.count), static_cast<long long>(ready), static_cast<long long>(isolate.timers.count()),
      static_cast<long long>(this_reactor().waiting), static_cast<unsigned long long>(isolate.turns));
  add_tree(text, snapshot, true);
  if (isolate.life.longest_turn.ms >= LONG_TURN_MS) {
    add(text, "  lint: %s held the loop for ", info_of(isolate.life.longest_turn.of)->function);
    add_time(text, isolate.life.longest_turn.ms);
    add(text, " in one turn; nobody else ran meanwhile\n");
  }
  free_snapshot(snapshot);
  int fd = to == DumpTo::Asker ? connect_to_asker() : os::STDERR;
  if (fd >= 0) write_all(fd, to == DumpTo::Asker, text);
  if (fd >= 0 && to == DumpTo::Asker) os::close_descriptor(fd);
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
