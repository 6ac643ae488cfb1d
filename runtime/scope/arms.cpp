// The arms of a select and the contenders of a race, as their own tasks see them (runtime/task/decision.h,
// contenders.h).
#include "runtime/scope/cancellation.h"
#include "runtime/scope/contenders.h"
#include "runtime/scope/streams.h"

using namespace meteor::async;

namespace {

Decision& decision_of_running() { return *more_of(isolate.strand)->decision; }  // since met_arms_begin

}  // namespace

extern "C" {

void met_arm_begin(Task* strand) { strand->flags.begin_arm(); }

// The select goes on without it: what it still does is no part of the decision.
void met_arm_end(Task* strand) {
  strand->flags.end_arm();
  if (strand->flags & TASK_INSIDE) renew_nests();
  call_held_back();
}
bool met_is_arm(void) { return is_arm(asker_of(isolate.strand)); }

// The running task begins a select, with its decision closed. Tickets of earlier arms may still hold the one before.
void met_arms_begin(void) {
  More& more = need_more(isolate.strand);
  if (more.decision != nullptr && is_held_once(*more.decision)) return reset_decision(*more.decision);
  let_go(more.decision);
  more.decision = make_decision();
}
// What is chosen has happened, and the arm waits until others have cleaned up after that.
bool met_arms_won(void) {
  const Task* chosen = chosen_arm(decision_of_running());
  return chosen != nullptr && is_bound(chosen);
}
void met_arms_open(void) {
  Deciding deciding;
  open_decision(decision_of_running());
}
bool met_arms_close(void) {
  Deciding deciding;
  return close_decision(decision_of_running());
}
bool met_arms_decided(void) { return chosen_arm(decision_of_running()) != nullptr; }

// A select that got Cancelled looks at its arms that are tasks: one that has ended by itself has happened.
bool met_arm_may_go_on(int64_t task) { return met_task_may_go_on(reinterpret_cast<const Task*>(task)); }
bool met_arm_has_happened(int64_t task) {
  return reinterpret_cast<const Task*>(task)->flags.are(TASK_DONE, TASK_DONE | TASK_ENDED_CANCELLED);
}
void met_arm_choose(int64_t task) { choose_arm(decision_of_running(), reinterpret_cast<Task*>(task)); }

// Whether the select may look at this arm: another one is not chosen.
bool met_arm_may_be_polled(const Task* strand) {
  const Task* chosen = chosen_arm(decision_of_running());
  return chosen == nullptr || chosen == strand;
}

// An arm waits on after a look at it. True: it had been chosen, so the others have not been asked.
bool met_arm_waits_on(void) {
  Decision& decision = decision_of_running();
  if (chosen_arm(decision) == nullptr || met_arms_won()) return false;
  reset_decision(decision);
  call_held_back();
  return true;
}

// The select goes on with the arm that was just looked at.
void met_arm_is_ready(void) {
  Decision& decision = decision_of_running();
  if (chosen_arm(decision) != nullptr) reset_decision(decision);
}

// The select goes on, with one arm or with none. Until all are left, no other has a turn; some take long to clean up.
void met_arms_leave(void) {
  if (isolate.strand == nullptr) return;  // in the clean-up of a stream that ended after the loop
  Decision& decision = decision_of_running();
  reset_decision(decision);
  choose_arm(decision, isolate.strand);
}

void met_select_won(void) { choose_outwards(isolate.strand); }
void met_select_leave(void) {
  if (isolate.strand != nullptr) isolate.strand->flags.end_win();  // null: as in met_arms_leave
}

void met_race_begin(void) { begin_race(isolate.strand); }
void met_race_enter(Task* child) { child->flags.contend(); }
void met_race_decided(Scope* scope) { end_race(scope); }
void met_race_leave(void) {
  if (isolate.strand != nullptr)
    leave_race(isolate.strand);  // null: in the clean-up of a stream that ended after the loop
}

// Whether a race or a select has gone on without what runs now, and nothing but the innermost shields keeps that out.
bool met_is_given_up(int64_t shields) {
  Task* strand = isolate.strand;
  if (strand == nullptr) return false;
  Region* region = regions_of(strand);
  for (; region != nullptr && (region->flags & REGION_SHIELD) && shields > 0; --shields) region = region->outer;
  return wanted_of(strand, region).cancel == Cancel::Yes && is_given_up(strand);
}

// What runs now can't be undone: until it is over, nothing else is decided.
void met_for_good_begin(void) {
  if (isolate.strand != nullptr) choose_outwards(isolate.strand);
}
void met_for_good_end(void) {
  if (isolate.strand != nullptr) isolate.strand->flags.end_win();
}

// One of 0 .. limit-1, the same ones in each run.
int64_t met_draw_below(int64_t limit) {
  isolate.draws = isolate.draws * 6364136223846793005u + 1442695040888963407u;
  return int64_t((isolate.draws >> 33) % uint64_t(limit));
}

}  // extern "C"
