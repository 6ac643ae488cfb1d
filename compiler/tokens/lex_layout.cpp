// Lines, indentation and brackets. Lines count only outside brackets, and inside
// the block of an anonymous `def`, which opens a Layout of its own.
#include <algorithm>

#include "compiler/tokens/lexer.h"

namespace meteor::tokens {

using diagnostics::Code;
using diagnostics::Diagnostic;

namespace {

constexpr uint32_t NO_COLUMN = UINT32_MAX;
// How far down the stack a closing bracket looks for its partner, so that no input takes quadratic time.
constexpr size_t MAX_MISMATCH = 64;

constexpr std::string_view OPENERS[] = {"(", "[", "{", "{"};
constexpr std::string_view CLOSERS[] = {")", "]", "}", "}"};
constexpr TokenKind CLOSER_KINDS[] = {TokenKind::RightParen, TokenKind::RightBracket, TokenKind::RightBrace, TokenKind::FStringClose};

// Words that begin a statement and can stand nowhere else at the beginning of a line.
constexpr std::string_view STATEMENT_WORDS[] = {"class", "struct", "enum", "trait", "impl", "import", "return", "while", "try", "raise", "break", "continue",
                                                "pass", "switch", "defer", "pub", "const", "extern", "global", "nonlocal", "catch", "finally", "elif", "case"};
// Words that may follow an operand on a continued line.
constexpr std::string_view JOINING_WORDS[] = {"and", "as", "async", "else", "for", "from", "if", "in", "is", "not", "or"};

template <size_t N>
bool contains(const std::string_view (&words)[N], std::string_view word) {
  for (std::string_view w : words) {
    if (w == word) return true;
  }
  return false;
}

bool ends_operand(TokenKind kind) {
  switch (kind) {
    case TokenKind::Ident: case TokenKind::Int: case TokenKind::Float: case TokenKind::Duration: case TokenKind::Str: case TokenKind::Bytes:
    case TokenKind::FStringEnd: case TokenKind::True: case TokenKind::False: case TokenKind::Null:
    case TokenKind::RightParen: case TokenKind::RightBracket: case TokenKind::RightBrace: return true;
    default: return false;
  }
}

}  // namespace

void Lexer::skip_line_end() {
  if (*at_ == '\r' && at_[1] == '\n') at_++;
  if (at_ < end_) at_++;
}

// Moves to the first token of the next line that has one; false at the end of the file.
bool Lexer::measure_line(Indent& indent) {
  while (true) {
    indent = {0, 0, NO_COLUMN};
    for (;; at_++) {
      if (*at_ == ' ') indent.column++, indent.narrow++;
      else if (*at_ == '\t') indent.column = (indent.column / 8 + 1) * 8, indent.narrow++;
      else if (*at_ == '\f') indent.column = indent.narrow = 0;
      else break;
    }
    if (at_ >= end_) return false;
    if (*at_ == '#') lex_comment(true);
    else if (*at_ != '\n' && *at_ != '\r') return true;
    if (at_ < end_) skip_line_end();
  }
}

void Lexer::start_line() {
  at_line_start_ = false;
  Indent indent;
  if (!measure_line(indent)) return;
  place_line(indent);
}

void Lexer::report_mixed_tabs(const Indent& indent) {
  if (reported_mixed_tabs_) return;
  reported_mixed_tabs_ = true;
  Diagnostic& d = report(Code::MixedTabs, offset() - std::min(indent.narrow, offset()), offset(), "this line's indentation mixes tabs and spaces ambiguously");
  d.label = "how deep this is depends on how wide a tab is";
  d.help = "indent the whole file with spaces, four per block";
}

void Lexer::place_line(Indent indent) {
  compare_line(indent);
  if (!in_brackets()) statement_token_ = out_.tokens.size();
}

// Compares a line's indentation with the open blocks and emits INDENT or DEDENTs.
void Lexer::compare_line(Indent indent) {
  line_column_ = indent.column;
  size_t base = layouts_.back().indent_base;
  if (layouts_.size() > 1 && indent.column < indents_[base].column) {
    end_layout();
    if (begins_statement_after_unclosed(indent)) {
      report_unclosed(brackets_.back());
      close_missing(layouts_.back().bracket_depth);
      push_newline();
      compare_line(indent);
    }
    return;
  }
  const Indent top = indents_.back();
  if (indent.column == top.column || indent.column == top.alias) {
    if (indent.narrow == top.narrow || indent.column == top.alias) return;
    report_mixed_tabs(indent);
    size_t count = out_.tokens.size();
    bool after_header = count > 1 && out_.tokens[count - 1].kind == TokenKind::Newline && out_.tokens[count - 2].kind == TokenKind::Colon;
    if (!after_header) return;
    indents_.push_back({top.column + 1, indent.narrow, indent.column});   // a block was due: it is taken for one
    push(TokenKind::Indent, offset(), offset());
    return;
  }
  if ((indent.column > top.column) != (indent.narrow > top.narrow)) {
    report_mixed_tabs(indent);
    indents_.back().alias = indent.column;   // taken for a line of the block at hand
    return;
  }
  uint32_t here = offset();
  if (indent.column > top.column) {
    indents_.push_back(indent);
    push(TokenKind::Indent, here, here);
    return;
  }
  uint32_t inner = NO_COLUMN;
  while (indents_.size() > base + 1 && indent.column < indents_.back().column && indent.column != indents_.back().alias) {
    uint32_t left = indents_.back().column;
    const Indent& outer = indents_[indents_.size() - 2];
    if (indent.column > outer.column && indent.column != outer.alias) {
      // Between two blocks: the nearer one was meant, or else the inner.
      inner = left;
      if (left - indent.column <= indent.column - outer.column) break;
    }
    indents_.pop_back();
    push(TokenKind::Dedent, here, here);
  }
  Indent& now = indents_.back();
  if (indent.column == now.alias) return;
  if (indent.column == now.column) {
    if (indent.narrow != now.narrow) report_mixed_tabs(indent);
    return;
  }
  now.alias = indent.column;
  Diagnostic& d = report(Code::InconsistentIndent, here - std::min(indent.narrow, here), here, "this line's indentation matches no block around it");
  std::string outer = std::to_string(now.column == inner && indents_.size() > 1 ? indents_[indents_.size() - 2].column : now.column);
  if (inner != NO_COLUMN) d.notes.push_back("the blocks around it are indented by " + outer + " and " + std::to_string(inner) + " columns, this line by " + std::to_string(indent.column));
}

void Lexer::push_newline() {
  TokenKind last = last_kind();
  if (last == TokenKind::Newline || last == TokenKind::Indent || last == TokenKind::Dedent) return;
  push(TokenKind::Newline, offset(), offset());
}

void Lexer::end_line() {
  uint32_t start = offset();
  if (!in_brackets()) {
    skip_line_end();
    TokenKind last = last_kind();
    if (last != TokenKind::Newline && last != TokenKind::Indent && last != TokenKind::Dedent) push(TokenKind::Newline, start, offset());
    at_line_start_ = true;
    return;
  }
  if (!fstrings_.empty() && !fstrings_.back().form.triple && brackets_.back().kind == BracketKind::Field && brackets_.size() == fstrings_.back().bracket_base + 1) {
    abandon_fstring();
    return;
  }
  if (brackets_.back().def != DefState::None && begin_def_block()) return;
  skip_line_end();
  continue_line();
}

// A line inside brackets: only its indentation is of interest, and whether the bracket was forgotten.
void Lexer::continue_line() {
  Indent indent;
  if (!measure_line(indent)) return;
  line_column_ = indent.column;
  bool is_header = ends_header_after_unclosed(indent);
  if (!is_header && !begins_statement_after_unclosed(indent)) return;
  Token colon = out_.tokens.back();
  if (is_header) out_.tokens.pop_back();
  report_unclosed(brackets_.back());
  close_missing(layouts_.back().bracket_depth);
  if (is_header) push(TokenKind::Colon, colon.start, colon.end);
  push_newline();
  place_line(indent);
}

// `if f(x:` with an indented line below: the block's colon came before the bracket's end.
bool Lexer::ends_header_after_unclosed(const Indent& indent) const {
  if (last_kind() != TokenKind::Colon || brackets_.back().kind != BracketKind::Paren || !fstrings_.empty()) return false;
  if (indent.column <= indents_.back().column) return false;
  size_t last = out_.tokens.size() - 1;
  switch (out_.tokens[statement_token_].kind) {
    case TokenKind::If: case TokenKind::Elif: case TokenKind::While: case TokenKind::For: case TokenKind::With: case TokenKind::Switch:
    case TokenKind::Case: case TokenKind::Catch: case TokenKind::Class: case TokenKind::Struct: case TokenKind::Enum: case TokenKind::Trait: return true;
    case TokenKind::Def: case TokenKind::Async: case TokenKind::Pub: {
      // A parameter may have its type on the next line.
      TokenKind before = last >= 2 ? out_.tokens[last - 2].kind : TokenKind::End;
      bool is_param = out_.tokens[last - 1].kind == TokenKind::Ident && (before == TokenKind::LeftParen || before == TokenKind::Comma);
      return !is_param;
    }
    default: return false;
  }
}

// Invariant: true only for lines that cannot continue an expression, so correct programs never come here.
bool Lexer::begins_statement_after_unclosed(const Indent& indent) const {
  if (!in_brackets() || !fstrings_.empty() || indent.column > indents_.back().column) return false;
  if (*at_ == '@') return true;
  if (!is_ident_start_at(at_)) return false;
  const char* end = skip_ident(at_);
  std::string_view word(at_, size_t(end - at_));
  if (contains(STATEMENT_WORDS, word)) return true;
  if (word == "def") {
    while (*end == ' ' || *end == '\t') end++;
    return is_ident_start_at(end);
  }
  bool is_string = (*end == '"' || *end == '\'') && word.size() <= 2;
  return ends_operand(last_kind()) && !is_string && !contains(JOINING_WORDS, word);
}

// Leaves the block of an anonymous `def`: the rest belongs to the brackets around it.
void Lexer::end_layout() {
  push_newline();
  Layout layout = layouts_.back();
  layouts_.pop_back();
  uint32_t here = offset();
  while (indents_.size() > layout.indent_base) {
    indents_.pop_back();
    push(TokenKind::Dedent, here, here);
  }
  if (!brackets_.empty()) brackets_.back().def = DefState::None;
}

void Lexer::open_bracket(BracketKind kind, TokenKind token) {
  Bracket bracket;
  bracket.kind = kind;
  bracket.start = offset();
  bracket.token = uint32_t(out_.tokens.size());
  brackets_.push_back(bracket);
  open_counts_[size_t(kind)]++;
  lex_symbol_of(token, 1);
}

void Lexer::report_unclosed(const Bracket& bracket) {
  if (bracket.kind == BracketKind::Field) {
    report(Code::UnterminatedString, fstrings_.back().start, bracket.start + 1, "a `{` in this f-string is never closed").help = "write `{{` for a brace that is text";
    return;
  }
  std::string opener(OPENERS[size_t(bracket.kind)]);
  Diagnostic& d = report(Code::UnclosedBracket, bracket.start, bracket.start + 1, "`" + opener + "` is never closed");
  d.label = "opened here";
  d.help = "write `" + std::string(CLOSERS[size_t(bracket.kind)]) + "` after the last element";
  uint32_t last = out_.tokens.back().end;
  bool is_innermost = brackets_.size() == layouts_.back().bracket_depth + 1;
  if (is_innermost && last > bracket.start + 1) d.edits.push_back({span(last, last), std::string(CLOSERS[size_t(bracket.kind)])});
}

// Closes what is open above `depth` with tokens that the source leaves out.
void Lexer::close_missing(size_t depth) {
  while (brackets_.size() > depth) {
    while (layouts_.size() > 1 && layouts_.back().bracket_depth >= brackets_.size()) end_layout();
    Bracket bracket = brackets_.back();
    brackets_.pop_back();
    open_counts_[size_t(bracket.kind)]--;
    out_.tokens[bracket.token].literal = uint32_t(out_.tokens.size());
    push(CLOSER_KINDS[size_t(bracket.kind)], offset(), offset());
    if (!fstrings_.empty() && brackets_.size() == fstrings_.back().bracket_base) {
      push(TokenKind::FStringEnd, offset(), offset());
      fstrings_.pop_back();
    }
  }
}

void Lexer::close_bracket(BracketKind kind) {
  uint32_t start = offset();
  size_t floor = fstrings_.empty() ? 0 : fstrings_.back().bracket_base;
  size_t found = brackets_.size();   // index + 1 of the partner
  auto matches = [&](const Bracket& b) { return b.kind == kind || (b.kind == BracketKind::Field && kind == BracketKind::Brace); };
  size_t steps = 0;
  bool may_match = open_counts_[size_t(kind)] > 0 || (kind == BracketKind::Brace && open_counts_[size_t(BracketKind::Field)] > 0);
  while (may_match && found > floor && steps++ < MAX_MISMATCH && !matches(brackets_[found - 1])) found--;
  bool has_partner = may_match && found > floor && matches(brackets_[found - 1]);
  std::string closer(CLOSERS[size_t(kind)]);

  if (!has_partner) {
    bool has_open = brackets_.size() > floor && brackets_.back().kind != BracketKind::Field;
    if (has_open) {
      // `(1, 2]`: the wrong bracket closes, unless the right one follows.
      std::string_view right = CLOSERS[size_t(brackets_.back().kind)];
      const char* next = at_ + 1;
      while (*next == ' ') next++;
      if (*next != right[0]) {
        Diagnostic& d = report(Code::UnclosedBracket, start, start + 1, "`" + std::string(OPENERS[size_t(brackets_.back().kind)]) + "` is closed by `" + closer + "`");
        d.labels.push_back({span(brackets_.back().start, brackets_.back().start + 1), "opened here"});
        d.help = "write `" + std::string(right) + "`";
        d.edits.push_back({span(start, start + 1), std::string(right)});
        close_bracket(brackets_.back().kind);
        return;
      }
    }
    report(Code::UnexpectedToken, start, start + 1, "`" + closer + "` has no opening bracket");
    at_++;
    return;
  }
  if (found < brackets_.size()) report_unclosed(brackets_.back());
  close_missing(found);
  while (layouts_.size() > 1 && layouts_.back().bracket_depth >= brackets_.size()) end_layout();
  BracketKind closed = brackets_.back().kind;
  if (closed == BracketKind::Field) {
    close_field();
    return;
  }
  out_.tokens[brackets_.back().token].literal = uint32_t(out_.tokens.size());
  brackets_.pop_back();
  open_counts_[size_t(closed)]--;
  lex_symbol_of(CLOSER_KINDS[size_t(closed)], 1);
}

// A `def` inside brackets is anonymous, and its block may follow on the next lines.
void Lexer::note_def() {
  if (!in_brackets() || !fstrings_.empty()) return;
  brackets_.back().def = DefState::Header;
  brackets_.back().def_column = line_column_;
}

void Lexer::note_colon() {
  if (brackets_.empty() || brackets_.back().def != DefState::Header) return;
  brackets_.back().def = DefState::Colon;
  brackets_.back().colon_token = uint32_t(out_.tokens.size());
}

// At a line end inside brackets, after the header of an anonymous `def`.
bool Lexer::begin_def_block() {
  Bracket& bracket = brackets_.back();
  bool is_at_header_end = bracket.def == DefState::Header ? last_kind() != TokenKind::Def : bracket.colon_token + 1 == out_.tokens.size();
  if (!is_at_header_end) {
    if (bracket.def == DefState::Colon) bracket.def = DefState::None;
    return false;
  }
  uint32_t start = offset();
  skip_line_end();
  const uint32_t line_end = offset();
  Indent indent;
  if (measure_line(indent) && indent.column > bracket.def_column) {
    push(TokenKind::Newline, start, line_end);
    line_column_ = indent.column;
    layouts_.push_back({brackets_.size(), indents_.size()});
    indents_.push_back(indent);
    push(TokenKind::Indent, offset(), offset());
  } else {
    bracket.def = DefState::None;
    line_column_ = indent.column;
  }
  return true;
}

void Lexer::finish() {
  if (!brackets_.empty()) {
    report_unclosed(brackets_.back());
    close_missing(0);
  }
  push_newline();
  while (indents_.size() > 1) {
    indents_.pop_back();
    push(TokenKind::Dedent, offset(), offset());
  }
  push(TokenKind::End, offset(), offset());
}

}  // namespace meteor::tokens
