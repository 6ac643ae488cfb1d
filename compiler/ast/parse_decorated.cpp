// A decorated `def` as the statements it stands for, and a lambda with default values as the `def` it could have been.
//   @log                                def f(x: int) -> int: …    (under a name that no source can write)
//   def f(x: int) -> int: …      is     f = log(that)
// `@cache` makes a table beside the function, one in each isolate, and a function that asks it first.
#include <algorithm>
#include <array>

#include "compiler/ast/parser.h"

namespace meteor::ast {

namespace {

// What the compiler itself reads. The last ones are Python's, about which the checker has something to say.
constexpr std::array BUILT_IN = {"property", "inline",       "extern",          "derive",    "test",   "bench",
                                 "link",     "staticmethod", "blocking_in_def", "crossing",  "region", "reads",
                                 "native",   "classmethod",  "abstractmethod",  "dataclass", "setter"};

bool is_built_in(const Decorator& decorator) {
  if (decorator.path.empty()) return true;
  std::string_view last = decorator.path.back().text();
  if (decorator.path.size() > 1) return last == "setter" || last == "getter" || last == "deleter";
  return std::ranges::find(BUILT_IN, last) != BUILT_IN.end();
}

bool is_cache(const Decorator& decorator) { return decorator.path.size() == 1 && decorator.path[0].text() == "cache"; }

}  // namespace

// Nodes that no source wrote: each has the span of what it is made for.
template <typename T>
T* Parser::made(Span span) {
  T* node = arena_.make<T>();
  node->span = span;
  return node;
}

NameExpr* Parser::made_name(Name name, Span span) {
  NameExpr* node = made<NameExpr>(span);
  node->name = name;
  return node;
}

Stmt* Parser::made_assign(Expr* target, Expr* value, Span span) {
  AssignStmt* stmt = made<AssignStmt>(span);
  stmt->targets = arena_.copy(&target, 1);
  stmt->value = value;
  return stmt;
}

void Parser::push_statement(StmtList& out, Stmt* stmt) {
  if (auto* assign = stmt->as<AssignStmt>(); assign && assign->targets.size() == 1 && !assign->type && assign->value) {
    auto* name = assign->targets[0]->as<NameExpr>();
    auto* lambda = assign->value->as<LambdaExpr>();
    bool has_default = lambda && std::ranges::any_of(lambda->function->params,
                                                     [](const Param& p) { return p.default_value != nullptr; });
    if (name && has_default) {
      FunctionDecl* function = lambda->function;
      function->name = name->name, function->name_span = name->span, function->span = stmt->span;
      function->is_pub = assign->is_pub, function->is_lambda = false, function->has_walrus = stmt->has_walrus;
      return out.push(function);
    }
  }
  auto* function = stmt->as<FunctionDecl>();
  bool is_decorated = function && function->name && function->has_body &&
                      std::ranges::any_of(function->decorators, [](const Decorator& d) { return !is_built_in(d); });
  if (!is_decorated) return out.push(stmt);
  push_decorated(out, function);
}

void Parser::push_decorated(StmtList& out, FunctionDecl* function) {
  ItemList<Decorator> kept, applied;
  for (const Decorator& decorator : function->decorators) (is_built_in(decorator) ? kept : applied).push(decorator);
  bool is_pub = std::exchange(function->is_pub, false);
  Name name = function->name;
  Span at = function->name_span;
  function->decorators = kept.finish(arena_);
  size_t left = applied.size();
  if (is_cache(applied[left - 1])) {
    FunctionDecl* cached = push_cached(out, function, applied[left - 1]);
    if (!cached) {
      function->is_pub = is_pub;
      return out.push(function);
    }
    function = cached;
    --left;
  }
  if (left == 0) {
    function->is_pub = is_pub;
    return out.push(function);
  }
  function->name = names_.intern(name.str() + " undecorated");
  out.push(function);
  Expr* value = made_name(function->name, at);
  for (size_t i = left; i-- > 0;) {
    Expr* decorator = made_name(applied[i].path[0], applied[i].span);
    for (size_t part = 1; part < applied[i].path.size(); ++part) {
      MemberExpr* member = made<MemberExpr>(applied[i].span);
      member->object = decorator, member->name = applied[i].path[part], member->name_span = applied[i].span;
      decorator = member;
    }
    if (sources_.text(applied[i].span).ends_with(')')) {  // `@retry(3)` gives the decorator
      CallExpr* made_by = made<CallExpr>(applied[i].span);
      made_by->callee = decorator, made_by->args = applied[i].args;
      decorator = made_by;
    }
    CallExpr* call = made<CallExpr>(applied[i].span);
    Arg arg;
    arg.value = value;
    call->callee = decorator, call->args = arena_.copy(&arg, 1);
    value = call;
  }
  Stmt* assign = made_assign(made_name(name, at), value, at);
  assign->as<AssignStmt>()->is_pub = is_pub;
  out.push(assign);
}

// Emits the table and the function as written; gives the one that asks the table. Null when it can't be cached.
FunctionDecl* Parser::push_cached(StmtList& out, FunctionDecl* function, const Decorator& decorator) {
  Span at = decorator.span;
  auto refuse = [&](std::string why, std::string help) {
    Diagnostic& d = sink_.report(Code::InvalidDecorator, at, std::move(why));
    d.help = std::move(help);
    return nullptr;
  };
  if (!decorator.args.empty()) return refuse("`@cache` takes no arguments", "write `@cache`");
  if (!function->type_params.empty())
    return refuse("a generic function can't be cached", "cache one for each type that it is used with");
  bool is_typed = function->return_type != nullptr;
  for (const Param& param : function->params) {
    is_typed &= param.type != nullptr;
    bool is_plain =
        param.mode == ParamMode::Plain && (param.kind == ParamKind::Normal || param.kind == ParamKind::KeywordOnly);
    if (!is_plain)
      return refuse("only plain parameters can be looked up in a cache",
                    "leave out `owned`, `ref`, `*` and `**`, or keep a dict in the function");
  }
  if (!is_typed)
    return refuse("`@cache` needs the types of the parameters and of the result",
                  "write them: `def " + function->name.str() + "(n: int) -> int:`");
  for (uint32_t i = 0; i < tokens_.size() && tokens_[i].start < function->span.end; ++i)
    if (tokens_[i].start >= function->span.start && tokens_[i].kind == TokenKind::Yield)
      return refuse("a generator can't be cached: it can be gone through only once", "return a list");

  Name name = function->name;
  auto hidden = [&](const char* what) { return names_.intern(name.str() + " " + what); };
  TypeExpr* key_type = nullptr;
  ItemList<TypeExpr*> parts;
  for (const Param& param : function->params) parts.push(param.type);
  if (parts.size() == 1) {
    key_type = parts[0];
  } else {
    key_type = made<TypeExpr>(at);
    key_type->kind = parts.empty() ? TypeKind::Named : TypeKind::Tuple;
    Name whole = names_.intern("int");
    if (parts.empty())
      key_type->path = arena_.copy(&whole, 1);
    else
      key_type->args = parts.finish(arena_);
  }
  TypeExpr* table_type = made<TypeExpr>(at);
  table_type->kind = TypeKind::Named;
  Name dict = names_.intern("dict");
  table_type->path = arena_.copy(&dict, 1);
  std::array<TypeExpr*, 2> args = {key_type, function->return_type};
  table_type->args = arena_.copy(args.data(), args.size());
  bool is_at_top = sources_.position(file_, function->span.start).column == 1;
  Name table = hidden("cache");
  if (is_at_top) {
    LocalDecl* local = made<LocalDecl>(at);
    local->name = table, local->name_span = at, local->type = table_type, local->value = made<DictExpr>(at);
    out.push(local);
  } else {
    Stmt* assign = made_assign(made_name(table, at), made<DictExpr>(at), at);
    assign->as<AssignStmt>()->type = table_type;
    out.push(assign);
  }

  FunctionDecl* cached = arena_.make<FunctionDecl>(*function);
  function->name = hidden("uncached");
  out.push(function);
  Name key = hidden("key"), value = hidden("value");
  ItemList<Expr*> keys;
  ItemList<Arg> given;
  for (const Param& param : function->params) {
    keys.push(made_name(param.name, param.span));
    Arg arg;
    arg.value = made_name(param.name, param.span);
    if (param.kind == ParamKind::KeywordOnly) arg.name = param.name, arg.name_span = param.span;
    given.push(arg);
  }
  Expr* key_value = keys.size() == 1 ? keys[0] : nullptr;
  if (keys.empty()) {
    key_value = made<IntExpr>(at);
  } else if (!key_value) {
    TupleExpr* tuple = made<TupleExpr>(at);
    tuple->items = keys.finish(arena_);
    key_value = tuple;
  }
  auto entry = [&] {
    IndexExpr* index = made<IndexExpr>(at);
    index->object = made_name(table, at), index->index = made_name(key, at);
    return index;
  };
  auto give = [&](Expr* result) {
    ReturnStmt* stmt = made<ReturnStmt>(at);
    stmt->value = result;
    return stmt;
  };
  CompareExpr* is_known = made<CompareExpr>(at);
  std::array<Expr*, 2> operands = {made_name(key, at), made_name(table, at)};
  CompareOp in = CompareOp::In;
  is_known->operands = arena_.copy(operands.data(), operands.size());
  is_known->ops = arena_.copy(&in, 1);
  Stmt* known = give(entry());
  IfBranch branch;
  branch.condition = is_known;
  branch.body = arena_.copy(&known, 1);
  IfStmt* test = made<IfStmt>(at);
  test->branches = arena_.copy(&branch, 1);
  CallExpr* call = made<CallExpr>(at);
  call->callee = made_name(function->name, at), call->args = given.finish(arena_);
  Expr* computed = call;
  if (function->is_async) {
    AwaitExpr* wait = made<AwaitExpr>(at);
    wait->operand = call;
    computed = wait;
  }
  std::array<Stmt*, 5> body = {made_assign(made_name(key, at), key_value, at), test,
                               made_assign(made_name(value, at), computed, at),
                               made_assign(entry(), made_name(value, at), at), give(made_name(value, at))};
  cached->body = arena_.copy(body.data(), body.size());
  cached->decorators = {};
  cached->has_walrus = false;
  return cached;
}

}  // namespace meteor::ast
