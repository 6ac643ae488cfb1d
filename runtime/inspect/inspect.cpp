// Snapshots and counters for std/runtime.met.
#include <string.h>

#include "runtime/inspect/snapshot.h"
#include "runtime/text/view.h"

using namespace meteor::async;

extern "C" {

// Of this isolate's tasks; freed by met_snapshot_free.
Snapshot* met_snapshot_take(void) {
  Snapshot* snapshot = static_cast<Snapshot*>(met_raw_alloc(sizeof(Snapshot)));
  *snapshot = {};
  if (isolate.root != nullptr) take_snapshot(*snapshot, isolate.root);
  return snapshot;
}

void met_snapshot_free(Snapshot* snapshot) {
  free_snapshot(*snapshot);
  met_raw_free(snapshot, sizeof(Snapshot));
}

int64_t met_snapshot_count(const Snapshot* snapshot) { return snapshot->count; }

met_str met_snapshot_text(const Snapshot* snapshot, int64_t i, int64_t what) {
  const TaskRecord& record = snapshot->records[i];
  const char* text = nullptr;
  switch (TaskText(what)) {
    case TaskText::Name: text = record.function; break;
    case TaskText::File: text = record.file; break;
    case TaskText::WaitsFor: text = record.awaits; break;
  }
  return text == nullptr ? meteor::text::EMPTY : meteor::text::make_c(text);
}

int64_t met_snapshot_number(const Snapshot* snapshot, int64_t i, int64_t what) {
  const TaskRecord& record = snapshot->records[i];
  switch (TaskNumber(what)) {
    case TaskNumber::Id: return int64_t(reinterpret_cast<uintptr_t>(record.task));
    case TaskNumber::Parent: return record.parent;
    case TaskNumber::Depth: return record.depth;
    case TaskNumber::State: return int64_t(record.state);
    case TaskNumber::Line: return record.line;
    case TaskNumber::WaitingMs: return record.since_ms;
    case TaskNumber::FrameSize: return record.frame_size;
    case TaskNumber::Lints: return record.lints;
    case TaskNumber::Flags: return int64_t(record.task->flags.all());
  }
  return 0;
}

static int64_t count_ready() {
  int64_t ready = 0;
  for (const Task* task = isolate.ready.first; task != nullptr; task = task->next) ++ready;
  return ready;
}

int64_t met_runtime_number(int64_t what) {
  switch (LoopNumber(what)) {
    case LoopNumber::Turns: return int64_t(isolate.turns);
    case LoopNumber::Ready: return count_ready();
    case LoopNumber::Timers: return isolate.timers.count();
    case LoopNumber::WaitingForIo: return this_reactor().waiting;
    case LoopNumber::Outside: return this_reactor().outside;
    case LoopNumber::LongestTurnMs: return isolate.life.longest_turn.ms;
    case LoopNumber::Isolates: return int64_t(isolates_at_work());
    case LoopNumber::OwnIsolate: return isolate.life.number;
  }
  return 0;
}

met_str met_longest_turn_of(void) {
  return isolate.life.longest_turn.of == nullptr ? meteor::text::EMPTY : meteor::text::make_c(info_of(isolate.life.longest_turn.of)->function);
}

}  // extern "C"
