#include "runtime/channel/meeting.h"

#include "runtime/scope/contenders.h"
#include "runtime/scope/streams.h"
#include "runtime/waker/tickets.h"

namespace meteor::async {

namespace {

// Of the select whose arm waits here, or of the race; null: it is in none.
const Decision* decision_at(const Waiter& waiter) {
  if (mark_of(waiter.task) == MARK_TICKET) return ticket_of(waiter)->decision;
  Task* task = waiter.task;
  return innermost_decision(task);
}

// The task that waits there; null: it is another isolate's.
const Task* task_at(const Waiter& waiter) {
  if (mark_of(waiter.task) != MARK_TICKET) return waiter.task;
  const Ticket* ticket = ticket_of(waiter);
  return ticket->home == &isolate ? ticket->task : nullptr;
}

bool is_under(const Waiter& waiter, const Decision* decision) {
  const Task* task = task_at(waiter);
  if (task == nullptr) return decision_at(waiter) == decision;
  for (; task != nullptr; task = next_outwards(task))
    if (decision_of(task) == decision) return true;
  return false;
}

// Only one of the two can happen: they are under one decision, be it that of a race around theirs.
bool are_arms_of_one(const Waiter& one, const Waiter& other) {
  const Task* task = task_at(one);
  if (task == nullptr) return decision_at(one) != nullptr && is_under(other, decision_at(one));
  for (; task != nullptr; task = next_outwards(task)) {
    const Decision* decision = decision_of(task);
    if (decision != nullptr && is_under(other, decision)) return true;
  }
  return false;
}

// Each select that it is inside of goes on with it, and so does the race.
bool claim_at_home(Task* task) {
  if ((task->flags & (TASK_SPAWNED | TASK_INTERRUPTED | TASK_CONTENDS | TASK_INSIDE)) == TASK_SPAWNED)
    return true;  // in none
  for (Task* at = task; at != nullptr; at = next_outwards(at))
    if (at->flags & TASK_INTERRUPTED) return false;
  for (Task* at = task; at != nullptr; at = next_outwards(at)) {
    Decision* decision = decision_of(at);
    if (decision == nullptr || claim_arm(*decision, at, false) == Claim::Won)
      continue;                  // busy: at home it is the select that runs, which does not complete its own arms
    if (at != task) wake(task);  // an inner select is claimed in vain: it looks again
    return false;
  }
  bind_outwards(task);
  return true;
}

// Two selects that look at the same time find each other busy. Were both told to look again, they could do so in step
// for ever: so one of them, always the same, waits, and the other one looks until it does.
bool claim_elsewhere(const Ticket& ticket) {
  Task* strand = isolate.strand;
  Decision* own = strand != nullptr ? innermost_decision(strand) : nullptr;
  bool looks_again = own != nullptr && own > ticket.decision;
  Claim claim = claim_arm(*ticket.decision, ticket.arm, !looks_again);
  if (claim == Claim::Busy && looks_again) look_again(*own);
  return claim == Claim::Won;
}

bool is_before_those_who_could(const WaitList& receivers, const Waiter& receiver, const Waiter& sender) {
  for (const Waiter* at = receivers.first; at != nullptr && at != &receiver; at = at->next)
    if (!are_arms_of_one(*at, sender)) return false;
  return true;
}

// Whether `claim` would give true, of one at home.
bool would_take_part(const Task* task) {
  for (const Task* at = task; at != nullptr; at = next_outwards(at)) {
    if (at->flags & TASK_INTERRUPTED) return false;
    const Decision* decision = decision_of(at);
    if (decision != nullptr && !is_open(*decision)) return false;
  }
  return true;
}

bool is_arm_of_one_before(const WaitList& line, const Waiter& waiter) {
  if (decision_at(waiter) == nullptr) return false;
  for (const Waiter* at = line.first; at != &waiter; at = at->next)
    if (are_arms_of_one(*at, waiter)) return true;
  return false;
}

}  // namespace

bool claim(const Waiter& waiter) {
  if (mark_of(waiter.task) != MARK_TICKET) return claim_at_home(waiter.task);
  Ticket* ticket = ticket_of(waiter);
  if (ticket->home == &isolate) return claim_at_home(ticket->task);
  return ticket->decision == nullptr || claim_elsewhere(*ticket);  // one that is cancelled finds that it has happened
}

int64_t meet_sender(WaitList& senders, const WaitList& receivers, const Waiter& receiver) {
  int64_t number = 0;
  for (Waiter* sender = senders.first; sender != nullptr; sender = sender->next, ++number) {
    if (!is_before_those_who_could(receivers, receiver, *sender) || !claim(*sender)) continue;
    remove(*sender);
    wake_waiter(*sender);
    return number;
  }
  return -1;
}

bool meet_others(const WaitList& line, const Waiter& own, int64_t count) {
  int64_t willing = 0;
  for (const Waiter* at = line.first; at != nullptr && willing < count; at = at->next)
    willing += at != &own && would_take_part(at->task) && !is_arm_of_one_before(line, *at);
  if (willing < count) return false;
  for (Waiter* at = line.first; at != nullptr && count > 0;) {
    Waiter* next = at->next;
    if (at != &own && claim(*at)) {
      remove(*at);
      wake_waiter(*at);
      --count;
    }
    at = next;
  }
  return true;
}

void call_receivers(const WaitList& senders, const WaitList& receivers) {
  if (receivers.first == nullptr) return;
  for (const Waiter* sender = senders.first; sender != nullptr; sender = sender->next) {
    Waiter* receiver = receivers.first;
    while (receiver != nullptr && are_arms_of_one(*receiver, *sender)) receiver = receiver->next;
    if (receiver == nullptr) continue;
    wake_waiter(*receiver);
    if (decision_at(*receiver) == nullptr && decision_at(*sender) == nullptr)
      return;  // these two meet; then the next are called
  }
}

}  // namespace meteor::async

using namespace meteor::async;

extern "C" {

bool met_claim_first(WaitList* list) { return list->first != nullptr && claim(*list->first); }
int64_t met_meet_sender(WaitList* senders, WaitList* receivers, Waiter* receiver) {
  return meet_sender(*senders, *receivers, *receiver);
}
bool met_meet_others(WaitList* line, Waiter* own, int64_t count) { return meet_others(*line, *own, count); }
void met_call_receivers(WaitList* senders, WaitList* receivers) { call_receivers(*senders, *receivers); }

}  // extern "C"
