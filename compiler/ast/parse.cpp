// The parser's hold on the tokens: taking them, saying what is wrong with them,
// and getting past what is broken.
#include "compiler/ast/foreign_names.h"
#include "compiler/ast/parse.h"

#include "compiler/ast/parser.h"

namespace meteor::ast {

Module* parse(source::FileId file, const source::Sources& sources, base::Arena& arena, base::NameTable& names, diagnostics::Sink& sink) {
  size_t mark = sink.mark();
  Parser parser(file, sources, arena, names, sink, tokens::lex(file, sources, sink, names, arena));
  Module* module = parser.parse_module();
  sink.sort_from(mark);
  return module;
}

Module* parse(source::FileId file, const source::Sources& sources, base::Arena& arena, base::NameTable& names, diagnostics::Sink& sink, TokenRoles& roles) {
  size_t mark = sink.mark();
  roles.tokens = tokens::lex(file, sources, sink, names, arena);
  roles.roles.assign(roles.tokens.tokens.size(), TokenRole::None);
  Parser parser(file, sources, arena, names, sink, roles.tokens, &roles);
  Module* module = parser.parse_module();
  sink.sort_from(mark);
  return module;
}

Parser::Parser(source::FileId file, const source::Sources& sources, base::Arena& arena, base::NameTable& names, diagnostics::Sink& sink,
               tokens::TokenList list, TokenRoles* roles)
    : file_(file), sources_(sources), arena_(arena), names_(names), sink_(sink), list_(std::move(list)), tokens_(list_.tokens), roles_(roles) {
  name_super_ = names.intern("super");
  name_self_ = names.intern("self");
  name_func_ = names.intern("func");
  name_scope_ = names.intern("scope");
}

Module* Parser::parse_module() {
  Module* module = arena_.make<Module>();
  module->file = file_;
  StmtList body;
  while (!at(TokenKind::End)) {
    parse_statements(body);
    accept(TokenKind::Dedent);   // of a block that was skipped
  }
  module->body = body.finish(arena_);
  module->doc = take_doc(module->body);
  return module;
}

const Token& Parser::next() {
  const Token& token = tokens_[pos_];
  if (pos_ + 1 < tokens_.size()) pos_++;
  if (token.end > token.start && token.kind != TokenKind::Newline) prev_end_ = token.end;
  return token;
}

bool Parser::accept(TokenKind k) {
  if (kind() != k) return false;
  next();
  return true;
}

bool Parser::expect(TokenKind k, std::string_view where) {
  if (accept(k)) return true;
  error_unexpected("`" + std::string(tokens::spelling_of(k)) + "`" + (where.empty() ? "" : " " + std::string(where)));
  return false;
}

std::string Parser::describe(const Token& token) const {
  if (token.kind == TokenKind::Ident || is_keyword(token.kind) || is_symbol(token.kind)) {
    std::string_view text = sources_.text(span_of(token));
    if (text.empty()) text = tokens::spelling_of(token.kind);
    if (text.size() <= 40) return "`" + std::string(text) + "`";
  }
  return std::string(tokens::spelling_of(token.kind));
}

Diagnostic& Parser::error(Code code, Span span, std::string message) {
  if (failing_) {
    muted_ = Diagnostic{};
    return muted_;
  }
  failing_ = true;
  if (at(TokenKind::Invalid)) {   // the lexer has reported it
    muted_ = Diagnostic{};
    return muted_;
  }
  return sink_.report(code, span, std::move(message));
}

Diagnostic& Parser::error_unexpected(std::string_view expected) {
  Span span = here();
  // The end of a line is nothing to point at: point after what stands before it.
  if (span.end == span.start || at(TokenKind::Newline)) span = {file_, prev_end_, prev_end_ + 1};
  bool is_union = at(TokenKind::Pipe) && type_end_ == prev_end_;
  bool is_foreign_call = at(TokenKind::LeftBrace) && !tok().space_before && pos_ > 0 && tokens_[pos_ - 1].kind == TokenKind::Ident;
  std::string made(is_foreign_call ? sources_.text(span_of(tokens_[pos_ - 1])) : "");
  Diagnostic& d = error(Code::UnexpectedToken, span, "expected " + std::string(expected) + ", found " + describe(tok()));
  if (is_union) d.help = help_for(*find_foreign_type("Union"));
  if (is_foreign_call) d.help = "an object is made by a call: `" + made + "(name=value)`";
  return d;
}

void Parser::report_spelling(Span span, std::string_view written, std::string_view instead, std::optional<std::string> edit, std::string help) {
  if (failing_) return;
  std::string message = "`" + std::string(written) + "`" + (instead.empty() ? " is not Meteor" : " is written `" + std::string(instead) + "`");
  Diagnostic& d = sink_.report(Code::PythonSpelling, span, std::move(message));
  d.help = help.empty() ? "write `" + std::string(instead) + "`" : std::move(help);
  if (edit) d.edits.push_back({span, std::move(*edit)});
}

bool Parser::starts_statement(uint32_t start) const {
  uint32_t at = pos_;
  while (at > 0 && tokens_[at].start > start) --at;
  if (at == 0) return true;
  switch (tokens_[at - 1].kind) {
    case TokenKind::Newline: case TokenKind::Indent: case TokenKind::Dedent: case TokenKind::Semicolon: case TokenKind::Colon: return true;
    default: return false;
  }
}

void Parser::report_too_deep() {
  if (!reported_too_deep_ && !failing_) {
    Diagnostic& d = sink_.report(Code::NestingTooDeep, here(), "this is nested too deep");
    d.notes.push_back("the limit is " + std::to_string(MAX_DEPTH) + " levels");
    d.help = "give parts of it names, or move them into functions";
  }
  reported_too_deep_ = true;
  failing_ = true;
}

Expr* Parser::error_expr(Span span) {
  ErrorExpr* node = arena_.make<ErrorExpr>();
  node->span = span;
  return node;
}

// Skips a bracket with what is in it, an f-string, or a block. False when none begins here.
bool Parser::skip_group() {
  switch (kind()) {
    case TokenKind::LeftParen: case TokenKind::LeftBracket: case TokenKind::LeftBrace: case TokenKind::FStringOpen: {
      uint32_t close = tok().literal;
      while (pos_ < close) next();
      next();
      return true;
    }
    case TokenKind::FStringStart: {
      uint32_t open = 0;
      do {
        if (at(TokenKind::FStringStart)) open++;
        if (at(TokenKind::FStringEnd)) open--;
        next();
      } while (open > 0 && !at(TokenKind::End));
      return true;
    }
    case TokenKind::Indent: {
      uint32_t open = 0;
      do {
        if (at(TokenKind::Indent)) open++;
        if (at(TokenKind::Dedent)) open--;
        next();
      } while (open > 0 && !at(TokenKind::End));
      return true;
    }
    default: return false;
  }
}

// To the comma or the closing bracket of the list at hand, or to the end of the line.
void Parser::skip_to_element_end() {
  while (true) {
    switch (kind()) {
      case TokenKind::Comma: case TokenKind::RightParen: case TokenKind::RightBracket: case TokenKind::RightBrace:
      case TokenKind::FStringClose: case TokenKind::FStringEnd: case TokenKind::Dedent: case TokenKind::End: return;
      case TokenKind::Newline:
        if (brackets_ == 0) return;
        next();
        break;
      default:
        if (!skip_group()) next();
    }
  }
}

void Parser::skip_to_line_end() {
  while (!at(TokenKind::Newline) && !at(TokenKind::End) && !at(TokenKind::Dedent)) {
    if (!skip_group()) next();
  }
}

// After an element of a bracketed list: if it is broken, goes to where the next one or the bracket's end is certain.
void Parser::recover_element() {
  if (!failing_) return;
  skip_to_element_end();
  failing_ = false;
}

bool Parser::at_statement_end() const {
  return at(TokenKind::Newline) || at(TokenKind::Semicolon) || at(TokenKind::End) || at(TokenKind::Dedent);
}

bool Parser::after_block() const {
  return brackets_ == 0 && pos_ > 0 && tokens_[pos_ - 1].kind == TokenKind::Dedent;
}

}  // namespace meteor::ast
