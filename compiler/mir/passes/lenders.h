// Functions that give away a counted copy of something their first parameter holds (`list.__getitem__`, an iterator's
// `next`), and the twin of each that gives it uncounted, for callers that only borrow it.
#pragma once

#include <unordered_map>

#include "compiler/mir/mir.h"
#include "compiler/mir/passes/write_sets.h"
#include "compiler/mir/type_facts.h"

namespace meteor::mir {

class Lenders {
 public:
  Lenders(Program& program, const TypeFacts& facts, const WriteSets& writes);

  // The slots, besides those on the way to the first argument, on which the result depends; null: it is no lender.
  const SlotSet* find(FunctionId function) const;
  // The twin's id; the function itself is at the end of `program.functions` once `finish` was called.
  FunctionId twin_of(FunctionId function);
  void finish();

 private:
  struct Lender { SlotSet slots; Function twin; };   // the twin has no id until it is called
  void inspect(const Function& function);

  Program& program_;
  const TypeFacts& facts_;
  const WriteSets& writes_;
  std::unordered_map<uint32_t, Lender> lenders_;
  std::vector<Function> twins_;
};

}  // namespace meteor::mir
