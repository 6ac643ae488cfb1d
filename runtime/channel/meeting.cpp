#include "runtime/channel/meeting.h"

#include "runtime/scope/contenders.h"
#include "runtime/scope/streams.h"
#include "runtime/threads/lock.h"
#include "runtime/waker/tickets.h"

namespace meteor::async {

namespace {

// Another isolate's, whose nests say what it is inside of; null: it is a task of this one.
Ticket* ticket_elsewhere(const Waiter& waiter) {
  if (mark_of(waiter.task) != MARK_TICKET || ticket_of(waiter)->home == &isolate) return nullptr;
  return ticket_of(waiter);
}

// Of this isolate.
Task* task_at(const Waiter& waiter) {
  return mark_of(waiter.task) == MARK_TICKET ? ticket_of(waiter)->task : waiter.task;
}

// Others may do so at any time, since nothing else hangs on it. Of another isolate's the answer may be old: it is only
// good for a guess.
bool is_free(const Waiter& waiter) {
  if (const Ticket* ticket = ticket_elsewhere(waiter)) return atomic::load(ticket->nest.levels, __ATOMIC_RELAXED) == 0;
  Task* task = task_at(waiter);
  return innermost_decision(task) == nullptr;
}

bool is_under(const Task* task, const Decision* decision) {
  for (; task != nullptr; task = next_outwards(task))
    if (decision_of(task) == decision) return true;
  return false;
}

bool share_a_decision(const Task* one, const Task* other) {
  for (; one != nullptr; one = next_outwards(one)) {
    const Decision* decision = decision_of(one);
    if (decision != nullptr && is_under(other, decision)) return true;
  }
  return false;
}

bool share_a_decision_elsewhere(const Ticket& one, const Ticket& other) {
  if (one.home != other.home || one.nest.task == nullptr || other.nest.task == nullptr) return false;
  isolates::lock(one.home->nests.lock);
  bool do_share = share_a_decision(one.nest, other.nest);
  isolates::unlock(one.home->nests.lock);
  return do_share;
}

// Only one of the two can happen: they are under one decision, be it that of a race around theirs.
bool are_arms_of_one(const Waiter& one, const Waiter& other) {
  const Ticket *first = ticket_elsewhere(one), *second = ticket_elsewhere(other);
  if (first != nullptr && second != nullptr) return share_a_decision_elsewhere(*first, *second);
  return first == nullptr && second == nullptr && share_a_decision(task_at(one), task_at(other));
}

// The same for what runs now.
bool is_beside_running(const Waiter& waiter) {
  return ticket_elsewhere(waiter) == nullptr && share_a_decision(isolate.strand, task_at(waiter));
}

// Every select and race that it is inside of goes on with it, or none does.
bool claim_at_home(Task* task) {
  if ((task->flags & (TASK_SPAWNED | TASK_INTERRUPTED | TASK_CONTENDS | TASK_INSIDE)) == TASK_SPAWNED)
    return true;  // in none
  Deciding deciding;
  for (Task* at = task; at != nullptr; at = next_outwards(at))
    if (at->flags & TASK_INTERRUPTED) return false;
  for (Task* at = task; at != nullptr; at = next_outwards(at)) {
    const Decision* decision = decision_of(at);
    if (decision == nullptr || may_choose(*decision, at))
      continue;                  // closed: at home it is the select that runs, which does not complete its own arms
    if (at != task) wake(task);  // what is chosen may be taken back: it looks again after that
    return false;
  }
  for (Task* at = task; at != nullptr; at = next_outwards(at))
    if (Decision* decision = decision_of(at)) choose_arm(*decision, at);
  bind_outwards(task);
  return true;
}

// Two isolates that look at the same time find each other busy. Were both told to look again, they could do so in step
// for ever: so one of them, always the same, waits, and the other one looks until it does.
bool claim_elsewhere(Ticket& ticket) {
  if (ticket.nest.task == nullptr) return true;  // in none; one that is cancelled finds that it has happened
  Nests& nests = ticket.home->nests;
  Task* strand = isolate.strand;
  bool looks_again = strand != nullptr && &isolate > ticket.home && innermost_decision(strand) != nullptr;
  isolates::lock(nests.lock);
  Claim claim = claim_all(nests, ticket.nest);
  looks_again &= claim == Claim::Busy;
  if (claim != Claim::Won && !looks_again) note_missed(nests, ticket.nest);
  isolates::unlock(nests.lock);
  if (looks_again) wake(isolate.strand);
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
  if (is_free(waiter)) return false;
  for (const Waiter* at = line.first; at != &waiter; at = at->next)
    if (are_arms_of_one(*at, waiter)) return true;
  return false;
}

}  // namespace

bool claim(const Waiter& waiter) {
  Ticket* ticket = ticket_elsewhere(waiter);
  return ticket != nullptr ? claim_elsewhere(*ticket) : claim_at_home(task_at(waiter));
}

int64_t meet_sender(WaitList& senders, const WaitList& receivers, const Waiter& receiver) {
  int64_t number = 0;
  for (Waiter* sender = senders.first; sender != nullptr; sender = sender->next, ++number) {
    if (is_beside_running(*sender) || !is_before_those_who_could(receivers, receiver, *sender) || !claim(*sender))
      continue;
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
    if (is_free(*receiver) && is_free(*sender)) return;  // these two meet; then the next are called
  }
}

}  // namespace meteor::async

using namespace meteor::async;

extern "C" {

bool met_claim_first(WaitList* list) {
  return list->first != nullptr && !is_beside_running(*list->first) && claim(*list->first);
}
int64_t met_meet_sender(WaitList* senders, WaitList* receivers, Waiter* receiver) {
  return meet_sender(*senders, *receivers, *receiver);
}
bool met_meet_others(WaitList* line, Waiter* own, int64_t count) { return meet_others(*line, *own, count); }
void met_call_receivers(WaitList* senders, WaitList* receivers) { call_receivers(*senders, *receivers); }

}  // extern "C"
