// Statements: lines, blocks, and the statements of one line.
#include "compiler/ast/parser.h"

namespace meteor::ast {

namespace {

bool aug_op_of(TokenKind kind, BinaryOp& op) {
  switch (kind) {
    case TokenKind::PlusEq: op = BinaryOp::Add; return true;
    case TokenKind::MinusEq: op = BinaryOp::Sub; return true;
    case TokenKind::StarEq: op = BinaryOp::Mul; return true;
    case TokenKind::StarStarEq: op = BinaryOp::Pow; return true;
    case TokenKind::SlashEq: op = BinaryOp::Div; return true;
    case TokenKind::SlashSlashEq: op = BinaryOp::FloorDiv; return true;
    case TokenKind::PercentEq: op = BinaryOp::Mod; return true;
    case TokenKind::AmpEq: op = BinaryOp::BitAnd; return true;
    case TokenKind::PipeEq: op = BinaryOp::BitOr; return true;
    case TokenKind::CaretEq: op = BinaryOp::BitXor; return true;
    case TokenKind::ShlEq: op = BinaryOp::Shl; return true;
    case TokenKind::ShrEq: op = BinaryOp::Shr; return true;
    case TokenKind::AmpPlusEq: op = BinaryOp::WrapAdd; return true;
    case TokenKind::AmpMinusEq: op = BinaryOp::WrapSub; return true;
    case TokenKind::AmpStarEq: op = BinaryOp::WrapMul; return true;
    case TokenKind::QuestionQuestionEq: op = BinaryOp::Coalesce; return true;
    default: return false;
  }
}

}  // namespace

// To the end of the block at hand; its DEDENT is left.
void Parser::parse_statements(StmtList& out) {
  while (!at(TokenKind::Dedent) && !at(TokenKind::End)) parse_line(out);
}

void Parser::parse_line(StmtList& out) {
  failing_ = false;
  uint32_t before = pos_;
  bool was_skipped = std::exchange(skipped_line_, false);
  if (at(TokenKind::Ident)) translate_foreign_word();
  if (failing_) {
    end_statement();
  } else if (at(TokenKind::Newline)) {
    next();
  } else if (Stmt* loop = at(TokenKind::Ident) ? parse_foreign_loop() : nullptr) {
    push_statement(out, loop);
  } else if (peek_kind() == TokenKind::Eq && at_keyword_as_name()) {
    Stmt* stmt = parse_assignment(parse_keyword_as_name(), false, tokens_[before].start);
    out.push(stmt);
    end_statement();
  } else if (at(TokenKind::Indent)) {
    if (!was_skipped) {
      Diagnostic& d = sink_.report(Code::UnexpectedIndent, here().end > here().start ? here() : Span{file_, tok().start, peek().end}, "this line is indented more than the one before it");
      d.help = "only the block of a statement such as `if` or `def` is indented; inside brackets a line may go on";
      if (!out.empty()) {   // indented like the statement before it
        uint32_t line = sources_.line_start(file_, sources_.position(file_, tok().start).line);
        uint32_t before_start = out.back()->span.start;
        uint32_t before_line = sources_.line_start(file_, sources_.position(file_, before_start).line);
        std::string indent(sources_.text(Span{file_, before_line, before_start}));
        if (indent.find_first_not_of(" \t") == std::string::npos) d.edits.push_back({{file_, line, tok().start}, indent});
      }
    }
    parse_unexpected_indent(out);
  } else if (at_compound()) {
    push_statement(out, parse_compound());
  } else {
    parse_simple_line(out);
  }
  if (pos_ == before) next();
}

// The statements of a block that belongs to nothing join those around it.
void Parser::parse_unexpected_indent(StmtList& out) {
  DepthGuard guard(*this);
  if (!guard.ok()) {
    report_too_deep();
    skip_group();
    return;
  }
  next();
  parse_statements(out);
  accept(TokenKind::Dedent);
}

// `a; b` up to the end of the line, which is taken.
void Parser::parse_simple_line(StmtList& out) {
  if (at(TokenKind::Semicolon)) {
    refuse_empty_statement();
    if (at_statement_end()) return end_statement();
  }
  do {
    if (at(TokenKind::Ident)) translate_foreign_word();
    if (failing_) break;
    if (at_compound()) {
      Diagnostic& d = sink_.report(Code::UnexpectedToken, here(), describe(tok()) + " begins a block and cannot stand on this line");
      d.help = "put it on a line of its own";
      push_statement(out, parse_compound());
      return;
    }
    if (at(TokenKind::Import)) parse_import(out);
    else
      push_statement(out, parse_simple());
  } while (!failing_ && accept_semicolon() && !at_statement_end());
  end_statement();
}

bool Parser::accept_semicolon() {
  if (!accept(TokenKind::Semicolon)) return false;
  refuse_empty_statement();
  return true;
}

// A `;` that has no statement to end.
void Parser::refuse_empty_statement() {
  if (!at(TokenKind::Semicolon)) return;
  Diagnostic& d = sink_.report(Code::UnexpectedToken, here(), "there is no statement in front of this `;`");
  d.help = "leave it out";
  source::Span left_out = here();
  while (at(TokenKind::Semicolon)) {
    left_out.end = here().end;
    next();
  }
  if (!at_statement_end()) left_out.end = here().start;
  d.edits.push_back({left_out, ""});
}

// `scope(…) as s` up to the colon, without its `await`.
static bool is_scope_header(std::span<const Token> tokens, size_t colon) {
  size_t first = colon;
  while (first > 0 && tokens[first - 1].kind != TokenKind::Newline && tokens[first - 1].kind != TokenKind::Indent && tokens[first - 1].kind != TokenKind::Dedent) first--;
  return tokens[first].kind == TokenKind::Ident && tokens[first].name.text() == "scope";
}

// Takes the line end after a simple statement; gives the line up when something else stands there.
void Parser::end_statement() {
  if (!failing_) {
    if (accept(TokenKind::Newline) || at(TokenKind::End) || at(TokenKind::Dedent)) return;
    // The block of an anonymous `def`, or of `defer:`, has ended the line already.
    TokenKind before = pos_ > 0 ? tokens_[pos_ - 1].kind : TokenKind::Newline;
    if (before == TokenKind::Dedent || before == TokenKind::Newline) return;
    if (accept(TokenKind::Semicolon)) {
      accept(TokenKind::Newline);
      return;
    }
    Diagnostic& d = error_unexpected("the end of the line");
    if (at(TokenKind::Eq)) d.help = "a comparison is written `==`";
    if (at(TokenKind::Colon) && is_scope_header(tokens_, pos_)) d.help = "a scope is awaited: write `await` in front of `scope`";
    if (at(TokenKind::Arrow)) d.help = "a lambda of several parameters is written `(a, b) -> …`";
  }
  skip_to_line_end();
  failing_ = false;
  skipped_line_ = at(TokenKind::Newline) && peek_kind() == TokenKind::Indent;
  accept(TokenKind::Newline);
}

// ---- Blocks

// After a header: takes its colon and, for an indented block, NEWLINE and INDENT. False when there is no body.
bool Parser::begin_block(std::string_view owner, bool& is_indented) {
  is_indented = false;
  if (failing_) return recover_header(is_indented);
  if (at(TokenKind::Colon)) mark(TokenRole::BlockColon);
  bool has_colon = accept(TokenKind::Colon);
  if (at(TokenKind::Newline) && peek_kind() == TokenKind::Indent) {
    if (!has_colon) mark(TokenRole::MissingColon);
    next();
    next();
    is_indented = true;
    return true;
  }
  if (has_colon && !at_statement_end()) return true;
  if (!has_colon && !at_statement_end()) {
    // `if x = 1:` has a block after its broken header; `if x return 1` only lacks the colon.
    uint32_t last = pos_;
    while (tokens_[last].kind != TokenKind::Newline && tokens_[last].kind != TokenKind::End) last++;
    bool has_block = tokens_[last - 1].kind == TokenKind::Colon || (last + 1 < tokens_.size() && tokens_[last + 1].kind == TokenKind::Indent);
    if (has_block || at(TokenKind::Eq) || at(TokenKind::LeftBrace)) {
      Diagnostic& d = error_unexpected("`:`");
      if (at(TokenKind::Eq)) {
        d.help = "a comparison is written `==`";
        d.edits.push_back({here(), "=="});
      }
      if (at(TokenKind::LeftBrace)) d.help = "a block is indented below its header, without braces";
      return recover_header(is_indented);
    }
    Span gap = {file_, prev_end_, prev_end_ + 1};
    Diagnostic& d = sink_.report(Code::MissingColon, gap, "`" + std::string(owner) + "` with its body on the same line needs a `:`");
    d.help = "write the colon";
    d.edits.push_back({{file_, prev_end_, prev_end_}, ":"});
    return true;
  }
  // The line that should be indented is the place to look at, if there is one.
  const Token& following = peek();
  bool has_line = at(TokenKind::Newline) && following.end > following.start;
  Span header = {file_, prev_end_, prev_end_ + 1};
  Diagnostic& d = error(Code::ExpectedBlock, has_line ? span_of(following) : header, "expected an indented block after `" + std::string(owner) + "`");
  if (has_line) {
    d.label = "not indented";
    d.labels.push_back({{file_, prev_end_ - 1, prev_end_}, "the block belongs here"});
  }
  d.help = "indent what belongs to it, or write `pass` if there is nothing to do";
  failing_ = false;
  accept(TokenKind::Newline);
  return false;
}

// The header is broken, and that has been said: goes to its end and takes the block below it as its body.
bool Parser::recover_header(bool& is_indented) {
  skip_to_line_end();
  failing_ = false;
  if (at(TokenKind::Newline) && peek_kind() == TokenKind::Indent) {
    next();
    next();
    is_indented = true;
    return true;
  }
  accept(TokenKind::Newline);
  return false;
}

Block Parser::parse_block(std::string_view owner) {
  DepthGuard guard(*this);
  if (!guard.ok()) {
    report_too_deep();
    skip_to_line_end();
    failing_ = false;
    accept(TokenKind::Newline);
    if (at(TokenKind::Indent)) skip_group();
    return {};
  }
  StmtList body;
  bool is_indented;
  if (!begin_block(owner, is_indented)) return {};
  if (is_indented) {
    parse_statements(body);
    accept(TokenKind::Dedent);
  } else {
    parse_simple_line(body);
  }
  return body.finish(arena_);
}

// A string as the first statement is the doc string and no statement.
std::string_view Parser::take_doc(Block& body) {
  if (body.empty()) return {};
  ExprStmt* first = body[0]->as<ExprStmt>();
  StrExpr* text = first != nullptr ? first->value->as<StrExpr>() : nullptr;
  if (text == nullptr || text->parenthesized) return {};
  body = body.subspan(1);
  return text->value;
}

// ---- Dispatch

bool Parser::at_compound() const {
  switch (kind()) {
    case TokenKind::If: case TokenKind::While: case TokenKind::For: case TokenKind::Try: case TokenKind::With: case TokenKind::Switch:
    case TokenKind::Class: case TokenKind::Struct: case TokenKind::Enum: case TokenKind::Trait: case TokenKind::Impl: case TokenKind::At:
    case TokenKind::Pub: case TokenKind::Extern: return true;
    case TokenKind::Def: return peek_kind() != TokenKind::LeftParen;
    case TokenKind::Async: {
      TokenKind following = peek_kind();
      return following == TokenKind::For || following == TokenKind::With || (following == TokenKind::Def && peek_kind(2) != TokenKind::LeftParen);
    }
    case TokenKind::Await: return at_scope();
    case TokenKind::Ident: return at_select() || at_block_word("shield") || at_block_word("unsafe");
    default: return false;
  }
}

// Takes everything of the statement, the line end and blocks included.
Stmt* Parser::parse_compound() {
  uint32_t start = tok().start;
  const char* outer = std::exchange(no_walrus_, nullptr);
  Stmt* stmt = parse_compound_here();
  no_walrus_ = outer;
  return noted(stmt, start);
}

Stmt* Parser::parse_compound_here() {
  Modifiers modifiers;
  modifiers.start = tok().start;
  switch (kind()) {
    case TokenKind::If: return parse_if();
    case TokenKind::While: return parse_while();
    case TokenKind::For: return parse_for(false, modifiers.start);
    case TokenKind::Try: return parse_try();
    case TokenKind::With: return parse_with(false, modifiers.start);
    case TokenKind::Switch: return parse_switch();
    case TokenKind::Impl: return parse_impl();
    case TokenKind::At: return parse_decorated();
    case TokenKind::Await: return parse_scope();
    case TokenKind::Async:
      if (peek_kind() == TokenKind::For || peek_kind() == TokenKind::With) {
        bool is_for = next().kind == TokenKind::Async && at(TokenKind::For);
        return is_for ? parse_for(true, modifiers.start) : parse_with(true, modifiers.start);
      }
      return parse_declaration(modifiers);
    case TokenKind::Ident:
      if (at_word("select")) return parse_select();
      return at_word("shield") ? parse_shield() : parse_unsafe();
    default: return parse_declaration(modifiers);
  }
}

// One statement without a block; its line end is left.
Stmt* Parser::parse_simple() {
  uint32_t start = tok().start;
  return noted(parse_simple_here(), start);
}

Stmt* Parser::parse_simple_here() {
  uint32_t start = tok().start;
  switch (kind()) {
    case TokenKind::Break: next(); return make<BreakStmt>(start);
    case TokenKind::Continue: next(); return make<ContinueStmt>(start);
    case TokenKind::Pass: next(); return make<PassStmt>(start);
    case TokenKind::Return: return parse_return();
    case TokenKind::Raise: return parse_raise();
    case TokenKind::Defer: return parse_defer();
    case TokenKind::Global: return parse_names(true);
    case TokenKind::Nonlocal: return parse_names(false);
    case TokenKind::From: return parse_from_import();
    case TokenKind::Const: return parse_const({{}, false, start});
    case TokenKind::Else: case TokenKind::Elif: case TokenKind::Catch: case TokenKind::Finally: case TokenKind::Case: {
      Diagnostic& d = error(Code::UnexpectedToken, here(), describe(tok()) + " belongs to no statement before it");
      d.help = "it stands in the column of the statement it belongs to, right after that one's block";
      return make<ErrorStmt>(start);
    }
    case TokenKind::Ident:
      if (at_word("del") && at_operand_after_word()) return parse_del();
      if (at_word("assert") && at_operand_after_word()) return parse_assert();
      if (at_word("local") && peek_kind() == TokenKind::Ident) return parse_local({{}, false, start});
      if (at_word("type") && peek_kind() == TokenKind::Ident) return parse_type_alias({{}, false, start});
      break;
    default: break;
  }
  return parse_expression_statement(false, start);
}

// `del x` and `assert x` are statements, `del = 1` and `assert.x` are not.
bool Parser::at_operand_after_word() const {
  switch (peek_kind()) {
    case TokenKind::Ident: case TokenKind::Int: case TokenKind::Float: case TokenKind::Duration: case TokenKind::Str: case TokenKind::Bytes:
    case TokenKind::FStringStart: case TokenKind::LeftParen: case TokenKind::LeftBrace: case TokenKind::True: case TokenKind::False: case TokenKind::Null:
    case TokenKind::Not: case TokenKind::Await: case TokenKind::Spawn: case TokenKind::Async: case TokenKind::Def: case TokenKind::Tilde: case TokenKind::Bang: return true;
    case TokenKind::LeftBracket: case TokenKind::Minus: case TokenKind::Plus: return peek().space_before;
    default: return false;
  }
}

Stmt* Parser::parse_expression_statement(bool is_pub, uint32_t start) {
  Expr* first = parse_expr_list();
  if (failing_) return make<ErrorStmt>(start);
  return parse_assignment(first, is_pub, start);
}

Expr* Parser::parse_assigned_value() { return at(TokenKind::Yield) ? parse_yield() : parse_expr_list(); }

Stmt* Parser::parse_assignment(Expr* first, bool is_pub, uint32_t start) {
  bool is_place = first->kind == ExprKind::Name || first->kind == ExprKind::Member || first->kind == ExprKind::Index;
  if (at(TokenKind::Colon) && is_place) {
    next();
    bool is_walrus = at(TokenKind::Eq) && !tok().space_before;
    if (is_walrus) report_spelling({file_, tok().start - 1, tok().end}, ":=", "=", "=");
    TypeExpr* type = is_walrus ? nullptr : parse_type();
    Expr* value = !failing_ && accept(TokenKind::Eq) ? parse_assigned_value() : nullptr;
    check_target(first);
    AssignStmt* stmt = make<AssignStmt>(start);
    stmt->targets = arena_.copy(&first, 1);
    stmt->type = type, stmt->value = value, stmt->is_pub = is_pub;
    return stmt;
  }
  if (at(TokenKind::Eq)) {
    ItemList<Expr*> targets;
    Expr* value = first;
    while (accept(TokenKind::Eq)) {
      check_target(value);
      targets.push(value);
      value = parse_assigned_value();
      if (failing_) break;
    }
    AssignStmt* stmt = make<AssignStmt>(start);
    stmt->targets = targets.finish(arena_);
    stmt->value = value, stmt->is_pub = is_pub;
    return stmt;
  }
  BinaryOp op;
  if (aug_op_of(kind(), op)) {
    Span op_span = here();
    if (first->kind == ExprKind::Tuple || first->kind == ExprKind::List) {
      sink_.report(Code::InvalidAssignmentTarget, first->span, "`" + std::string(tokens::spelling_of(kind())) + "` changes one variable, not several");
    } else {
      check_target(first);
    }
    next();
    Expr* value = parse_assigned_value();
    AugAssignStmt* stmt = make<AugAssignStmt>(start);
    stmt->op = op, stmt->op_span = op_span;
    stmt->target = first, stmt->value = value;
    return stmt;
  }
  ExprStmt* stmt = make<ExprStmt>(start);
  stmt->value = first;
  return stmt;
}

// What stands left of `=`, after `for`, after `as`. Parsing goes on whatever it is.
bool Parser::check_target(Expr* target, bool in_list) {
  std::string what;
  switch (target->kind) {
    case ExprKind::Name: case ExprKind::Index: case ExprKind::Error: return true;
    case ExprKind::Member:
      if (!static_cast<MemberExpr*>(target)->optional) return true;
      what = "a member behind `?.`";
      break;
    case ExprKind::Tuple: case ExprKind::List: {
      auto items = target->kind == ExprKind::Tuple ? static_cast<TupleExpr*>(target)->items : static_cast<ListExpr*>(target)->items;
      size_t stars = 0;
      for (Expr* item : items) {
        if (!check_target(item, true)) return false;
        if (item->kind == ExprKind::Star && ++stars == 2) {
          sink_.report(Code::InvalidAssignmentTarget, item->span, "only one `*` can take the rest");
          return false;
        }
      }
      return true;
    }
    case ExprKind::Star:
      if (in_list) return check_target(static_cast<StarExpr*>(target)->operand);
      what = "a `*` without names beside it";
      break;
    case ExprKind::Call: what = "the result of a call"; break;
    case ExprKind::Int: case ExprKind::Float: case ExprKind::Str: case ExprKind::Bytes: case ExprKind::FString: case ExprKind::Bool:
    case ExprKind::Null: case ExprKind::Duration: what = "a literal"; break;
    case ExprKind::Compare: what = "a comparison"; break;
    case ExprKind::Unwrap: what = "the value of `!`"; break;
    default: what = "this expression"; break;
  }
  Diagnostic& d = sink_.report(Code::InvalidAssignmentTarget, target->span, what + " cannot be assigned to");
  if (target->kind == ExprKind::Unwrap) d.help = "assign to the variable without `!`";
  return false;
}

// ---- The others

Stmt* Parser::parse_return() {
  uint32_t start = next().start;
  bool is_bare = at_statement_end() || (brackets_ > 0 && (at(TokenKind::Comma) || at(TokenKind::RightParen) || at(TokenKind::RightBracket) || at(TokenKind::RightBrace)));
  Expr* value = is_bare ? nullptr : parse_expr_list();
  ReturnStmt* stmt = make<ReturnStmt>(start);
  stmt->value = value;
  return stmt;
}

Stmt* Parser::parse_raise() {
  uint32_t start = next().start;
  Expr* value = at_statement_end() ? nullptr : parse_expr();
  Expr* cause = value != nullptr && !failing_ && accept(TokenKind::From) ? parse_expr() : nullptr;
  RaiseStmt* stmt = make<RaiseStmt>(start);
  stmt->value = value, stmt->cause = cause;
  return stmt;
}

// `defer stmt`, or a block.
Stmt* Parser::parse_defer() {
  uint32_t start = next().start;
  Block body;
  if (at(TokenKind::Colon) || at(TokenKind::Newline)) {
    body = parse_block("defer");
  } else {
    DepthGuard guard(*this);
    Stmt* stmt;
    if (guard.ok()) {
      stmt = at_compound() ? parse_compound() : parse_simple();
    } else {
      report_too_deep();
      stmt = make<ErrorStmt>(start);
    }
    body = arena_.copy(&stmt, 1);
  }
  DeferStmt* stmt = make<DeferStmt>(start);
  stmt->body = body;
  return stmt;
}

Stmt* Parser::parse_del() {
  mark(TokenRole::Word);
  uint32_t start = next().start;
  ItemList<Expr*> targets;
  do {
    Expr* target = parse_postfix();
    if (target->kind == ExprKind::Tuple) {
      for (Expr* item : static_cast<TupleExpr*>(target)->items) targets.push(item);
    } else {
      targets.push(target);
    }
  } while (!failing_ && accept(TokenKind::Comma) && !at_statement_end());
  for (Expr* target : targets) check_target(target);
  DelStmt* stmt = make<DelStmt>(start);
  stmt->targets = targets.finish(arena_);
  return stmt;
}

// `assert cond, message`; `assert(cond, message)` means the same.
Stmt* Parser::parse_assert() {
  mark(TokenRole::Word);
  uint32_t start = next().start;
  Expr* condition = parse_expr();
  Expr* message = !failing_ && accept(TokenKind::Comma) ? parse_expr() : nullptr;
  TupleExpr* pair = condition->as<TupleExpr>();
  if (message == nullptr && pair != nullptr && pair->items.size() == 2) {
    condition = pair->items[0];
    message = pair->items[1];
  }
  AssertStmt* stmt = make<AssertStmt>(start);
  stmt->condition = condition, stmt->message = message;
  return stmt;
}

Stmt* Parser::parse_names(bool is_global) {
  uint32_t start = next().start;
  ItemList<Name> names;
  do {
    if (!at(TokenKind::Ident)) {
      error(Code::ExpectedName, here(), "expected the name of a variable, found " + describe(tok()));
      break;
    }
    names.push(next().name);
  } while (accept(TokenKind::Comma));
  if (is_global) {
    GlobalStmt* stmt = make<GlobalStmt>(start);
    stmt->names = names.finish(arena_);
    return stmt;
  }
  NonlocalStmt* stmt = make<NonlocalStmt>(start);
  stmt->names = names.finish(arena_);
  return stmt;
}

Stmt* Parser::parse_const(Modifiers modifiers) {
  next();
  ConstDecl* decl = make<ConstDecl>(modifiers.start);
  decl->is_pub = modifiers.is_pub;
  decl->decorators = modifiers.decorators;
  decl->name_span = here();
  if (at(TokenKind::Ident)) decl->name = next().name;
  else error(Code::ExpectedName, here(), "expected the name of the constant, found " + describe(tok()));
  if (!failing_ && accept(TokenKind::Colon)) decl->type = parse_type();
  if (!failing_ && accept(TokenKind::Eq)) {
    decl->value = without_walrus("the value of a `const`", [&] { return parse_expr_list(); });
  } else if (!in_members_) {
    error_unexpected("`=` and the value of the constant");
    decl->value = error_expr(span_from(modifiers.start));
  } else if (decl->type == nullptr) {
    error_unexpected("`:` and the type of the field, or `=` and the value of the constant");
    decl->type = error_type();
  }
  decl->span = span_from(modifiers.start);
  return decl;
}

Stmt* Parser::parse_local(Modifiers modifiers) {
  next();
  LocalDecl* decl = make<LocalDecl>(modifiers.start);
  decl->is_pub = modifiers.is_pub;
  decl->name_span = here();
  decl->name = next().name;
  if (accept(TokenKind::Colon)) decl->type = parse_type();
  if (!failing_ && expect(TokenKind::Eq, "and the value of the variable"))
    decl->value = without_walrus("the value of a `local`", [&] { return parse_expr_list(); });
  else decl->value = error_expr(here());
  decl->span = span_from(modifiers.start);
  return decl;
}

Stmt* Parser::parse_type_alias(Modifiers modifiers) {
  next();
  TypeAliasDecl* decl = make<TypeAliasDecl>(modifiers.start);
  decl->is_pub = modifiers.is_pub;
  decl->name_span = here();
  decl->name = next().name;
  if (at(TokenKind::Less)) decl->type_params = parse_type_params();
  if (!failing_ && expect(TokenKind::Eq, "and the type")) decl->type = parse_type();
  else decl->type = error_type();
  decl->span = span_from(modifiers.start);
  return decl;
}

}  // namespace meteor::ast
