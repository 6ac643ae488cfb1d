// What the lowering of all functions shares.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "compiler/mir/mir.h"
#include "compiler/mir/type_facts.h"

namespace meteor::mir {

class ProgramLowering {
 public:
  ProgramLowering(const typed::Program& source, types::TypeStore& types);
  Program run();

  const typed::Program& source;
  types::TypeStore& types;
  TypeFacts facts;
  TypeId raisable, optional_raisable, int_pointer;
  const bool has_other_isolates;

  // The function that makes an isolate-local variable on first use: called before each access.
  FunctionId ensure_function(GlobalId global);
  // The body that runs when the future, generator or stream that `function` makes is resumed.
  FunctionId body_of(FunctionId function) const { return bodies_.at(function); }
  // Does it run while the program starts, when there is one isolate?
  bool is_initializer(FunctionId function) const { return initializers_.contains(function); }

 private:
  FunctionId add_function(std::string name, TypeId result);
  void declare(const typed::Function& function);
  void lower_ensure_function(GlobalId global, FunctionId id, GlobalId made);
  void lower_start();
  void declare_body(const typed::Function& function);
  void lower_maker(const typed::Function& function);

  Program program_;
  struct Ensure { FunctionId function; GlobalId made; };
  std::unordered_map<GlobalId, Ensure> ensure_;
  std::unordered_map<FunctionId, FunctionId> bodies_;
  std::unordered_set<FunctionId> initializers_;
};

}  // namespace meteor::mir
