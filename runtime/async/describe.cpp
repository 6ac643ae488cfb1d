// What every task waits for, as lines of text: for deadlock reports.
#include <stdio.h>
#include <string.h>

#include "runtime/async/isolate.h"
#include "runtime/memory/memory.h"
#include "runtime/text/view.h"

namespace meteor::async {

namespace {

struct Text {
  char* data;
  size_t size, room;
};

void add(Text& text, const char* part) {
  size_t more = strlen(part);
  if (text.size + more > text.room) {
    size_t room = (text.size + more) * 2;
    text.data = static_cast<char*>(met_raw_realloc(text.data, int64_t(text.room), int64_t(room)));
    text.room = room;
  }
  memcpy(text.data + text.size, part, more);
  text.size += more;
}

const met_frame_info* info_of(const met_frame* frame) {
  const met_frame_info* info;
  memcpy(&info, reinterpret_cast<const char*>(frame->resume) - sizeof info, sizeof info);
  return info;
}

bool is_library(const met_frame_info* info) { return strstr(info->file, "std/core/") != nullptr; }

// What a function of the library that somebody waits in waits for.
const char* awaited_by(const char* function) {
  struct { const char* prefix; const char* text; } known[] = {
      {"Scope._close", "the tasks of its scope"}, {"_select_wait", "one of its select's cases"}, {"_polled", "a hand-written future"},
      {"_await_future", "a future"},              {"Stream<", "the next of a stream"}};
  for (auto& [prefix, text] : known)
    if (strncmp(function, prefix, strlen(prefix)) == 0) return text;
  return strncmp(function, "Task<", 5) == 0 && strstr(function, "._wait") != nullptr ? "a task" : function;
}

void describe(Text& text, const Task* task, int depth);

void describe_children(Text& text, const Region* region, int depth) {
  for (; region != nullptr; region = region->outer) {
    if (!(region->flags & REGION_SCOPE)) continue;
    const Scope* scope = reinterpret_cast<const Scope*>(reinterpret_cast<const char*>(region) - offsetof(Scope, region));
    for (const Task* child = scope->first; child != nullptr; child = child->after) describe(text, child, depth);
  }
}

void describe(Text& text, const Task* task, int depth) {
  constexpr int DEEPEST = 64;
  constexpr size_t LONGEST = 64 * 1024;
  if (depth > DEEPEST || text.size > LONGEST) return;
  const met_frame_info* root = info_of(&task->frame);
  char line[512];
  snprintf(line, sizeof line, "%*s%s", 2 + 2 * depth, "", root->function);
  add(text, line);
  if (task->leaf == nullptr) {
    add(text, task->flags & TASK_WAITS_TURN ? " waits for its turn" : " has not started");
  } else {
    // The innermost frame of the program's own code, and what it called.
    const met_frame* frame = task->leaf;
    const met_frame_info* waits_in = nullptr;
    while (is_library(info_of(frame)) && frame->parent != nullptr) {
      waits_in = info_of(frame);
      frame = frame->parent;
    }
    const met_frame_info* info = info_of(frame);
    uint32_t line_number = frame->state < info->states ? info->lines[frame->state] : 0;
    snprintf(line, sizeof line, " waits at %s:%u", info->file, line_number);
    add(text, line);
    if (waits_in != nullptr) {
      snprintf(line, sizeof line, " for %s", awaited_by(waits_in->function));
      add(text, line);
    }
  }
  add(text, "\n");
  describe_children(text, task->regions, depth + 1);
}

}  // namespace
}  // namespace meteor::async

extern "C" met_str met_describe_tasks(const meteor::async::Task* root) {
  meteor::async::Text text = {nullptr, 0, 0};
  meteor::async::describe(text, root, 0);
  met_str result = meteor::text::make(reinterpret_cast<const uint8_t*>(text.data), int64_t(text.size));
  met_raw_free(text.data, int64_t(text.room));
  return result;
}
