#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

static std::string make_text(int64_t words) {
  std::vector<std::string> parts;
  int64_t seed = 42;
  for (int64_t i = 0; i < words; ++i) {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    int64_t a = seed / 65536 % 300;
    seed = (seed * 1103515245 + 12345) % 2147483648;
    int64_t b = seed / 65536 % 300;
    parts.push_back("word" + std::to_string(a * b % 20011));
  }
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i) text += ' ';
    text += parts[i];
  }
  return text;
}

static std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> words;
  size_t start = 0;
  while (true) {
    size_t end = text.find(' ', start);
    words.push_back(text.substr(start, end == std::string::npos ? end : end - start));
    if (end == std::string::npos) return words;
    start = end + 1;
  }
}

int main(int argc, char** argv) {
  std::string text = make_text(argc > 1 ? std::atoi(argv[1]) : 2000000);
  std::unordered_map<std::string, int64_t> counts;
  for (const std::string& word : split(text)) ++counts[word];
  std::vector<std::pair<std::string, int64_t>> ranked(counts.begin(), counts.end());
  std::sort(ranked.begin(), ranked.end(), [](auto& a, auto& b) { return a.second != b.second ? a.second > b.second : a.first < b.first; });
  std::printf("%zu\n", counts.size());
  for (size_t i = 0; i < 5 && i < ranked.size(); ++i) std::printf("%s %lld\n", ranked[i].first.c_str(), (long long)ranked[i].second);
}
