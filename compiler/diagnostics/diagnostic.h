// What the compiler has to say about the user's program. A Diagnostic is data;
// rendering (text, JSON) is elsewhere, so that the CLI, the language server and
// tests share it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/source/span.h"

namespace meteor::diagnostics {

enum class Severity : uint8_t { Error, Warning };

enum class Code : uint16_t {
#define DIAGNOSTIC(ident, name, severity) ident,
#include "compiler/diagnostics/diagnostics.def"
#undef DIAGNOSTIC
};

std::string_view name_of(Code code);
Severity severity_of(Code code);

struct Label {          // a second place that explains the first: "moved here", "expected because of this"
  source::Span span;
  std::string text;
};

struct Edit {           // replace `span` by `text`
  source::Span span;
  std::string text;
};

struct Diagnostic {
  Code code;
  source::Span span;
  std::string message;               // one line, lower case, no full stop
  std::string label;                 // short text at the caret, may be empty
  std::string expected, found;       // shown on their own lines when not empty
  std::vector<Label> labels;
  std::vector<std::string> notes;
  std::string help;                  // what to do, one sentence
  std::vector<Edit> edits;           // the help as text changes, when they are certain
};

// Collects diagnostics in order. Reporting at a place that already has an error of the same code is dropped.
class Sink {
 public:
  // Returns the stored diagnostic so that labels and help can be added: sink.error(Code::X, span, "…").help = "…".
  Diagnostic& report(Code code, source::Span span, std::string message);
  bool has_errors() const { return error_count_ > 0; }
  size_t error_count() const { return error_count_; }
  const std::vector<Diagnostic>& all() const { return diagnostics_; }
  // For speculative checking: forget everything reported after `size`.
  size_t mark() const { return diagnostics_.size(); }
  void rewind(size_t mark);

 private:
  std::vector<Diagnostic> diagnostics_;
  Diagnostic dropped_;
  size_t error_count_ = 0;
};

}  // namespace meteor::diagnostics
