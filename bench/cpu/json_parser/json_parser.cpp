#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

struct Json;
using Items = std::vector<Json>;
using Object = std::unordered_map<std::string, Json>;
struct Json { std::variant<std::monostate, bool, int64_t, std::string, std::unique_ptr<Items>, std::unique_ptr<Object>> value; };

struct Parser {
  const std::string& text;
  size_t at = 0;

  int peek() const { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0; }
  void skip() { while (at < text.size() && text[at] <= ' ') ++at; }
  void expect(char c) {
    skip();
    if (peek() != c) throw std::runtime_error("unexpected text");
    ++at;
  }
  Json value() {
    skip();
    switch (peek()) {
      case '{': return object();
      case '[': return items();
      case '"': return {string()};
      case 't': at += 4; return {true};
      case 'f': at += 5; return {false};
      case 'n': at += 4; return {};
      default: return {number()};
    }
  }
  int64_t number() {
    bool negative = peek() == '-';
    if (negative) ++at;
    if (peek() < '0' || peek() > '9') throw std::runtime_error("expected a value");
    int64_t n = 0;
    while (peek() >= '0' && peek() <= '9') n = n * 10 + peek() - '0', ++at;
    return negative ? -n : n;
  }
  std::string string() {
    expect('"');
    size_t start = at;
    while (peek() != '"') {
      if (at >= text.size()) throw std::runtime_error("a text without end");
      ++at;
    }
    ++at;
    return text.substr(start, at - 1 - start);
  }
  Json items() {
    expect('[');
    auto found = std::make_unique<Items>();
    skip();
    if (peek() == ']') { ++at; return {std::move(found)}; }
    while (true) {
      found->push_back(value());
      skip();
      if (peek() != ',') break;
      ++at;
    }
    expect(']');
    return {std::move(found)};
  }
  Json object() {
    expect('{');
    auto fields = std::make_unique<Object>();
    skip();
    if (peek() == '}') { ++at; return {std::move(fields)}; }
    while (true) {
      skip();
      std::string key = string();
      expect(':');
      (*fields)[std::move(key)] = value();
      skip();
      if (peek() != ',') break;
      ++at;
    }
    expect('}');
    return {std::move(fields)};
  }
};

static int64_t total(const Json& json) {
  switch (json.value.index()) {
    case 0: return 0;
    case 1: return std::get<1>(json.value) ? 1 : 2;
    case 2: return std::get<2>(json.value);
    case 3: return int64_t(std::get<3>(json.value).size());
    case 4: {
      int64_t sum = 0;
      for (const Json& item : *std::get<4>(json.value)) sum += total(item);
      return sum;
    }
    default: {
      int64_t sum = 0;
      for (auto& [key, value] : *std::get<5>(json.value)) sum += int64_t(key.size()) + total(value);
      return sum;
    }
  }
}

static std::string make_text(int64_t n) {
  std::string text = "[";
  for (int64_t i = 0; i < n; ++i) {
    std::string id = std::to_string(i);
    if (i) text += ", ";
    text += "{\"id\": " + id + ", \"name\": \"person number " + id + "\", \"tags\": [\"a" + std::to_string(i % 10) + "\", \"bb\", \"a longer tag with spaces\"], \"on\": " +
            (i % 2 == 0 ? "true" : "false") + ", \"nested\": {\"x\": " + std::to_string(-i) + ", \"y\": null}}";
  }
  return text + "]";
}

int main(int argc, char** argv) {
  std::string text = make_text(argc > 1 ? std::atoi(argv[1]) : 40000);
  int64_t sum = 0;
  for (int i = 0; i < 5; ++i) sum += total(Parser{text}.value());
  std::printf("%zu %lld\n", text.size(), (long long)sum);
}
