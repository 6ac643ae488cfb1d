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
  struct Nest* nest;     // where it waits for something shared inside a race or select; null: it does not
};

// Where a task finds its scope and its More: one word, since few have a More.
class Place {
 public:
  bool is_empty() const { return word_ == 0; }
  bool has_more() const { return (word_ & MET_TASK_HAS_MORE) != 0; }
  More* more() const { return has_more() ? reinterpret_cast<More*>(word_ - MET_TASK_HAS_MORE) : nullptr; }
  Scope* scope() const { return has_more() ? more()->scope : reinterpret_cast<Scope*>(word_); }   // null: a root
  bool is_only_scope() const { return !is_empty() && !has_more(); }
  Scope* only_scope() const { return reinterpret_cast<Scope*>(word_); }   // of one without a More
  void set_scope(Scope* scope) {
    if (has_more()) more()->scope = scope;
    else set_only_scope(scope);
  }
  void set_only_scope(Scope* scope) {
    expect(!has_more());
    word_ = reinterpret_cast<uintptr_t>(scope);
  }
  void set_more(More* more) { word_ = reinterpret_cast<uintptr_t>(more) | MET_TASK_HAS_MORE; }
  void clear() { word_ = 0; }

 private:
  uintptr_t word_;
};

struct Task;

struct Siblings {
  Task* before;
  Task* after;
};

struct Part {
  Task* of;              // who polls it, counted (set_poller); of a stream that is asked: who asks it
  met_frame* asked_in;   // of a stream that is asked and waits: the frame of its `next`
};

// What shares a word is never there at the same time; the flags say which one is.
struct Task {
  met_object header;
  Task* next;            // in the ready queue, among those held back or in a scope's line
  union {
    met_frame* leaf;     // the innermost frame, where it goes on; null: it has not started, or has ended
    Task* asks_in;       // TASK_ASKS: the innermost stream that it waits in, which knows the leaf
  };
  union {
    Siblings siblings;   // TASK_SPAWNED: in its scope, or among the streams that are loose
    Part part;           // else: of whom it is a part
    Task* next_failed;   // TASK_DONE, and out of its scope's children: a ring of those that have failed there
  };
  TaskFlags flags;
  uint32_t since;        // of the isolate's clock: when it began to wait
  union {
    Place place;
    met_frame* awaited_by;   // MET_FRAME_APART: it runs as a callee of that frame, and is no task of its own. Set by emitted code
  };
  met_frame frame;       // slots follow. `up` says where it was spawned
};

inline Task* outer_of(const Task* task) {   // whom it is a part of; null: nobody just now
  expect(!(task->flags & TASK_SPAWNED));
  return task->part.of;
}
inline More* more_of(const Task* task) { return task->place.more(); }
inline Region* regions_of(const Task* task) { return task->place.has_more() ? more_of(task)->regions : nullptr; }
inline Scope* scope_of(const Task* task) { return task->place.scope(); }
inline met_object* locals_of(const Task* task) { return task->place.has_more() ? more_of(task)->locals : nullptr; }
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

// It gives up its turn and is ready again at once.
inline void begin_again(Task* task, uint32_t clock) {
  if (!(task->since & SINCE_WAKES_ITSELF)) task->since = clock | SINCE_WAKES_ITSELF;
}
// It gives up its turn and waits, unless it has woken itself before.
inline void begin_wait(Task* task, uint32_t clock) {
  if (task->flags & TASK_QUEUED) begin_again(task, clock);
  else task->since = clock;
}

static_assert(offsetof(Task, frame) % alignof(met_frame) == 0 && offsetof(Task, awaited_by) + sizeof(met_frame*) == offsetof(Task, frame));   // as MET_FRAME_APART says

}  // namespace meteor::async

extern "C" void met_task_forget(meteor::async::Task* task);

#endif
