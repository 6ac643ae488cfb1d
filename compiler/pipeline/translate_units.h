// The library's units → object files: from the store what any program brought along before, the others by LLVM, on
// several threads.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <llvm/Support/thread.h>

#include "compiler/base/result.h"
#include "compiler/object/target.h"
#include "compiler/object/units.h"
#include "compiler/pipeline/unit_store.h"

namespace llvm {
class Module;
}

namespace meteor::pipeline {

constexpr unsigned TRANSLATOR_STACK_BYTES = 64 << 20;

base::Result<std::string> translate(llvm::Module& module, object::OptLevel level);

class UnitTranslation {
 public:
  struct Counts {
    size_t units = 0, instructions = 0;
  };

  // `store_path` empty: nothing is kept. Begins at once.
  UnitTranslation(std::vector<object::LibraryUnit> units, object::OptLevel level, const std::string& store_path);
  ~UnitTranslation();

  // Waits for all of them, and keeps what is new. All objects in the order of their names, as an archive.
  base::Result<std::string> finish();
  Counts reused() const { return reused_; }
  Counts translated() const { return translated_; }

 private:
  struct Work;  // what the threads share

  std::unique_ptr<Work> work_;
  std::unique_ptr<UnitStore> store_;
  std::vector<std::string> keys_;          // by unit
  std::vector<std::string_view> objects_;  // by unit; empty: being made
  std::vector<llvm::thread> threads_;
  Counts reused_, translated_;
};

}  // namespace meteor::pipeline
