// What a task is called in dumps, logs and timelines.
#ifndef METEOR_RUNTIME_INSPECT_TASK_NAME_H
#define METEOR_RUNTIME_INSPECT_TASK_NAME_H

#include "runtime/task/task.h"

namespace meteor::async {

const char* name_of(const Task* task);

}  // namespace meteor::async

#endif
