// Help for `json.encode(x)` in a file that does not import json. The checker knows only the modules that were loaded; which
// others there are, the module graph knows.
#pragma once

#include "compiler/diagnostics/diagnostic.h"
#include "compiler/pipeline/module_graph.h"
#include "compiler/source/sources.h"

namespace meteor::pipeline {

void suggest_imports(diagnostics::Sink& sink, ModuleGraph& graph, const source::Sources& sources);

}  // namespace meteor::pipeline
