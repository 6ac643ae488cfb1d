// What the compiler has to say about the user's program. A Diagnostic is data;
// rendering (text, JSON) is elsewhere, so that the CLI, the language server and
// tests share it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>
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
  Code code{};
  source::Span span;
  std::string message;               // one line, lower case, no full stop
  std::string label;                 // short text at the caret, may be empty
  std::string expected, found;       // shown on their own lines when not empty
  std::vector<Label> labels;
  std::vector<std::string> notes;
  std::string help;                  // what to do, one sentence
  std::vector<Edit> edits;           // the help as text changes, when they are certain
};

// Collects diagnostics in order. Reporting at a place that already has an error of the same code is dropped,
// as is everything after MAX_STORED: nobody reads that far, and a file of random bytes must not fill the memory.
class Sink {
 public:
  static constexpr size_t MAX_STORED = 10'000;

  // Returns the stored diagnostic so that labels and help can be added: sink.report(Code::X, span, "…").help = "…".
  // The reference holds until the next report.
  Diagnostic& report(Code code, source::Span span, std::string message);
  bool has_errors() const { return error_count_ > 0; }
  size_t error_count() const { return error_count_; }
  const std::vector<Diagnostic>& all() const { return diagnostics_; }
  // For speculative checking: forget everything reported after `size`.
  size_t mark() const { return diagnostics_.size(); }
  void rewind(size_t mark);
  // Puts what was reported after `mark` in the order of the source.
  void sort_from(size_t mark);
  // Leaves out edits in other files for which `is_hidden`.
  void hide(const std::function<bool(source::FileId)>& is_hidden);

 private:
  static uint64_t place_of(Code code, source::Span span);

  std::vector<Diagnostic> diagnostics_;
  std::unordered_set<uint64_t> places_;   // of all stored ones
  Diagnostic dropped_;
  size_t error_count_ = 0;
};

}  // namespace meteor::diagnostics
