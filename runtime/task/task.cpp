// What a task has besides its own words: made when it is needed, gone with the task.
#include "runtime/task/task.h"

#include <stdlib.h>

#include "runtime/task/count.h"
#include "runtime/task/wake.h"

namespace meteor::async {

const met_site NO_SITE = {};

More& need_more(Task* task) {
  if (More* more = more_of(task)) return *more;
  More* more = static_cast<More*>(met_raw_alloc(sizeof(More)));
  *more = {.scope = scope_of(task)};
  task->place.set_more(more);
  return *more;
}

}  // namespace meteor::async

using namespace meteor::async;

extern "C" {

// What it ended with, owned; null: it did not fail.
met_object* met_task_error(Task* task) {
  met_object* error = more_of(task) != nullptr ? more_of(task)->error : nullptr;
  if (error != nullptr) task->flags.see_error();
  retain(error);
  return error;
}

// The end of a task that has a More.
void met_task_forget(Task* task) {
  More* more = more_of(task);
  task->place.clear();
  wake_all(more->waiters);  // a stream that was asked to its end may have a timer for its clean-up
  release(more->error);
  release(more->locals);
  let_go(more->decision);
  let_go(more->race);
  free(more->name);
  met_raw_free(more, sizeof(More));
}

}  // extern "C"
