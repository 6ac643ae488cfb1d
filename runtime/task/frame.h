// Frames: how the innermost one goes on, who awaits it, and what the compiler wrote about its function.
#ifndef METEOR_RUNTIME_TASK_FRAME_H
#define METEOR_RUNTIME_TASK_FRAME_H

#include <string.h>

#include "runtime/task/task.h"

namespace meteor::async {

inline const met_frame_info* info_of(met_resume resume) {
  const met_frame_info* info;
  memcpy(&info, reinterpret_cast<const char*>(resume) - sizeof info, sizeof info);
  return info;
}

inline met_frame* parent_of(const met_frame* frame) {
  const char* at = reinterpret_cast<const char*>(frame);
  if (frame->up >= MET_FRAME_OF_STREAM) {
    if (frame->up == MET_FRAME_APART) return *reinterpret_cast<met_frame* const*>(at - sizeof(met_frame*));
    return *reinterpret_cast<met_frame* const*>(at - offsetof(Task, frame) + offsetof(Task, part.asked_in));
  }
  return reinterpret_cast<met_frame*>(const_cast<char*>(at - frame->up));
}

// The innermost frame goes on; when it ends, whoever awaits it goes on with its result or its error, up to the task's
// root.
inline met_object* run_frames(Task* task, met_frame* leaf, met_object* error) {
  for (;;) {
    met_object* status = leaf->resume(leaf, error);
    if (status == MET_PENDING) [[likely]]
      return status;
    if (leaf == &task->frame) return status;
    leaf = parent_of(leaf);
    error = status;
  }
}

}  // namespace meteor::async

#endif
