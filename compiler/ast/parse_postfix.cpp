// What follows an operand: members, calls, indexes, `!`, type arguments.
#include <algorithm>

#include "compiler/ast/parser.h"

namespace meteor::ast {

Expr* Parser::parse_postfix() {
  Expr* expr = parse_primary();
  while (!failing_ && !after_block()) {
    switch (kind()) {
      case TokenKind::Dot: case TokenKind::QuestionDot: expr = parse_member(expr); break;
      case TokenKind::Colon:
        if (!at_path_colons()) return expr;
        report_spelling({file_, tok().start, peek().end}, "::", ".", ".");
        next();
        expr = parse_member(expr);
        break;
      case TokenKind::LeftParen: expr = parse_call(expr, {}); break;
      case TokenKind::LeftBracket: expr = parse_index(expr); break;
      case TokenKind::Bang: {
        next();
        UnwrapExpr* node = make<UnwrapExpr>(expr->span.start);
        node->operand = expr;
        expr = node;
        break;
      }
      case TokenKind::Less: {
        bool is_callee = expr->kind == ExprKind::Name || expr->kind == ExprKind::Member;
        if (!is_callee || expr->parenthesized || !at_type_args()) return expr;
        std::span<TypeExpr*> type_args = parse_type_args();
        if (at(TokenKind::LeftParen)) {
          expr = parse_call(expr, type_args);
        } else {
          TypeApplyExpr* node = make<TypeApplyExpr>(expr->span.start);
          node->callee = expr, node->type_args = type_args;
          expr = node;
        }
        break;
      }
      default: return expr;
    }
    if (!grow_chain(expr)) break;
  }
  return expr;
}

Expr* Parser::parse_member(Expr* object) {
  bool optional = at(TokenKind::QuestionDot);
  next();
  // Any word may be a member's name: `s.spawn(…)`.
  if (!at(TokenKind::Ident) && !is_keyword(kind())) {
    error(Code::ExpectedName, at_statement_end() ? Span{file_, prev_end_, prev_end_ + 1} : here(), "expected a name after `.`, found " + describe(tok()));
    return error_expr(span_from(object->span.start));
  }
  Span name_span = here();
  Name name = next().name;
  MemberExpr* node = make<MemberExpr>(object->span.start);
  node->object = object, node->name = name, node->name_span = name_span, node->optional = optional;
  return node;
}

Expr* Parser::parse_call(Expr* callee, std::span<TypeExpr*> type_args) {
  std::span<Arg> args = parse_args();
  CallExpr* node = make<CallExpr>(callee->span.start);
  node->callee = callee, node->type_args = type_args, node->args = args;
  return node;
}

std::span<Arg> Parser::parse_args() {
  next();
  brackets_++;
  bool outer_as = std::exchange(allow_as_, true);
  ItemList<Arg> args;
  while (!at(TokenKind::RightParen) && !at(TokenKind::End)) {
    args.push(parse_arg());
    if (!at(TokenKind::Comma) && !at(TokenKind::RightParen)) error_unexpected("`,` or `)` after an argument");
    recover_element();
    if (!accept(TokenKind::Comma)) break;
  }
  expect(TokenKind::RightParen, "to close the call");
  allow_as_ = outer_as;
  brackets_--;
  return args.finish(arena_);
}

Arg Parser::parse_arg() {
  Arg arg;
  uint32_t start = tok().start;
  translate_spread(TokenKind::Star);
  switch (kind()) {
    case TokenKind::StarStar: {
      mark(TokenRole::Prefix);
      next();
      Expr* operand = parse_expr();
      DoubleStarExpr* node = make<DoubleStarExpr>(start);
      node->operand = operand;
      arg.value = node;
      return arg;
    }
    case TokenKind::Owned: {
      if (at_keyword_as_name()) break;
      next();
      Expr* operand = parse_expr();
      OwnedExpr* node = make<OwnedExpr>(start);
      node->operand = operand;
      arg.value = node;
      return arg;
    }
    case TokenKind::Ref: {
      if (at_keyword_as_name()) break;
      Diagnostic& d = sink_.report(Code::UnexpectedToken, here(), "`ref` is not written at a call");
      d.help = "the parameter says it; pass the variable as it is";
      d.edits.push_back({{file_, tok().start, peek().start}, ""});
      next();
      break;
    }
    default: break;
  }
  if (peek_kind() == TokenKind::Eq && !is_arrow(pos_ + 1) && (at(TokenKind::Ident) || is_keyword(kind()))) {
    arg.name = tok().name;
    arg.name_span = here();
    next();
    mark(TokenRole::Named);
    next();
    if (at(TokenKind::Owned)) {
      uint32_t owned_start = next().start;
      Expr* operand = parse_expr();
      OwnedExpr* node = make<OwnedExpr>(owned_start);
      node->operand = operand;
      arg.value = node;
      return arg;
    }
    arg.value = parse_expr();
    return arg;
  }
  arg.value = parse_expr_or_star();
  if (at_comprehension() && !failing_) arg.value = parse_comprehension(ComprehensionKind::Generator, nullptr, arg.value, start);
  return arg;
}

Expr* Parser::parse_index(Expr* object) {
  next();
  brackets_++;
  bool outer_as = std::exchange(allow_as_, true);
  bool outer_index = std::exchange(in_index_, true);
  uint32_t start = tok().start;
  ItemList<Expr*> items;
  bool has_comma = false;
  while (!at(TokenKind::RightBracket) && !at(TokenKind::End)) {
    items.push(parse_index_item());
    if (!at(TokenKind::Comma) && !at(TokenKind::RightBracket)) error_unexpected("`]`");
    recover_element();
    if (!accept(TokenKind::Comma)) break;
    has_comma = true;
  }
  Expr* index;
  if (items.empty()) {
    error(Code::ExpectedExpression, here(), "expected an index, found " + describe(tok()));
    index = error_expr(here());
    failing_ = false;
  } else if (has_comma) {
    TupleExpr* tuple = make<TupleExpr>(start);
    tuple->items = items.finish(arena_);
    index = tuple;
  } else {
    index = items[0];
  }
  expect(TokenKind::RightBracket, "to close the index");
  allow_as_ = outer_as;
  in_index_ = outer_index;
  brackets_--;
  IndexExpr* node = make<IndexExpr>(object->span.start);
  node->object = object, node->index = index;
  return node;
}

// `i`, or `a:b:c` with any part left out.
Expr* Parser::parse_index_item() {
  uint32_t start = tok().start;
  auto at_part_end = [this] { return at(TokenKind::Colon) || at(TokenKind::Comma) || at(TokenKind::RightBracket); };
  Expr* lower = at(TokenKind::Colon) ? nullptr : parse_expr_or_star();
  if (!at(TokenKind::Colon) || failing_) return lower;
  mark(TokenRole::Slice);
  next();
  Expr* upper = at_part_end() ? nullptr : parse_expr();
  Expr* step = nullptr;
  if (at(TokenKind::Colon)) mark(TokenRole::Slice);
  if (accept(TokenKind::Colon) && !at_part_end()) step = parse_expr();
  SliceExpr* node = make<SliceExpr>(start);
  node->lower = lower, node->upper = upper, node->step = step;
  return node;
}

}  // namespace meteor::ast
