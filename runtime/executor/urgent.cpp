#include "runtime/executor/urgent.h"

#include <stdio.h>
#include <string.h>

#include "runtime/executor/interrupts.h"
#include "runtime/inspect/symbol_names.h"
#include "runtime/loop/isolate.h"
#include "runtime/os/descriptors.h"
#include "runtime/os/signals.h"
#include "runtime/os/stack.h"
#include "runtime/task/frame.h"

namespace meteor::async {

static void on_urgent(os::Urgent why) {
  if (why == os::Urgent::Alarm)
    look_at_grace();
  else
    write_stack("warning: a task holds the event loop for too long; it is here:\n");
}

void hear_urgent() { os::hear_urgent(on_urgent); }

// What is inlined has no name on the stack; the task's function is known all the same.
static void write_task_name() {
  const Task* task = isolate.running;
  if (task == nullptr) return;
  const met_frame_info* info = info_of(task->frame.resume);
  char line[512];
  int size = snprintf(line, sizeof line, "  in the task %s, %s:%u\n", info->function, info->file, info->lines[0]);
  os::write_descriptor(os::STDERR, line, size < int(sizeof line) ? size : int(sizeof line) - 1);
}

void write_stack(const char* title) {
  void* frames[64];
  int count = os::walk_stack(frames, 64);
  if (os::write_descriptor(os::STDERR, title, int64_t(strlen(title))) <= 0) return;
  write_function_names(os::STDERR, frames, count);
  write_task_name();
}

}  // namespace meteor::async
