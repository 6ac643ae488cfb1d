// Expressions by precedence, loosest first: lambda, `a if c else b`, `or`, `and`,
// `not`, comparisons, `??`, `as`, `..`, `|`, `^`, `&`, shifts, sums, products,
// signs, `**`, `await`.
#include <algorithm>

#include "compiler/ast/parser.h"

namespace meteor::ast {

namespace {

BinaryOp binary_op_of(TokenKind kind) {
  switch (kind) {
    case TokenKind::Pipe: return BinaryOp::BitOr;
    case TokenKind::Caret: return BinaryOp::BitXor;
    case TokenKind::Amp: return BinaryOp::BitAnd;
    case TokenKind::Shl: return BinaryOp::Shl;
    case TokenKind::Shr: return BinaryOp::Shr;
    case TokenKind::Minus: return BinaryOp::Sub;
    case TokenKind::AmpPlus: return BinaryOp::WrapAdd;
    case TokenKind::AmpMinus: return BinaryOp::WrapSub;
    case TokenKind::Star: return BinaryOp::Mul;
    case TokenKind::Slash: return BinaryOp::Div;
    case TokenKind::SlashSlash: return BinaryOp::FloorDiv;
    case TokenKind::Percent: return BinaryOp::Mod;
    case TokenKind::AmpStar: return BinaryOp::WrapMul;
    default: return BinaryOp::Add;
  }
}

}  // namespace

Parser::Precedence Parser::precedence_of(TokenKind kind) {
  switch (kind) {
    case TokenKind::Or: case TokenKind::PipePipe: return OR;
    case TokenKind::And: case TokenKind::AmpAmp: return AND;
    case TokenKind::EqEq: case TokenKind::NotEq: case TokenKind::Less: case TokenKind::LessEq: case TokenKind::Greater: case TokenKind::GreaterEq:
    case TokenKind::In: case TokenKind::Not: case TokenKind::Is: return COMPARE;
    case TokenKind::QuestionQuestion: return COALESCE;
    case TokenKind::As: return CAST;
    case TokenKind::DotDot: return RANGE;
    case TokenKind::Pipe: return BIT_OR;
    case TokenKind::Caret: return BIT_XOR;
    case TokenKind::Amp: return BIT_AND;
    case TokenKind::Shl: case TokenKind::Shr: return SHIFT;
    case TokenKind::Plus: case TokenKind::Minus: case TokenKind::AmpPlus: case TokenKind::AmpMinus: return ADD;
    case TokenKind::Star: case TokenKind::Slash: case TokenKind::SlashSlash: case TokenKind::Percent: case TokenKind::AmpStar: return MUL;
    default: return NONE;
  }
}

// One expression; a tuple needs parentheses here.
Expr* Parser::parse_expr() { return parse_guarded(NONE); }

// An operand of at least this precedence, NONE for a whole expression. Every way from an expression into one
// inside it goes through here or counts its own depth.
Expr* Parser::parse_guarded(Precedence min) {
  DepthGuard guard(*this);
  if (!guard.ok()) {
    report_too_deep();
    Span span = here();
    skip_to_element_end();
    return error_expr(span);
  }
  uint32_t outer = chain_;
  chain_ = 0;
  Expr* expr = min == NONE ? parse_expr_here() : parse_binary(min);
  chain_ = std::max(outer, chain_ + 1);
  return expr;
}

Expr* Parser::parse_expr_here() {
  uint32_t start = tok().start;
  if (at_lambda()) return parse_lambda();
  if (at(TokenKind::Yield)) return parse_yield();
  Expr* value = parse_binary(OR);
  if (after_block()) return value;
  if (at_walrus() && value->kind == ExprKind::Name && !value->parenthesized && !failing_ && !begins_statement(pos_ - 1))
    return parse_walrus(value->as<NameExpr>());
  if (at(TokenKind::Question) && !failing_) {
    report_question();
  }
  if (!at(TokenKind::If) || failing_) return value;
  next();
  Expr* condition = parse_binary(OR);
  if (!at(TokenKind::Else)) {
    error_unexpected("`else` and the value for when the condition does not hold");
    return error_expr(span_from(start));
  }
  next();
  Expr* else_value = parse_expr();
  TernaryExpr* node = make<TernaryExpr>(start);
  node->condition = condition;
  node->then_value = value;
  node->else_value = else_value;
  return node;
}

bool Parser::at_walrus() const {
  return at(TokenKind::Colon) && peek_kind() == TokenKind::Eq && tokens_[pos_ + 1].start == tok().start + 1;
}

bool Parser::begins_statement(uint32_t at) const {
  if (at == 0) return true;
  TokenKind before = tokens_[at - 1].kind;
  bool begins_line = before == TokenKind::Newline || before == TokenKind::Indent || before == TokenKind::Dedent;
  return brackets_ == 0 && (begins_line || before == TokenKind::Semicolon || before == TokenKind::Colon);
}

// `name := value`, the name being read. Whoever called for what stands in parentheses sees them closed after it.
Expr* Parser::parse_walrus(NameExpr* target) {
  uint32_t start = target->span.start;
  bool is_of_several = brackets_ == 0 && pos_ >= 2 && tokens_[pos_ - 2].kind == TokenKind::Comma;
  Span sign{file_, tok().start, peek().end};
  bool is_open =
      pos_ >= 2 && tokens_[pos_ - 2].kind == TokenKind::LeftParen && tokens_[pos_ - 2].start == walrus_paren_;
  mark(TokenRole::Walrus);
  next();
  mark(TokenRole::Walrus);
  next();
  Expr* value = parse_expr();
  if (failing_) return error_expr(span_from(start));
  if (no_walrus_ != nullptr) {
    Diagnostic& d = sink_.report(Code::InvalidAssignmentTarget, span_from(start),
                                 std::string("a variable can't be assigned in ") + no_walrus_);
    d.help = "write the value without `" + std::string(target->name.text()) + " :=`";
    return value;
  }
  if (is_of_several) {   // Go's `value, err := f()`
    Diagnostic& d = sink_.report(Code::UnexpectedToken, sign, "`:=` assigns one name inside an expression");
    d.help = "several names are assigned with `=`; an error is raised, so no call gives one beside its value";
    d.edits.push_back({sign, "="});
  } else if (!is_open || !at(TokenKind::RightParen)) {
    Diagnostic& d = sink_.report(Code::UnexpectedToken, span_from(start),
                                 "an assignment inside an expression stands in parentheses of its own");
    d.help = "write `(" + std::string(target->name.text()) + " := …)`";
    d.edits.push_back({{file_, start, start}, "("});
    d.edits.push_back({{file_, prev_end_, prev_end_}, ")"});
  }
  walrus_end_ = prev_end_;
  WalrusExpr* node = make<WalrusExpr>(start);
  node->target = target, node->value = value;
  return node;
}

Expr* Parser::parse_expr_or_star() {
  translate_spread(TokenKind::Star);
  if (!at(TokenKind::Star)) return parse_expr();
  mark(TokenRole::Prefix);
  uint32_t start = next().start;
  Expr* operand = parse_guarded(BIT_OR);
  StarExpr* node = make<StarExpr>(start);
  node->operand = operand;
  return node;
}

// `a, b` without parentheses is a tuple; inside the one-line body of an anonymous `def` the comma ends it.
Expr* Parser::parse_expr_list(bool allow_star) {
  uint32_t start = tok().start;
  Expr* first = allow_star ? parse_expr_or_star() : parse_expr();
  if (!at(TokenKind::Comma) || brackets_ > 0 || failing_ || after_block()) return first;
  ItemList<Expr*> items;
  items.push(first);
  while (accept(TokenKind::Comma)) {
    if (at_statement_end() || at(TokenKind::Eq) || at(TokenKind::Colon) || at(TokenKind::In)) break;
    items.push(allow_star ? parse_expr_or_star() : parse_expr());
    if (failing_) break;
  }
  TupleExpr* node = make<TupleExpr>(start);
  node->items = items.finish(arena_);
  return node;
}

// A left operand that grows with every operator deepens the tree without recursion here, but with recursion later.
bool Parser::grow_chain(Expr*& left) {
  if (++chain_ <= MAX_CHAIN) return true;
  report_too_deep();
  skip_to_element_end();
  left = error_expr(left->span);
  chain_ = 0;
  return false;
}

Expr* Parser::parse_binary(Precedence min) {
  Expr* left = at(TokenKind::Not) ? parse_not() : parse_unary();
  while (!failing_ && !after_block()) {
    if (at_word("instanceof") && peek_kind() == TokenKind::Ident) translate_clause("instanceof", TokenKind::Is);
    Precedence precedence = precedence_of(kind());
    if (precedence == NONE || precedence < min) break;
    if (precedence == CAST && !allow_as_) break;
    if (at(TokenKind::Not) && peek_kind() != TokenKind::In) break;
    if (!grow_chain(left)) break;
    left = parse_binary_step(left, precedence);
  }
  return left;
}

Expr* Parser::parse_not() {
  DepthGuard guard(*this);
  uint32_t start = next().start;
  Expr* operand;
  if (guard.ok()) {
    operand = parse_binary(NOT);
  } else {
    report_too_deep();
    operand = error_expr(here());
    skip_to_element_end();
  }
  UnaryExpr* node = make<UnaryExpr>(start);
  node->op = UnaryOp::Not;
  node->operand = operand;
  return node;
}

Expr* Parser::parse_binary_step(Expr* left, Precedence precedence) {
  uint32_t start = left->span.start;
  switch (precedence) {
    case OR: case AND: {
      if (at(TokenKind::PipePipe)) report_spelling(here(), "||", "or", "or");
      if (at(TokenKind::AmpAmp)) report_spelling(here(), "&&", "and", "and");
      next();
      Expr* right = parse_binary(Precedence(precedence + 1));
      if (precedence == OR) {
        OrExpr* node = make<OrExpr>(start);
        node->left = left, node->right = right;
        return node;
      }
      AndExpr* node = make<AndExpr>(start);
      node->left = left, node->right = right;
      return node;
    }
    case COMPARE: return at(TokenKind::Is) ? parse_is(left) : parse_comparison(left);
    case COALESCE: {
      next();
      DepthGuard guard(*this);
      Expr* right;
      if (guard.ok()) {
        right = parse_binary(COALESCE);
      } else {
        report_too_deep();
        right = error_expr(here());
        skip_to_element_end();
      }
      CoalesceExpr* node = make<CoalesceExpr>(start);
      node->left = left, node->right = right;
      return node;
    }
    case CAST: {
      next();
      TypeExpr* type = parse_type();
      AsExpr* node = make<AsExpr>(start);
      node->value = left, node->type = type;
      return node;
    }
    case RANGE: {
      uint32_t dots = next().start;
      bool is_closed = at(TokenKind::Eq) && !tok().space_before;
      if (is_closed) next();
      Expr* upper = parse_binary(BIT_OR);
      if (is_closed) report_closed_range({file_, dots, dots + 3}, *upper);
      RangeExpr* node = make<RangeExpr>(start);
      node->lower = left, node->upper = upper;
      return node;
    }
    default: break;
  }
  BinaryOp op = binary_op_of(kind());
  Span op_span = here();
  const Token& sign = next();
  // `x++` ends in nothing; `a + +b` does not.
  bool is_step = (op == BinaryOp::Add || op == BinaryOp::Sub) && kind() == sign.kind && !tok().space_before;
  if (is_step && (peek_kind() == TokenKind::Newline || peek_kind() == TokenKind::Semicolon || peek_kind() == TokenKind::RightParen)) {
    std::string_view instead = op == BinaryOp::Add ? " += 1" : " -= 1";
    next();
    Span written = op_span.to(span_from(op_span.start));
    std::string_view sign_twice = op == BinaryOp::Add ? "++" : "--";
    if (starts_statement(start) && kind() != TokenKind::RightParen) report_spelling(written, sign_twice, instead.substr(1), std::string(instead));
    else report_spelling(written, sign_twice, instead.substr(1), std::nullopt, "write `x" + std::string(instead) + "` as a statement of its own: it has no value");
    return error_expr(span_from(start));
  }
  Expr* right = parse_binary(Precedence(precedence + 1));
  BinaryExpr* node = make<BinaryExpr>(start);
  node->op = op, node->op_span = op_span;
  node->left = left, node->right = right;
  return node;
}

Expr* Parser::parse_comparison(Expr* first) {
  ItemList<Expr*> operands;
  ItemList<CompareOp> ops;
  operands.push(first);
  while (!failing_ && !after_block()) {
    CompareOp op;
    switch (kind()) {
      case TokenKind::EqEq: op = CompareOp::Eq; break;
      case TokenKind::NotEq: op = CompareOp::Ne; break;
      case TokenKind::Less:
        if (at_channel_arrow() && peek(2).space_before && starts_statement(first->span.start)) return report_channel_send(first);
        op = CompareOp::Lt;
        break;
      case TokenKind::LessEq: op = CompareOp::Le; break;
      case TokenKind::Greater: op = CompareOp::Gt; break;
      case TokenKind::GreaterEq: op = CompareOp::Ge; break;
      case TokenKind::In: op = CompareOp::In; break;
      case TokenKind::Not:
        if (peek_kind() != TokenKind::In) goto done;
        next();
        op = CompareOp::NotIn;
        break;
      default: goto done;
    }
    {
      const Token& sign = next();
      if ((op == CompareOp::Eq || op == CompareOp::Ne) && at(TokenKind::Eq) && !tok().space_before) {
        std::string_view written = op == CompareOp::Eq ? "===" : "!==";
        report_spelling({file_, sign.start, tok().end}, written, written.substr(0, 2), std::string(written.substr(0, 2)));
        next();
      }
    }
    ops.push(op);
    operands.push(parse_binary(COALESCE));
  }
done:
  CompareExpr* node = make<CompareExpr>(first->span.start);
  node->operands = operands.finish(arena_);
  node->ops = ops.finish(arena_);
  return node;
}

// `x is Circle(r)`, `x is not null`: one pattern, alternatives not among them.
Expr* Parser::parse_is(Expr* value) {
  next();
  bool negated = accept(TokenKind::Not);
  Pattern* pattern = parse_pattern_primary();
  IsExpr* node = make<IsExpr>(value->span.start);
  node->value = value, node->pattern = pattern, node->negated = negated;
  return node;
}

Expr* Parser::parse_unary() {
  UnaryOp op;
  switch (kind()) {
    case TokenKind::Minus: op = UnaryOp::Neg; break;
    case TokenKind::Plus: op = UnaryOp::Plus; break;
    case TokenKind::Tilde: op = UnaryOp::Invert; break;
    case TokenKind::Bang:
      report_spelling(here(), "!", "not", peek().space_before ? "not" : "not ");
      op = UnaryOp::Not;
      break;
    default: return parse_power();
  }
  mark(TokenRole::Prefix);
  DepthGuard guard(*this);
  uint32_t start = next().start;
  Expr* operand;
  if (guard.ok()) {
    operand = parse_unary();
  } else {
    report_too_deep();
    operand = error_expr(here());
    skip_to_element_end();
  }
  UnaryExpr* node = make<UnaryExpr>(start);
  node->op = op, node->operand = operand;
  return node;
}

Expr* Parser::parse_power() {
  uint32_t start = tok().start;
  Expr* base = at(TokenKind::Await) ? parse_await() : at(TokenKind::Spawn) ? parse_spawn() : parse_postfix();
  if (!at(TokenKind::StarStar) || failing_ || after_block()) return base;
  DepthGuard guard(*this);
  Span op_span = here();
  next();
  Expr* exponent;
  if (guard.ok()) {
    exponent = parse_unary();
  } else {
    report_too_deep();
    exponent = error_expr(here());
    skip_to_element_end();
  }
  BinaryExpr* node = make<BinaryExpr>(start);
  node->op = BinaryOp::Pow, node->op_span = op_span;
  node->left = base, node->right = exponent;
  return node;
}

Expr* Parser::parse_await() {
  DepthGuard guard(*this);
  uint32_t start = next().start;
  Expr* operand;
  if (guard.ok()) {
    operand = at(TokenKind::Await) ? parse_await() : at(TokenKind::Spawn) ? parse_spawn() : parse_postfix();
  } else {
    report_too_deep();
    operand = error_expr(here());
    skip_to_element_end();
  }
  AwaitExpr* node = make<AwaitExpr>(start);
  node->operand = operand;
  return node;
}

Expr* Parser::parse_spawn() {
  uint32_t start = next().start;
  Expr* call = parse_postfix();
  if (call->kind != ExprKind::Call && call->kind != ExprKind::Error) {
    error(Code::UnexpectedToken, call->span, "`spawn` starts a call").help = "write `spawn f(…)`";
    call = error_expr(call->span);
  }
  SpawnExpr* node = make<SpawnExpr>(start);
  node->call = call;
  return node;
}

Expr* Parser::parse_yield() {
  uint32_t start = next().start;
  bool from = accept(TokenKind::From);
  bool is_bare = at_statement_end() || at(TokenKind::RightParen) || at(TokenKind::RightBracket) || at(TokenKind::RightBrace) || at(TokenKind::Eq);
  Expr* value = is_bare && !from ? nullptr : parse_expr_list();
  YieldExpr* node = make<YieldExpr>(start);
  node->value = value, node->from = from;
  return node;
}

}  // namespace meteor::ast
