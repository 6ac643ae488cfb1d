// What the parts of the executor share: counting, the ready queue, the marks of waiters, and who wants a task to stop.
#ifndef METEOR_RUNTIME_ASYNC_EXECUTOR_H
#define METEOR_RUNTIME_ASYNC_EXECUTOR_H

#include "runtime/async/dump.h"
#include "runtime/async/isolate.h"
#include "runtime/memory/memory.h"

namespace meteor::async {

inline void retain(met_object* object) {
  if (object != nullptr && !(object->strong & MET_IMMORTAL)) ++object->strong;
}

inline void release(met_object* object) {
  if (object == nullptr || (object->strong & MET_IMMORTAL)) return;
  if (--object->strong == 0) met_object_drop(object);
}

// A case of the select that its poller is in.
inline bool is_arm(const Task* strand) { return (strand->flags & TASK_ARM) && !(strand->flags & TASK_SPAWNED) && strand->before != nullptr; }

inline int64_t later(int64_t now, int64_t ns) { return ns > INT64_MAX - now ? INT64_MAX : now + ns; }

inline void append_ready(Isolate& own, Task* task) {
  task->next = nullptr;
  (own.ready_first == nullptr ? own.ready_first : own.ready_last->next) = task;
  own.ready_last = task;
}

inline void push_ready(Task* task) {
  task->flags |= TASK_QUEUED;
  append_ready(isolate, task);
}

inline met_frame* parent_of(const met_frame* frame) {
  const char* at = reinterpret_cast<const char*>(frame);
  if (frame->up >= MET_FRAME_OF_STREAM) {
    if (frame->up == MET_FRAME_APART) return *reinterpret_cast<met_frame* const*>(at - sizeof(met_frame*));
    return *reinterpret_cast<met_frame* const*>(at - offsetof(Task, frame) + offsetof(Task, after));
  }
  return reinterpret_cast<met_frame*>(const_cast<char*>(at - frame->up));
}

// The innermost frame goes on; when it ends, whoever awaits it goes on with its result or its error, up to the task's root.
inline met_object* run_frames(Task* task, met_frame* leaf, met_object* error) {
  for (;;) {
    met_object* status = leaf->resume(leaf, error);
    if (status == MET_PENDING) [[likely]] return status;
    if (leaf == &task->frame) return status;
    leaf = parent_of(leaf);
    error = status;
  }
}

// ---- tickets.cpp, waiting.cpp ----

void issue_ticket(Waiter& waiter);      // it waits for something shared
void withdraw_ticket(Waiter& waiter);   // no longer
void renew_ticket(Waiter& waiter);      // before it goes on waiting
void wake_waiter(Waiter& waiter);

// A waiter on the heap has a mark in the lowest bits of its task: it watches the end of another (met_task_watch), or is part of
// an Expiry, which goes with its task. One that waits for something shared has its ticket there.
enum : uintptr_t { MARK_WATCH = 1, MARK_EXPIRY = 2, MARK_TICKET = 3, MARKS = 3 };
inline Task* with_mark(Task* task, uintptr_t mark) { return reinterpret_cast<Task*>(reinterpret_cast<uintptr_t>(task) | mark); }
inline Task* without_mark(Task* task) { return reinterpret_cast<Task*>(reinterpret_cast<uintptr_t>(task) & ~uintptr_t(MARKS)); }
inline uintptr_t mark_of(const Task* task) { return reinterpret_cast<uintptr_t>(task) & MARKS; }
inline Ticket* ticket_of(const Waiter& waiter) { return reinterpret_cast<Ticket*>(without_mark(waiter.task)); }

// ---- cancellation.cpp ----

enum class Cancel { No, Yes, Shielded };

// What wants a task to stop.
struct Wanted {
  Cancel cancel = Cancel::No;
  Region* region = nullptr;   // kept out by clean-up code or a shield: the cancelled scope's, or
  Task* task = nullptr;       // the cancelled task
};

Wanted wanted_of(Task* task, Region* region);   // as seen from that region outwards
met_object* make_cancelled();                   // owned
met_object* cancelled_for(Task* task);          // the same, for what it does now: a deadline that wanted that has cut something short
void let_go_of_cancelled(met_object* error);    // owned
void drop_spare_cancelled();
met_object* interruption(Task* task);           // null, or an owned Cancelled for the one that goes on now

// The time of a cancelled task's clean-up.
struct Expiry {
  Timer timer;
  Waiter waiter;   // in the task's line: ends with it
};
void end_expiry(Waiter& waiter);
void expire(Scope* scope);
void bound_cleanup(Scope* scope);   // from now on

// ---- scopes.cpp ----

inline Scope* scope_of(Region* region) { return reinterpret_cast<Scope*>(reinterpret_cast<char*>(region) - offsetof(Scope, region)); }
void set_scope(Task* task, Scope* scope);
inline void note_cut_off(Scope* scope) {
  if (scope->region.flags & REGION_CANCELLED) scope->flags |= SCOPE_CUT;
}
void link_child(Scope* scope, Task* task);
inline void unlink_child(Scope* scope, Task* task) {
  (task->before != nullptr ? task->before->after : scope->first) = task->after;
  (task->after != nullptr ? task->after->before : scope->last) = task->before;
  task->before = task->after = nullptr;
}
void all_ended(Scope* scope);   // no child is left but services
void start_child(Scope* scope, Task* task);
void time_out(Scope* scope);
void child_ended(Scope* scope, Task* task, met_object* error);   // null: it did not fail

// ---- interrupts.cpp ----

void hear_signals();               // in the main isolate, from now on
bool is_main();                    // the isolate that hears them
Isolate* find_main();              // null: it has no loop yet
void look_at_grace();              // in a signal handler of its thread: ends the program when that was asked for and nothing comes of it
bool is_interrupted();             // a signal asks the main isolate to stop
bool root_is_to_stop();            // which the main isolate's root has not been told
void interrupt_main();             // as Ctrl-C does, without a signal
DumpTo take_dump_request();        // a signal asks it for a task dump

// ---- sleeping.cpp ----

bool wait_for_something();         // with nothing to do; false: nothing will ever wake it

}  // namespace meteor::async

extern "C" {
int64_t met_run(meteor::async::Task* root);
int64_t met_strand_cancel(meteor::async::Task* strand, met_object** error);
void met_task_forget(meteor::async::Task* task);
}

#endif
