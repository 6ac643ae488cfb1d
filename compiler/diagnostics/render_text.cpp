// Diagnostics for people, on a terminal of any width.
#include <algorithm>
#include <map>

#include "compiler/diagnostics/excerpt.h"
#include "compiler/diagnostics/render.h"

namespace meteor::diagnostics {

namespace {

using source::FileId;
using source::LineColumn;
using source::Sources;
using source::Span;

constexpr size_t MAX_MESSAGE = 1000;

enum class Style : uint8_t { Plain, Error, Warning, Secondary, Gutter, Bold, Help };

std::string_view escape_of(Style style) {
  switch (style) {
    case Style::Plain: return "";
    case Style::Error: return "\x1b[1;31m";
    case Style::Warning: return "\x1b[1;33m";
    case Style::Secondary: return "\x1b[1;34m";
    case Style::Gutter: return "\x1b[1;34m";
    case Style::Bold: return "\x1b[1m";
    case Style::Help: return "\x1b[1;32m";
  }
  return "";
}

// One underlined stretch of one line.
struct Mark {
  uint32_t start, end;   // bytes of the line
  char sign;
  Style style;
  std::string_view text;
};

class TextRenderer {
 public:
  TextRenderer(const Diagnostic& diagnostic, const Sources& sources, const TextOptions& options)
      : diagnostic_(diagnostic), sources_(sources), options_(options) {}

  std::string render();

 private:
  void paint(Style style, std::string_view text);
  void gutter(std::string_view number = "");
  void header();
  void source_file(FileId file, bool is_primary);
  void marked_line(FileId file, uint32_t line, std::vector<Mark> marks);
  void remark(std::string_view name, std::string_view text);
  void help();
  void edited_line(FileId file, uint32_t line, const std::vector<const Edit*>& edits);
  void add_mark(std::map<uint32_t, std::vector<Mark>>& lines, Span span, char sign, Style style, std::string_view text);
  Style severity_style() const { return severity_of(diagnostic_.code) == Severity::Error ? Style::Error : Style::Warning; }

  const Diagnostic& diagnostic_;
  const Sources& sources_;
  const TextOptions& options_;
  std::string out_;
  size_t number_width_ = 1;
};

// What a message quotes may be as long as the source.
std::string_view shortened(std::string_view text) {
  if (text.size() <= MAX_MESSAGE) return text;
  size_t end = MAX_MESSAGE;
  while (end > 0 && (uint8_t(text[end]) & 0xC0) == 0x80) end--;
  return text.substr(0, end);
}

void TextRenderer::paint(Style style, std::string_view whole) {
  std::string_view text = shortened(whole);
  std::string_view escape = options_.colours && !text.empty() ? escape_of(style) : "";
  out_ += escape;
  out_ += text;
  if (text.size() < whole.size()) out_ += "…";
  if (!escape.empty()) out_ += "\x1b[0m";
}

void TextRenderer::gutter(std::string_view number) {
  std::string cell(number_width_ - std::min(number_width_, number.size()), ' ');
  paint(Style::Gutter, cell.append(number).append(" |"));
}

void TextRenderer::header() {
  bool is_error = severity_of(diagnostic_.code) == Severity::Error;
  paint(severity_style(), std::string(is_error ? "error" : "warning").append("[").append(name_of(diagnostic_.code)).append("]"));
  paint(Style::Bold, ": " + diagnostic_.message);
  out_ += '\n';
}

void TextRenderer::add_mark(std::map<uint32_t, std::vector<Mark>>& lines, Span span, char sign, Style style, std::string_view text) {
  uint32_t line = sources_.start_of(span).line;
  uint32_t line_start = sources_.line_start(span.file, line);
  uint32_t length = uint32_t(sources_.line_text(span.file, line).size());
  uint32_t start = span.start > line_start ? std::min(span.start - line_start, length) : 0;
  uint32_t end = std::max(start + 1, std::min(span.end > line_start ? span.end - line_start : 0, length));
  lines[line].push_back({start, end, sign, style, text});
}

void TextRenderer::source_file(FileId file, bool is_primary) {
  std::map<uint32_t, std::vector<Mark>> lines;
  Span first = is_primary ? diagnostic_.span : Span{};
  if (is_primary) add_mark(lines, diagnostic_.span, '^', severity_style(), diagnostic_.label);
  for (const Label& label : diagnostic_.labels) {
    if (!label.span.valid() || !(label.span.file == file)) continue;
    if (!first.valid()) first = label.span;
    add_mark(lines, label.span, '-', Style::Secondary, label.text);
  }
  LineColumn at = sources_.start_of(first);
  out_.append(number_width_, ' ');
  paint(Style::Gutter, is_primary ? "--> " : "::: ");
  out_.append(sources_.path(file)).append(":").append(std::to_string(at.line)).append(":").append(std::to_string(at.column)) += '\n';
  gutter();
  out_ += '\n';
  uint32_t previous = 0;
  for (auto& [line, marks] : lines) {
    if (previous != 0 && line == previous + 2) {
      gutter(std::to_string(line - 1));
      out_.append(" ").append(make_excerpt(sources_.line_text(file, line - 1), 0, 0, options_.max_width).text) += '\n';
    } else if (previous != 0 && line > previous + 2) {
      paint(Style::Gutter, "...");
      out_ += '\n';
    }
    marked_line(file, line, std::move(marks));
    previous = line;
  }
}

// The rightmost mark has its text beside it; the others hang below, joined by `|`.
void TextRenderer::marked_line(FileId file, uint32_t line, std::vector<Mark> marks) {
  Mark focus = marks.front();
  Excerpt excerpt = make_excerpt(sources_.line_text(file, line), focus.start, focus.end, options_.max_width);
  gutter(std::to_string(line));
  out_.append(excerpt.text.empty() ? "" : " ").append(excerpt.text) += '\n';

  struct Placed {
    uint32_t start, end;
    const Mark* mark;
  };
  std::vector<Placed> placed;
  for (const Mark& mark : marks) {
    uint32_t start = excerpt.column_of(mark.start);
    placed.push_back({start, std::max(start + 1, excerpt.column_of(mark.end)), &mark});
  }
  std::sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) { return std::pair(a.start, a.mark) < std::pair(b.start, b.mark); });

  uint32_t width = 0;
  for (const Placed& p : placed) width = std::max(width, p.end);
  std::vector<const Mark*> signs(width, nullptr);
  for (const Placed& p : placed) {
    for (uint32_t c = p.start; c < p.end; c++) {
      if (signs[c] == nullptr || p.mark->sign == '^') signs[c] = p.mark;
    }
  }
  gutter();
  out_ += ' ';
  for (uint32_t c = 0; c < width;) {
    uint32_t next = c;
    while (next < width && signs[next] == signs[c]) next++;
    if (signs[c] == nullptr) out_.append(next - c, ' ');
    else paint(signs[c]->style, std::string(next - c, signs[c]->sign));
    c = next;
  }
  const Mark* last = placed.back().mark;
  if (!last->text.empty() && placed.back().end == width) {
    out_ += ' ';
    paint(last->style, last->text);
    placed.pop_back();
  }
  out_ += '\n';
  std::erase_if(placed, [](const Placed& p) { return p.mark->text.empty(); });
  for (bool joins = true; !placed.empty(); joins = !joins) {
    gutter();
    out_ += ' ';
    uint32_t column = 0;
    for (const Placed& p : placed) {
      bool is_text = !joins && &p == &placed.back();
      if (p.start < column) continue;
      out_.append(p.start - column, ' ');
      paint(p.mark->style, is_text ? p.mark->text : "|");
      column = p.start + 1;
    }
    out_ += '\n';
    if (!joins) placed.pop_back();
  }
}

void TextRenderer::remark(std::string_view name, std::string_view whole) {
  std::string_view text = shortened(whole);
  out_.append(number_width_ + 1, ' ');
  paint(Style::Gutter, "= ");
  paint(Style::Bold, name);
  out_ += ": ";
  // Further lines of a note stand below its first.
  std::string indent = "\n" + std::string(number_width_ + 3 + name.size() + 2, ' ');
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    out_ += text.substr(at, end - at);
    if (end + 1 < text.size()) out_ += indent;
    at = end + 1;
  }
  if (text.size() < whole.size()) out_ += "…";
  out_ += '\n';
}

void TextRenderer::help() {
  if (diagnostic_.help.empty() && diagnostic_.edits.empty()) return;
  if (diagnostic_.edits.empty()) return remark("help", diagnostic_.help);
  paint(Style::Help, "help");
  out_.append(": ").append(diagnostic_.help.empty() ? "write this" : shortened(diagnostic_.help)) += '\n';
  std::map<std::pair<uint32_t, uint32_t>, std::vector<const Edit*>> lines;
  for (const Edit& edit : diagnostic_.edits) {
    if (edit.span.valid()) lines[{edit.span.file.index, sources_.start_of(edit.span).line}].push_back(&edit);
  }
  gutter();
  out_ += '\n';
  for (auto& [place, edits] : lines) {
    std::sort(edits.begin(), edits.end(), [](const Edit* a, const Edit* b) { return std::pair(a->span.start, a) < std::pair(b->span.start, b); });
    edited_line(FileId(place.first), place.second, edits);
  }
}

// Shows the line after its edits, with `~` below what is new. A removal shows the line that remains; of an edit that
// begins another line, what stands before that.
void TextRenderer::edited_line(FileId file, uint32_t line, const std::vector<const Edit*>& edits) {
  std::string_view before = sources_.line_text(file, line);
  uint32_t line_start = sources_.line_start(file, line);
  std::string after;
  std::vector<std::pair<uint32_t, uint32_t>> changed;
  size_t at = 0;
  for (const Edit* edit : edits) {
    size_t start = std::clamp<size_t>(edit->span.start - std::min(edit->span.start, line_start), at, before.size());
    size_t end = std::clamp<size_t>(edit->span.end - std::min(edit->span.end, line_start), start, before.size());
    after += before.substr(at, start - at);
    std::string_view text = std::string_view(edit->text).substr(0, edit->text.find('\n'));
    changed.push_back({uint32_t(after.size()), uint32_t(after.size() + text.size())});
    after += text;
    at = text.size() < edit->text.size() ? before.size() : end;
    if (at == before.size()) break;
  }
  after += before.substr(at);
  Excerpt excerpt = make_excerpt(after, changed.front().first, changed.front().second, options_.max_width);
  gutter(std::to_string(line));
  out_.append(" ").append(excerpt.text) += '\n';
  std::string below;
  for (auto [start, end] : changed) {
    uint32_t from = excerpt.column_of(start);
    uint32_t to = excerpt.column_of(end);
    if (from > below.size()) below.append(from - below.size(), ' ');
    if (to > below.size()) below.append(to - below.size(), '~');
  }
  if (below.find('~') == std::string::npos) return;
  gutter();
  out_ += ' ';
  paint(Style::Help, below);
  out_ += '\n';
}

std::string TextRenderer::render() {
  header();
  uint32_t last_line = 1;
  auto widen = [&](Span span) {
    if (span.valid()) last_line = std::max(last_line, sources_.start_of(span).line);
  };
  widen(diagnostic_.span);
  for (const Label& label : diagnostic_.labels) widen(label.span);
  for (const Edit& edit : diagnostic_.edits) widen(edit.span);
  number_width_ = std::to_string(last_line).size();

  bool has_remark = !diagnostic_.expected.empty() || !diagnostic_.found.empty() || !diagnostic_.notes.empty() ||
                    (!diagnostic_.help.empty() && diagnostic_.edits.empty());
  if (diagnostic_.span.valid()) {
    source_file(diagnostic_.span.file, true);
    std::vector<FileId> others;
    for (const Label& label : diagnostic_.labels) {
      FileId file = label.span.file;
      if (!file.valid() || file == diagnostic_.span.file || std::find(others.begin(), others.end(), file) != others.end()) continue;
      others.push_back(file);
      source_file(file, false);
    }
    if (has_remark) {
      gutter();
      out_ += '\n';
    }
  }
  if (!diagnostic_.expected.empty()) remark("expected", diagnostic_.expected);
  if (!diagnostic_.found.empty()) remark("   found", diagnostic_.found);
  for (const std::string& note : diagnostic_.notes) remark("note", note);
  help();
  return std::move(out_);
}

}  // namespace

std::string render_text(const Diagnostic& diagnostic, const Sources& sources, const TextOptions& options) {
  return TextRenderer(diagnostic, sources, options).render();
}

std::string render_text(const Sink& sink, const Sources& sources, const TextOptions& options) {
  std::string out;
  size_t shown = std::min(sink.all().size(), options.max_shown);
  for (size_t i = 0; i < shown; i++) out.append(render_text(sink.all()[i], sources, options)) += '\n';
  if (shown < sink.all().size()) out += "… and " + std::to_string(sink.all().size() - shown) + " more\n";
  return out;
}

}  // namespace meteor::diagnostics
