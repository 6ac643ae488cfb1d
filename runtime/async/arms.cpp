// The arms of a select and the contenders of a race, as their own tasks see them (runtime/async/decision.h, contenders.h).
#include "runtime/async/contenders.h"
#include "runtime/async/streams.h"

using namespace meteor::async;

namespace {

Decision& decision_of_running() { return *more_of(isolate.strand)->decision; }  // since met_arms_begin

}  // namespace

extern "C" {

void met_arm_begin(Task* strand) { strand->flags |= TASK_ARM; }
bool met_is_arm(void) { return is_arm(asker_of(isolate.strand)); }

// The running task begins a select, with its decision closed. Tickets of earlier arms may still hold the one before.
void met_arms_begin(void) {
  More& more = need_more(isolate.strand);
  if (more.decision != nullptr && is_held_once(*more.decision)) return reset_decision(*more.decision);
  let_go(more.decision);
  more.decision = make_decision();
}
bool met_arms_open(void) { return open_decision(decision_of_running()); }
bool met_arms_close(void) { return close_decision(decision_of_running()); }
bool met_arms_decided(void) { return chosen_arm(decision_of_running()) != nullptr; }

// Whether the select may look at this arm: another one is not chosen.
bool met_arm_may_be_polled(const Task* strand) {
  const Task* chosen = chosen_arm(decision_of_running());
  return chosen == nullptr || chosen == strand;
}

// An arm waits on after a look at it. True: it had been chosen, so the others have not been asked.
bool met_arm_waits_on(void) {
  Decision& decision = decision_of_running();
  if (chosen_arm(decision) == nullptr) return false;
  reset_decision(decision);
  return true;
}

void met_race_begin(void) { begin_race(isolate.strand); }
void met_race_enter(Task* child) { child->flags |= TASK_CONTENDS; }
void met_race_decided(Scope* scope) { end_race(scope); }

// One of 0 .. limit-1, the same ones in each run.
int64_t met_draw_below(int64_t limit) {
  isolate.draws = isolate.draws * 6364136223846793005u + 1442695040888963407u;
  return int64_t((isolate.draws >> 33) % uint64_t(limit));
}

void met_renew_ticket(Waiter* waiter) { renew_ticket(*waiter); }

}  // extern "C"
