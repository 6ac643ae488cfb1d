// The names of all diagnostics, and the sink that collects them.
#include <algorithm>
#include <numeric>
#include <tuple>

#include "compiler/base/check.h"
#include "compiler/diagnostics/diagnostic.h"

namespace meteor::diagnostics {

namespace {

struct CodeInfo {
  std::string_view name;
  Severity severity;
};

constexpr CodeInfo CODES[] = {
#define DIAGNOSTIC(ident, name, severity) {name, Severity::severity},
#include "compiler/diagnostics/diagnostics.def"
#undef DIAGNOSTIC
};

}  // namespace

std::string_view name_of(Code code) { return CODES[size_t(code)].name; }
Severity severity_of(Code code) { return CODES[size_t(code)].severity; }

// Invariant: distinct for distinct places as long as a compilation has fewer than 65,536 files; more may only
// drop a second message at the same offset.
uint64_t Sink::place_of(Code code, source::Span span) {
  return uint64_t(span.start) << 32 | uint64_t(span.file.index & 0xFFFF) << 16 | uint64_t(code);
}

Diagnostic& Sink::report(Code code, source::Span span, std::string message) {
  if (diagnostics_.size() >= MAX_STORED || !places_.insert(place_of(code, span)).second) {
    dropped_ = Diagnostic{};
    return dropped_;
  }
  if (severity_of(code) == Severity::Error) error_count_++;
  Diagnostic& stored = diagnostics_.emplace_back();
  stored.code = code;
  stored.span = span;
  stored.message = std::move(message);
  return stored;
}

void Sink::rewind(size_t mark) {
  CHECK(mark <= diagnostics_.size());
  while (diagnostics_.size() > mark) {
    const Diagnostic& last = diagnostics_.back();
    if (severity_of(last.code) == Severity::Error) error_count_--;
    places_.erase(place_of(last.code, last.span));
    diagnostics_.pop_back();
  }
}

void Sink::sort_from(size_t mark) {
  CHECK(mark <= diagnostics_.size());
  auto key = [this](size_t i) { return std::tuple(diagnostics_[i].span.file.index, diagnostics_[i].span.start, i); };
  std::vector<size_t> order(diagnostics_.size() - mark);
  std::iota(order.begin(), order.end(), mark);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return key(a) < key(b); });
  std::vector<Diagnostic> sorted;
  sorted.reserve(order.size());
  for (size_t i : order) sorted.push_back(std::move(diagnostics_[i]));
  std::move(sorted.begin(), sorted.end(), diagnostics_.begin() + std::ptrdiff_t(mark));
}

void Sink::hide(const std::function<bool(source::FileId)>& is_hidden) {
  for (Diagnostic& d : diagnostics_) {
    std::erase_if(d.edits, [&](const Edit& edit) { return edit.span.file != d.span.file && is_hidden(edit.span.file); });
  }
}

}  // namespace meteor::diagnostics
