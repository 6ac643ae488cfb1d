// Bytes → checker: a program together with the core library is checked without a crash, and what is wrong can be shown.
#include "compiler/base/build_config.h"
#include "compiler/diagnostics/render.h"
#include "compiler/pipeline/module_graph.h"
#include "compiler/source/file_system.h"
#include "compiler/typed/check.h"

using namespace meteor;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const source::DiskFileSystem disk;
  source::OverlayFileSystem files(&disk);
  files.set("/fuzz/main.met", std::string(reinterpret_cast<const char*>(data), size));
  source::Sources sources;
  diagnostics::Sink sink;
  base::NameTable names;
  base::Arena arena;
  pipeline::ModuleGraph graph(files, base::SOURCE_STD_DIR, sources, arena, names, sink);
  if (!graph.load("/fuzz/main.met").ok()) return 0;
  types::TypeStore types;
  typed::Program program;
  typed::CheckInput input{graph.modules(), names, sources};
  typed::check(input, types, program, sink);
  diagnostics::render_text(sink, sources, {});
  return 0;
}
