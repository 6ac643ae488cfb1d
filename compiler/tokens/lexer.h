// The lexer's state, shared by its parts: lex.cpp (the loop, names, symbols),
// lex_layout.cpp (indentation, brackets), lex_string.cpp, lex_number.cpp.
#pragma once

#include <string>

#include "compiler/tokens/lex.h"

namespace meteor::tokens {

class Lexer {
 public:
  Lexer(source::FileId file, std::string_view text, diagnostics::Sink& sink, base::NameTable& names, base::Arena& arena);

  TokenList run();

 private:
  struct Indent {
    uint32_t column;      // a tab goes to the next multiple of eight
    uint32_t narrow;      // a tab is one column: where the two orders differ, the file is ambiguous
    uint32_t alias;       // a column that was reported and then taken for this one
  };

  enum class BracketKind : uint8_t { Paren, Square, Brace, Field /* the { of an f-string */ };
  enum class DefState : uint8_t { None, Header, Colon };

  struct Bracket {
    BracketKind kind;
    bool in_spec = false;               // Field: after its `:`
    DefState def = DefState::None;      // an anonymous `def` stands in this bracket and its block may follow
    uint32_t start = 0;
    uint32_t token = 0;                 // index of its token
    uint32_t def_column = 0;            // indentation of the line of that `def`
    uint32_t colon_token = 0;           // index of the `:` that ends its header
  };

  // The file, and inside brackets the block of each anonymous `def`: lines count again there.
  struct Layout {
    size_t bracket_depth = 0;
    size_t indent_base = 0;             // index of its first entry in indents_
  };

  struct StringForm {
    char quote = '"';
    bool triple = false, raw = false, bytes = false;
  };

  struct FString {
    StringForm form;
    uint32_t start = 0;
    size_t bracket_base = 0;            // brackets open around it
  };

  // lex.cpp
  uint32_t offset() const { return uint32_t(at_ - begin_); }
  source::Span span(uint32_t start, uint32_t end) const { return {file_, start, end}; }
  diagnostics::Diagnostic& report(diagnostics::Code code, uint32_t start, uint32_t end, std::string message);
  Token& push(TokenKind kind, uint32_t start, uint32_t end);
  void push_literal(TokenKind kind, uint32_t start, Literal literal);
  void lex_token();
  void lex_word();
  void lex_symbol();
  bool lex_symbol_of(TokenKind kind, uint32_t length);
  void lex_invalid();
  bool lex_typographic_string(uint32_t opening);
  void lex_comment(bool own_line);
  bool is_ident_start_at(const char* at) const;
  const char* skip_ident(const char* at) const;
  TokenKind last_kind() const { return out_.tokens.empty() ? TokenKind::Newline : out_.tokens.back().kind; }

  // lex_layout.cpp
  bool in_brackets() const { return brackets_.size() > layouts_.back().bracket_depth; }
  void skip_line_end();
  bool measure_line(Indent& indent);
  void start_line();
  void place_line(Indent indent);
  void compare_line(Indent indent);
  bool ends_header_after_unclosed(const Indent& indent) const;
  void report_mixed_tabs(const Indent& indent);
  void continue_line();
  void end_line();
  void push_newline();
  bool begins_statement_after_unclosed(const Indent& indent) const;
  void end_layout();
  void open_bracket(BracketKind kind, TokenKind token);
  void close_bracket(BracketKind kind);
  void close_missing(size_t depth);
  void report_unclosed(const Bracket& bracket);
  void note_def();
  void note_colon();
  bool begin_def_block();
  void finish();

  // lex_string.cpp
  bool lex_prefixed_string();
  void lex_string(uint32_t start, StringForm form);
  void begin_fstring(uint32_t start, StringForm form);
  void lex_fstring_text();
  bool lex_field_part(char c);
  void push_fstring_text(uint32_t start, const char* from, const char* to, StringForm form);
  void close_field();
  void pop_field();
  void end_fstring();
  void abandon_fstring();
  void close_brackets_of_line(std::string_view rest);
  bool at_closing_quote(const StringForm& form) const;
  std::string_view decode(const char* from, const char* to, StringForm form, bool is_fstring);
  const char* decode_escape(std::string& out, const char* at, const char* to, const StringForm& form);

  // lex_number.cpp
  void lex_number();
  void lex_radix_number(uint32_t start, int radix);
  const char* skip_digits(const char* at, bool& has_bad_underscore) const;
  bool make_duration(uint32_t start, std::string_view digits, uint64_t unit_ns);

  source::FileId file_;
  diagnostics::Sink& sink_;
  base::NameTable& names_;
  base::Arena& arena_;
  const char* begin_;
  const char* at_;
  const char* end_;                     // a NUL stands here
  TokenList out_;
  std::vector<Indent> indents_;
  std::vector<Layout> layouts_;
  std::vector<Bracket> brackets_;
  std::vector<FString> fstrings_;
  uint32_t open_counts_[4] = {};        // by BracketKind
  size_t statement_token_ = 0;          // index of the first token of the statement being read
  uint32_t line_column_ = 0;            // indentation of the line being read, inside brackets too
  uint32_t last_end_ = 0;               // end of the last token, for space_before
  bool reported_mixed_tabs_ = false;
  bool at_line_start_ = true;
};

}  // namespace meteor::tokens
