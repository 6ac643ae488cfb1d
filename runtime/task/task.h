// Tasks: the structure behind std/core/task.met, whose class declares the same fields in the same order.
//
// A task owns its frame, a scope (scope.h) its tasks. All links are inside the structures: waking, waiting and spawning allocate
// nothing. Everything here belongs to one isolate and is touched by its thread alone.
#ifndef METEOR_RUNTIME_TASK_TASK_H
#define METEOR_RUNTIME_TASK_TASK_H

#include "runtime/abi/abi.h"
#include "runtime/task/decision.h"
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
  struct Nest* nest;     // where it waits for something shared inside a race or select; null: it does not
};

struct Task {
  met_object header;
  Task* next;            // in the ready queue or a scope's line
  met_frame* leaf;       // the innermost frame, where it goes on; where it asks a stream: see streams.h
  Task* before;          // siblings in the scope; of a strand: who polls it, counted; of a stream: who asks it
  Task* after;           // of a stream that is asked and waits: the frame of its `next`
  uint32_t flags;
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
enum : uint32_t {
  TASK_QUEUED = 1,   // in the ready queue
  TASK_SPAWNED = 2,  // runs by itself; else it runs inside whoever awaits or polls it
  TASK_DONE = 4,
  TASK_CANCELLED = 8,    // asked to stop
  TASK_SERVICE = 16,     // does not keep its scope open
  TASK_EXPIRED = 32,     // its clean-up took too long: shields no longer help
  TASK_WAITS_TURN = 64,  // in its scope's line: the limit is reached
  TASK_EXPIRY_SET = 128,
  TASK_ENDED_CANCELLED = 256,
  TASK_ORPHAN = 512,        // cleans up after its poller let go of it, in no scope
  TASK_INTERRUPTED = 1024,  // cancelled while it waited: goes on with Cancelled
  TASK_ARM = 2048,          // a case of the select that its poller waits in
  TASK_CUT = 4096,          // a scope that its body is in has been cancelled
  TASK_CONTENDS = 8192,     // takes part in the race that its scope is for (contenders.h)
  TASK_SEEN = 16384,        // somebody has looked at the error that it ended with
  TASK_STREAM = 32768,      // the body of a stream (streams.h), as are those below
  TASK_ASKS = 65536,        // of any task: it waits inside a stream
  TASK_LEFT = 131072,       // its asker goes without it
  TASK_KEEPS = 262144,      // it has gone on by itself: what it gave is there for the next who asks
  TASK_POLLED = 524288,     // whoever closes it polls it as a strand
  TASK_WON = 1048576,       // of any task: its race or select is decided, and it waits until the losers have cleaned up
  TASK_INSIDE = 2097152,    // child of a scope with SCOPE_INSIDE: its turn may be that of the scope's owner (contenders.h)
};

// Task::since counts half milliseconds, so that its lowest bit can say: since then it has been ready again each time it gave up
// its turn, and has waited for nothing.
constexpr uint32_t SINCE_WAKES_ITSELF = 1, SINCE_UNITS_PER_MS = 2;

static_assert(offsetof(Task, frame) % alignof(met_frame) == 0 && offsetof(Task, place) + sizeof(uintptr_t) == offsetof(Task, frame));   // as MET_FRAME_APART says

}  // namespace meteor::async

extern "C" void met_task_forget(meteor::async::Task* task);

#endif
