// Tasks: the structure behind std/core/task.met, whose class declares the same fields in the same order.
//
// A task owns its frame, a scope (scope.h) its tasks. All links are inside the structures: waking, waiting and spawning allocate
// nothing. Everything here belongs to one isolate and is touched by its thread alone.
#ifndef METEOR_RUNTIME_TASK_TASK_H
#define METEOR_RUNTIME_TASK_TASK_H

#include "runtime/abi/abi.h"
#include "runtime/task/decision.h"
#include "runtime/task/flags.h"
#include "runtime/task/line.h"
#include "runtime/task/scope.h"

namespace meteor::async {

// What few tasks need. Made when one does, gone with the task.
struct More {
  Scope* scope;
  Region* regions;       // innermost first
  WaitList waiters;      // for its end
  met_object* error;     // what it ended with, counted
  met_object* locals;    // TaskLocal values, counted
  Decision* decision;    // of the select that it is in, held
  char* name;            // that it was given, owned; null: the function's
  Decision* race;        // of the race that it has begun and nobody has won, held
};

struct Task {
  met_object header;
  Task* next;            // in the ready queue or a scope's line
  met_frame* leaf;       // the innermost frame, where it goes on; where it asks a stream: see streams.h
  Task* before;          // siblings in the scope; of a strand: who polls it, counted; of a stream: who asks it
  Task* after;           // of a stream that is asked and waits: the frame of its `next`
  TaskFlags flags;
  uint32_t since;        // of the isolate's clock: when it began to wait
  uintptr_t place;       // the scope whose child it is (0: a root), or HAS_MORE and its More. Of one that runs inside another task: the frame that awaits it
  met_frame frame;       // slots follow. `up` says where it was spawned
};
constexpr uintptr_t HAS_MORE = 1;

inline More* more_of(const Task* task) { return task->place & HAS_MORE ? reinterpret_cast<More*>(task->place - HAS_MORE) : nullptr; }
inline Region* regions_of(const Task* task) { return task->place & HAS_MORE ? more_of(task)->regions : nullptr; }
inline Scope* scope_of(const Task* task) { return task->place & HAS_MORE ? more_of(task)->scope : reinterpret_cast<Scope*>(task->place); }
inline met_object* locals_of(const Task* task) { return task->place & HAS_MORE ? more_of(task)->locals : nullptr; }
More& need_more(Task* task);

// Where a task was spawned lies in the program's constants: the distance from this one says which.
extern const met_site NO_SITE;
inline uint32_t to_site(const met_site* site) { return site == nullptr ? 0 : uint32_t(reinterpret_cast<intptr_t>(site) - reinterpret_cast<intptr_t>(&NO_SITE)); }
inline const met_site* spawned_at(const Task* task) {
  if (task->frame.up == 0 || task->frame.up == MET_FRAME_OF_STREAM) return nullptr;
  return reinterpret_cast<const met_site*>(reinterpret_cast<intptr_t>(&NO_SITE) + int32_t(task->frame.up));
}

// Task::since counts half milliseconds, so that its lowest bit can say: since then it has been ready again each time it gave up
// its turn, and has waited for nothing.
constexpr uint32_t SINCE_WAKES_ITSELF = 1, SINCE_UNITS_PER_MS = 2;

static_assert(offsetof(Task, frame) % alignof(met_frame) == 0 && offsetof(Task, place) + sizeof(uintptr_t) == offsetof(Task, frame));   // as MET_FRAME_APART says

}  // namespace meteor::async

extern "C" void met_task_forget(meteor::async::Task* task);

#endif
