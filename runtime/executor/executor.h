// What the parts of the executor share: counting, the ready queue, the marks of waiters, and who wants a task to stop.
#ifndef METEOR_RUNTIME_EXECUTOR_EXECUTOR_H
#define METEOR_RUNTIME_EXECUTOR_EXECUTOR_H

#include "runtime/inspect/dump.h"
#include "runtime/loop/isolate.h"
#include "runtime/memory/memory.h"
#include "runtime/task/count.h"
#include "runtime/task/frame.h"

namespace meteor::async {

// A case of the select that its poller is in.
inline bool is_arm(const Task* strand) { return (strand->flags & TASK_ARM) && !(strand->flags & TASK_SPAWNED) && strand->before != nullptr; }

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
void interrupt_main();             // as Ctrl-C does, without a signal
DumpTo take_dump_request();        // a signal asks it for a task dump

// ---- sleeping.cpp ----

bool wait_for_something();         // with nothing to do; false: nothing will ever wake it

}  // namespace meteor::async

extern "C" {
int64_t met_run(meteor::async::Task* root);
int64_t met_strand_cancel(meteor::async::Task* strand, met_object** error);
}

#endif
