// Which diagnostics are consequences of others. A file is seen as its parts: a line that begins at the margin, with the indented lines below it.
// Invariant: of the diagnostics that came in, the first always stays.
#include "compiler/pipeline/follow_ons.h"

#include <algorithm>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace meteor::pipeline {

namespace {

using diagnostics::Code;
using diagnostics::Diagnostic;
using source::FileId;

bool is_word_byte(char c) { return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80); }

std::string_view first_word(std::string_view line) {
  size_t end = 0;
  while (end < line.size() && is_word_byte(line[end])) ++end;
  return line.substr(0, end);
}

// Words that only go on with a statement before them.
bool continues(std::string_view word) {
  static const std::unordered_set<std::string_view> WORDS = {"else", "elif", "catch", "finally", "case", "default"};
  return WORDS.contains(word);
}

bool begins_part(std::string_view line) {
  if (line.empty() || std::string_view(" \t#)]}").find(line[0]) != std::string_view::npos) return false;
  return !continues(first_word(line));
}

// The lines at which the parts of a file begin.
std::vector<uint32_t> find_parts(FileId file, const source::Sources& sources) {
  std::vector<uint32_t> starts = {1};
  bool after_decorator = false;
  for (uint32_t line = 1; line <= sources.line_count(file); ++line) {
    std::string_view text = sources.line_text(file, line);
    if (!begins_part(text)) continue;
    if (!after_decorator && line > 1) starts.push_back(line);
    after_decorator = text[0] == '@';
  }
  return starts;
}

template <typename Found>
void for_each_word(std::string_view line, Found&& found) {
  for (size_t at = 0; at < line.size() && line[at] != '#';) {
    std::string_view word = first_word(line.substr(at));
    if (!word.empty()) found(word);
    at += std::max<size_t>(word.size(), 1);
  }
}

struct FileParts {
  std::vector<uint32_t> starts;
  std::vector<bool> damaged;

  size_t part_of(uint32_t line) const { return size_t(std::upper_bound(starts.begin(), starts.end(), line) - starts.begin()) - 1; }
};

class Damage {
 public:
  Damage(const std::unordered_set<std::string_view>& library, const source::Sources& sources) : library_(library), sources_(sources) {}

  size_t part_of(source::Span span) { return parts_of(span.file).part_of(sources_.start_of(span).line); }

  void add(source::Span span) {
    FileParts& parts = parts_of(span.file);
    size_t last = parts.part_of(sources_.position(span.file, std::max(span.start, span.end)).line);
    for (size_t part = parts.part_of(sources_.start_of(span).line); part <= last; ++part) {
      if (parts.damaged[part]) continue;
      parts.damaged[part] = true;
      for_each_word_of(span.file, part, [&](std::string_view word) {
        if (!library_.contains(word) && !is_everywhere(word)) words_.insert(word);
        return false;
      });
    }
  }

  bool touches(source::Span span) {
    FileParts& parts = parts_of(span.file);
    size_t part = parts.part_of(sources_.start_of(span).line);
    return parts.damaged[part] || for_each_word_of(span.file, part, [&](std::string_view word) { return words_.contains(word); });
  }

 private:
  FileParts& parts_of(FileId file) {
    auto [found, is_new] = files_.try_emplace(file.index);
    if (is_new) {
      found->second.starts = find_parts(file, sources_);
      found->second.damaged.resize(found->second.starts.size());
    }
    return found->second;
  }

  // True as soon as `test` says so of one of them.
  template <typename Test>
  bool for_each_word_of(FileId file, size_t part, Test&& test) {
    const FileParts& parts = parts_of(file);
    uint32_t end = part + 1 < parts.starts.size() ? parts.starts[part + 1] : sources_.line_count(file) + 1;
    bool found = false;
    for (uint32_t line = parts.starts[part]; line < end && !found; ++line)
      for_each_word(sources_.line_text(file, line), [&](std::string_view word) { found = found || test(word); });
    return found;
  }

  static bool is_everywhere(std::string_view word) {
    static const std::unordered_set<std::string_view> WORDS = {
#define TOKEN(ident, text)
#define SYMBOL(ident, text)
#define KEYWORD(ident, text) text,
#include "compiler/tokens/tokens.def"
#undef TOKEN
#undef SYMBOL
#undef KEYWORD
        "self", "int", "float", "bool", "str", "any", "print", "len", "repr", "type"};
    return WORDS.contains(word) || (word[0] >= '0' && word[0] <= '9');
  }

  const std::unordered_set<std::string_view>& library_;
  const source::Sources& sources_;
  std::unordered_map<uint32_t, FileParts> files_;
  std::unordered_set<std::string_view> words_;   // of the damaged parts
};

// Mistakes after which the parser goes on as if it had read the right thing.
bool is_understood(Code code) { return code == Code::PythonSpelling || code == Code::InvalidEscape || code == Code::InvalidNumber || code == Code::InvalidAssignmentTarget; }

// What the parser says after a mistake, it often says because it lost its way there.
class SyntaxErrors {
 public:
  SyntaxErrors(Damage& damage, const source::Sources& sources) : damage_(damage), sources_(sources) {}

  // A string that is never closed has taken the rest of its line.
  void note(const Diagnostic& d) {
    if (d.code == Code::UnterminatedString) open_strings_.emplace(d.span.file.index, sources_.start_of(d.span).line);
  }

  // They come in the order of the source.
  bool follows(const Diagnostic& d) {
    uint32_t line = sources_.start_of(d.span).line;
    if (d.code != Code::UnterminatedString && open_strings_.contains({d.span.file.index, line})) return true;
    size_t part = damage_.part_of(d.span);
    if (!(d.span.file == file_)) {
      file_ = d.span.file;
      line_ = header_ = 0;
      lost_layout_ = in_bracket_ = false;
      part_ = SIZE_MAX;
    }
    bool is_same_part = part == part_;
    bool is_layout = is_about_layout(d.code);
    if (line_ > 0 && line == line_) return true;
    if (d.code == Code::ExpectedBlock && line_ > 0 && line == line_ + 1) return true;
    if (is_same_part && lost_layout_ && is_layout) return true;
    if (is_same_part && d.code == Code::UnexpectedToken && continues(sources_.text(d.span))) return true;
    if (is_same_part && in_bracket_) return true;
    if (is_same_part && header_ > 0 && is_below(d.span.file, line)) return true;
    lost_layout_ = is_layout || (is_same_part && lost_layout_);
    in_bracket_ = d.code == Code::UnclosedBracket;
    header_ = d.code == Code::UnexpectedToken ? line : 0;
    line_ = line;
    part_ = part;
    return false;
  }

 private:
  // Whether the line belongs to the block below `header_`.
  bool is_below(FileId file, uint32_t line) const {
    auto indent = [&](uint32_t at) { return sources_.line_text(file, at).find_first_not_of(" \t"); };
    for (uint32_t at = header_ + 1; at <= line; ++at)
      if (indent(at) <= indent(header_)) return false;   // a blank line has none, the largest there is
    return true;
  }

  static bool is_about_layout(Code code) {
    return code == Code::ExpectedBlock || code == Code::UnexpectedIndent || code == Code::InconsistentIndent || code == Code::MixedTabs || code == Code::UnclosedBracket;
  }

  Damage& damage_;
  const source::Sources& sources_;
  std::set<std::pair<uint32_t, uint32_t>> open_strings_;   // file, line
  FileId file_;
  uint32_t line_ = 0;            // of the last that stands
  size_t part_ = SIZE_MAX;
  bool lost_layout_ = false;     // in that part: where blocks begin and end
  bool in_bracket_ = false;
  uint32_t header_ = 0;          // the last that stands may have been meant to begin a block
};

// What makes two diagnostics of a file one mistake; empty: nothing does.
std::string mistake(const Diagnostic& d, Damage& damage, const source::Sources& sources) {
  switch (d.code) {
    case Code::UnknownName:
    case Code::UnknownType: return "name " + std::string(sources.text(d.span));
    case Code::UnassignedVariable: return d.message + std::to_string(damage.part_of(d.span));
    case Code::UnknownMember: return d.help.empty() || d.help.starts_with("did you mean") ? d.message : "";   // other advice is for this place
    case Code::PrivateName:
    case Code::NotIterable:
    case Code::InvalidAssignmentTarget: return d.message;
    case Code::TypeMismatch: return d.label.starts_with("there is no `") ? d.message : "";   // a type lacks what `with` calls
    default: return "";
  }
}

}  // namespace

void drop_follow_ons(diagnostics::Sink& sink, size_t syntax_count, const std::unordered_set<std::string_view>& library, const source::Sources& sources) {
  std::vector<Diagnostic> all = sink.all();
  Damage damage(library, sources);
  SyntaxErrors syntax(damage, sources);
  std::set<std::pair<uint32_t, std::string>> told;
  sink.rewind(0);
  for (size_t i = 0; i < syntax_count; ++i)
    if (all[i].span.valid()) syntax.note(all[i]);
  for (size_t i = 0; i < syntax_count; ++i) {
    Diagnostic& d = all[i];
    bool is_lost = d.span.valid() && !is_understood(d.code);
    if (is_lost) damage.add(d.span);
    bool is_syntax = is_lost && d.code <= Code::NestingTooDeep;   // those of the source text and the grammar come first in diagnostics.def
    if (!is_syntax || !syntax.follows(d)) sink.report(d.code, d.span, d.message) = d;
  }
  std::set<std::pair<uint32_t, uint32_t>> respelt;   // file, line
  auto line_of = [&](const Diagnostic& d) { return std::pair(d.span.file.index, sources.start_of(d.span).line); };
  for (size_t i = 0; i < syntax_count; ++i)
    if (all[i].code == Code::PythonSpelling && all[i].span.valid()) respelt.insert(line_of(all[i]));
  for (size_t i = syntax_count; i < all.size(); ++i) {
    Diagnostic& d = all[i];
    if (d.span.valid()) {
      if (d.code == Code::CannotInfer && respelt.contains(line_of(d))) continue;   // `x = None`
      if (syntax_count > 0 && damage.touches(d.span)) continue;
      std::string key = mistake(d, damage, sources);
      if (!key.empty() && !told.emplace(d.span.file.index, key).second) continue;
    }
    sink.report(d.code, d.span, d.message) = d;
  }
}

}  // namespace meteor::pipeline
