// The transitions of a select's decision.
#include "runtime/task/decision.h"

#include "runtime/abi/abi.h"
#include "runtime/threads/atomic.h"

namespace meteor::async {

namespace {

constexpr uintptr_t OPEN = 0, CLOSED = 1, CLOSED_MISSED = 2;  // else the address of an arm

}  // namespace

Decision* make_decision() {
  Decision* decision = static_cast<Decision*>(met_raw_alloc(sizeof(Decision)));
  *decision = {CLOSED, 1};
  return decision;
}

void hold(Decision& decision) { atomic::add(decision.holders, 1u, __ATOMIC_RELAXED); }

void let_go(Decision* decision) {
  if (decision != nullptr && atomic::subtract(decision->holders, 1u, __ATOMIC_ACQ_REL) == 1)
    met_raw_free(decision, sizeof(Decision));
}

bool is_held_once(const Decision& decision) { return atomic::load(decision.holders, __ATOMIC_ACQUIRE) == 1; }

bool open_decision(Decision& decision) {
  uintptr_t seen = CLOSED;
  while (!atomic::replace(decision.word, seen, OPEN, __ATOMIC_ACQ_REL)) {
    if (seen == CLOSED) continue;
    atomic::store(decision.word, CLOSED, __ATOMIC_RELEASE);  // from CLOSED_MISSED, which only this task leaves
    return false;
  }
  return true;
}

bool close_decision(Decision& decision) {
  uintptr_t seen = OPEN;
  while (!atomic::replace(decision.word, seen, CLOSED, __ATOMIC_ACQ_REL))
    if (seen != OPEN) return seen <= CLOSED_MISSED;
  return true;
}

bool is_open(const Decision& decision) { return atomic::load(decision.word, __ATOMIC_ACQUIRE) == OPEN; }

Task* chosen_arm(const Decision& decision) {
  uintptr_t word = atomic::load(decision.word, __ATOMIC_ACQUIRE);
  return word <= CLOSED_MISSED ? nullptr : reinterpret_cast<Task*>(word);
}

void reset_decision(Decision& decision) { atomic::store(decision.word, CLOSED, __ATOMIC_RELEASE); }

void choose_arm(Decision& decision, Task* arm) {
  uintptr_t seen = CLOSED;
  while (seen <= CLOSED_MISSED)
    if (atomic::replace(decision.word, seen, reinterpret_cast<uintptr_t>(arm), __ATOMIC_ACQ_REL)) return;
}

Claim claim_arm(Decision& decision, Task* arm, bool leaves_mark) {
  uintptr_t seen = OPEN;
  for (;;) {
    if (seen == OPEN) {
      if (atomic::replace(decision.word, seen, reinterpret_cast<uintptr_t>(arm), __ATOMIC_ACQ_REL)) return Claim::Won;
    } else if (seen == CLOSED && leaves_mark) {
      if (atomic::replace(decision.word, seen, CLOSED_MISSED, __ATOMIC_ACQ_REL)) return Claim::Busy;
    } else {
      return seen <= CLOSED_MISSED ? Claim::Busy : Claim::Lost;
    }
  }
}

void look_again(Decision& decision) {
  uintptr_t seen = CLOSED;  // or an arm, with which it goes on, or it is told so already
  while (!atomic::replace(decision.word, seen, CLOSED_MISSED, __ATOMIC_ACQ_REL))
    if (seen != CLOSED) return;
}

}  // namespace meteor::async
