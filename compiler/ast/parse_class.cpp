// Classes, structs, enums, traits and impls.
#include "compiler/ast/parser.h"

namespace meteor::ast {

namespace {

std::string_view word_of(ClassKind form) {
  switch (form) {
    case ClassKind::Class: return "class";
    case ClassKind::Struct: return "struct";
    case ClassKind::Enum: return "enum";
    case ClassKind::Trait: return "trait";
  }
  return "class";
}

}  // namespace

Stmt* Parser::parse_class(Modifiers modifiers, ClassKind form) {
  next();
  ClassDecl* decl = make<ClassDecl>(modifiers.start);
  decl->form = form;
  decl->is_pub = modifiers.is_pub;
  decl->decorators = modifiers.decorators;
  decl->name_span = here();
  if (at(TokenKind::Ident)) {
    decl->name = next().name;
  } else {
    Span span = at_statement_end() ? Span{file_, prev_end_, prev_end_ + 1} : here();
    error(Code::ExpectedName, span, "expected the name of the " + std::string(word_of(form)) + ", found " + describe(tok()));
  }
  if (at(TokenKind::Less) && !failing_) decl->type_params = parse_type_params();
  if ((at_word("implements") || at_word("extends")) && peek_kind() == TokenKind::Ident && !failing_) decl->bases = parse_foreign_bases();
  if (at(TokenKind::LeftParen) && !failing_) {
    next();
    brackets_++;
    ItemList<TypeExpr*> bases;
    while (!at(TokenKind::RightParen) && !at(TokenKind::End)) {
      bases.push(parse_type());
      if (!at(TokenKind::Comma) && !at(TokenKind::RightParen)) error_unexpected("`,` or `)` after a base");
      recover_element();
      if (!accept(TokenKind::Comma)) break;
    }
    expect(TokenKind::RightParen, "after the bases");
    brackets_--;
    decl->bases = bases.finish(arena_);
  }
  Members members;
  members.form = form;
  parse_members(members, word_of(form));
  decl->fields = members.fields.finish(arena_);
  decl->cases = members.cases.finish(arena_);
  decl->methods = members.methods.finish(arena_);
  decl->nested = members.nested.finish(arena_);
  decl->doc = members.doc;
  decl->span = span_from(modifiers.start);
  if (!decl->name) return make<ErrorStmt>(modifiers.start);
  return decl;
}

// `impl Trait for Type:`, `impl<T> Trait for list<T>:`, `impl Type:`
Stmt* Parser::parse_impl() {
  uint32_t start = next().start;
  ImplDecl* decl = make<ImplDecl>(start);
  if (at(TokenKind::Less)) decl->type_params = parse_type_params();
  decl->target = failing_ ? error_type() : parse_type();
  if (!failing_ && accept(TokenKind::For)) {
    decl->trait = decl->target;
    decl->target = parse_type();
  }
  Members members;
  members.is_impl = true;
  parse_members(members, "impl");
  decl->methods = members.methods.finish(arena_);
  decl->span = span_from(start);
  return decl;
}

void Parser::parse_members(Members& members, std::string_view owner) {
  DepthGuard guard(*this);
  if (!guard.ok()) {
    report_too_deep();
    skip_to_line_end();
    failing_ = false;
    accept(TokenKind::Newline);
    if (at(TokenKind::Indent)) skip_group();
    return;
  }
  bool is_indented;
  if (!begin_block(owner, is_indented)) return;
  bool outer_trait = std::exchange(in_trait_, members.form == ClassKind::Trait);
  if (is_indented) {
    while (!at(TokenKind::Dedent) && !at(TokenKind::End)) parse_member_line(members);
    accept(TokenKind::Dedent);
  } else {
    parse_member_line(members);
  }
  in_trait_ = outer_trait;
}

void Parser::parse_member_line(Members& members) {
  failing_ = false;
  uint32_t before = pos_;
  bool was_skipped = std::exchange(skipped_line_, false);
  if (accept(TokenKind::Newline)) return;
  if (at(TokenKind::Indent)) {
    if (!was_skipped) sink_.report(Code::UnexpectedIndent, {file_, tok().start, peek().end}, "this line is indented more than the one before it");
    skip_group();
    return;
  }
  while (true) {
    if (parse_class_member(members)) break;
    bool is_separated = accept_semicolon() || (members.form == ClassKind::Enum && !failing_ && accept(TokenKind::Comma));
    if (failing_ || !is_separated || at_statement_end()) {
      end_statement();
      break;
    }
  }
  if (pos_ == before) next();
}

// True when the member took its line end, as those with blocks do.
bool Parser::parse_class_member(Members& members) {
  if (at(TokenKind::Ident)) translate_foreign_word();
  Modifiers modifiers;
  modifiers.start = tok().start;
  switch (kind()) {
    case TokenKind::Pass: next(); return false;
    case TokenKind::Ellipsis:
      report_spelling(here(), "...", "pass", "pass");
      next();
      return false;
    case TokenKind::Str: {
      Expr* text = parse_string();
      StrExpr* doc = text->as<StrExpr>();
      if (doc == nullptr) return false;
      bool is_first = members.fields.empty() && members.cases.empty() && members.methods.empty() && members.nested.empty();
      if (is_first) members.doc = doc->value;
      else if (!members.fields.empty()) members.fields.back().doc = doc->value;
      return false;
    }
    case TokenKind::Def: case TokenKind::Async: case TokenKind::Extern: case TokenKind::Class: case TokenKind::Struct: case TokenKind::Enum:
    case TokenKind::Trait: return add_declaration(members, parse_declaration(modifiers));
    case TokenKind::At: return add_declaration(members, parse_decorated());
    case TokenKind::Pub:
      if (peek_kind() == TokenKind::Ident || peek_kind() == TokenKind::Weak) {
        next();
        parse_field(members);
        return false;
      }
      return add_declaration(members, parse_declaration(modifiers));
    case TokenKind::Weak: parse_field(members); return false;
    case TokenKind::Const: {
      in_members_ = true;
      Stmt* stmt = parse_const(modifiers);
      in_members_ = false;
      ConstDecl* decl = static_cast<ConstDecl*>(stmt);
      if (decl->value != nullptr) {
        members.nested.push(decl);
      } else {
        FieldDecl field;
        field.name = decl->name, field.type = decl->type, field.is_const = true, field.span = decl->span;
        members.fields.push(field);
      }
      return false;
    }
    case TokenKind::Ident:
      if (at_word("type") && peek_kind() == TokenKind::Ident) {
        members.nested.push(parse_type_alias(modifiers));
        return false;
      }
      if (members.form == ClassKind::Enum && peek_kind() != TokenKind::Colon) parse_enum_case(members);
      else parse_field(members);
      return false;
    case TokenKind::Case:
      if (members.form == ClassKind::Enum && peek_kind() == TokenKind::Ident) {
        report_spelling({file_, tok().start, peek().start}, "case", "", "", "a case of an enum is its name alone");
        next();
        parse_enum_case(members);
        return false;
      }
      break;
    default: break;
  }
  error_unexpected(members.is_impl ? "a method" : members.form == ClassKind::Enum ? "a case or a method" : "a field or a method");
  return false;
}

bool Parser::add_declaration(Members& members, Stmt* stmt) {
  if (FunctionDecl* function = stmt->as<FunctionDecl>()) {
    if (check_self(*function)) members.methods.push(function);
  } else if (stmt->kind != StmtKind::Error) members.nested.push(stmt);
  return true;
}

// The methods that the language itself calls are called on an instance.
bool Parser::check_self(const FunctionDecl& method) {
  std::string_view name = method.name.text();
  bool is_special = name.size() > 4 && name.starts_with("__") && name.ends_with("__");
  if (!is_special || (!method.params.empty() && method.params[0].name == name_self_)) return true;
  if (!broken_header_) {
    Diagnostic& d = sink_.report(Code::ExpectedName, method.name_span, "`" + std::string(name) + "` needs `self` as its first parameter");
    d.help = "write `def " + std::string(name) + (method.params.empty() ? "(self)`" : "(self, …)`");
  }
  return false;
}

// `name: T = value`, `weak name: T?`
void Parser::parse_field(Members& members) {
  FieldDecl field;
  uint32_t start = tok().start;
  field.is_weak = accept(TokenKind::Weak);
  if (!at(TokenKind::Ident)) {
    error(Code::ExpectedName, here(), "expected the name of a field, found " + describe(tok()));
    return;
  }
  field.name = next().name;
  bool has_type = accept(TokenKind::Colon);
  if (has_type) field.type = parse_type();
  if (!failing_ && at(TokenKind::Eq)) {
    next();
    field.default_value = without_walrus("a default value", [&] { return parse_expr_list(); });
  } else if (!has_type) {
    Diagnostic& d = error_unexpected("`:` and the type of the field");
    if (at(TokenKind::LeftParen)) d.help = "a method begins with `def`";
    field.type = error_type();
  }
  field.span = span_from(start);
  members.fields.push(field);
}

// `Circle(r: float)`, `Unit`, `Red = 1`
void Parser::parse_enum_case(Members& members) {
  EnumCaseDecl decl;
  uint32_t start = tok().start;
  decl.name = next().name;
  if (at(TokenKind::LeftParen)) decl.fields = parse_payload();
  if (!failing_ && accept(TokenKind::Eq))
    decl.value = without_walrus("the value of a case", [&] { return parse_expr(); });
  decl.span = span_from(start);
  members.cases.push(decl);
}

std::span<Param> Parser::parse_payload() {
  next();
  brackets_++;
  ItemList<Param> fields;
  while (!at(TokenKind::RightParen) && !at(TokenKind::End)) {
    Param field;
    uint32_t start = tok().start;
    if (at(TokenKind::Ident) && peek_kind() == TokenKind::Colon) {
      field.name = next().name;
      next();
    }
    field.type = parse_type();
    if (!failing_ && accept(TokenKind::Eq))
      field.default_value = without_walrus("a default value", [&] { return parse_expr(); });
    field.span = span_from(start);
    fields.push(field);
    if (!at(TokenKind::Comma) && !at(TokenKind::RightParen)) error_unexpected("`,` or `)` in the case's fields");
    recover_element();
    if (!accept(TokenKind::Comma)) break;
  }
  expect(TokenKind::RightParen, "after the case's fields");
  brackets_--;
  return fields.finish(arena_);
}

}  // namespace meteor::ast
