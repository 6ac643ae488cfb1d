// Mutations that keep most of a program whole: tokens are dropped, doubled, swapped or respaced, lines moved and reindented.
#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "compiler/tokens/lex.h"

using namespace meteor;

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace {

constexpr std::string_view GAPS[] = {"", " ", "  ", "\n", "\n\n", "  # c\n", "\n    # c\n    ", "\\\n", "\t", ", ", "; ", " (", ") ", ": "};

std::string mutate_tokens(const std::string& text, std::minstd_rand& random) {
  source::Sources sources;
  diagnostics::Sink sink;
  base::NameTable names;
  base::Arena arena;
  tokens::TokenList list = tokens::lex(sources.add("a.met", text), sources, sink, names, arena);
  std::vector<tokens::Token> real;
  for (const tokens::Token& token : list.tokens) {
    if (token.end > token.start && token.kind != tokens::TokenKind::Newline) real.push_back(token);
  }
  if (real.size() < 2) return text;
  auto pick = [&](size_t n) { return size_t(random() % n); };
  const tokens::Token& a = real[pick(real.size())];
  const tokens::Token& b = real[pick(real.size())];
  std::string word = text.substr(b.start, b.end - b.start);
  switch (pick(5)) {
    case 0: return text.substr(0, a.start) + text.substr(a.end);
    case 1: return text.substr(0, a.start) + word + " " + text.substr(a.start);
    case 2: return text.substr(0, a.start) + word + text.substr(a.end);
    case 3: return text.substr(0, a.end) + std::string(GAPS[pick(std::size(GAPS))]) + text.substr(a.end);
    default: {
      size_t gap = text.find_first_not_of(" \t\n", a.end);
      if (gap == std::string::npos) return text;
      return text.substr(0, a.end) + std::string(GAPS[pick(std::size(GAPS))]) + text.substr(gap);
    }
  }
}

std::string mutate_lines(const std::string& text, std::minstd_rand& random) {
  std::vector<std::string> lines;
  for (size_t at = 0; at <= text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  size_t at = random() % lines.size();
  switch (random() % 5) {
    case 0: lines.erase(lines.begin() + std::ptrdiff_t(at)); break;
    case 1: lines.insert(lines.begin() + std::ptrdiff_t(at), lines[random() % lines.size()]); break;
    case 2: lines[at] = "    " + lines[at]; break;
    case 3: lines[at].erase(0, 4); break;
    default: lines[at] += "  # c"; break;
  }
  std::string out;
  for (const std::string& line : lines) (out += line) += '\n';
  return out;
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {
  std::minstd_rand random(seed);
  if (random() % 4 == 0 || size < 4) return LLVMFuzzerMutate(data, size, max_size);
  std::string text(reinterpret_cast<char*>(data), size);
  for (size_t times = 1 + random() % 3; times > 0; times--) text = random() % 3 == 0 ? mutate_lines(text, random) : mutate_tokens(text, random);
  if (text.size() > max_size) text.resize(max_size);
  std::memcpy(data, text.data(), text.size());
  return text.size();
}
