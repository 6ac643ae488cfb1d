// The list of an isolate's nests, and the one step in which all levels of a nest are chosen.
#include "runtime/task/nest.h"

#include "runtime/abi/abi.h"
#include "runtime/threads/atomic.h"

namespace meteor::async {

namespace {

void note(Nests& nests, Nest& nest, Note what) {
  if (nest.note == Note::None) {
    nest.next_noted = nests.noted;
    nests.noted = &nest;
  }
  if (nest.note != Note::Chosen) nest.note = what;
}

void take_out_of_noted(Nests& nests, Nest& nest) {
  if (nest.note == Note::None) return;
  Nest** at = &nests.noted;
  while (*at != &nest) at = &(*at)->next_noted;
  *at = nest.next_noted;
  nest.note = Note::None;
}

int64_t size_of_others(uint32_t levels) { return int64_t(sizeof(Level)) * (levels - 1); }

}  // namespace

void enlist(Nests& nests, Nest& nest, Task* task) {
  nest.task = task;
  nest.before = nullptr;
  nest.next = nests.first;
  if (nests.first != nullptr) nests.first->before = &nest;
  nests.first = &nest;
}

void set_levels(Nest& nest, const Level* levels, uint32_t count) {
  Nest before = nest;
  for (uint32_t i = 0; i < count; i++) hold(*levels[i].decision);
  if (count > 0) nest.innermost = levels[0];
  nest.others = nullptr;
  if (count > 1) {
    nest.others = static_cast<Level*>(met_raw_alloc(size_of_others(count)));
    for (uint32_t i = 1; i < count; i++) nest.others[i - 1] = levels[i];
  }
  atomic::store(nest.levels, count, __ATOMIC_RELAXED);
  for (uint32_t i = 0; i < before.levels; i++) let_go(level_at(before, i).decision);
  if (before.others != nullptr) met_raw_free(before.others, size_of_others(before.levels));
}

void leave_nests(Nests& nests, Nest& nest) {
  take_out_of_noted(nests, nest);
  set_levels(nest, nullptr, 0);
  (nest.before != nullptr ? nest.before->next : nests.first) = nest.next;
  if (nest.next != nullptr) nest.next->before = nest.before;
  nest.task = nullptr;
}

Nest* take_noted(Nests& nests) {
  Nest* nest = nests.noted;
  if (nest != nullptr) nests.noted = nest->next_noted;
  return nest;
}

Claim claim_all(Nests& nests, Nest& nest) {
  if (nest.is_given_up) return Claim::Lost;
  for (uint32_t i = 0; i < nest.levels; i++) {
    const Level& level = level_at(nest, i);
    if (!may_choose(*level.decision, level.arm))
      return chosen_arm(*level.decision) != nullptr ? Claim::Lost : Claim::Busy;
  }
  for (uint32_t i = 0; i < nest.levels; i++) choose_arm(*level_at(nest, i).decision, level_at(nest, i).arm);
  if (nest.levels > 0) note(nests, nest, Note::Chosen);
  return Claim::Won;
}

void note_missed(Nests& nests, Nest& nest) { note(nests, nest, Note::Missed); }

bool share_a_decision(const Nest& one, const Nest& other) {
  for (uint32_t i = 0; i < one.levels; i++)
    for (uint32_t k = 0; k < other.levels; k++)
      if (level_at(one, i).decision == level_at(other, k).decision) return true;
  return false;
}

}  // namespace meteor::async
