#include "runtime/executor/urgent.h"

#include <errno.h>
#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runtime/executor/interrupts.h"
#include "runtime/inspect/symbol_names.h"
#include "runtime/loop/isolate.h"
#include "runtime/task/frame.h"

namespace meteor::async {

static void on_urgent(int, siginfo_t* info, void*) {
  int saved = errno;
  if (info->si_code == SI_TIMER)
    look_at_grace();
  else
    write_stack("warning: a task holds the event loop for too long; it is here:\n");
  errno = saved;
}

void hear_urgent() {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_urgent;
  action.sa_flags = SA_RESTART | SA_SIGINFO;
  sigaction(SIGURG, &action, nullptr);
}

// What is inlined has no name on the stack; the task's function is known all the same.
static void write_task_name() {
  const Task* task = isolate.running;
  if (task == nullptr) return;
  const met_frame_info* info = info_of(task->frame.resume);
  char line[512];
  int size = snprintf(line, sizeof line, "  in the task %s, %s:%u\n", info->function, info->file, info->lines[0]);
  if (write(STDERR_FILENO, line, size < int(sizeof line) ? size_t(size) : sizeof line - 1) < 0) return;
}

void write_stack(const char* title) {
  void* frames[64];
  int count = backtrace(frames, 64);
  if (write(STDERR_FILENO, title, strlen(title)) <= 0) return;
  write_function_names(STDERR_FILENO, frames, count);
  write_task_name();
}

}  // namespace meteor::async
