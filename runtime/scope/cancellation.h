// Cancelling tasks and scopes: who wants a task to stop, what keeps that out, and for how long.
#ifndef METEOR_RUNTIME_SCOPE_CANCELLATION_H
#define METEOR_RUNTIME_SCOPE_CANCELLATION_H

#include "runtime/loop/isolate.h"
#include "runtime/task/task.h"

// Read before awaits in emitted code: the running one, or what it is a part of, may have been asked to stop. Set where that may be so,
// cleared by one that looks and that nobody has asked.
extern "C" __thread uint8_t met_may_stop __attribute__((tls_model("initial-exec")));

namespace meteor::async {

void cancel_task(Task* task);
void cancel_scope(Scope* scope);

enum class Cancel { No, Yes, Shielded };

// What wants a task to stop.
struct Wanted {
  Cancel cancel = Cancel::No;
  Region* region = nullptr;  // kept out by clean-up code or a shield: the cancelled scope's, or
  Task* task = nullptr;      // the cancelled task
  bool in_cleanup = false;   // Yes, because the time for clean-up is over
};

Wanted wanted_of(Task* task, Region* region);  // as seen from that region outwards
// The same for what it does now. What it waits for may have happened, and others only clean up after that (is_bound in
// contenders.h): that is a shield, too.
Wanted wanted_now(Task* task);
inline met_object* make_cancelled() { return isolate.spare_cancelled.take(); }   // owned
met_object* cancelled_for(
    Task* task);  // the same, for what it does now: a deadline that wanted that has cut something short
inline void let_go_of_cancelled(met_object* error) { isolate.spare_cancelled.keep(error); }   // owned
met_object* interruption(Task* task);  // null, or an owned Cancelled for the one that goes on now

// The one that runs now, or goes on now, may have been asked to stop: its next await looks.
inline void look_before_awaits() { met_may_stop = 1; }
bool is_to_stop();  // the running one, at an await that might be ready

// The time of a cancelled task's clean-up.
struct Expiry {
  Timer timer;
  Waiter waiter;  // in the task's line: ends with it
};
void end_expiry(Waiter& waiter);
void expire(Scope* scope);
void bound_cleanup(Scope* scope);          // from now on
void bound_cleanup(const Wanted& wanted);  // of whoever keeps it out

}  // namespace meteor::async

#endif
