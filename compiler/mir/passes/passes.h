// The passes over MIR in the order in which they run. `--dump`, `--time` and the verifier know them by name.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "compiler/mir/mir.h"
#include "compiler/mir/type_facts.h"
#include "compiler/mir/verify.h"

namespace meteor::mir {

enum class Counting : uint8_t {
  Optimised,
  Naive,       // without the passes that remove counting
};

struct Pass {
  std::string_view name;
  void (*run)(Program& program, const TypeFacts& facts);
  DropForm leaves;            // the form of drops afterwards
  bool removes_counting = false;
};

const std::vector<Pass>& passes();

// Runs them all, verifying after each in builds with asserts. `after`, if given, sees the program after each pass.
void run_passes(Program& program, const std::function<void(const Pass&)>& after = {}, Counting counting = Counting::Optimised);

}  // namespace meteor::mir
