// The transitions of a decision.
#include "runtime/task/decision.h"

#include "runtime/abi/abi.h"
#include "runtime/threads/atomic.h"

namespace meteor::async {

namespace {

constexpr uintptr_t OPEN = 0, CLOSED = 1;  // else the address of an arm

uintptr_t word_of(const Decision& decision) { return atomic::load(decision.word, __ATOMIC_ACQUIRE); }
void set_word(Decision& decision, uintptr_t word) { atomic::store(decision.word, word, __ATOMIC_RELEASE); }

}  // namespace

Decision* make_decision() {
  Decision* decision = static_cast<Decision*>(met_raw_alloc(sizeof(Decision)));
  *decision = {CLOSED, 1};
  return decision;
}

void hold(Decision& decision) { ++decision.holders; }

void let_go(Decision* decision) {
  if (decision != nullptr && --decision->holders == 0) met_raw_free(decision, sizeof(Decision));
}

bool is_held_once(const Decision& decision) { return decision.holders == 1; }

bool is_open(const Decision& decision) { return word_of(decision) == OPEN; }

Task* chosen_arm(const Decision& decision) {
  uintptr_t word = word_of(decision);
  return word <= CLOSED ? nullptr : reinterpret_cast<Task*>(word);
}

void open_decision(Decision& decision) { set_word(decision, OPEN); }

bool close_decision(Decision& decision) {
  if (chosen_arm(decision) != nullptr) return false;
  set_word(decision, CLOSED);
  return true;
}

void reset_decision(Decision& decision) { set_word(decision, CLOSED); }

void choose_arm(Decision& decision, Task* arm) {
  if (chosen_arm(decision) == nullptr) set_word(decision, reinterpret_cast<uintptr_t>(arm));
}

}  // namespace meteor::async
