#include "compiler/pipeline/missing_imports.h"

#include <string>
#include <vector>

namespace meteor::pipeline {

namespace {

using diagnostics::Code;
using diagnostics::Diagnostic;

bool is_used_as_module(source::Span name, const source::Sources& sources) {
  std::string_view text = sources.text(name.file);
  return name.end < text.size() && text[name.end] == '.';
}

// Above the first statement; the text that documents a module is none.
void add_import(Diagnostic& d, const std::string& name, ModuleGraph& graph) {
  for (const typed::ParsedModule& module : graph.modules()) {
    if (!(module.tree->file == d.span.file) || module.tree->body.empty()) continue;
    source::Span first = module.tree->body.front()->span;
    d.edits.push_back({{first.file, first.start, first.start}, "import " + name + "\n"});
  }
}

}  // namespace

void suggest_imports(diagnostics::Sink& sink, ModuleGraph& graph, const source::Sources& sources) {
  std::vector<Diagnostic> all = sink.all();
  sink.rewind(0);
  for (Diagnostic& d : all) {
    bool is_name = d.code == Code::UnknownName && d.span.valid() && is_used_as_module(d.span, sources);
    std::string name(is_name ? sources.text(d.span) : "");
    if (is_name && graph.has_module(name)) {
      d.help = "write `import " + name + "` at the top of the file";
      d.edits.clear();
      add_import(d, name, graph);
    }
    sink.report(d.code, d.span, d.message) = d;
  }
}

}  // namespace meteor::pipeline
