// Bytes → head of an HTTP message: what the runtime's reader says of it is compared with a plain reading, line by line.
#include <cctype>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/text/text.h"

struct Head {
  met_str method, target, spots;
  int64_t status, version, length, hosts, flags, mark, problem;
};

extern "C" {
int64_t met_http_read_head(met_str data, int64_t at, int64_t end, bool is_request, Head* head);
int64_t met_http_find(met_str data, met_str spots, met_str name, int64_t i);
met_str met_http_name(met_str data, met_str spots, int64_t i);
met_str met_http_value(met_str data, met_str spots, int64_t i);
}

namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

void must(bool holds) {
  if (!holds) std::abort();
}

std::string text_of(met_str text) {
  std::string made(size_t(met_str_size(text)), 0);
  met_str_copy_to(text, reinterpret_cast<uint8_t*>(made.data()));
  met_str_release(text);
  return made;
}

bool is_token(std::string_view text) {
  for (unsigned char c : text)
    if (!(std::isalnum(c) && c < 128) && (c == 0 || std::string_view("!#$%&'*+-.^_`|~").find(char(c)) == std::string_view::npos)) return false;
  return !text.empty();
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

bool is_request_line(std::string_view line) {
  size_t first = line.find(' ');
  if (first == line.npos || !is_token(line.substr(0, first))) return false;
  size_t second = line.find(' ', first + 1);
  if (second == line.npos || second == first + 1) return false;
  for (unsigned char c : line.substr(first + 1, second - first - 1))
    if (c <= 32 || c >= 127 || c == '#') return false;
  std::string_view version = line.substr(second + 1);
  return version == "HTTP/1.1" || version == "HTTP/1.0";
}

bool is_status_line(std::string_view line) {
  if (line.size() < 12 || (line.substr(0, 9) != "HTTP/1.1 " && line.substr(0, 9) != "HTTP/1.0 ")) return false;
  for (char c : line.substr(9, 3))
    if (c < '0' || c > '9') return false;
  return line[9] != '0' && (line.size() == 12 || line[12] == ' ');
}

// False: no head.
bool read_plainly(std::string_view text, bool is_request, Fields& fields) {
  bool is_first = true;
  for (;;) {
    size_t end = text.find('\n');
    if (end == text.npos || end == 0 || text[end - 1] != '\r') return false;
    std::string_view line = text.substr(0, end - 1);
    text.remove_prefix(end + 1);
    if (is_first) {
      if (!(is_request ? is_request_line(line) : is_status_line(line))) return false;
      is_first = false;
      continue;
    }
    if (line.empty()) return true;
    size_t colon = line.find(':');
    if (colon == line.npos || !is_token(line.substr(0, colon))) return false;
    std::string_view value = trimmed(line.substr(colon + 1));
    for (unsigned char c : value)
      if ((c < 32 && c != '\t') || c == 127) return false;
    fields.emplace_back(line.substr(0, colon), value);
  }
}

std::string utf8_of(std::string_view latin) {
  std::string made;
  for (unsigned char c : latin) {
    if (c < 128) made += char(c);
    else made += {char(0xc0 | c >> 6), char(0x80 | (c & 63))};
  }
  return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  bool is_request = data[0] & 1;
  int64_t at = data[0] >> 1 & 3;
  std::string_view all(reinterpret_cast<const char*>(data), size);
  if (size_t(at) > size) return 0;
  met_str bytes = met_bytes_make(data, int64_t(size));
  Head head = {};
  int64_t whole = met_http_read_head(bytes, at, int64_t(size), is_request, &head);
  Fields fields;
  bool plain = read_plainly(all.substr(size_t(at)), is_request, fields);
  must(plain == (head.problem == 0 && whole > 0));
  if (plain) {
    must(met_str_size(head.spots) == int64_t(fields.size() * 4));
    for (size_t i = 0; i < fields.size(); ++i) {
      must(text_of(met_http_name(bytes, head.spots, int64_t(i))) == fields[i].first);
      must(text_of(met_http_value(bytes, head.spots, int64_t(i))) == utf8_of(fields[i].second));
    }
    met_str name = met_str_from_c("Content-Length");
    int64_t found = met_http_find(bytes, head.spots, name, 0);
    must(found < int64_t(fields.size()) && (head.length < 0 || found >= 0));
    met_str_release(name);
  }
  met_str_release(head.method);
  met_str_release(head.target);
  met_str_release(head.spots);
  met_str_release(bytes);
  return 0;
}
