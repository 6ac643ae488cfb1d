// What a task is called: what its spawner said, else the function it began with.
#include "runtime/inspect/task_name.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/loop/isolate.h"
#include "runtime/task/frame.h"
#include "runtime/text/view.h"
#include "runtime/trace/trace.h"

namespace meteor::async {

namespace {

char* copy_of(const met_str& text) {
  text::View view = text::view(text);
  char* copy = static_cast<char*>(malloc(size_t(view.size) + 1));
  if (copy == nullptr) return nullptr;
  memcpy(copy, view.data, size_t(view.size));
  copy[view.size] = '\0';
  return copy;
}

}  // namespace

const char* name_of(const Task* task) {
  const More* more = more_of(task);
  if (more != nullptr && more->name != nullptr) return more->name;
  return info_of(task->frame.resume)->function;
}

}  // namespace meteor::async

using namespace meteor::async;

extern "C" {

// For std/log.met. Empty where no task runs.
met_str met_task_name(void) {
  return isolate.running == nullptr ? meteor::text::EMPTY : meteor::text::make_c(name_of(isolate.running));
}

void met_task_set_name(Task* task, met_str* name) {
  More& more = need_more(task);
  free(more.name);
  more.name = copy_of(*name);
  if (is_tracing) trace(TraceKind::Name, task, copy_of(*name));  // the timeline keeps it
}

}  // extern "C"
