#include "compiler/format/spacing.h"

namespace meteor::format {

using ast::TokenRole;
using tokens::TokenKind;

namespace {

bool is_dots(TokenKind kind) { return kind == TokenKind::Dot || kind == TokenKind::DotDot || kind == TokenKind::Ellipsis; }
bool is_number(TokenKind kind) { return kind == TokenKind::Int || kind == TokenKind::Float; }

}  // namespace

// `from . import x`, `from ..a import y`: the dots after `from`.
bool Spacing::is_relative_dot(uint32_t index) const {
  if (!is_dots(tokens_[index].kind)) return false;
  while (index > 0 && is_dots(tokens_[index].kind)) index--;
  return tokens_[index].kind == TokenKind::From && !is_name(index);
}

// A keyword where only a name can stand.
bool Spacing::is_name(uint32_t index) const {
  if (!is_keyword(tokens_[index].kind) || index == 0) return false;
  TokenKind before = tokens_[index - 1].kind;
  if (before == TokenKind::Dot) return !is_relative_dot(index - 1);
  return before == TokenKind::QuestionDot || before == TokenKind::At || before == TokenKind::Def;
}

bool Spacing::ends_operand(uint32_t index) const {
  switch (tokens_[index].kind) {
    case TokenKind::Ident: return roles_[index] != TokenRole::Word;
    case TokenKind::Int: case TokenKind::Float: case TokenKind::Duration: case TokenKind::Str: case TokenKind::Bytes: case TokenKind::FStringEnd:
    case TokenKind::True: case TokenKind::False: case TokenKind::Null: case TokenKind::RightParen: case TokenKind::RightBracket:
    case TokenKind::RightBrace: case TokenKind::Question: return true;
    case TokenKind::Bang: return roles_[index] != TokenRole::Prefix;
    case TokenKind::Greater: case TokenKind::Shr: return roles_[index] == TokenRole::TypeBracket;
    default: return is_name(index);
  }
}

bool Spacing::space_before(uint32_t index) const {
  if (index == 0) return false;
  const uint32_t before = index - 1;
  TokenKind left = tokens_[before].kind, right = tokens_[index].kind;
  TokenRole left_role = roles_[before], right_role = roles_[index];
  if (right_role == TokenRole::Walrus) return left_role != TokenRole::Walrus;  // the two are one sign
  switch (right) {
    case TokenKind::Comma: case TokenKind::Semicolon: case TokenKind::Colon: case TokenKind::RightParen: case TokenKind::RightBracket:
    case TokenKind::RightBrace: return false;
    case TokenKind::Question: return left == TokenKind::Question;   // `func<> -> T? ?`: not the operator
    case TokenKind::Bang:
      if (right_role != TokenRole::Prefix) return false;
      break;
    case TokenKind::Dot: case TokenKind::QuestionDot: case TokenKind::DotDot: case TokenKind::Ellipsis:
      if (left == TokenKind::From && is_relative_dot(index)) return true;
      // `1 .real`: the dot would become part of the number.
      return is_number(left) && (right != TokenKind::DotDot || left == TokenKind::Float) && tokens_[index].space_before;
    default: break;
  }
  switch (left) {
    case TokenKind::LeftParen: case TokenKind::LeftBracket: case TokenKind::LeftBrace: case TokenKind::At: return false;
    case TokenKind::Dot: case TokenKind::QuestionDot: case TokenKind::DotDot: case TokenKind::Ellipsis:
      return right == TokenKind::Import && is_relative_dot(before);
    default: break;
  }
  if (left_role == TokenRole::Prefix || left_role == TokenRole::Slice || left_role == TokenRole::Named || right_role == TokenRole::Named) return false;
  if (right_role == TokenRole::TypeBracket) return false;
  if (left_role == TokenRole::TypeBracket && left == TokenKind::Less) return false;
  if (right == TokenKind::LeftParen || right == TokenKind::LeftBracket) return !ends_operand(before);
  return true;
}

}  // namespace meteor::format
