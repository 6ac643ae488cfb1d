// Bytes → JSON's tokens: numbers as strtod and a plain reading of the grammar have them; text that is read, skipped and written agrees.
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>

#include "runtime/json/json.h"

namespace {

void must(bool holds) {
  if (!holds) std::abort();
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// How long the number at the beginning is; 0: there is none.
size_t number_size(const std::string& text, bool& whole) {
  size_t at = 0;
  auto digits = [&] {
    size_t from = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    return at - from;
  };
  auto is = [&](char c) { return at < text.size() && text[at] == c; };
  whole = true;
  if (is('-')) ++at;
  bool zero = is('0');
  size_t count = digits();
  if (count == 0 || (zero && count > 1)) return 0;
  if (is('.')) {
    whole = false;
    ++at;
    if (digits() == 0) return 0;
  }
  if (is('e') || is('E')) {
    whole = false;
    ++at;
    if (is('-') || is('+')) ++at;
    if (digits() == 0) return 0;
  }
  return at;
}

void check_number(met_json_reader& reader, const std::string& text) {
  int64_t value = met_json_read_number(&reader);
  bool whole = false;
  size_t size = number_size(text, whole);
  must((size == 0) == (reader.status == JSON_BAD_NUMBER));
  if (size == 0) return;
  must(reader.at == int64_t(size));
  std::string number = text.substr(0, size);
  if (reader.status == JSON_INT) {
    must(whole && std::to_string(value) == (number == "-0" ? "0" : number));
    return;
  }
  must(whole == (reader.status == JSON_LARGE));
  double wanted = strtod(number.c_str(), nullptr);
  must(memcmp(&wanted, &reader.number, sizeof wanted) == 0);
}

std::string bytes_of(met_str text) {
  std::string made(size_t(met_str_size(text)), 0);
  met_str_copy_to(text, reinterpret_cast<uint8_t*>(made.data()));
  return made;
}

void check_text(met_json_reader& reader, const std::string& document) {
  met_json_reader skipping = reader;
  met_str text = met_json_read_text(&reader);
  met_json_skip_text(&skipping);
  must(skipping.status == reader.status && skipping.at == reader.at);
  must(reader.at >= 0 && reader.at <= reader.size);
  if (reader.status == JSON_INT) {
    must(document[size_t(reader.at) - 1] == '"');
    met_json_writer writer = {};
    met_json_write_text(&writer, text);
    met_str written = met_json_taken(&writer);
    std::string again = bytes_of(written).substr(1);
    met_str_release(written);
    met_json_free(&writer);
    std::string padded = again + std::string(JSON_PADDING, '\0');
    met_json_reader second = {};
    second.data = reinterpret_cast<uint8_t*>(padded.data());
    second.size = int64_t(again.size());
    met_str same = met_json_read_text(&second);
    must(second.status == JSON_INT && second.at == second.size && bytes_of(same) == bytes_of(text));
    met_str_release(same);
  }
  met_str_release(text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  std::string document(reinterpret_cast<const char*>(data + 1), size - 1);
  int64_t error = -1;
  if (!met_memory_is_utf8(reinterpret_cast<uint8_t*>(document.data()), int64_t(document.size()), &error)) return 0;
  std::string padded = document + std::string(JSON_PADDING, '\0');
  met_json_reader reader = {};
  reader.data = reinterpret_cast<uint8_t*>(padded.data());
  reader.size = int64_t(document.size());
  if (data[0] & 1) check_number(reader, document);
  else check_text(reader, document);
  return 0;
}
