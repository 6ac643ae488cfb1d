// The walk over the tree of scopes. It goes by an explicit list, since scopes may nest deeper than a stack.
#include "runtime/inspect/snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/inspect/task_name.h"
#include "runtime/scope/streams.h"

namespace meteor::async {

namespace {

// What somebody waits for in a function of the library, by how its name begins and ends.
struct Awaited {
  const char *prefix, *suffix, *text;
};
constexpr Awaited AWAITED[] = {
    {"Scope._close", "", "the tasks of its scope"},
    {"_select_wait", "", "one of its select's cases"},
    {"_polled", "", "a hand-written future"},
    {"_await_future", "", "a future"},
    {"sleep", "", "a timer"},
    {"yield_now", "", "its next turn"},
    {"Stream<", "", "the next of a stream"},
    {"Task<", "._wait", "a task"},
    {"Isolate<", "._wait", "an isolate"},
    {"Isolate<", ".join", "an isolate"},
    {"_Handle", "._wait", "an isolate"},
    {"Channel<", ".recv", "a value in a channel"},
    {"Channel<", "._recv", "a value in a channel"},
    {"Channel<", ".next", "a value in a channel"},
    {"Channel<", "._next", "a value in a channel"},
    {"Channel<", ".send", "room in a channel"},
    {"Channel<", "._send", "room in a channel"},
    {"Channel<", "._hand_over", "a receiver of a channel"},
    {"OneShot<", ".recv", "a value in a OneShot"},
    {"Watcher.next", "", "a change of files"},
    {"Watch", "", "a change of a Watch"},
    {"Broadcast", "", "a message of a Broadcast"},
    {"Semaphore", "", "a semaphore"},
    {"Mutex", "", "a mutex"},
    {"RwLock", "", "a lock"},
    {"_ReadLock", "", "a lock"},
    {"Event", ".wait", "an event"},
    {"Condition", ".wait", "a condition"},
    {"Barrier", ".wait", "a barrier"},
    {"Once", "", "a Once"},
    {"Lines.next", "", "a line"},
    {"", "Stream.read_line", "a line"},
    {"", "Stream.read", "bytes"},
    {"", "Stream.read_exact", "bytes"},
    {"", "Stream.read_until", "bytes"},
    {"", "Stream.read_all", "bytes"},
    {"", "Stream.read_text", "bytes"},
    {"", "Stream._take", "bytes"},
    {"", "Stream.write", "room to write"},
    {"Listener.", "", "a connection"},
    {"TlsListener.", "", "a connection"},
    {"net.connect", "", "a connection"},
    {"net._connect", "", "a connection"},
    {"net.resolve", "", "the address of a name"},
    {"UdpSocket.recv", "", "a datagram"},
    {"UdpSocket.send", "", "room to send"},
    {"TlsStream.handshake", "", "a handshake"},
    {"tls.connect", "", "an encrypted connection"},
    {"AsyncFile.", "", "a file"},
    {"FileLines.next", "", "a file"},
    {"fs.", "", "the file system"},
    {"Signals.next", "", "a signal"},
    {"Process.wait", "", "the end of a program"},
    {"process.run", "", "the end of a program"},
};

// The library's own functions wait on behalf of whoever called them.
bool is_library(const met_frame_info* info) { return strstr(info->file, "/std/") != nullptr || strncmp(info->file, "std/", 4) == 0; }

// The same, looked up: a trace asks at every suspension.
bool is_known_library(const met_frame_info* info) {
  struct Known { const met_frame_info* info; bool is_library; };
  static __thread Known known[64];
  Known& entry = known[reinterpret_cast<uintptr_t>(info) / sizeof(met_frame_info) % 64];
  if (entry.info != info) entry = {info, is_library(info)};
  return entry.is_library;
}

bool begins(const char* text, const char* with) { return strncmp(text, with, strlen(with)) == 0; }

bool ends(const char* text, const char* with) {
  size_t size = strlen(text), tail = strlen(with);
  return size >= tail && strcmp(text + size - tail, with) == 0;
}

TaskRecord& add(Snapshot& snapshot) {
  if (snapshot.count == snapshot.room) {
    int64_t room = snapshot.room == 0 ? 64 : snapshot.room * 2;
    snapshot.records = static_cast<TaskRecord*>(met_raw_realloc(snapshot.records, snapshot.room * int64_t(sizeof(TaskRecord)), room * int64_t(sizeof(TaskRecord))));
    snapshot.room = room;
  }
  TaskRecord& record = snapshot.records[snapshot.count++];
  record = {};
  return record;
}

TaskState state_of(const Task* task) {
  if (task == isolate.running) return TaskState::Running;
  if (task->flags & TASK_WAITS_TURN) return TaskState::WaitsTurn;
  if (task->leaf == nullptr) return TaskState::NotStarted;
  return task->flags & TASK_QUEUED ? TaskState::Ready : TaskState::Waiting;
}

void fill(TaskRecord& record, const Task* task) {
  const met_frame_info* root = info_of(task->frame.resume);
  record.task = task;
  record.scope = task->flags & TASK_SPAWNED ? scope_of(task) : nullptr;
  record.state = state_of(task);
  record.function = name_of(task);
  record.file = "";
  record.frame_size = root->size;
  record.since_ms = (isolate.clock - (task->since & ~SINCE_WAKES_ITSELF)) / SINCE_UNITS_PER_MS;
  if (record.frame_size > LARGE_FRAME) record.lints |= LINT_LARGE_FRAME;
  bool is_up = record.state == TaskState::Ready || record.state == TaskState::Running;
  if (is_up && (task->since & SINCE_WAKES_ITSELF) && record.since_ms >= SELF_WAKING_MS) record.lints |= LINT_WAKES_ITSELF;
  if (task->leaf == nullptr) return;
  const char* waits_in = nullptr;
  // The leaf of one that runs is where it was before: that frame may be over by now.
  const met_frame* frame = record.state == TaskState::Running ? &task->frame : program_frame(task, waits_in);
  const met_frame_info* info = info_of(frame->resume);
  record.file = info->file;
  record.line = frame->state < info->states ? info->lines[frame->state] : info->lines[0];
  if (waits_in != nullptr) record.awaits = awaited_by(waits_in);
}

// Who waits for a lock that somebody holds, by the address of the task.
struct Wanted {
  const Task* task;
  const Held* held;
};

struct WantedLocks {
  Wanted* pairs;
  int64_t count;
};

const Task* task_that_waits(const Waiter* waiter) {
  const Task* task = without_mark(waiter->task);
  while (!(task->flags & TASK_SPAWNED) && outer_of(task) != nullptr) task = outer_of(task);   // part of whoever polls it
  return task;
}

int compare_wanted(const void* a, const void* b) {
  const Task* left = static_cast<const Wanted*>(a)->task;
  const Task* right = static_cast<const Wanted*>(b)->task;
  return left < right ? -1 : left > right;
}

WantedLocks find_wanted_locks() {
  WantedLocks wanted = {};
  for (const Held* held = isolate.life.held; held != nullptr; held = held->next)
    for (const Waiter* waiter = held->line->first; waiter != nullptr; waiter = waiter->next) ++wanted.count;
  if (wanted.count == 0) return wanted;
  wanted.pairs = static_cast<Wanted*>(met_raw_alloc(wanted.count * int64_t(sizeof(Wanted))));
  Wanted* next = wanted.pairs;
  for (const Held* held = isolate.life.held; held != nullptr; held = held->next)
    for (const Waiter* waiter = held->line->first; waiter != nullptr; waiter = waiter->next) *next++ = {task_that_waits(waiter), held};
  qsort(wanted.pairs, size_t(wanted.count), sizeof(Wanted), compare_wanted);
  return wanted;
}

// An address may belong to another task by now, which began elsewhere or was spawned elsewhere.
const char* name_of_holder(const Snapshot& snapshot, const Held& held) {
  for (int64_t i = 0; i < snapshot.count; ++i) {
    const Task* task = snapshot.records[i].task;
    if (task != held.task || task->frame.resume != held.resume) continue;
    if ((task->flags & TASK_SPAWNED ? spawned_at(task) : nullptr) == held.site) return snapshot.records[i].function;
  }
  return nullptr;
}

void note_holders(Snapshot& snapshot) {
  WantedLocks wanted = find_wanted_locks();
  if (wanted.count == 0) return;
  for (int64_t i = 0; i < snapshot.count; ++i) {
    Wanted key = {snapshot.records[i].task, nullptr};
    const void* found = bsearch(&key, wanted.pairs, size_t(wanted.count), sizeof(Wanted), compare_wanted);
    if (found == nullptr) continue;
    const Held* held = static_cast<const Wanted*>(found)->held;
    snapshot.records[i].holder = held;
    snapshot.records[i].holder_name = name_of_holder(snapshot, *held);
  }
  met_raw_free(wanted.pairs, wanted.count * int64_t(sizeof(Wanted)));
}

}  // namespace

const char* awaited_by(const char* function) {
  for (auto& [prefix, suffix, text] : AWAITED)
    if (begins(function, prefix) && ends(function, suffix)) return text;
  return function;
}

const met_frame* program_frame(const Task* task, const char*& waits_in) {
  for (const met_frame* frame = leaf_of(task);; frame = parent_of(frame)) {
    const met_frame_info* info = info_of(frame->resume);
    if (!is_known_library(info) || frame == &task->frame) {
      if (info->awaits != nullptr && frame->state < info->states && info->awaits[frame->state] != nullptr) waits_in = info->awaits[frame->state];
      return frame;
    }
    waits_in = info->function;
  }
}

void take_snapshot(Snapshot& snapshot, const Task* root) {
  struct Place { const Task* task; int64_t parent; int32_t depth; };
  int64_t room = 64, left = 0;
  Place* places = static_cast<Place*>(met_raw_alloc(room * int64_t(sizeof(Place))));
  auto push = [&](Place place) {
    if (left == room) {
      places = static_cast<Place*>(met_raw_realloc(places, room * int64_t(sizeof(Place)), room * 2 * int64_t(sizeof(Place))));
      room *= 2;
    }
    places[left++] = place;
  };
  push({root, -1, 0});
  bool with_loose = true;   // streams that were left in no scope are shown under the root
  while (left > 0) {
    Place place = places[--left];
    int64_t index = snapshot.count;
    TaskRecord& record = add(snapshot);
    fill(record, place.task);
    record.parent = place.parent;
    record.depth = place.depth;
    // Taken from the end: the innermost scope's last child is pushed first, so the outermost scope's first comes next.
    const Task* innermost = place.task->flags & TASK_ASKS ? stream_in(place.task) : place.task;
    for (const Task* at = innermost;; at = outer_of(at)) {
      for (const Region* region = regions_of(at); region != nullptr; region = region->outer) {
        if (!(region->flags & REGION_SCOPE)) continue;
        for (const Task* child = scope_of(const_cast<Region*>(region))->last; child != nullptr; child = child->siblings.before)
          push({child, index, place.depth + 1});
      }
      if (at == place.task) break;
    }
    for (const Task* stream = with_loose ? isolate.loose : nullptr; stream != nullptr; stream = stream->siblings.after) push({stream, index, place.depth + 1});
    with_loose = false;
  }
  met_raw_free(places, room * int64_t(sizeof(Place)));
  note_holders(snapshot);
}

void free_snapshot(Snapshot& snapshot) { met_raw_free(snapshot.records, snapshot.room * int64_t(sizeof(TaskRecord))); }

}  // namespace meteor::async
