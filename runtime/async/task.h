// Tasks, scopes and what waits for them: the structures behind std/core/task.met and std/core/scope.met, whose classes
// declare the same fields in the same order.
//
// A task owns its frame, a scope its tasks. All links are inside the structures: waking, waiting and spawning allocate
// nothing. Everything here belongs to one isolate and is touched by its thread alone.
#ifndef METEOR_RUNTIME_ASYNC_TASK_H
#define METEOR_RUNTIME_ASYNC_TASK_H

#include "runtime/abi/abi.h"
#include "runtime/async/decision.h"
#include "runtime/async/inbox.h"

namespace meteor::async {

struct Task;
struct Scope;

// A part of a task's body that can be cancelled by itself (a scope), or that keeps cancellation out (a shield).
struct Region {
  Region* outer;
  uint32_t flags;
};
enum : uint32_t { REGION_CANCELLED = 1, REGION_SHIELD = 2, REGION_SCOPE = 4, REGION_FIRM = 8, REGION_EXPIRED = 16 };
// FIRM: not even an expired clean-up gets through. EXPIRED: the clean-up of this scope's body took too long.

// A place in the line of those who wait for something. Lives in the frame of the one who waits.
struct WaitList {
  struct Waiter* first;
  struct Waiter* last;
};
struct Waiter {
  Waiter* next;
  Waiter* before;
  WaitList* list;   // null: not in any
  Task* task;
};

// A lock that a task holds. Lives in the lock; std/core/sync.met declares the same fields in the same order.
struct Held {
  Held* next;
  Held** at;               // who points to it: the isolate's list; null: nobody holds the lock
  const WaitList* line;    // of those who want it
  met_resume resume;       // of the holder, which may be gone
  const met_site* site;    // where that one was spawned; null: it was not
};

// How other isolates wake a task that waits for something they share: a message to its own isolate. Stands in place of the
// task in its waiter, marked. Goes when the waiter leaves, or, if it is under way then, when it arrives.
struct Ticket {
  Message message;
  struct Isolate* home;
  Task* task;           // null: it no longer waits
  Decision* decision;   // of the select whose arm waits here or of the race, held; null: it is in none
  Task* arm;            // which that is: the task, or whoever asks the stream that waits here
  uint32_t posted;      // atomic
};

struct Timer {
  Timer* next;      // in a ring; null: not running
  Timer* before;
  int64_t due;      // in nanoseconds of the isolate's clock
  uintptr_t what;   // whom it concerns, and in the lowest bits what happens then: one of the below
};
using TimerCall = void (*)(Timer*);
enum : uintptr_t { TIMER_WAKES = 0, TIMER_ENDS_SCOPE = 1, TIMER_ENDS_CLEANUP = 2, TIMER_CALLS = 3, TIMER_KINDS = 3 };   // a Task, a Scope, a Scope, a TimerCall
inline void set_timer(Timer& timer, const void* whom, uintptr_t kind) { timer.what = reinterpret_cast<uintptr_t>(whom) | kind; }

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
};

// Task::since counts half milliseconds, so that its lowest bit can say: since then it has been ready again each time it gave up
// its turn, and has waited for nothing.
constexpr uint32_t SINCE_WAKES_ITSELF = 1, SINCE_UNITS_PER_MS = 2;

struct Scope {
  met_object header;
  Region region;
  Task* owner;
  Task* first;           // children, oldest first
  Task* last;
  Task* line_first;      // those that wait for their turn
  Task* line_last;
  met_object* error;     // the first of a child, counted
  int64_t open;          // children that have not ended, services not counted
  int64_t services;
  int64_t running;       // children that have had their turn and have not ended
  int64_t limit;         // 0: none
  int64_t cleanup_ns;
  Timer timer;
  Timer cleanup_timer;
  uint32_t flags;
  uint32_t cut_short;    // how often something in it got Cancelled since its deadline ended it
  Task* failed;          // where it keeps going: the last child that failed, counted; by `after` to the first and on
};
enum : uint32_t {
  SCOPE_CLOSED = 1,
  SCOPE_TIMED_OUT = 2,
  SCOPE_CLOSING = 4,
  SCOPE_TIMED_OUT_FIRST = 8,
  SCOPE_CLEANUP_BOUND = 16,
  SCOPE_ENDED_BY_DEADLINE = 32,   // nothing else had cancelled it before
  SCOPE_KEEPS_GOING = 64,   // a child that fails does not cancel the others
  SCOPE_CUT = 128,          // when it was cancelled, a child that was no service had not ended
};

static_assert(offsetof(Task, frame) % alignof(met_frame) == 0 && offsetof(Task, place) + sizeof(uintptr_t) == offsetof(Task, frame));   // as MET_FRAME_APART says

}  // namespace meteor::async

#endif
