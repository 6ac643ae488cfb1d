#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

static int64_t count(const std::string& text, const std::string& part) {
  int64_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

static std::string replace(const std::string& text, const std::string& from, const std::string& to) {
  std::string out;
  size_t start = 0;
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, start)) {
    out.append(text, start, at - start).append(to);
    start = at + from.size();
  }
  return out.append(text, start, std::string::npos);
}

int main(int argc, char** argv) {
  int64_t n = argc > 1 ? std::atoi(argv[1]) : 3000000;
  std::string s;
  for (int64_t i = 0; i < n; ++i) {
    s += "ab";
    if (i % 3 == 0) s += "-";
  }
  std::vector<std::string> parts;
  for (int64_t i = 0; i < n / 3; ++i) parts.push_back(std::to_string(i) + ":" + std::to_string(i * 7 % 13));
  std::string joined;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i) joined += ',';
    joined += parts[i];
  }
  int64_t dashes = 0;
  for (char c : s) dashes += c == '-';
  std::printf("%zu %zu %lld %lld %zu\n", s.size(), joined.size(), (long long)dashes, (long long)count(joined, ":12"), replace(s, "-", "+-").size());
}
