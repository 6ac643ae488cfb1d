// The one page that calls the stages in order.
#include "compiler/pipeline/compile.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <tuple>

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/thread.h>

#include "compiler/ast/print.h"
#include "compiler/base/build_config.h"
#include "compiler/llvm_ir/emit.h"
#include "compiler/llvm_ir/type_sizes.h"
#include "compiler/mir/async_mode.h"
#include "compiler/mir/closure_cycles.h"
#include "compiler/mir/lower.h"
#include "compiler/mir/passes/passes.h"
#include "compiler/object/codegen.h"
#include "compiler/object/link.h"
#include "compiler/object/slices.h"
#include "compiler/object/units.h"
#include "compiler/pipeline/cache.h"
#include "compiler/typed/print.h"
#include "compiler/pipeline/dump.h"
#include "compiler/pipeline/follow_ons.h"
#include "compiler/pipeline/missing_imports.h"

namespace meteor::pipeline {

struct Compilation::BackEnd {
  llvm::LLVMContext context;
  object::Target target;
  std::unique_ptr<llvm::Module> module;
};

Compilation::Compilation(const Installation& installation, const source::FileSystem& files, CompileOptions options)
    : installation_(installation),
      options_(std::move(options)),
      graph_(files, installation.std_dir, sources_, arena_, names_, sink_) {}

Compilation::~Compilation() = default;

template <typename Work>
auto Compilation::timed(Stage stage, Work&& work) {
  struct Timer {
    std::chrono::nanoseconds& total;
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
    ~Timer() { total += std::chrono::steady_clock::now() - start; }
  } timer{times_[static_cast<size_t>(stage)]};
  return work();
}

base::Result<bool> Compilation::parse(const std::string& main_file) {
  for (const std::string& tool : {installation_.compiler, installation_.runtime_archive}) tools_.push_back({tool, stamp_of(tool)});
  base::Result<base::Done> loaded = timed(Stage::Parse, [&] { return graph_.load(main_file); });
  if (!loaded) return loaded.failure();
  if (dumps(DumpKind::Tokens)) dumped_ = dump_tokens(sources_, names_);
  if (dumps(DumpKind::Ast)) dumped_ = ast::print(*graph_.modules().back().tree, options_.dump->function);
  return !sink_.has_errors();
}

namespace {

// The names that the core library declares.
std::unordered_set<std::string_view> library_names(std::span<const typed::ParsedModule> modules) {
  std::unordered_set<std::string_view> names;
  for (const typed::ParsedModule& module : modules) {
    if (!module.is_core) continue;
    for (ast::Stmt* stmt : module.tree->body) {
      if (auto* function = stmt->as<ast::FunctionDecl>()) names.insert(function->name.text());
      if (auto* type = stmt->as<ast::ClassDecl>()) names.insert(type->name.text());
      if (auto* constant = stmt->as<ast::ConstDecl>()) names.insert(constant->name.text());
    }
  }
  return names;
}

}  // namespace

bool Compilation::check() {
  typed::CheckInput input{graph_.modules(), names_, sources_};
  size_t syntax_count = sink_.mark();
  sink_.sort_from(0);
  bool ok = timed(Stage::Check, [&] { return typed::check(input, types_, typed_, sink_); });
  auto is_library = [&](source::FileId file) { return sources_.path(file).starts_with(installation_.std_dir); };
  if (ok) mir::warn_about_closure_cycles(typed_, types_, is_library, sink_);
  // Bodies are checked when they are first needed; people read from the top.
  sink_.sort_from(syntax_count);
  if (sink_.has_errors()) suggest_imports(sink_, graph_, sources_);
  if (sink_.has_errors()) drop_follow_ons(sink_, syntax_count, library_names(graph_.modules()), sources_);
  sink_.sort_from(0);
  sink_.hide(is_library);
  if (ok && dumps(DumpKind::Typed)) dumped_ = typed::print(typed_, types_, options_.dump->function);
  return ok && !sink_.has_errors();
}

void Compilation::lower() {
  mir_ = timed(Stage::Lower, [&] { return mir::lower(typed_, types_); });
  bool is_release = options_.level != object::OptLevel::O0 && !options_.debug_info && !options_.leak_check && !options_.check_facts && !options_.is_test;
  mir_.proven = is_release ? mir::ProvenCrossings::Skip : mir::ProvenCrossings::Assert;
  mir_.lists_crossings = options_.list_crossings;
  timed(Stage::Passes, [&] { mir::run_passes(mir_, {}, options_.naive_counting ? mir::Counting::Naive : mir::Counting::Optimised); });
  if (dumps(DumpKind::Mir)) dumped_ = dump_mir(mir_, options_.dump->function);
}

base::Result<base::Done> Compilation::generate() {
  back_end_ = std::make_unique<BackEnd>();
  BackEnd& back = *back_end_;
  back.context.setDiscardValueNames(!dumps(DumpKind::Llvm) && !std::getenv("METEOR_KEEP"));
  base::Result<object::Target> target = object::make_target(options_.level);
  if (!target) return target.failure();
  back.target = std::move(target.value());
  llvm_ir::EmitOptions emit;
  emit.triple = back.target.triple;
  emit.data_layout = back.target.data_layout;
  emit.optimise = options_.level != object::OptLevel::O0;
  emit.quick_glue = options_.quick_glue;
  bool is_shown = options_.dump || std::getenv("METEOR_KEEP");
  emit.debug = options_.debug_info ? llvm_ir::DebugLevel::Full : is_shown ? llvm_ir::DebugLevel::None : llvm_ir::DebugLevel::Lines;
  emit.in_parts = !is_shown && !base::SANITIZER[0];   // what is shown is the program in one piece
  emit.leak_check = options_.leak_check;
  emit.check_facts = options_.check_facts;
  emit.library = installation_.std_dir;
  emit.naive_counting = options_.naive_counting;
  emit.report_counting = options_.report_counting;
  emit.sanitize_address = std::string_view(base::SANITIZER) == "address";
  back.module = timed(Stage::Emit, [&] { return llvm_ir::emit(mir_, sources_, emit, back.context); });
  keep(".emitted.ll", std::getenv("METEOR_KEEP") ? dump_llvm(*back.module, "") : "");
  if (emit.in_parts) return generate_in_parts();
  timed(Stage::Optimise, [&] { object::optimise(*back.module, back.target, options_.level, base::SANITIZER); });
  if (dumps(DumpKind::Llvm)) dumped_ = dump_llvm(*back.module, options_.dump->function);
  keep(".ll", std::getenv("METEOR_KEEP") ? dump_llvm(*back.module, "") : "");
  auto form = dumps(DumpKind::Asm) ? object::CodeForm::Assembly : object::CodeForm::Object;
  base::Result<std::string> code = timed(Stage::Codegen, [&] { return object::codegen(*back.module, back.target, form); });
  if (!code) return code.failure();
  if (dumps(DumpKind::Asm)) dumped_ = dump_asm(code.value(), options_.dump->function);
  objects_.push_back(std::move(code.value()));
  keep(".o", objects_[0]);
  return base::Done{};
}

// The library's units come from the cache, or are made by other threads meanwhile and go there; so are the slices of a
// large program.
base::Result<base::Done> Compilation::generate_in_parts() {
  BackEnd& back = *back_end_;
  bool inlines = options_.level != object::OptLevel::O0;
  std::vector<object::LibraryUnit> units;
  object::Slices slices;
  timed(Stage::Split, [&] {
    if (object::has_library_units(*back.module)) units = object::take_library_units(*back.module, inlines);
    slices = object::take_slices(*back.module, inlines);
  });
  std::optional<std::string> directory = ProgramCache::find_directory();
  std::string store =
      directory && !units.empty() ? ProgramCache(*directory).unit_store(options_.key(), installation_.compiler) : "";
  UnitTranslation library(std::move(units), options_.level, store);
  std::vector<base::Result<std::string>> others(slices.others.size(), base::Failure{});
  std::vector<llvm::thread> threads;
  for (size_t i = 0; i < slices.others.size(); ++i)
    threads.emplace_back(std::optional<unsigned>(TRANSLATOR_STACK_BYTES), [this, &slices, i, &object = others[i]] {
      llvm::LLVMContext context;
      context.setDiscardValueNames(true);
      base::Result<std::unique_ptr<llvm::Module>> slice = object::read_slice(slices, i, context);
      object = slice ? translate(*slice.value(), options_.level) : base::Result<std::string>(slice.failure());
    });
  reused_ = library.reused();
  translated_ = library.translated();
  own_instructions_ = back.module->getInstructionCount();
  timed(Stage::Optimise, [&] { object::optimise(*back.module, back.target, options_.level); });
  base::Result<std::string> own = timed(Stage::Codegen, [&] {
    base::Result<std::string> code = object::codegen(*back.module, back.target, object::CodeForm::Object);
    for (llvm::thread& thread : threads) thread.join();
    return code;
  });
  others.insert(others.begin(), std::move(own));
  for (base::Result<std::string>& object : others) {
    if (!object) return object.failure();
    objects_.push_back(std::move(object.value()));
  }
  base::Result<std::string> archive = timed(Stage::Codegen, [&] { return library.finish(); });
  if (!archive) return archive.failure();
  library_ = std::move(archive.value());
  return base::Done{};
}

base::Result<std::vector<mir::FrameReport>> Compilation::frames(const std::string& function) {
  base::Result<object::Target> target = object::make_target(options_.level);
  if (!target) return target.failure();
  auto sizes = std::make_shared<llvm_ir::TypeSizes>(mir_, target.value().data_layout);
  mir::Frames::SizeOf size_of = [sizes](mir::TypeId type) { return (*sizes)(type); };
  mir::Frames frames(mir_, size_of);
  std::vector<mir::FrameReport> reports;
  source::FileId main_file = graph_.modules().back().tree->file;
  for (const mir::Function& candidate : mir_.functions) {
    if (candidate.frame == mir::FrameKind::None || candidate.blocks.empty() || !candidate.span.valid()) continue;
    if (function.empty() ? candidate.span.file != main_file : !is_named(candidate.name, function)) continue;
    reports.push_back(mir::report_frame(mir_, candidate.id, sources_, frames, size_of));
  }
  std::ranges::sort(reports, {}, [](const mir::FrameReport& report) { return std::tie(report.file, report.line, report.name); });
  return reports;
}

std::vector<Compilation::CrossingPlace> Compilation::crossings() const {
  auto is_library = [&](source::Span span) { return !span.valid() || sources_.path(span.file).starts_with(installation_.std_dir); };
  std::vector<CrossingPlace> places;
  for (const mir::Crossing& crossing : mir_.crossings) {
    if (is_library(crossing.span)) continue;
    source::LineColumn at = sources_.start_of(crossing.span);
    CrossingPlace place{std::string(sources_.path(crossing.span.file)), at.line, at.column, crossing.what, crossing.name, types_.text(crossing.type), crossing.is_proven, crossing.reason, "", 0};
    std::string_view written = sources_.text(crossing.span);
    constexpr size_t SHOWN_MAX = 40;
    if (place.name.empty() && crossing.is_argument && written.size() <= SHOWN_MAX && written.find('\n') == std::string_view::npos) place.name = written;
    if (!is_library(crossing.cause)) {
      place.cause_file = sources_.path(crossing.cause.file);
      place.cause_line = sources_.start_of(crossing.cause).line;
    }
    places.push_back(std::move(place));
  }
  auto key = [](const CrossingPlace& place) { return std::tie(place.file, place.line, place.column, place.what, place.name, place.type, place.is_proven); };
  std::ranges::sort(places, {}, key);
  // What stands once in the source may have become several functions: it is proven if it is so in all of them.
  auto same = [](const CrossingPlace& a, const CrossingPlace& b) { return std::tie(a.file, a.line, a.column, a.what, a.name, a.type) == std::tie(b.file, b.line, b.column, b.what, b.name, b.type); };
  places.erase(std::unique(places.begin(), places.end(), same), places.end());
  return places;
}

base::Result<base::Done> Compilation::link(const std::string& output) {
  object::LinkInput input;
  input.objects.assign(objects_.begin(), objects_.end());
  input.library = library_;
  bool shows_runtime = options_.debug_info || base::SANITIZER[0] != 0;
  input.runtime_archive = shows_runtime ? installation_.runtime_archive : installation_.stripped_archive;
  input.libraries = typed_.libraries;
  input.output = output;
  input.is_static = options_.is_static;
  return timed(Stage::Link, [&] { return object::link(input); });
}

base::Result<bool> Compilation::run_until(const std::string& main_file, Stage last) {
  if (options_.dump) last = stage_of(options_.dump->kind);
  base::Result<bool> parsed = parse(main_file);
  if (!parsed) return parsed;
  if (last == Stage::Parse) return parsed;
  // The checker stays silent about what the parser could not read, so it runs on broken files too.
  if (!check() || !parsed.value()) return false;
  if (last >= Stage::Lower) lower();
  if (last >= Stage::Emit) {
    base::Result<base::Done> generated = generate();
    if (!generated) return generated.failure();
  }
  return true;
}

// ---- What goes around ------------------------------------------------------

const char* name_of(Stage stage) {
  switch (stage) {
#define STAGE(name, text) \
  case Stage::name: return text;
#include "compiler/pipeline/stages.def"
#undef STAGE
  }
  return "";
}

std::string CompileOptions::key() const {
  std::string key = "O" + std::to_string(static_cast<int>(level));
  if (debug_info) key += " debug";
  if (is_static) key += " static";
  if (leak_check) key += " leaks";
  if (check_facts) key += " facts";
  if (naive_counting) key += " naive";
  if (report_counting) key += " report";
  if (is_test) key += " test";
  if (mir::naive_async()) key += " naive-async";
  return key;
}

Inputs Compilation::inputs() const {
  Inputs inputs = graph_.inputs();
  inputs.tools = tools_;
  return inputs;
}

std::string Compilation::time_table() const {
  std::string table;
  auto row = [&](const char* name, double ms) {
    char line[64];
    std::snprintf(line, sizeof line, "%-10s %8.2f ms\n", name, ms);
    table += line;
  };
  double total = 0;
  for (size_t i = 0; i < STAGE_COUNT; ++i) {
    double ms = std::chrono::duration<double, std::milli>(times_[i]).count();
    total += ms;
    row(name_of(static_cast<Stage>(i)), ms);
  }
  row("total", total);
  auto count = [&](const char* name, size_t units, size_t instructions) {
    char line[96];
    std::snprintf(line, sizeof line, "%-10s %8zu units of the library, %zu LLVM instructions\n", name, units,
                  instructions);
    table += line;
  };
  if (reused_.units + translated_.units == 0) return table;
  count("reused", reused_.units, reused_.instructions);
  count("translated", translated_.units, translated_.instructions);
  char line[64];
  std::snprintf(line, sizeof line, "%-10s %8zu LLVM instructions\n", "own", own_instructions_);
  return table + line;
}

void Compilation::keep(const char* suffix, const std::string& data) const {
  const char* folder = std::getenv("METEOR_KEEP");
  if (!folder || !*folder || data.empty()) return;
  std::ofstream file(std::string(folder) + "/program" + suffix, std::ios::binary);
  file << data;
}

}  // namespace meteor::pipeline
