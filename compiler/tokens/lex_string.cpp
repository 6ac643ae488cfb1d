// Strings, bytes and f-strings. The fields of an f-string are lexed as code, so
// they nest and may hold any quotes; the stack of open f-strings tells which
// text goes on after a field's `}`.
#include <cstring>

#include "compiler/tokens/lexer.h"
#include "compiler/tokens/unicode.h"

namespace meteor::tokens {

using diagnostics::Code;
using diagnostics::Diagnostic;

namespace {

bool is_quote(char c) { return c == '"' || c == '\''; }
bool is_line_end(char c) { return c == '\n' || c == '\r'; }

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c = char(c | 0x20);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

}  // namespace

// r"", b"", f"" and their pairs, in either case. False when the word at hand is no prefix.
bool Lexer::lex_prefixed_string() {
  StringForm form;
  bool is_fstring = false;
  const char* at = at_;
  for (; at < at_ + 2 && !is_quote(*at); at++) {
    switch (*at | 0x20) {
      case 'r':
        if (form.raw) return false;
        form.raw = true;
        break;
      case 'b':
        if (form.bytes || is_fstring) return false;
        form.bytes = true;
        break;
      case 'f':
        if (form.bytes || is_fstring) return false;
        is_fstring = true;
        break;
      default: return false;
    }
  }
  if (!is_quote(*at)) return false;
  uint32_t start = offset();
  at_ = at;
  if (is_fstring) begin_fstring(start, form);
  else lex_string(start, form);
  return true;
}

bool Lexer::at_closing_quote(const StringForm& form) const {
  return *at_ == form.quote && (!form.triple || (at_[1] == form.quote && at_[2] == form.quote));
}

void Lexer::lex_string(uint32_t start, StringForm form) {
  form.quote = *at_;
  form.triple = at_[1] == form.quote && at_[2] == form.quote;
  at_ += form.triple ? 3 : 1;
  const char* from = at_;
  while (at_ < end_ && !at_closing_quote(form)) {
    if (!form.triple && is_line_end(*at_)) break;
    if (*at_ == '\\' && at_ + 1 < end_) at_ += at_[1] == '\r' && at_[2] == '\n' ? 3 : 2;
    else at_++;
  }
  if (at_ > end_) at_ = end_;
  const char* to = at_;
  bool is_closed = at_ < end_ && at_closing_quote(form);
  if (is_closed) at_ += form.triple ? 3 : 1;
  // A string that runs out of its line inside a field: the f-string's own quote was taken for its beginning.
  bool ends_fstring = !is_closed && !form.triple && !fstrings_.empty() && !fstrings_.back().form.triple;
  if (ends_fstring) {
    abandon_fstring();
    return;
  }
  Literal literal;
  literal.text = decode(from, to, form, false);
  push_literal(form.bytes ? TokenKind::Bytes : TokenKind::Str, start, literal);
  if (is_closed) return;
  Diagnostic& d = report(Code::UnterminatedString, start, uint32_t(from - begin_), "this string is never closed");
  d.label = "starts here";
  if (!form.triple) d.help = "close it with `" + std::string(1, form.quote) + "`, or use three quotes for text of several lines";
  if (!form.triple) close_brackets_of_line(std::string_view(from, size_t(to - from)));
}

// `print("abc)`: the brackets that the unclosed string swallowed are not a second mistake.
void Lexer::close_brackets_of_line(std::string_view rest) {
  size_t end = rest.find_last_not_of(" \t:");
  if (end == std::string_view::npos) return;
  size_t closers = 0;
  while (closers <= end && std::strchr(")]}", rest[end - closers]) != nullptr) closers++;
  size_t depth = brackets_.size();
  size_t floor = fstrings_.empty() ? layouts_.back().bracket_depth : fstrings_.back().bracket_base;
  while (closers-- > 0 && depth > floor && brackets_[depth - 1].kind != BracketKind::Field) depth--;
  close_missing(depth);
}

void Lexer::begin_fstring(uint32_t start, StringForm form) {
  form.quote = *at_;
  form.triple = at_[1] == form.quote && at_[2] == form.quote;
  at_ += form.triple ? 3 : 1;
  push(TokenKind::FStringStart, start, offset());
  fstrings_.push_back({form, start, brackets_.size()});
  lex_fstring_text();
}

// Reads text up to the next field or the end of the f-string or of the format spec at hand.
void Lexer::lex_fstring_text() {
  const FString fstring = fstrings_.back();
  const StringForm& form = fstring.form;
  bool in_spec = brackets_.size() > fstring.bracket_base;
  const char* from = at_;
  while (at_ < end_) {
    char c = *at_;
    if (at_closing_quote(form)) break;
    if (is_line_end(c) && !form.triple) break;
    if (c == '\\' && at_ + 1 < end_) {
      // `\N{…}` is reported as an escape, its braces are no field; a raw backslash escapes no brace.
      bool is_brace = at_[1] == '{' || at_[1] == '}';
      at_ += is_brace ? 1 : at_[1] == '\r' && at_[2] == '\n' ? 3 : 2;
    } else if (!in_spec && (c == '{' || c == '}') && at_[1] == c) {
      at_ += 2;
    } else if (c == '{') {
      push_fstring_text(uint32_t(from - begin_), from, at_, form);
      Bracket bracket;
      bracket.kind = BracketKind::Field;
      bracket.start = offset();
      bracket.token = uint32_t(out_.tokens.size());
      brackets_.push_back(bracket);
      open_counts_[size_t(BracketKind::Field)]++;
      lex_symbol_of(TokenKind::FStringOpen, 1);
      return;
    } else if (c == '}' && in_spec) {
      push_fstring_text(uint32_t(from - begin_), from, at_, form);
      pop_field();
      from = at_;
      in_spec = brackets_.size() > fstring.bracket_base;
    } else if (c == '}') {
      Diagnostic& d = report(Code::UnexpectedToken, offset(), offset() + 1, "this `}` in an f-string closes nothing");
      d.help = "write `}}` for a brace that is text";
      d.edits.push_back({span(offset(), offset() + 1), "}}"});
      at_++;
    } else {
      at_++;
    }
  }
  if (at_ > end_) at_ = end_;
  push_fstring_text(uint32_t(from - begin_), from, at_, form);
  if (at_ < end_ && at_closing_quote(form) && !in_spec) {
    end_fstring();
    return;
  }
  if (in_spec) {
    report_unclosed(brackets_.back());
    close_missing(fstring.bracket_base);
    if (at_ < end_ && at_closing_quote(form)) {
      at_ += form.triple ? 3 : 1;
      out_.tokens.back().end = offset();
      last_end_ = offset();
    }
    return;
  }
  Diagnostic& d = report(Code::UnterminatedString, fstring.start, fstring.start + 2, "this f-string is never closed");
  d.label = "starts here";
  fstrings_.pop_back();
  push(TokenKind::FStringEnd, offset(), offset());
  if (!form.triple) close_brackets_of_line(std::string_view(from, size_t(at_ - from)));
}

void Lexer::push_fstring_text(uint32_t start, const char* from, const char* to, StringForm form) {
  if (from == to) return;
  Literal literal;
  literal.text = decode(from, to, form, true);
  push_literal(TokenKind::FStringText, start, literal);
}

// The `:` and `!r` of a field at hand. False when `c` is an ordinary symbol.
bool Lexer::lex_field_part(char c) {
  if (brackets_.empty() || brackets_.back().kind != BracketKind::Field) return false;
  if (c == ':') {
    brackets_.back().in_spec = true;
    lex_symbol_of(TokenKind::FStringColon, 1);
    lex_fstring_text();
    return true;
  }
  if (c == '!' && at_[1] != 0 && std::strchr("rsa", at_[1]) != nullptr && (at_[2] == '}' || at_[2] == ':')) {
    uint32_t start = offset();
    Literal literal;
    literal.text = std::string_view(at_ + 1, 1);
    at_ += 2;
    push_literal(TokenKind::FStringConversion, start, literal);
    return true;
  }
  return false;
}

void Lexer::close_field() {
  pop_field();
  lex_fstring_text();
}

void Lexer::pop_field() {
  out_.tokens[brackets_.back().token].literal = uint32_t(out_.tokens.size());
  brackets_.pop_back();
  open_counts_[size_t(BracketKind::Field)]--;
  lex_symbol_of(TokenKind::FStringClose, 1);
}

void Lexer::end_fstring() {
  uint32_t start = offset();
  at_ += fstrings_.back().form.triple ? 3 : 1;
  fstrings_.pop_back();
  push(TokenKind::FStringEnd, start, offset());
}

// At the end of a line inside a field: the f-strings that began on this line end here.
void Lexer::abandon_fstring() {
  size_t outermost = fstrings_.size() - 1;
  while (outermost > 0 && !fstrings_[outermost - 1].form.triple) outermost--;
  FString fstring = fstrings_[outermost];
  uint32_t open = brackets_[fstring.bracket_base].start;
  Diagnostic& d = report(Code::UnterminatedString, open, open + 1, "this `{` in an f-string is never closed");
  d.label = "opened here";
  d.help = "close it with `}`, or write `{{` for a brace that is text";
  const char* line_end = at_;
  close_missing(fstring.bracket_base);
  const char* text = begin_ + fstring.start;
  close_brackets_of_line(std::string_view(text, size_t(line_end - text)));
}

// The value of the text between quotes. Without anything to translate it is the source itself.
std::string_view Lexer::decode(const char* from, const char* to, StringForm form, bool is_fstring) {
  bool is_plain = true;
  for (const char* at = from; at < to; at++) {
    char c = *at;
    if (form.bytes && uint8_t(c) >= 0x80) {
      uint32_t start = uint32_t(at - begin_);
      report(Code::InvalidCharacter, start, start + decode_utf8(at, to).length, "a bytes literal holds ASCII characters only").help = "write the bytes as `\\x…`, or `\"…\".encode()`";
      break;
    }
    if ((c == '\\' && !form.raw) || c == '\r' || (is_fstring && (c == '{' || c == '}'))) is_plain = false;
  }
  if (is_plain) return {from, size_t(to - from)};
  std::string out;
  out.reserve(size_t(to - from));
  for (const char* at = from; at < to;) {
    char c = *at;
    if (c == '\\' && !form.raw) {
      at = decode_escape(out, at, to, form);
    } else if (c == '\r') {
      out += '\n';
      at += at + 1 < to && at[1] == '\n' ? 2 : 1;
    } else {
      out += c;
      at += is_fstring && (c == '{' || c == '}') && at + 1 < to && at[1] == c ? 2 : 1;
    }
  }
  return arena_.copy_text(out);
}

// `at` is at the backslash; the result is after the escape.
const char* Lexer::decode_escape(std::string& out, const char* at, const char* to, const StringForm& form) {
  const char* start = at;
  auto invalid = [&](const char* end, std::string message) {
    uint32_t offset = uint32_t(start - begin_);
    Diagnostic& d = report(Code::InvalidEscape, offset, uint32_t(end - begin_), std::move(message));
    d.help = "write `\\\\` for a backslash, or a raw string r\"…\"";
    out.append(start, end);
    return end;
  };
  at++;
  if (at >= to) return invalid(to, "a backslash at the end of the string");
  char c = *at++;
  switch (c) {
    case '\n': return at;
    case '\r': return at < to && *at == '\n' ? at + 1 : at;
    case '\\': case '\'': case '"': out += c; return at;
    case 'n': out += '\n'; return at;
    case 't': out += '\t'; return at;
    case 'r': out += '\r'; return at;
    case 'a': out += '\a'; return at;
    case 'b': out += '\b'; return at;
    case 'f': out += '\f'; return at;
    case 'v': out += '\v'; return at;
    case '0': case '1': case '2': case '3': case '4': case '5': case '6': case '7': {
      uint32_t value = uint32_t(c - '0');
      for (int i = 0; i < 2 && at < to && *at >= '0' && *at <= '7'; i++) value = value * 8 + uint32_t(*at++ - '0');
      if (value > 0xFF) return invalid(at, "an octal escape is at most `\\377`");
      if (form.bytes) out += char(value);
      else append_utf8(out, value);
      return at;
    }
    case 'x': case 'u': case 'U': {
      if (form.bytes && c != 'x') return invalid(at, "`\\" + std::string(1, c) + "` has no meaning in bytes");
      uint32_t value = 0;
      int digits = 0;
      int wanted = c == 'x' ? 2 : c == 'u' ? 4 : 8;
      bool is_braced = c == 'u' && at < to && *at == '{';
      if (is_braced) at++;
      while (at < to && digits < (is_braced ? 8 : wanted) && hex_digit(*at) >= 0) {
        value = value << 4 | uint32_t(hex_digit(*at++));
        digits++;
      }
      if (is_braced) {
        if (digits == 0 || at >= to || *at != '}') return invalid(at, "`\\u{` needs hexadecimal digits and a `}`");
        at++;
      } else if (digits < wanted) {
        return invalid(at, "`\\" + std::string(1, c) + "` needs " + std::to_string(wanted) + " hexadecimal digits");
      }
      if (form.bytes) {
        out += char(value);
      } else if (value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) {
        return invalid(at, "this number is no Unicode character");
      } else {
        append_utf8(out, value);
      }
      return at;
    }
    default: {
      uint32_t length = decode_utf8(at - 1, to).length;
      const char* end = at - 1 + (length > 0 ? length : 1);
      return invalid(end, "`" + std::string(start, end) + "` is not an escape");
    }
  }
}

}  // namespace meteor::tokens
