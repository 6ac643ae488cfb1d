// Bytes → lexer and parser: they end with a tree that can be walked, whatever the bytes, and every message can be shown.
#include <cstdlib>

#include "compiler/ast/parse.h"
#include "compiler/ast/print.h"
#include "compiler/diagnostics/render.h"

using namespace meteor;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  source::Sources sources;
  diagnostics::Sink sink;
  base::NameTable names;
  base::Arena arena;
  source::FileId file = sources.add("a.met", std::string(reinterpret_cast<const char*>(data), size));
  ast::TokenRoles roles;
  ast::Module* with_roles = ast::parse(file, sources, arena, names, sink, roles);
  size_t errors = sink.error_count();
  ast::Module* module = ast::parse(file, sources, arena, names, sink);
  if (ast::print(*module) != ast::print(*with_roles)) std::abort();
  if ((errors == 0) != (sink.error_count() == 0)) std::abort();
  diagnostics::render_text(sink, sources, {});
  diagnostics::render_json(sink, sources);
  return 0;
}
