// Expressions, types and patterns as text.
#include <cstdio>

#include "compiler/ast/print.h"
#include "compiler/ast/printer.h"

namespace meteor::ast {

namespace {

std::string_view text_of(UnaryOp op) {
  constexpr std::string_view TEXTS[] = {"neg", "plus", "~", "not"};
  return TEXTS[size_t(op)];
}

std::string_view text_of(BinaryOp op) {
  constexpr std::string_view TEXTS[] = {"+", "-", "*", "/", "//", "%", "**", "&", "|", "^", "<<", ">>", "&+", "&-", "&*", "??"};
  return TEXTS[size_t(op)];
}

std::string_view text_of(CompareOp op) {
  constexpr std::string_view TEXTS[] = {"==", "!=", "<", "<=", ">", ">=", "in", "not-in"};
  return TEXTS[size_t(op)];
}

template <typename T>
const T& get(const Expr* expr) {
  return *static_cast<const T*>(expr);
}

}  // namespace

void Printer::path(std::span<Name> path) {
  for (size_t i = 0; i < path.size(); i++) {
    if (i > 0) put(".");
    put(path[i].text());
  }
}

void Printer::quoted(std::string_view text) {
  put("\"");
  for (char c : text) {
    switch (c) {
      case '"': put("\\\""); break;
      case '\\': put("\\\\"); break;
      case '\n': put("\\n"); break;
      case '\t': put("\\t"); break;
      case '\r': put("\\r"); break;
      default:
        if (uint8_t(c) < 0x20) {
          char escape[8];
          std::snprintf(escape, sizeof escape, "\\x%02x", uint8_t(c));
          put(escape);
        } else {
          out_ += c;
        }
    }
  }
  put("\"");
}

template <typename T>
void Printer::list(std::string_view head, std::span<T*> items) {
  open(head);
  for (T* item : items) {
    put(" ");
    if constexpr (std::is_same_v<T, Expr>) expr(item);
    else if constexpr (std::is_same_v<T, TypeExpr>) type(item);
    else pattern(item);
  }
  close();
}

void Printer::fstring_parts(std::span<FStringPart> parts) {
  for (const FStringPart& part : parts) {
    put(" ");
    if (part.value == nullptr) {
      quoted(part.text);
      continue;
    }
    open("field ");
    expr(part.value);
    if (part.debug) put(" ="), quoted(part.text);
    if (part.conversion != 0) put(" !"), out_ += part.conversion;
    if (!part.spec.empty()) {
      put(" (spec");
      fstring_parts(part.spec);
      put(")");
    }
    close();
  }
}

void Printer::args(std::span<Arg> args) {
  for (const Arg& arg : args) {
    put(" ");
    if (arg.name) put(arg.name.text()), put("=");
    expr(arg.value);
  }
}

void Printer::type_args(std::span<TypeExpr*> types) {
  put("<");
  for (size_t i = 0; i < types.size(); i++) {
    if (i > 0) put(" ");
    type(types[i]);
  }
  put(">");
}

void Printer::comprehension(const ComprehensionExpr& node) {
  constexpr std::string_view HEADS[] = {"list-of ", "set-of ", "dict-of ", "generator "};
  open(HEADS[size_t(node.form)]);
  if (node.key != nullptr) expr(node.key), put(": ");
  expr(node.element);
  for (const ComprehensionClause& clause : node.clauses) {
    if (clause.target == nullptr) {
      put(" (if ");
      expr(clause.condition);
    } else {
      put(clause.is_async ? " (async-for " : " (for ");
      expr(clause.target), put(" "), expr(clause.iterable);
    }
    put(")");
  }
  close();
}

void Printer::expr(const Expr* e) {
  if (e == nullptr) return put(MISSING);
  switch (e->kind) {
    case ExprKind::Error: return put("<error>");
    case ExprKind::Int: {
      const IntExpr& n = get<IntExpr>(e);
      return put(n.too_big ? "<too-big>" : std::to_string(n.value));
    }
    case ExprKind::Float: {
      char text[40];
      auto end = std::to_chars(text, text + sizeof text, get<FloatExpr>(e).value);
      std::string_view digits(text, size_t(end.ptr - text));
      put(digits);
      if (digits.find_first_not_of("-0123456789") == std::string_view::npos) put(".0");
      return;
    }
    case ExprKind::Bool: return put(get<BoolExpr>(e).value ? "true" : "false");
    case ExprKind::Null: return put("null");
    case ExprKind::Str: return quoted(get<StrExpr>(e).value);
    case ExprKind::Bytes: put("b"); return quoted(get<BytesExpr>(e).value);
    case ExprKind::Duration: return put(std::to_string(get<DurationExpr>(e).ns) + "ns");
    case ExprKind::Name: return put(get<NameExpr>(e).name.text());
    case ExprKind::Super: return put("super");
    case ExprKind::FString:
      open("f");
      fstring_parts(get<FStringExpr>(e).parts);
      return close();
    case ExprKind::Member: {
      const MemberExpr& n = get<MemberExpr>(e);
      open(n.optional ? "?. " : ". ");
      expr(n.object), put(" "), put(n.name.text());
      return close();
    }
    case ExprKind::Index: return node("index", get<IndexExpr>(e).object, get<IndexExpr>(e).index);
    case ExprKind::Slice:
      open("slice");
      for (const Expr* part : {get<SliceExpr>(e).lower, get<SliceExpr>(e).upper, get<SliceExpr>(e).step}) {
        put(" ");
        if (part == nullptr) put("-");
        else expr(part);
      }
      return close();
    case ExprKind::Call: {
      const CallExpr& n = get<CallExpr>(e);
      open("call ");
      expr(n.callee);
      if (!n.type_args.empty()) put(" "), type_args(n.type_args);
      args(n.args);
      return close();
    }
    case ExprKind::TypeApply:
      open("apply ");
      expr(get<TypeApplyExpr>(e).callee), put(" "), type_args(get<TypeApplyExpr>(e).type_args);
      return close();
    case ExprKind::Unary: return node(text_of(get<UnaryExpr>(e).op), get<UnaryExpr>(e).operand);
    case ExprKind::Binary: return node(text_of(get<BinaryExpr>(e).op), get<BinaryExpr>(e).left, get<BinaryExpr>(e).right);
    case ExprKind::Compare: {
      const CompareExpr& n = get<CompareExpr>(e);
      open("");
      for (size_t i = 0; i < n.operands.size(); i++) {
        if (i > 0) put(" "), put(text_of(n.ops[i - 1])), put(" ");
        expr(n.operands[i]);
      }
      return close();
    }
    case ExprKind::Is: {
      const IsExpr& n = get<IsExpr>(e);
      open(n.negated ? "is-not " : "is ");
      expr(n.value), put(" "), pattern(n.pattern);
      return close();
    }
    case ExprKind::And: return node("and", get<AndExpr>(e).left, get<AndExpr>(e).right);
    case ExprKind::Or: return node("or", get<OrExpr>(e).left, get<OrExpr>(e).right);
    case ExprKind::Coalesce: return node("??", get<CoalesceExpr>(e).left, get<CoalesceExpr>(e).right);
    case ExprKind::Unwrap: return node("!", get<UnwrapExpr>(e).operand);
    case ExprKind::As:
      open("as ");
      expr(get<AsExpr>(e).value), put(" "), type(get<AsExpr>(e).type);
      return close();
    case ExprKind::Ternary: return node("if", get<TernaryExpr>(e).condition, get<TernaryExpr>(e).then_value, get<TernaryExpr>(e).else_value);
    case ExprKind::Lambda: {
      const FunctionDecl& f = *get<LambdaExpr>(e).function;
      open(f.is_async ? "async-lambda " : "lambda ");
      params(f.params), put(" "), expr(static_cast<const ReturnStmt*>(f.body[0])->value);
      return close();
    }
    case ExprKind::AnonDef: return function(*get<AnonDefExpr>(e).function);
    case ExprKind::List: return list("list", get<ListExpr>(e).items);
    case ExprKind::Set: return list("set", get<SetExpr>(e).items);
    case ExprKind::Tuple: return list("tuple", get<TupleExpr>(e).items);
    case ExprKind::Dict:
      open("dict");
      for (const DictItem& item : get<DictExpr>(e).items) {
        put(" ");
        if (item.key == nullptr) put("**");
        else expr(item.key), put(": ");
        expr(item.value);
      }
      return close();
    case ExprKind::Comprehension: return comprehension(get<ComprehensionExpr>(e));
    case ExprKind::Range: return node("..", get<RangeExpr>(e).lower, get<RangeExpr>(e).upper);
    case ExprKind::Await: return node("await", get<AwaitExpr>(e).operand);
    case ExprKind::Yield:
      if (get<YieldExpr>(e).value == nullptr) return put("(yield)");
      return node(get<YieldExpr>(e).from ? "yield-from" : "yield", get<YieldExpr>(e).value);
    case ExprKind::TakeOver: return node("take-over");
    case ExprKind::Spawn: return node("spawn", get<SpawnExpr>(e).call);
    case ExprKind::Star: return node("*", get<StarExpr>(e).operand);
    case ExprKind::DoubleStar: return node("**", get<DoubleStarExpr>(e).operand);
    case ExprKind::Owned: return node("owned", get<OwnedExpr>(e).operand);
    case ExprKind::Walrus: return node(":=", get<WalrusExpr>(e).target, get<WalrusExpr>(e).value);
  }
}

void Printer::type(const TypeExpr* t) {
  if (t == nullptr) return put(MISSING);
  switch (t->kind) {
    case TypeKind::Error: return put("<error>");
    case TypeKind::Named:
      path(t->path);
      if (!t->args.empty()) type_args(t->args);
      return;
    case TypeKind::Optional: type(t->inner); return put("?");
    case TypeKind::Func:
      put(t->is_async ? "async func" : "func");
      type_args(t->args);
      if (t->inner != nullptr) put(" -> "), type(t->inner);
      return;
    case TypeKind::Tuple: return list("tuple", t->args);
    case TypeKind::Dyn: put("dyn "); return type(t->inner);
    case TypeKind::Frozen: put("frozen "); return type(t->inner);
    case TypeKind::Weak: put("weak "); return type(t->inner);
    case TypeKind::Pointer: put("c_ptr<"), type(t->inner); return put(">");
  }
}

void Printer::pattern(const Pattern* p) {
  if (p == nullptr) return put(MISSING);
  switch (p->kind) {
    case PatternKind::Error: return put("<error>");
    case PatternKind::Wildcard: return put("_");
    case PatternKind::Path: return path(p->path);
    case PatternKind::Call:
      open("");
      path(p->path);
      for (const PatternArg& arg : p->args) {
        put(" ");
        if (arg.name) put(arg.name.text()), put("=");
        pattern(arg.pattern);
      }
      return close();
    case PatternKind::Literal: return expr(p->literal);
    case PatternKind::Type: open("type "), type(p->type); return close();
    case PatternKind::Tuple: return list("tuple", p->items);
    case PatternKind::List: return list("list", p->items);
    case PatternKind::Dict: return list("dict", p->items);
    case PatternKind::Entry:
      open("entry ");
      expr(p->literal), put(" "), pattern(p->inner);
      return close();
    case PatternKind::Star: put("*"); return name(p->name);
    case PatternKind::Or: return list("|", p->items);
    case PatternKind::As:
      open("as ");
      pattern(p->inner), put(" "), name(p->name);
      return close();
  }
}

std::string print(const Expr* expr) {
  Printer printer;
  printer.expr(expr);
  return printer.take();
}

std::string print(const TypeExpr* type) {
  Printer printer;
  printer.type(type);
  return printer.take();
}

std::string print(const Pattern* pattern) {
  Printer printer;
  printer.pattern(pattern);
  return printer.take();
}

}  // namespace meteor::ast
