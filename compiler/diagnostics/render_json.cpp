// Diagnostics as JSON lines.
#include <cstdio>

#include "compiler/diagnostics/excerpt.h"
#include "compiler/diagnostics/render.h"

namespace meteor::diagnostics {

namespace {

using source::Sources;
using source::Span;

void write_string(std::string& out, std::string_view text) {
  out += '"';
  for (size_t i = 0; i < text.size();) {
    uint8_t c = uint8_t(text[i]);
    if (c >= 0x80) {
      size_t length = utf8_length(text, i);
      if (length == 0) {
        out += "\\ufffd";
        i++;
      } else {
        out += text.substr(i, length);
        i += length;
      }
      continue;
    }
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\t': out += "\\t"; break;
      case '\r': out += "\\r"; break;
      default:
        if (c < 0x20) {
          char escape[8];
          std::snprintf(escape, sizeof escape, "\\u%04x", c);
          out += escape;
        } else {
          out += char(c);
        }
    }
    i++;
  }
  out += '"';
}

void write_field(std::string& out, std::string_view key, std::string_view value) {
  out += ",\"";
  out += key;
  out += "\":";
  write_string(out, value);
}

void write_place(std::string& out, Span span, const Sources& sources) {
  if (!span.valid()) {
    out += "\"file\":null,\"line\":null,\"column\":null,\"end_line\":null,\"end_column\":null";
    return;
  }
  source::LineColumn start = sources.start_of(span);
  source::LineColumn end = sources.end_of(span);
  out += "\"file\":";
  write_string(out, sources.path(span.file));
  out += ",\"line\":" + std::to_string(start.line) + ",\"column\":" + std::to_string(start.column);
  out += ",\"end_line\":" + std::to_string(end.line) + ",\"end_column\":" + std::to_string(end.column);
}

}  // namespace

std::string json_string(std::string_view text) {
  std::string out;
  write_string(out, text);
  return out;
}

std::string render_json(const Diagnostic& diagnostic, const Sources& sources) {
  std::string out = "{\"name\":";
  write_string(out, name_of(diagnostic.code));
  write_field(out, "severity", severity_of(diagnostic.code) == Severity::Error ? "error" : "warning");
  write_field(out, "message", diagnostic.message);
  out += ',';
  write_place(out, diagnostic.span, sources);
  write_field(out, "label", diagnostic.label);
  write_field(out, "expected", diagnostic.expected);
  write_field(out, "found", diagnostic.found);
  out += ",\"labels\":[";
  for (const Label& label : diagnostic.labels) {
    out += &label == diagnostic.labels.data() ? "{" : ",{";
    write_place(out, label.span, sources);
    write_field(out, "text", label.text);
    out += '}';
  }
  out += "],\"notes\":[";
  for (const std::string& note : diagnostic.notes) {
    if (&note != diagnostic.notes.data()) out += ',';
    write_string(out, note);
  }
  out += ']';
  write_field(out, "help", diagnostic.help);
  out += ",\"edits\":[";
  for (const Edit& edit : diagnostic.edits) {
    out += &edit == diagnostic.edits.data() ? "{" : ",{";
    write_place(out, edit.span, sources);
    write_field(out, "text", edit.text);
    out += '}';
  }
  out += "]}\n";
  return out;
}

std::string render_json(const Sink& sink, const Sources& sources) {
  std::string out;
  for (const Diagnostic& diagnostic : sink.all()) out += render_json(diagnostic, sources);
  return out;
}

}  // namespace meteor::diagnostics
