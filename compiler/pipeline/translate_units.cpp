#include "compiler/pipeline/translate_units.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <thread>

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include "compiler/object/codegen.h"
#include "compiler/pipeline/cache.h"

namespace meteor::pipeline {

base::Result<std::string> translate(llvm::Module& module, object::OptLevel level) {
  base::Result<object::Target> target = object::make_target(level);
  if (!target) return target.failure();
  object::optimise(module, target.value(), level);
  return object::codegen(module, target.value(), object::CodeForm::Object);
}

namespace {

// One per thread. What LLVM knows of the machine is made once: for a small unit that costs more than its code.
class Translator {
 public:
  explicit Translator(object::OptLevel level) : careful_(level), quick_(object::OptLevel::O0) {}

  base::Result<std::string> translate(const object::LibraryUnit& unit) {
    llvm::LLVMContext context;
    context.setDiscardValueNames(true);
    llvm::Expected<std::unique_ptr<llvm::Module>> module =
        llvm::parseBitcodeFile(llvm::MemoryBufferRef(unit.bitcode, "unit"), context);
    if (!module) return base::Failure{unit.name, llvm::toString(module.takeError())};
    Machine& machine = unit.is_quick ? quick_ : careful_;
    // A function that is too big to optimise changes the target's level (object::optimise).
    if (std::ranges::any_of(**module, &llvm::Function::hasOptNone)) return pipeline::translate(**module, machine.level);
    if (!machine.target) return machine.target.failure();
    object::optimise(**module, machine.target.value(), machine.level);
    return object::codegen(**module, machine.target.value(), object::CodeForm::Object);
  }

 private:
  struct Machine {
    explicit Machine(object::OptLevel which) : level(which), target(object::make_target(which)) {}
    object::OptLevel level;
    base::Result<object::Target> target;
  };
  Machine careful_, quick_;
};

// As `ar` writes it, without a table of symbols: the linker takes all of it.
void add_member(std::string& archive, std::string_view object) {
  char header[61];
  std::snprintf(header, sizeof header, "%-16s%-12d%-6d%-6d%-8o%-10zu`\n", "unit.o/", 0, 0, 0, 0644U, object.size());
  archive += header;
  archive += object;
  if (object.size() % 2) archive += '\n';
}

constexpr size_t MOST_THREADS = 8;

}  // namespace

struct UnitTranslation::Work {
  std::vector<object::LibraryUnit> units;
  std::vector<size_t> missing;                  // the largest first: none is left to wait for in the end
  std::vector<base::Result<std::string>> made;  // by place in `missing`
  std::atomic<size_t> next = 0;
  object::OptLevel level;

  void run() {
    Translator translator(level);
    for (size_t i = next++; i < missing.size(); i = next++) made[i] = translator.translate(units[missing[i]]);
  }
};

UnitTranslation::UnitTranslation(std::vector<object::LibraryUnit> units, object::OptLevel level,
                                 const std::string& store_path)
    : work_(std::make_unique<Work>()) {
  work_->units = std::move(units);
  work_->level = level;
  if (!store_path.empty()) store_ = std::make_unique<UnitStore>(store_path);
  for (size_t i = 0; i < work_->units.size(); ++i) {
    const object::LibraryUnit& unit = work_->units[i];
    keys_.push_back(content_hash((unit.is_quick ? "quick" : "careful") + unit.bitcode));
    std::optional<std::string_view> known = store_ ? store_->find(keys_.back()) : std::nullopt;
    objects_.push_back(known.value_or(std::string_view()));
    if (!known) work_->missing.push_back(i);
    Counts& counts = known ? reused_ : translated_;
    ++counts.units;
    counts.instructions += unit.instructions;
  }
  std::ranges::sort(work_->missing,
                    [&](size_t a, size_t b) { return work_->units[a].instructions > work_->units[b].instructions; });
  work_->made.assign(work_->missing.size(), base::Failure{});
  size_t threads =
      std::min({work_->missing.size(), MOST_THREADS, size_t(std::max(1U, std::thread::hardware_concurrency()))});
  for (size_t i = 0; i < threads; ++i)
    threads_.emplace_back(std::optional<unsigned>(TRANSLATOR_STACK_BYTES), [work = work_.get()] { work->run(); });
}

UnitTranslation::~UnitTranslation() {
  for (llvm::thread& thread : threads_) thread.join();
}

base::Result<std::string> UnitTranslation::finish() {
  for (llvm::thread& thread : threads_) thread.join();
  threads_.clear();
  UnitStore::Entries made, used;
  for (size_t i = 0; i < objects_.size(); ++i)
    if (!objects_[i].empty()) used.emplace_back(keys_[i], objects_[i]);
  for (size_t i = 0; i < work_->missing.size(); ++i) {
    if (!work_->made[i]) return work_->made[i].failure();
    size_t unit = work_->missing[i];
    objects_[unit] = work_->made[i].value();
    made.emplace_back(keys_[unit], objects_[unit]);
  }
  if (store_) store_->add(made, used, cache_limit_bytes() / 4);
  if (objects_.empty()) return std::string();
  std::string archive = "!<arch>\n";
  for (std::string_view object : objects_) add_member(archive, object);
  return archive;
}

}  // namespace meteor::pipeline
