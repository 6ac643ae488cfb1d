// One compilation from a file to an executable, stage by stage. No terminal in here: messages are data, dumps are text.
#pragma once

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/base/arena.h"
#include "compiler/base/name.h"
#include "compiler/base/result.h"
#include "compiler/diagnostics/diagnostic.h"
#include "compiler/mir/frame_report.h"
#include "compiler/mir/mir.h"
#include "compiler/object/target.h"
#include "compiler/pipeline/installation.h"
#include "compiler/pipeline/module_graph.h"
#include "compiler/pipeline/translate_units.h"
#include "compiler/source/file_system.h"
#include "compiler/source/sources.h"
#include "compiler/typed/typed.h"
#include "compiler/types/types.h"

namespace meteor::pipeline {

enum class Stage : uint8_t {
#define STAGE(name, text) name,
#include "compiler/pipeline/stages.def"
#undef STAGE
};
constexpr size_t STAGE_COUNT = static_cast<size_t>(Stage::Link) + 1;
const char* name_of(Stage stage);

enum class DumpKind : uint8_t {
#define DUMP(name, text, stage) name,
#include "compiler/pipeline/dumps.def"
#undef DUMP
};
struct Dump {
  DumpKind kind{};
  std::string function;   // empty: everything
};
// From `mir` or `mir:name`; nothing for a kind there is not.
std::optional<Dump> parse_dump(std::string_view text);
std::string dump_names();   // "tokens, ast, …"
Stage stage_of(DumpKind kind);

struct CompileOptions {
  object::OptLevel level = object::OptLevel::O2;
  bool debug_info = false;
  bool is_static = false;
  bool quick_glue = false;      // see llvm_ir::EmitOptions
  bool leak_check = false;
  bool check_facts = false;       // the program asserts what the compiler believed
  bool naive_counting = false;    // none of the passes that remove counting: what the others are measured against
  bool is_test = false;           // built for `meteor test`: asserts what the compiler has proven
  bool list_crossings = false;
  bool report_counting = false;   // the program says at its end how many counts it took
  std::optional<Dump> dump;

  // The options that change the code, for the cache.
  std::string key() const;
};

class Compilation {
 public:
  Compilation(const Installation& installation, const source::FileSystem& files, CompileOptions options);
  ~Compilation();

  // The stages before the back end. False: the sink says why.
  base::Result<bool> parse(const std::string& main_file);
  bool check();
  // Only after `check` said yes. `build` links what `generate` made.
  void lower();
  base::Result<base::Done> generate();
  base::Result<base::Done> link(const std::string& output);

  // Runs the stages up to `last`, or to the one the dump wants, whose text is then in `dumped`.
  base::Result<bool> run_until(const std::string& main_file, Stage last);

  // After `lower`: the frames of the functions that suspend, by the order in the source. Those of the main file, or those called `function`.
  base::Result<std::vector<mir::FrameReport>> frames(const std::string& function);

  // After `lower` with `list_crossings`: where values leave their isolate, by the order in the source; those of the library's own code left out.
  struct CrossingPlace {
    std::string file;
    uint32_t line = 0, column = 0;
    std::string what, name, type;
    bool is_proven = false;
    std::string reason, cause_file;
    uint32_t cause_line = 0;      // 0: none
  };
  std::vector<CrossingPlace> crossings() const;

  const diagnostics::Sink& sink() const { return sink_; }
  const source::Sources& sources() const { return sources_; }
  const std::string& dumped() const { return dumped_; }
  std::string time_table() const;
  Inputs inputs() const;

 private:
  template <typename Work>
  auto timed(Stage stage, Work&& work);
  bool dumps(DumpKind kind) const { return options_.dump && options_.dump->kind == kind; }
  base::Result<base::Done> generate_in_parts();
  void keep(const char* suffix, const std::string& data) const;   // METEOR_KEEP=folder

  struct BackEnd;   // LLVM's context and module
  Installation installation_;
  CompileOptions options_;
  source::Sources sources_;
  base::Arena arena_;
  base::NameTable names_;
  diagnostics::Sink sink_;
  types::TypeStore types_;
  typed::Program typed_;
  mir::Program mir_;
  std::vector<ToolFile> tools_;   // as they were when the work began
  ModuleGraph graph_;
  std::unique_ptr<BackEnd> back_end_;
  std::vector<std::string> objects_;
  std::string library_;  // an archive
  UnitTranslation::Counts reused_, translated_;
  size_t own_instructions_ = 0;
  std::string dumped_;
  std::array<std::chrono::nanoseconds, STAGE_COUNT> times_{};
};

}  // namespace meteor::pipeline
