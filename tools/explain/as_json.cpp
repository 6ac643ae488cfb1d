// One object: {"functions": […]}. Field names are those of mir::FrameReport.
#include <cstdio>

#include "tools/explain/explain.h"

namespace meteor::explain {

namespace {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    unsigned char u = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') (out += '\\') += c;
    else if (u < 0x20) {
      char hex[8];
      std::snprintf(hex, sizeof hex, "\\u%04x", u);
      out += hex;
    } else out += c;
  }
  return out + "\"";
}

std::string number(uint64_t value) { return std::to_string(value); }
std::string boolean(bool value) { return value ? "true" : "false"; }

std::string numbers(const std::vector<uint32_t>& values) {
  std::string out = "[";
  for (uint32_t value : values) out += (out.size() > 1 ? ", " : "") + number(value);
  return out + "]";
}

std::string state_json(const mir::FrameState& state) {
  std::string stops;
  for (const mir::ErrorStop& stop : state.on_error)
    stops += std::string(stops.empty() ? "" : ", ") + "{\"caught\": " + (stop.caught.empty() ? "null" : quoted(stop.caught)) + ", \"line\": " + number(stop.line) + "}";
  return "{\"number\": " + number(state.number) + ", \"line\": " + number(state.line) + ", \"column\": " + number(state.column) + ", \"what\": " + quoted(state.what) +
         ", \"source\": " + quoted(state.source) + ", \"kept\": " + number(state.kept) + ", \"next\": " + numbers(state.next) + ", \"may_end\": " + boolean(state.may_end) +
         ", \"on_error\": [" + stops + "], \"error_leaves\": " + boolean(state.error_leaves) + "}";
}

std::string field_json(const mir::FrameField& field) {
  return "{\"name\": " + (field.name.empty() ? "null" : quoted(field.name)) + ", \"type\": " + quoted(field.type) + ", \"offset\": " + number(field.offset) +
         ", \"size\": " + number(field.size) + ", \"is_callee\": " + boolean(field.is_callee) + ", \"boxed\": " + boolean(field.boxed) + ", \"has_home\": " + boolean(field.has_home) +
         ", \"states\": " + numbers(field.states) + "}";
}

}  // namespace

std::string as_json(const Reports& reports) {
  std::string out = "{\"functions\": [";
  for (const mir::FrameReport& report : reports) {
    std::string fields, states;
    for (const mir::FrameField& field : report.fields) fields += (fields.empty() ? "\n      " : ",\n      ") + field_json(field);
    for (const mir::FrameState& state : report.states) states += (states.empty() ? "\n      " : ",\n      ") + state_json(state);
    out += std::string(out.ends_with("[") ? "\n" : ",\n") + "  {\"name\": " + quoted(report.name) + ", \"kind\": " + quoted(kind_text(report.kind)) + ", \"file\": " + quoted(report.file) +
           ", \"line\": " + number(report.line) + ", \"suspends\": " + boolean(report.suspends) + ", \"size\": " + number(report.size) + ", \"header_size\": " + number(report.header_size) +
           ", \"result\": {\"type\": " + quoted(report.result) + ", \"offset\": " + number(report.result_offset) + ", \"size\": " + number(report.result_size) + "},\n    \"fields\": [" + fields +
           "],\n    \"states\": [" + states + "]}";
  }
  return out + "]}\n";
}

}  // namespace meteor::explain
