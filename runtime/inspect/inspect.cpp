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
  const char* texts[] = {record.function, record.file, record.awaits};
  return texts[what] == nullptr ? meteor::text::EMPTY : meteor::text::make_c(texts[what]);
}

int64_t met_snapshot_number(const Snapshot* snapshot, int64_t i, int64_t what) {
  const TaskRecord& record = snapshot->records[i];
  const int64_t numbers[] = {int64_t(reinterpret_cast<uintptr_t>(record.task)), record.parent, record.depth, int64_t(record.state), record.line,
                             record.since_ms, record.frame_size, record.lints, int64_t(record.task->flags.all())};
  return numbers[what];
}

int64_t met_runtime_number(int64_t what) {
  int64_t ready = 0;
  if (what == 1)
    for (const Task* task = isolate.ready.first; task != nullptr; task = task->next) ++ready;
  const int64_t numbers[] = {int64_t(isolate.turns), ready, isolate.timers.count(), this_reactor().waiting, this_reactor().outside, isolate.life.longest_turn.ms,
                             int64_t(isolates_at_work()), isolate.life.number};
  return numbers[what];
}

met_str met_longest_turn_of(void) {
  return isolate.life.longest_turn.of == nullptr ? meteor::text::EMPTY : meteor::text::make_c(info_of(isolate.life.longest_turn.of)->function);
}

}  // extern "C"
