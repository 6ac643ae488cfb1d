// The machine programs are made for: this one's architecture, at the baseline x86-64-v2, so that they run elsewhere too.
#pragma once

#include <memory>
#include <string>

#include "compiler/base/result.h"

namespace llvm {
class TargetMachine;
}

namespace meteor::object {

enum class OptLevel : uint8_t { O0, O1, O2, O3 };

struct Target {
  Target();
  Target(Target&&) noexcept;
  Target& operator=(Target&&) noexcept;
  ~Target();

  std::unique_ptr<llvm::TargetMachine> machine;
  std::string triple;
  std::string data_layout;
};

base::Result<Target> make_target(OptLevel level);

}  // namespace meteor::object
