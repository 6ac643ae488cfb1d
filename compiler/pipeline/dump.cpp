#include "compiler/pipeline/dump.h"

#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

#include "compiler/mir/print.h"
#include "compiler/pipeline/compile.h"
#include "compiler/tokens/lex.h"
#include "compiler/tokens/print_tokens.h"

namespace meteor::pipeline {

namespace {

struct KnownDump {
  DumpKind kind;
  std::string_view name;
  Stage stage;
};

constexpr KnownDump KNOWN_DUMPS[] = {
#define DUMP(ident, text, made_by) {DumpKind::ident, text, Stage::made_by},
#include "compiler/pipeline/dumps.def"
#undef DUMP
};

}  // namespace

bool is_named(std::string_view full, std::string_view wanted) {
  if (wanted.empty() || full == wanted) return true;
  return full.size() > wanted.size() && full.ends_with(wanted) && (full[full.size() - wanted.size() - 1] == '.' || full[full.size() - wanted.size() - 1] == ':');
}

std::optional<Dump> parse_dump(std::string_view text) {
  size_t colon = text.find(':');
  std::string_view name = text.substr(0, colon);
  for (const KnownDump& known : KNOWN_DUMPS)
    if (known.name == name) return Dump{known.kind, colon == std::string_view::npos ? "" : std::string(text.substr(colon + 1))};
  return std::nullopt;
}

std::string dump_names() {
  std::string names;
  for (const KnownDump& known : KNOWN_DUMPS) (names += names.empty() ? "" : ", ") += known.name;
  return names;
}

Stage stage_of(DumpKind kind) { return KNOWN_DUMPS[static_cast<size_t>(kind)].stage; }

std::string dump_tokens(const source::Sources& sources, base::NameTable& names) {
  source::FileId main_file(0);
  base::Arena arena;
  diagnostics::Sink ignored;   // the parser has reported them
  return tokens::print(tokens::lex(main_file, sources, ignored, names, arena), main_file, sources);
}

std::string dump_mir(const mir::Program& program, std::string_view function) { return mir::print(program, function); }

std::string dump_llvm(const llvm::Module& module, std::string_view function) {
  std::string text;
  llvm::raw_string_ostream out(text);
  if (function.empty()) {
    module.print(out, nullptr);
  } else {
    for (const llvm::Function& one : module)
      if (!one.isDeclaration() && is_named({one.getName().data(), one.getName().size()}, function)) one.print(out);
  }
  out.flush();
  return text;
}

// From the label of the function to its end.
std::string dump_asm(const std::string& assembly, std::string_view function) {
  if (function.empty()) return assembly;
  std::string text;
  bool inside = false;
  for (size_t at = 0; at < assembly.size();) {
    size_t end = assembly.find('\n', at);
    std::string_view line = std::string_view(assembly).substr(at, end - at);
    at = end == std::string::npos ? assembly.size() : end + 1;
    size_t colon = line.find(':');
    if (!inside && colon != std::string_view::npos && !line.empty() && line[0] != '\t' && line[0] != '.' && line[0] != '#') {
      std::string_view label = line.substr(0, line.rfind(':', line.find('#')));
      if (label.starts_with('"')) label = label.substr(1, label.rfind('"') - 1);
      inside = is_named(label, function);
    }
    if (inside) (text += line) += "\n";
    if (line.starts_with(".Lfunc_end")) inside = false;
  }
  return text;
}

}  // namespace meteor::pipeline
