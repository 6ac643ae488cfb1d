// Imports.
#include "compiler/ast/foreign_names.h"
#include "compiler/ast/parser.h"

namespace meteor::ast {

std::span<Name> Parser::parse_module_path(Span& span) {
  ItemList<Name> path;
  uint32_t start = tok().start;
  do {
    if (!at(TokenKind::Ident) && !(is_keyword(kind()) && !path.empty())) {
      Span place = at_statement_end() ? Span{file_, prev_end_, prev_end_ + 1} : here();
      std::string_view text = sources_.text(here());
      if (at(TokenKind::Str)) text = literal_of(tok()).text;
      Diagnostic& d = error(Code::ExpectedName, place, "expected the name of a module, found " + describe(tok()));
      if (const ForeignName* foreign = find_foreign_module(text)) d.help = help_for(*foreign);
      break;
    }
    path.push(next().name);
  } while (accept(TokenKind::Dot));
  span = span_from(start);
  return path.finish(arena_);
}

// `import a.b as c, d`, `import c "math.h"`: one statement each.
void Parser::parse_import(StmtList& out) {
  uint32_t start = next().start;
  auto parse_alias = [this]() -> Name {
    if (failing_ || !accept(TokenKind::As)) return {};
    if (at(TokenKind::Ident)) return next().name;
    error(Code::ExpectedName, here(), "expected a name after `as`, found " + describe(tok()));
    return {};
  };
  if (at_word("c") && peek_kind() == TokenKind::Str) {
    next();
    std::string_view header = literal_of(next()).text;
    Name alias = parse_alias();
    ImportCStmt* stmt = make<ImportCStmt>(start);
    stmt->header = header, stmt->alias = alias;
    out.push(stmt);
    return;
  }
  do {
    Span path_span;
    std::span<Name> path = parse_module_path(path_span);
    Name alias = parse_alias();
    ImportStmt* stmt = make<ImportStmt>(start);
    stmt->path = path, stmt->path_span = path_span, stmt->alias = alias;
    if (!path.empty()) out.push(stmt);
    start = tok().end;
  } while (!failing_ && accept(TokenKind::Comma));
}

// `from a.b import x, y as z`, `from .a import (x, y)`, `from a import *`
Stmt* Parser::parse_from_import() {
  uint32_t start = next().start;
  ImportStmt* stmt = make<ImportStmt>(start);
  stmt->is_from = true;
  uint32_t dots = 0;
  for (bool more = true; more;) {
    if (accept(TokenKind::Dot)) dots += 1;
    else if (accept(TokenKind::DotDot)) dots += 2;
    else if (accept(TokenKind::Ellipsis)) dots += 3;
    else more = false;
  }
  stmt->relative_dots = uint8_t(dots > 255 ? 255 : dots);
  if (dots == 0 || !at(TokenKind::Import)) stmt->path = parse_module_path(stmt->path_span);
  else stmt->path_span = span_from(start);
  ItemList<ImportedName> names;
  if (!failing_ && expect(TokenKind::Import, "after the module")) {
    bool is_bracketed = at(TokenKind::LeftParen);
    if (is_bracketed) next(), brackets_++;
    if (!is_bracketed && accept(TokenKind::Star)) {
      stmt->is_star = true;
    } else {
      do {
        if (is_bracketed && at(TokenKind::RightParen)) break;
        ImportedName imported;
        imported.span = here();
        if (!at(TokenKind::Ident)) {
          Span place = at_statement_end() ? Span{file_, prev_end_, prev_end_ + 1} : here();
          error(Code::ExpectedName, place, "expected a name to import, found " + describe(tok()));
          if (is_bracketed) recover_element();
          continue;
        }
        imported.name = next().name;
        if (accept(TokenKind::As)) {
          if (at(TokenKind::Ident)) imported.alias = next().name;
          else error(Code::ExpectedName, here(), "expected a name after `as`, found " + describe(tok()));
        }
        names.push(imported);
      } while (!failing_ && accept(TokenKind::Comma));
    }
    if (is_bracketed) {
      if (!at(TokenKind::RightParen)) error_unexpected("`,` or `)`");
      recover_element();
      expect(TokenKind::RightParen, "");
      brackets_--;
    }
  }
  stmt->names = names.finish(arena_);
  stmt->span = span_from(start);
  bool is_complete = (!stmt->path.empty() || dots > 0) && (stmt->is_star || !stmt->names.empty());
  if (!is_complete) return make<ErrorStmt>(start);
  return stmt;
}

}  // namespace meteor::ast
