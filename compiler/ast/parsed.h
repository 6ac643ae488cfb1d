// For tests: a source text with everything its tree refers to.
#pragma once

#include <string>

#include "compiler/ast/parse.h"
#include "compiler/ast/print.h"
#include "compiler/diagnostics/render.h"

namespace meteor::ast {

struct Parsed {
  source::Sources sources;
  diagnostics::Sink sink;
  base::NameTable names;
  base::Arena arena;
  Module* module;

  explicit Parsed(std::string text) { module = parse(sources.add("a.met", std::move(text)), sources, arena, names, sink); }

  std::string tree() const { return print(*module); }
  // "3 unexpected-token, 5 expected-type": lines and names.
  std::string errors() const {
    std::string out;
    for (const diagnostics::Diagnostic& d : sink.all()) {
      if (!out.empty()) out += ", ";
      (out += std::to_string(sources.start_of(d.span).line) + " ") += name_of(d.code);
    }
    return out;
  }
};

}  // namespace meteor::ast
