// Counting the references to objects of this isolate.
#ifndef METEOR_RUNTIME_TASK_COUNT_H
#define METEOR_RUNTIME_TASK_COUNT_H

#include "runtime/abi/abi.h"

namespace meteor::async {

inline void retain(met_object* object) {
  if (object != nullptr && !(object->strong & MET_IMMORTAL)) ++object->strong;
}

inline void release(met_object* object) {
  if (object == nullptr || (object->strong & MET_IMMORTAL)) return;
  if (--object->strong == 0) met_object_drop(object);
}

}  // namespace meteor::async

#endif
