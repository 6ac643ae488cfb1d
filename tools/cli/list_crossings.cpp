// meteor check --crossings: one line for each place where a value leaves its isolate, and whether it was proven that nothing else refers to it.
#include <cstdio>

#include "compiler/diagnostics/render.h"
#include "tools/cli/commands.h"

namespace meteor::cli {

namespace {

using Place = pipeline::Compilation::CrossingPlace;

std::string as_text(const Place& place) {
  std::string out = place.file + ":" + std::to_string(place.line) + ":" + std::to_string(place.column) + ": " + (place.is_proven ? "proven: " : "checked: ") + place.what;
  if (!place.name.empty()) out += " `" + place.name + "`";
  out += " of type `" + place.type + "`";
  if (!place.reason.empty()) out += ": " + place.reason;
  if (place.cause_line == 0) return out + "\n";
  std::string file = place.cause_file == place.file ? "" : place.cause_file + ", ";
  return out + " (" + file + "line " + std::to_string(place.cause_line) + ")\n";
}

std::string as_json(const Place& place) {
  auto field = [](const char* key, std::string_view value) { return std::string(",\"") + key + "\":" + diagnostics::json_string(value); };
  std::string out = "{\"name\":\"crossing\",\"file\":" + diagnostics::json_string(place.file) + ",\"line\":" + std::to_string(place.line) + ",\"column\":" + std::to_string(place.column);
  out += std::string(",\"proven\":") + (place.is_proven ? "true" : "false") + field("what", place.what) + field("value", place.name) + field("type", place.type) + field("reason", place.reason);
  out += ",\"cause\":";
  if (place.cause_line == 0) out += "null";
  else out += "{\"file\":" + diagnostics::json_string(place.cause_file) + ",\"line\":" + std::to_string(place.cause_line) + "}";
  return out + "}\n";
}

}  // namespace

void list_crossings(const pipeline::Compilation& compilation, const CommandLine& line) {
  size_t proven = 0, checked = 0;
  for (const Place& place : compilation.crossings()) {
    std::fputs((line.json ? as_json(place) : as_text(place)).c_str(), stdout);
    ++(place.is_proven ? proven : checked);
  }
  if (!line.json) std::printf("%zu proven, %zu checked\n", proven, checked);
}

}  // namespace meteor::cli
