// The lexer's loop: names, keywords, symbols and comments.
#include "compiler/tokens/lex.h"

#include <array>
#include <cstring>

#include "compiler/tokens/lexer.h"
#include "compiler/tokens/unicode.h"

namespace meteor::tokens {

using diagnostics::Code;
using diagnostics::Diagnostic;

namespace {

enum CharClass : uint8_t { Other, Space, Letter, Digit, LineEnd, Quote, HighByte };

constexpr std::array<uint8_t, 256> make_classes() {
  std::array<uint8_t, 256> classes{};
  for (int c = 'a'; c <= 'z'; c++) classes[size_t(c)] = Letter;
  for (int c = 'A'; c <= 'Z'; c++) classes[size_t(c)] = Letter;
  classes['_'] = Letter;
  for (int c = '0'; c <= '9'; c++) classes[size_t(c)] = Digit;
  classes[' '] = classes['\t'] = classes['\f'] = Space;
  classes['\n'] = classes['\r'] = LineEnd;
  classes['"'] = classes['\''] = Quote;
  for (size_t c = 0x80; c < 0x100; c++) classes[c] = HighByte;
  return classes;
}

constexpr std::array<uint8_t, 256> CLASSES = make_classes();

uint8_t class_of(char c) { return CLASSES[uint8_t(c)]; }

struct Keyword {
  std::string_view text;
  TokenKind kind = TokenKind::Ident;
};

constexpr Keyword KEYWORDS[] = {
#define TOKEN(ident, text)
#define KEYWORD(ident, text) {text, TokenKind::ident},
#define SYMBOL(ident, text)
#include "compiler/tokens/tokens.def"
#undef TOKEN
#undef KEYWORD
#undef SYMBOL
};

constexpr size_t KEYWORD_SLOTS = 256;

constexpr size_t keyword_slot(std::string_view text) {
  return (uint8_t(text[0]) * 5u + uint8_t(text[1]) * 19u + uint8_t(text[text.size() - 1]) * 3u + text.size() * 41u) % KEYWORD_SLOTS;
}

constexpr std::array<Keyword, KEYWORD_SLOTS> make_keyword_table() {
  std::array<Keyword, KEYWORD_SLOTS> table{};
  for (const Keyword& keyword : KEYWORDS) {
    size_t at = keyword_slot(keyword.text);
    while (!table[at].text.empty()) at = (at + 1) % KEYWORD_SLOTS;
    table[at] = keyword;
  }
  return table;
}

constexpr std::array<Keyword, KEYWORD_SLOTS> KEYWORD_TABLE = make_keyword_table();

TokenKind word_kind(std::string_view text) {
  if (text.size() < 2 || text.size() > 8 || text[0] < 'a') return TokenKind::Ident;
  for (size_t at = keyword_slot(text); !KEYWORD_TABLE[at].text.empty(); at = (at + 1) % KEYWORD_SLOTS) {
    if (KEYWORD_TABLE[at].text == text) return KEYWORD_TABLE[at].kind;
  }
  return TokenKind::Ident;
}

// Characters that editors and word processors put where Meteor wants ASCII.
struct LookAlike {
  uint32_t scalar;
  std::string_view ascii;
};

constexpr LookAlike LOOK_ALIKES[] = {
    {0x201C, "\""}, {0x201D, "\""}, {0x2018, "'"}, {0x2019, "'"}, {0x00D7, "*"}, {0x00F7, "/"}, {0x2212, "-"}, {0x2013, "-"}, {0x2192, "->"},
    {0x2260, "!="}, {0x2264, "<="}, {0x2265, ">="}, {0xFF08, "("}, {0xFF09, ")"}, {0xFF0C, ","}, {0xFF1A, ":"}, {0xFF1B, ";"}, {0xFF1D, "="},
    {0x3002, "."}, {0x3001, ","}, {0x3010, "["}, {0x3011, "]"}, {0x00A0, " "}, {0x3000, " "}, {0x2003, " "}, {0x2026, "..."}, {0x200B, ""}, {0xFEFF, ""},
};

// A copy in which every byte that is not UTF-8 and every NUL is one that can be lexed, reported once.
std::string_view clean_text(source::FileId file, std::string_view text, diagnostics::Sink& sink, base::Arena& arena) {
  size_t invalid = find_invalid_utf8(text, 0);
  size_t nul = text.find('\0');
  if (invalid == text.size() && nul == std::string_view::npos) return text;
  std::string copy(text);
  size_t count = 0;
  for (size_t at = invalid; at < copy.size(); at = find_invalid_utf8(copy, at)) {
    copy[at] = '_';   // most likely a letter in another encoding: keeps names and strings whole
    count++;
  }
  if (count > 0) {
    Diagnostic& d = sink.report(Code::InvalidUtf8, {file, uint32_t(invalid), uint32_t(invalid + 1)}, "the file is not valid UTF-8");
    d.label = "this byte is not part of a character";
    if (count > 1) d.notes.push_back(std::to_string(count) + " bytes of the file are not UTF-8");
    d.help = "save the file as UTF-8";
  }
  if (nul != std::string_view::npos) {
    Diagnostic& d = sink.report(Code::InvalidCharacter, {file, uint32_t(nul), uint32_t(nul + 1)}, "the file contains a NUL byte");
    d.notes.push_back("is this a text file?");
    for (char& c : copy) {
      if (c == '\0') c = ' ';
    }
  }
  return arena.copy_text(copy);
}

}  // namespace

TokenList lex(source::FileId file, const source::Sources& sources, diagnostics::Sink& sink, base::NameTable& names, base::Arena& arena) {
  return Lexer(file, clean_text(file, sources.text(file), sink, arena), sink, names, arena).run();
}

Lexer::Lexer(source::FileId file, std::string_view text, diagnostics::Sink& sink, base::NameTable& names, base::Arena& arena)
    : file_(file), sink_(sink), names_(names), arena_(arena), begin_(text.data()), at_(text.data()), end_(text.data() + text.size()) {
  out_.tokens.reserve(text.size() / 3 + 16);
  layouts_.push_back({});
  indents_.push_back({0, 0, 0});
}

TokenList Lexer::run() {
  if (end_ - at_ >= 3 && std::memcmp(at_, "\xEF\xBB\xBF", 3) == 0) at_ += 3;
  while (true) {
    if (at_line_start_) start_line();
    while (class_of(*at_) == Space) at_++;
    if (at_ >= end_) break;
    lex_token();
  }
  finish();
  return std::move(out_);
}

Diagnostic& Lexer::report(Code code, uint32_t start, uint32_t end, std::string message) {
  return sink_.report(code, span(start, end), std::move(message));
}

Token& Lexer::push(TokenKind kind, uint32_t start, uint32_t end) {
  Token& token = out_.tokens.emplace_back();
  token.kind = kind;
  token.space_before = start != last_end_;
  token.start = start;
  token.end = end;
  last_end_ = end;
  return token;
}

void Lexer::push_literal(TokenKind kind, uint32_t start, Literal literal) {
  push(kind, start, offset()).literal = uint32_t(out_.literals.size());
  out_.literals.push_back(literal);
}

void Lexer::lex_token() {
  char c = *at_;
  switch (class_of(c)) {
    case Letter:
      if (!lex_prefixed_string()) lex_word();
      return;
    case HighByte:
      if (is_ident_start_at(at_)) lex_word();
      else lex_invalid();
      return;
    case Digit: lex_number(); return;
    case Quote: lex_string(offset(), {}); return;
    case LineEnd: end_line(); return;
    default: break;
  }
  if (c == '#') {
    lex_comment(false);
  } else if (c == '.' && class_of(at_[1]) == Digit) {
    lex_number();
  } else if (c == '\\' && (at_[1] == '\n' || at_[1] == '\r')) {
    at_++;
    skip_line_end();
  } else if (!fstrings_.empty() && lex_field_part(c)) {
    return;
  } else {
    lex_symbol();
  }
}

bool Lexer::is_ident_start_at(const char* at) const {
  if (class_of(*at) == Letter) return true;
  return class_of(*at) == HighByte && is_ident_start(decode_utf8(at, end_).value);
}

const char* Lexer::skip_ident(const char* at) const {
  while (true) {
    uint8_t cls = class_of(*at);
    if (cls == Letter || cls == Digit) {
      at++;
    } else if (cls == HighByte) {
      Scalar scalar = decode_utf8(at, end_);
      if (scalar.length == 0 || !is_ident_continue(scalar.value)) return at;
      at += scalar.length;
    } else {
      return at;
    }
  }
}

void Lexer::lex_word() {
  const char* start = at_;
  at_ = skip_ident(at_);
  std::string_view text(start, size_t(at_ - start));
  TokenKind kind = word_kind(text);
  push(kind, uint32_t(start - begin_), offset()).name = names_.intern(text);
  if (kind == TokenKind::Def) note_def();
}

void Lexer::lex_comment(bool own_line) {
  const char* start = at_;
  while (at_ < end_ && *at_ != '\n' && *at_ != '\r') at_++;
  out_.comments.push_back({uint32_t(start - begin_), offset(), own_line});
}

bool Lexer::lex_symbol_of(TokenKind kind, uint32_t length) {
  uint32_t start = offset();
  at_ += length;
  push(kind, start, offset());
  return true;
}

void Lexer::lex_symbol() {
  using K = TokenKind;
  char second = at_[1];
  char third = second != 0 ? at_[2] : '\0';
  bool eq = second == '=';
  switch (*at_) {
    case '(': open_bracket(BracketKind::Paren, K::LeftParen); return;
    case '[': open_bracket(BracketKind::Square, K::LeftBracket); return;
    case '{': open_bracket(BracketKind::Brace, K::LeftBrace); return;
    case ')': close_bracket(BracketKind::Paren); return;
    case ']': close_bracket(BracketKind::Square); return;
    case '}': close_bracket(BracketKind::Brace); return;
    case ',': lex_symbol_of(K::Comma, 1); return;
    case ':': note_colon(); lex_symbol_of(K::Colon, 1); return;
    case ';': lex_symbol_of(K::Semicolon, 1); return;
    case '@': lex_symbol_of(K::At, 1); return;
    case '~': lex_symbol_of(K::Tilde, 1); return;
    case '.':
      if (second == '.' && third == '.') lex_symbol_of(K::Ellipsis, 3);
      else if (second == '.') lex_symbol_of(K::DotDot, 2);
      else lex_symbol_of(K::Dot, 1);
      return;
    case '?':
      if (second == '?') third == '=' ? lex_symbol_of(K::QuestionQuestionEq, 3) : lex_symbol_of(K::QuestionQuestion, 2);
      else if (second == '.') lex_symbol_of(K::QuestionDot, 2);
      else lex_symbol_of(K::Question, 1);
      return;
    case '!': eq ? lex_symbol_of(K::NotEq, 2) : lex_symbol_of(K::Bang, 1); return;
    case '=': eq ? lex_symbol_of(K::EqEq, 2) : lex_symbol_of(K::Eq, 1); return;
    case '<':
      if (second == '<') third == '=' ? lex_symbol_of(K::ShlEq, 3) : lex_symbol_of(K::Shl, 2);
      else eq ? lex_symbol_of(K::LessEq, 2) : lex_symbol_of(K::Less, 1);
      return;
    case '>':
      if (second == '>') third == '=' ? lex_symbol_of(K::ShrEq, 3) : lex_symbol_of(K::Shr, 2);
      else eq ? lex_symbol_of(K::GreaterEq, 2) : lex_symbol_of(K::Greater, 1);
      return;
    case '+': eq ? lex_symbol_of(K::PlusEq, 2) : lex_symbol_of(K::Plus, 1); return;
    case '-':
      if (second == '>') lex_symbol_of(K::Arrow, 2);
      else eq ? lex_symbol_of(K::MinusEq, 2) : lex_symbol_of(K::Minus, 1);
      return;
    case '*':
      if (second == '*') third == '=' ? lex_symbol_of(K::StarStarEq, 3) : lex_symbol_of(K::StarStar, 2);
      else eq ? lex_symbol_of(K::StarEq, 2) : lex_symbol_of(K::Star, 1);
      return;
    case '/':
      if (second == '/') third == '=' ? lex_symbol_of(K::SlashSlashEq, 3) : lex_symbol_of(K::SlashSlash, 2);
      else eq ? lex_symbol_of(K::SlashEq, 2) : lex_symbol_of(K::Slash, 1);
      return;
    case '%': eq ? lex_symbol_of(K::PercentEq, 2) : lex_symbol_of(K::Percent, 1); return;
    case '^': eq ? lex_symbol_of(K::CaretEq, 2) : lex_symbol_of(K::Caret, 1); return;
    case '|':
      if (second == '|') lex_symbol_of(K::PipePipe, 2);
      else eq ? lex_symbol_of(K::PipeEq, 2) : lex_symbol_of(K::Pipe, 1);
      return;
    case '&':
      if (second == '&') lex_symbol_of(K::AmpAmp, 2);
      else if (second == '+') third == '=' ? lex_symbol_of(K::AmpPlusEq, 3) : lex_symbol_of(K::AmpPlus, 2);
      else if (second == '-') third == '=' ? lex_symbol_of(K::AmpMinusEq, 3) : lex_symbol_of(K::AmpMinus, 2);
      else if (second == '*') third == '=' ? lex_symbol_of(K::AmpStarEq, 3) : lex_symbol_of(K::AmpStar, 2);
      else eq ? lex_symbol_of(K::AmpEq, 2) : lex_symbol_of(K::Amp, 1);
      return;
    default: lex_invalid(); return;
  }
}

// “text” as word processors write it: read as the string it is meant to be. False when no quote of the kind closes it.
bool Lexer::lex_typographic_string(uint32_t opening) {
  if (opening != 0x201C && opening != 0x201D && opening != 0x2018 && opening != 0x2019) return false;
  uint32_t closing = opening <= 0x2019 ? 0x2019 : 0x201D;
  uint32_t start = offset();
  for (const char* at = at_ + 3; at < end_ && *at != '\n' && *at != '\r';) {
    Scalar scalar = decode_utf8(at, end_);
    if (scalar.value != closing) {
      at += scalar.length;
      continue;
    }
    Literal literal;
    literal.text = std::string_view(at_ + 3, size_t(at - at_ - 3));
    at_ = at + 3;
    Diagnostic& d = report(Code::InvalidCharacter, start, offset(), "these quotes are typographic ones");
    std::string quote = closing == 0x2019 ? "'" : "\"";
    d.help = "write plain quotes";
    d.edits.push_back({span(start, start + 3), quote});
    d.edits.push_back({span(offset() - 3, offset()), quote});
    push_literal(TokenKind::Str, start, literal);
    return true;
  }
  return false;
}

// A run of characters that begin no token is one mistake.
void Lexer::lex_invalid() {
  uint32_t start = offset();
  Scalar first = decode_utf8(at_, end_);
  if (lex_typographic_string(first.value)) return;
  uint32_t count = 0;
  do {
    Scalar scalar = decode_utf8(at_, end_);
    bool is_invalid = scalar.value == '$' || scalar.value == '`' || scalar.value == '\\' || scalar.value == 0x7F ||
                      (scalar.value < 0x20 && class_of(*at_) == Other) || (scalar.value >= 0x80 && !is_ident_start(scalar.value));
    if (!is_invalid && count > 0) break;
    at_ += scalar.length > 0 ? scalar.length : 1;
    count++;
  } while (at_ < end_);

  char code_point[16];
  std::snprintf(code_point, sizeof code_point, "U+%04X", first.value);
  std::string shown = first.value < 0x20 || first.value == 0x7F ? code_point : "`" + std::string(begin_ + start, first.length) + "`";
  Diagnostic& d = report(Code::InvalidCharacter, start, offset(), shown + (first.value >= 0x80 ? " (" + std::string(code_point) + ")" : "") + " is not part of the language");
  if (first.value == '\\') d.help = "a backslash continues a line only as its last character";
  bool is_invisible = false;
  for (const LookAlike& alike : LOOK_ALIKES) {
    if (alike.scalar != first.value || count != 1) continue;
    is_invisible = alike.ascii.empty() || alike.ascii == " ";
    d.help = is_invisible ? "remove this invisible character" : "write `" + std::string(alike.ascii) + "`";
    d.edits.push_back({span(start, offset()), std::string(alike.ascii)});
  }
  if (!is_invisible) push(TokenKind::Invalid, start, offset());
}

}  // namespace meteor::tokens
