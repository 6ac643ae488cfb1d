// Functions, lambdas, anonymous `def`s, parameters and decorators.
#include "compiler/ast/parser.h"

namespace meteor::ast {

std::span<Decorator> Parser::parse_decorators() {
  ItemList<Decorator> decorators;
  while (at(TokenKind::At)) {
    uint32_t start = next().start;
    Decorator decorator;
    ItemList<Name> path;
    do {
      if (!at(TokenKind::Ident) && !is_keyword(kind())) {
        error(Code::ExpectedName, here(), "expected the name of a decorator, found " + describe(tok()));
        break;
      }
      path.push(next().name);
    } while (accept(TokenKind::Dot));
    if (at(TokenKind::LeftParen) && !failing_) decorator.args = parse_args();
    decorator.path = path.finish(arena_);
    decorator.span = span_from(start);
    if (!path.empty()) decorators.push(decorator);
    if (failing_) {
      skip_to_line_end();
      failing_ = false;
    }
    accept(TokenKind::Newline);
  }
  return decorators.finish(arena_);
}

Stmt* Parser::parse_decorated() {
  Modifiers modifiers;
  modifiers.start = tok().start;
  modifiers.decorators = parse_decorators();
  return parse_declaration(modifiers);
}

// What may follow `pub` and decorators.
Stmt* Parser::parse_declaration(Modifiers modifiers) {
  if (at(TokenKind::Pub)) {
    modifiers.is_pub = true;
    next();
    if (at(TokenKind::Ident)) translate_foreign_word();
  }
  switch (kind()) {
    case TokenKind::Def: return parse_function(modifiers, false, {});
    case TokenKind::Async:
      if (peek_kind() == TokenKind::Def) {
        next();
        return parse_function(modifiers, true, {});
      }
      break;
    case TokenKind::Extern: return parse_extern(modifiers);
    case TokenKind::Class: return parse_class(modifiers, ClassKind::Class);
    case TokenKind::Struct: return parse_class(modifiers, ClassKind::Struct);
    case TokenKind::Enum: return parse_class(modifiers, ClassKind::Enum);
    case TokenKind::Trait: return parse_class(modifiers, ClassKind::Trait);
    case TokenKind::Const: {
      Stmt* stmt = parse_const(modifiers);
      end_statement();
      return stmt;
    }
    case TokenKind::Ident:
      if (at_word("type") && peek_kind() == TokenKind::Ident) {
        Stmt* stmt = parse_type_alias(modifiers);
        end_statement();
        return stmt;
      }
      if (at_word("local") && peek_kind() == TokenKind::Ident) {
        Stmt* stmt = parse_local(modifiers);
        end_statement();
        return stmt;
      }
      if (modifiers.is_pub && modifiers.decorators.empty()) {
        Stmt* stmt = parse_expression_statement(true, modifiers.start);
        if (stmt->kind == StmtKind::Expr) error(Code::UnexpectedToken, stmt->span, "`pub` stands before a declaration");
        end_statement();
        return stmt;
      }
      break;
    default: break;
  }
  error_unexpected("a declaration after `" + std::string(modifiers.is_pub ? "pub" : "@…") + "`");
  end_statement();
  return make<ErrorStmt>(modifiers.start);
}

Stmt* Parser::parse_extern(Modifiers modifiers) {
  next();
  std::string_view abi = "C";
  if (at(TokenKind::Str)) abi = literal_of(next()).text;
  bool is_async = accept(TokenKind::Async);
  if (!at(TokenKind::Def)) {
    error_unexpected("`def` after `extern`");
    end_statement();
    return make<ErrorStmt>(modifiers.start);
  }
  return parse_function(modifiers, is_async, abi);
}

Stmt* Parser::parse_function(Modifiers modifiers, bool is_async, std::string_view abi) {
  next();
  Name name;
  Span name_span = here();
  // A method may have any word as its name, as it is called after a dot.
  if (at(TokenKind::Ident) || (is_keyword(kind()) && (peek_kind() == TokenKind::LeftParen || peek_kind() == TokenKind::Less))) {
    name = next().name;
  } else {
    error(Code::ExpectedName, at_statement_end() ? Span{file_, prev_end_, prev_end_ + 1} : here(), "expected the name of the function, found " + describe(tok()));
  }
  std::span<TypeParam> type_params;
  if (at(TokenKind::Less) && !failing_) type_params = parse_type_params();
  std::span<Param> params;
  if (at(TokenKind::LeftParen)) {
    failing_ = false;
    params = parse_params();
  } else {
    error_unexpected("`(` and the parameters");
  }
  TypeExpr* return_type = parse_return_type();
  bool is_broken = failing_;
  FunctionDecl* function = make<FunctionDecl>(modifiers.start);
  function->name = name, function->name_span = name_span;
  function->type_params = type_params;
  function->params = params;
  function->return_type = return_type;
  function->is_async = is_async, function->is_pub = modifiers.is_pub;
  function->extern_abi = abi;
  function->decorators = modifiers.decorators;
  bool is_declared_only = !failing_ && at_statement_end() && !(at(TokenKind::Newline) && peek_kind() == TokenKind::Indent);
  if (is_declared_only) {
    function->has_body = false;
    if (!in_trait_ && abi.empty() && modifiers.decorators.empty()) {
      Diagnostic& d = sink_.report(Code::ExpectedBlock, {file_, prev_end_, prev_end_ + 1}, "this function has no body");
      d.help = "only the methods of a trait and `extern` functions are declared without one";
    }
    end_statement();
  } else {
    bool outer_trait = std::exchange(in_trait_, false);
    function->body = parse_block("def");
    in_trait_ = outer_trait;
    function->doc = take_doc(function->body);
  }
  function->span = span_from(modifiers.start);
  broken_header_ = is_broken;
  if (!name) return make<ErrorStmt>(modifiers.start);
  return function;
}

TypeExpr* Parser::parse_return_type() {
  if (!at(TokenKind::Arrow) || failing_) return nullptr;
  next();
  TypeExpr* type = parse_type();
  return at(TokenKind::Comma) && brackets_ == 0 && !failing_ ? parse_bare_tuple_type(type) : type;
}

// <T: Ord + Hash, U>
std::span<TypeParam> Parser::parse_type_params() {
  mark(TokenRole::TypeBracket);
  next();
  ItemList<TypeParam> params;
  while (at(TokenKind::Ident)) {
    TypeParam param;
    uint32_t start = tok().start;
    param.name = next().name;
    if (accept(TokenKind::Colon)) {
      ItemList<TypeExpr*> bounds;
      do bounds.push(parse_type());
      while (accept(TokenKind::Plus) && !failing_);
      param.bounds = bounds.finish(arena_);
    }
    param.span = span_from(start);
    params.push(param);
    if (!accept(TokenKind::Comma)) break;
  }
  if (!accept_greater()) error_unexpected("`,` or `>` after a type parameter");
  return params.finish(arena_);
}

std::span<Param> Parser::parse_params() {
  next();
  brackets_++;
  bool outer_as = std::exchange(allow_as_, true);
  ItemList<Param> params;
  bool keyword_only = false;
  while (!at(TokenKind::RightParen) && !at(TokenKind::End)) {
    parse_param(params, keyword_only);
    if (!at(TokenKind::Comma) && !at(TokenKind::RightParen)) {
      bool is_typed_first = at(TokenKind::Ident) && !params.empty() && params.back().type == nullptr;
      Diagnostic& d = error_unexpected("`,` or `)` after a parameter");
      if (is_typed_first) d.help = "a parameter is written `name: type`";
    }
    recover_element();
    if (!accept(TokenKind::Comma)) break;
  }
  expect(TokenKind::RightParen, "to close the parameters");
  allow_as_ = outer_as;
  brackets_--;
  return params.finish(arena_);
}

// False for the bare `*` that makes what follows keyword-only.
bool Parser::parse_param(ItemList<Param>& params, bool& keyword_only) {
  Param param;
  uint32_t start = tok().start;
  if (at(TokenKind::StarStar) || at(TokenKind::Star)) mark(TokenRole::Prefix);
  if (accept(TokenKind::StarStar)) {
    param.kind = ParamKind::KwArgs;
  } else if (accept(TokenKind::Star)) {
    if (at(TokenKind::Comma) || at(TokenKind::RightParen)) {
      keyword_only = true;
      return false;
    }
    param.kind = ParamKind::VarArgs;
  } else {
    if (keyword_only) param.kind = ParamKind::KeywordOnly;
    bool has_name = peek_kind() == TokenKind::Ident;
    if (has_name && accept(TokenKind::Owned)) param.mode = ParamMode::Owned;
    else if (has_name && accept(TokenKind::Ref)) param.mode = ParamMode::Ref;
  }
  bool is_second = false;
  for (size_t i = 0; i < params.size() && !failing_; ++i) is_second |= params[i].kind == param.kind && param.kind != ParamKind::Normal && param.kind != ParamKind::KeywordOnly;
  if (is_second) {
    auto& d = error(Code::UnexpectedToken, span_from(start), param.kind == ParamKind::VarArgs ? "a function takes only one `*` parameter" : "a function takes only one `**` parameter");
    d.help = "leave one of them out";
  }
  if (param.kind == ParamKind::VarArgs) keyword_only = true;
  if (!at(TokenKind::Ident) && !(peek_kind() == TokenKind::Colon && is_keyword(kind())) && !at_keyword_as_name()) {
    error(Code::ExpectedName, here(), "expected the name of a parameter, found " + describe(tok()));
    return false;
  }
  if (at(TokenKind::Ident)) param.name = next().name;
  else param.name = static_cast<NameExpr*>(parse_keyword_as_name())->name;
  if (accept(TokenKind::Colon)) param.type = parse_type();
  if (at(TokenKind::Eq) && param.type == nullptr) mark(TokenRole::Named);
  if (!failing_ && accept(TokenKind::Eq))
    param.default_value = without_walrus("a default value", [&] { return parse_expr(); });
  param.span = span_from(start);
  params.push(param);
  return true;
}

// `x ->`, `(…) ->`, and both after `async`.
// `->`, or what JavaScript writes for it: `=>` is two tokens.
bool Parser::is_arrow(uint32_t at) const {
  if (at + 1 >= tokens_.size()) return false;
  if (tokens_[at].kind == TokenKind::Arrow) return true;
  return tokens_[at].kind == TokenKind::Eq && tokens_[at + 1].kind == TokenKind::Greater && !tokens_[at + 1].space_before;
}

void Parser::take_arrow() {
  if (next().kind == TokenKind::Arrow) return;
  uint32_t end = next().end;
  report_spelling({file_, end - 2, end}, "=>", "->", "->");
}

bool Parser::at_lambda() const {
  uint32_t at = kind() == TokenKind::Async ? 1 : 0;
  TokenKind first = peek_kind(at);
  if (first == TokenKind::Ident) return is_arrow(pos_ + at + 1);
  if (first != TokenKind::LeftParen) return false;
  return is_arrow(peek(at).literal + 1);
}

Expr* Parser::parse_lambda() {
  uint32_t start = tok().start;
  bool is_async = accept(TokenKind::Async);
  std::span<Param> params;
  if (at(TokenKind::LeftParen)) {
    params = parse_params();
  } else {
    Param param;
    param.span = here();
    param.name = next().name;
    params = arena_.copy(&param, 1);
  }
  take_arrow();
  return finish_lambda(params, is_async, start);
}

Expr* Parser::finish_lambda(std::span<Param> params, bool is_async, uint32_t start) {
  uint32_t value_start = tok().start;
  const char* outer = std::exchange(no_walrus_, nullptr);
  Expr* value = parse_expr();
  no_walrus_ = outer;
  ReturnStmt* result = make<ReturnStmt>(value_start);
  noted(result, value_start);
  result->value = value;
  Stmt* body = result;
  FunctionDecl* function = make<FunctionDecl>(start);
  function->params = params;
  function->body = arena_.copy(&body, 1);
  function->is_async = is_async, function->is_lambda = true;
  LambdaExpr* node = make<LambdaExpr>(start);
  node->function = function;
  return node;
}

// `lambda x, y: x + y`: read as Python means it, reported with the Meteor spelling.
Expr* Parser::parse_python_lambda() {
  uint32_t start = next().start;
  ItemList<Param> params;
  bool keyword_only = false;
  uint32_t first = tok().start;
  while (at(TokenKind::Ident) || at(TokenKind::Star)) {
    Param param;
    param.span = here();
    if (accept(TokenKind::Star)) param.kind = ParamKind::VarArgs, keyword_only = true;
    else if (keyword_only) param.kind = ParamKind::KeywordOnly;
    if (at(TokenKind::Ident)) param.name = next().name;
    if (accept(TokenKind::Eq)) param.default_value = parse_expr();
    params.push(param);
    if (!accept(TokenKind::Comma)) break;
  }
  std::string list(sources_.text({file_, first, prev_end_ > first ? prev_end_ : first}));
  if (!expect(TokenKind::Colon, "after the parameters")) return error_expr(span_from(start));
  bool is_single = params.size() == 1 && params[0].kind == ParamKind::Normal && params[0].default_value == nullptr;
  std::string edit = (is_single ? list : "(" + list + ")") + " ->";
  report_spelling(span_from(start), "lambda", edit, edit, "write `" + edit + " …`");
  return finish_lambda(params.finish(arena_), false, start);
}

// def (x: int) -> int: …
Expr* Parser::parse_anon_def(bool is_async, uint32_t start) {
  next();
  if (at(TokenKind::Ident)) {
    error(Code::UnexpectedToken, here(), "a `def` inside an expression has no name").help = "declare the function before, or leave out its name";
    next();
    failing_ = false;
  }
  std::span<TypeParam> type_params;
  if (at(TokenKind::Less)) type_params = parse_type_params();
  std::span<Param> params;
  if (at(TokenKind::LeftParen)) params = parse_params();
  else error_unexpected("`(` and the parameters");
  TypeExpr* return_type = parse_return_type();
  StmtList body;
  const char* outer = std::exchange(no_walrus_, nullptr);
  if (!failing_) {
    if (at(TokenKind::Colon)) mark(TokenRole::BlockColon);
    bool has_colon = accept(TokenKind::Colon);
    if (!has_colon && at(TokenKind::Newline)) mark(TokenRole::MissingColon);
    if (at(TokenKind::Newline) && peek_kind() == TokenKind::Indent) {
      next();
      next();
      uint32_t outer_brackets = std::exchange(brackets_, 0);
      bool outer_as = std::exchange(allow_as_, true);
      uint32_t outer_chain = std::exchange(chain_, 0);
      DepthGuard guard(*this);
      if (guard.ok()) {
        parse_statements(body);
      } else {
        report_too_deep();
        while (!at(TokenKind::Dedent) && !at(TokenKind::End)) {
          if (!skip_group()) next();
        }
      }
      accept(TokenKind::Dedent);
      brackets_ = outer_brackets;
      allow_as_ = outer_as;
      chain_ = outer_chain;
    } else if (has_colon && !at_statement_end()) {
      body.push(parse_simple());
    } else {
      error(Code::ExpectedBlock, {file_, prev_end_, prev_end_ + 1}, "expected an indented block after this `def`");
    }
  }
  no_walrus_ = outer;
  FunctionDecl* function = make<FunctionDecl>(start);
  function->type_params = type_params;
  function->params = params;
  function->return_type = return_type;
  function->body = body.finish(arena_);
  function->doc = take_doc(function->body);
  function->is_async = is_async;
  AnonDefExpr* node = make<AnonDefExpr>(start);
  node->function = function;
  return node;
}

}  // namespace meteor::ast
