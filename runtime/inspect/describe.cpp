#include "runtime/inspect/describe.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

namespace meteor::async {

void add(Text& text, const char* format, ...) {
  char part[1024];
  va_list arguments;
  va_start(arguments, format);
  int printed = vsnprintf(part, sizeof part, format, arguments);
  va_end(arguments);
  size_t more = printed < 0 ? 0 : size_t(printed) < sizeof part ? size_t(printed) : sizeof part - 1;
  if (text.size + more > text.room) {
    size_t room = (text.size + more) * 2;
    text.data = static_cast<char*>(met_raw_realloc(text.data, int64_t(text.room), int64_t(room)));
    text.room = room;
  }
  memcpy(text.data + text.size, part, more);
  text.size += more;
}

void add_time(Text& text, int64_t ms) {
  if (ms < 1000)
    add(text, "%lld ms", static_cast<long long>(ms));
  else if (ms < 120'000)
    add(text, "%.1f s", double(ms) / 1000);
  else
    add(text, "%lld min", static_cast<long long>(ms / 60'000));
}

namespace {

constexpr size_t LONGEST = 256 * 1024;

bool is_alike(const TaskRecord& a, const TaskRecord& b) {
  return a.parent == b.parent && a.scope == b.scope && a.function == b.function && a.file == b.file &&
         a.line == b.line && a.awaits == b.awaits && a.holder == b.holder && a.state == b.state && a.lints == b.lints &&
         a.task->flags.are(b.task->flags & (TASK_SERVICE | TASK_CANCELLED), TASK_SERVICE | TASK_CANCELLED);
}

bool has_children(const Snapshot& snapshot, int64_t i) {
  return i + 1 < snapshot.count && snapshot.records[i + 1].parent == i;
}

void add_scope(Text& text, const Scope* scope, int32_t depth) {
  add(text, "%*sscope: %lld open", 4 * depth, "", static_cast<long long>(scope->open + scope->services));
  if (scope->services > 0)
    add(text, ", of them %lld %s", static_cast<long long>(scope->services),
        scope->services == 1 ? "a service" : "services");
  if (scope->limit > 0) add(text, ", limit %lld", static_cast<long long>(scope->limit));
  if (scope->region.flags & REGION_CANCELLED) add(text, ", cancelled");
  if (scope->timer.next != nullptr) {
    int64_t left = (scope->timer.due - now_ns()) / 1'000'000;
    add(text, ", ends in ");
    add_time(text, left > 0 ? left : 0);
  }
  add(text, "\n");
}

void add_holder(Text& text, const Held& held, const char* name) {
  add(text, " that %s", name != nullptr ? name : info_of(held.resume)->function);
  if (held.site != nullptr) add(text, " (spawned at %s:%u)", held.site->file, held.site->line);
  add(text, " holds");
}

void add_task(Text& text, const TaskRecord& record, bool with_time, int64_t more) {
  add(text, "%*s%s", 2 + 4 * record.depth, "", record.function);
  bool waits = false;
  switch (record.state) {
    case TaskState::NotStarted: add(text, " has not started"); break;
    case TaskState::WaitsTurn: add(text, " waits for its turn"); break;
    case TaskState::Running: add(text, isolate.blocked.in != nullptr ? " runs the `def`" : " runs"); break;
    case TaskState::Ready: add(text, " is ready to go on"); break;
    case TaskState::Waiting:
      add(text, " waits");
      waits = true;
      break;
  }
  if (record.file[0] != '\0' && record.state != TaskState::Running) add(text, " at %s:%u", record.file, record.line);
  if (record.awaits != nullptr && waits) add(text, " for %s", record.awaits);
  if (record.holder != nullptr && waits) add_holder(text, *record.holder, record.holder_name);
  if (with_time && waits) {
    add(text, ", ");
    add_time(text, record.since_ms);
    add(text, " so far");
  }
  if (record.task->flags & TASK_SERVICE) add(text, " (a service)");
  if (record.task->flags & TASK_CANCELLED) add(text, " (cancelled)");
  if (more > 0) add(text, " (and %lld more like it)", static_cast<long long>(more));
  add(text, "\n");
  if (record.lints & LINT_WAKES_ITSELF) {
    add(text, "%*slint: it wakes itself and has waited for nothing in the last ", 6 + 4 * record.depth, "");
    add_time(text, record.since_ms);
    add(text, "\n");
  }
  if (record.lints & LINT_LARGE_FRAME)
    add(text, "%*slint: its frame takes %u bytes; `meteor explain` shows what for\n", 6 + 4 * record.depth, "",
        record.frame_size);
}

}  // namespace

void add_tree(Text& text, const Snapshot& snapshot, bool with_time) {
  for (int64_t i = 0; i < snapshot.count; ++i) {
    if (text.size > LONGEST) {
      add(text, "  … %lld more tasks\n", static_cast<long long>(snapshot.count - i));
      return;
    }
    const TaskRecord& record = snapshot.records[i];
    if (record.scope != nullptr && record.scope->first == record.task) add_scope(text, record.scope, record.depth);
    int64_t next = i;
    while (!has_children(snapshot, next) && next + 1 < snapshot.count && is_alike(record, snapshot.records[next + 1]))
      ++next;
    if (has_children(snapshot, next) && next > i) --next;
    int64_t more = next - i >= 2 ? next - i : 0;
    add_task(text, record, with_time, more);
    i += more;
  }
}

}  // namespace meteor::async
