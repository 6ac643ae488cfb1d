// Classes are numbered so that those below a class follow it without a gap. "Does one below it define m?" is then a
// search in the ascending numbers of the classes that define m.
#include "compiler/typed/hierarchy.h"

#include <algorithm>

#include "compiler/typed/checker.h"
#include "compiler/typed/own_self.h"
#include "compiler/typed/program_check.h"

namespace meteor::typed {

void Hierarchy::number_classes(Checker& c) {
  numbers_.clear();
  definers_.clear();
  with_traits_.clear();
  virtual_names_.clear();
  is_ready_ = true;
  uint32_t next = 0;
  struct Step {
    NominalInfo* info;
    bool is_left;
  };
  std::vector<Step> steps;
  for (NominalInfo* root : c.all_nominals()) {
    if (root->kind != Kind::Class || root->base.valid()) continue;
    steps.push_back({root, false});
    while (!steps.empty()) {
      Step step = steps.back();
      steps.pop_back();
      if (step.is_left) {
        numbers_[step.info].end = next;
        continue;
      }
      uint32_t number = next++;
      numbers_[step.info].first = number;
      for (auto& [name, overloads] : step.info->methods) definers_[name].push_back(number);
      if (!step.info->traits.empty()) with_traits_.push_back({number, step.info});
      steps.push_back({step.info, true});
      for (NominalInfo* sub : step.info->subclasses) steps.push_back({sub, false});
    }
  }
}

Hierarchy::Numbers Hierarchy::numbers_of(Checker& c, NominalInfo* owner) {
  if (!is_ready_) number_classes(c);
  auto found = numbers_.find(owner);
  return found == numbers_.end() ? Numbers{} : found->second;
}

bool Hierarchy::is_defined_below(Checker& c, NominalInfo* owner, Name method) {
  Numbers numbers = numbers_of(c, owner);
  auto list = definers_.find(method);
  if (list == definers_.end()) return false;
  auto at = std::ranges::upper_bound(list->second, numbers.first);
  return at != list->second.end() && *at < numbers.end;
}

std::vector<NominalInfo*> Hierarchy::with_traits_below(Checker& c, NominalInfo* owner) {
  Numbers numbers = numbers_of(c, owner);
  std::vector<NominalInfo*> out;
  auto at = std::ranges::upper_bound(with_traits_, numbers.first, {}, [](const auto& one) { return one.first; });
  for (; at != with_traits_.end() && at->first < numbers.end; ++at) out.push_back(at->second);
  return out;
}

const std::vector<Name>* Hierarchy::find_virtual_names(Checker& c, NominalInfo* info) {
  if (!is_ready_) number_classes(c);
  auto found = virtual_names_.find(info);
  return found == virtual_names_.end() ? nullptr : &found->second;
}

const std::vector<Name>& Hierarchy::keep_virtual_names(Checker& c, NominalInfo* info, std::vector<Name> names) {
  if (!is_ready_) number_classes(c);
  return virtual_names_[info] = std::move(names);
}

// ---- What the checker asks ---------------------------------------------------

// What a class inherits counts for those below it too, unless they define it: then it is overridden anyway.
bool Checker::is_overridden(NominalInfo* owner, Name method) {
  if (owner->subclasses.empty()) return false;
  if (hierarchy_.is_defined_below(*this, owner, method) || varies_with_self(*this, owner, method)) return true;
  if (method == name("__str__") && has_derived_text(owner)) return true;
  for (NominalInfo* below : hierarchy_.with_traits_below(*this, owner))
    if (!below->subclasses.empty() && varies_with_self(*this, below, method)) return true;
  if (method != name("write_json")) return false;
  std::vector<NominalInfo*> left{owner};
  while (!left.empty()) {
    NominalInfo* at = left.back();
    left.pop_back();
    if (!at->subclasses.empty() && has_derived_json(at)) return true;
    left.insert(left.end(), at->subclasses.begin(), at->subclasses.end());
  }
  return false;
}

}  // namespace meteor::typed
