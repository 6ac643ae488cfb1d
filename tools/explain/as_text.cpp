#include <algorithm>
#include <array>

#include "tools/explain/explain.h"

namespace meteor::explain {

namespace {

using Row = std::vector<std::string>;

// Characters, not bytes: names may be in any script.
size_t width_of(const std::string& text) {
  return static_cast<size_t>(std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string table(const std::vector<Row>& rows) {
  std::vector<size_t> widths;
  for (const Row& row : rows)
    for (size_t i = 0; i < row.size(); ++i) {
      if (i == widths.size()) widths.push_back(0);
      widths[i] = std::max(widths[i], width_of(row[i]));
    }
  std::string out;
  for (const Row& row : rows) {
    out += "  ";
    for (size_t i = 0; i < row.size(); ++i) {
      out += row[i];
      if (i + 1 < row.size()) out += std::string(widths[i] - width_of(row[i]) + 2, ' ');
    }
    while (out.back() == ' ') out.pop_back();
    out += "\n";
  }
  return out;
}

std::string cut(const std::string& text, size_t most) {
  if (text.size() <= most) return text;
  size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end) + "…";
}

std::string joined(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : ", ") + part;
  return out;
}

std::string next_text(const mir::FrameState& state) {
  std::vector<std::string> parts;
  for (uint32_t next : state.next) parts.push_back(std::to_string(next));
  if (state.may_end) parts.emplace_back("end");
  return joined(parts);
}

std::string one(const mir::FrameReport& report) {
  std::string out = kind_text(report.kind) + " " + report.name + " -> " + report.result + "    " + report.file + ":" + std::to_string(report.line) + "\n";
  if (!report.suspends && report.kind == mir::FrameKind::Async)
    return out + "  never suspends: awaited, it is an ordinary call without a frame; as a task it takes " + std::to_string(report.size) + " bytes\n";
  out += "  frame of " + std::to_string(report.size) + " bytes: " + std::to_string(report.header_size) + " of header, then\n\n";

  std::vector<Row> rows = {{"field", "type", "bytes", "at", "kept by"}};
  for (const mir::FrameField& field : report.fields) {
    std::vector<std::string> kept;
    for (uint32_t state : field.states) kept.push_back(state == 0 ? "start" : std::to_string(state) + " (line " + std::to_string(report.states[state].line) + ")");
    rows.push_back({field_text(field) + (field.has_home && !field.is_callee ? " *" : ""), field.is_callee ? "" : field.type, std::to_string(field.size), std::to_string(field.offset), joined(kept)});
  }
  if (report.result_size > 0) rows.push_back({"result", report.result, std::to_string(report.result_size), std::to_string(report.result_offset), "end"});
  out += table(rows);
  bool has_home = std::ranges::any_of(report.fields, [](const mir::FrameField& f) { return f.has_home && !f.is_callee; });
  if (has_home) out += "  * lives in the frame all the time: its address is known elsewhere, or it lives across many of many suspensions\n";

  rows = {{"state", "line", "waits in", "keeps", "then", "an error"}};
  for (const mir::FrameState& state : report.states)
    rows.push_back({std::to_string(state.number), std::to_string(state.line), state.number == 0 ? "start" : state.what + "    " + cut(state.source, 48), std::to_string(state.kept) + " bytes",
                    next_text(state), state.number == 0 ? "" : error_text(state)});
  return out + "\n" + table(rows);
}

}  // namespace

std::string kind_text(mir::FrameKind kind) {
  switch (kind) {
    case mir::FrameKind::Generator: return "generator";
    case mir::FrameKind::AsyncGenerator: return "async generator";
    default: return "async def";
  }
}

std::string field_text(const mir::FrameField& field) {
  if (field.is_callee) return (field.boxed ? "pointer to the frame of " : "frame of ") + field.name;
  return field.name.empty() ? "(temporary)" : field.name;
}

std::string error_text(const mir::FrameState& state) {
  std::string out;
  for (const mir::ErrorStop& stop : state.on_error) {
    if (!out.empty()) out += ", else ";
    out += (stop.caught.empty() ? "clean-up" : "catch " + stop.caught) + " at line " + std::to_string(stop.line);
  }
  if (state.error_leaves) {
    bool is_cleaned = !state.on_error.empty() && state.on_error.back().caught.empty();
    out += (out.empty() ? "" : is_cleaned ? ", then " : ", else ") + std::string("ends the function");
  }
  return out.empty() ? "cannot come" : out;
}

std::string as_text(const Reports& reports) {
  std::string out;
  for (const mir::FrameReport& report : reports) out += (out.empty() ? "" : "\n") + one(report);
  return out;
}

}  // namespace meteor::explain
