// Builds small typed programs by hand, for tests of lowering and of what follows it.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/name.h"
#include "compiler/typed/typed.h"

namespace meteor::mir {

class TypedBuilder {
 public:
  using Expr = typed::Expr;
  using Stmt = typed::Stmt;
  using TypeId = types::TypeId;
  using VariableId = typed::VariableId;
  using FunctionId = typed::FunctionId;

  base::NameTable names;
  types::TypeStore types;
  typed::Program program;

  TypedBuilder() {
    program.raisable = class_type("Raisable", {{"message", types.str}});
    program.error = class_type("Error", {{"message", types.str}}, program.raisable);
#define HOOK(name) program.hooks.name = external("hook_" #name, program.raisable);
#include "compiler/typed/hooks.def"
#undef HOOK
    hook(program.hooks.cast, {types.str, types.str, types.bool_}, program.raisable);
    hook(program.hooks.shift, {types.int_}, program.raisable);
    hook(program.hooks.overflow, {types.int_, types.int_, types.int_}, program.raisable);
    hook(program.hooks.conversion, {types.int_, types.float_, types.int_}, program.raisable);
    hook(program.hooks.suppress, {program.raisable, program.raisable}, types.void_);
    hook(program.hooks.merge, {program.raisable, program.raisable}, program.raisable);
    hook(program.hooks.report_uncaught, {program.raisable}, types.void_);
  }

  // ---- types ----
  struct FieldSpec { std::string_view name; TypeId type; };
  TypeId class_type(std::string_view name, std::vector<FieldSpec> fields, TypeId base = {}) { return nominal(types::Kind::Class, name, fields, base); }
  TypeId struct_type(std::string_view name, std::vector<FieldSpec> fields) { return nominal(types::Kind::Struct, name, fields, {}); }
  TypeId enum_type(std::string_view name, std::vector<std::pair<std::string_view, std::vector<FieldSpec>>> cases) {
    TypeId type = nominal(types::Kind::Enum, name, {}, {});
    for (auto& [case_name, fields] : cases) {
      typed::EnumCase c;
      c.name = names.intern(case_name);
      for (auto& f : fields) c.fields.push_back({names.intern(f.name), f.type, {}});
      program.nominals[type].cases.push_back(std::move(c));
    }
    return type;
  }

  // ---- functions ----
  FunctionId function(std::string_view name, TypeId result) {
    FunctionId id(static_cast<uint32_t>(program.functions.size()));
    typed::Function f;
    f.id = id;
    f.name = name;
    f.symbol = "test." + std::string(name);
    f.result = result;
    f.has_body = true;
    f.span = next_span();
    program.functions.push_back(std::move(f));
    return id;
  }
  FunctionId external(std::string_view name, TypeId result) {
    FunctionId id = function(name, result);
    program.function(id).has_body = false;
    return id;
  }
  VariableId param(FunctionId f, std::string_view name, TypeId type, types::ParamMode mode = types::ParamMode::Plain) {
    VariableId id = add_variable(f, name, type, typed::VariableKind::Param);
    program.function(f).variables[id.index].mode = mode;
    ++program.function(f).param_count;
    return id;
  }
  VariableId local(FunctionId f, std::string_view name, TypeId type) { return add_variable(f, name, type, typed::VariableKind::Local); }
  VariableId temp(FunctionId f, TypeId type) { return add_variable(f, "", type, typed::VariableKind::Temp); }
  VariableId capture(FunctionId f, std::string_view name, TypeId type) {
    VariableId id = add_variable(f, name, type, typed::VariableKind::Capture);
    program.function(f).captures.push_back(id);
    program.function(f).is_closure = true;
    return id;
  }
  void box(FunctionId f, VariableId v) { program.function(f).variables[v.index].boxed = true; }
  void body(FunctionId f, std::vector<Stmt*> stmts) { program.function(f).body = block(stmts); }
  typed::GlobalId global(std::string_view name, TypeId type) {
    typed::Global g;
    g.name = names.intern(name);
    g.symbol = name;
    g.type = type;
    program.globals.push_back(std::move(g));
    return typed::GlobalId(static_cast<uint32_t>(program.globals.size() - 1));
  }
  typed::Block block(const std::vector<Stmt*>& stmts) { return program.arena.copy(stmts); }

  // ---- expressions ----
  template <typename T> T* expr(TypeId type) {
    T* e = program.arena.make<T>();
    e->type = type;
    e->span = next_span();
    return e;
  }
  Expr* integer(int64_t value) { auto* e = expr<typed::IntConst>(types.int_); e->bits = static_cast<uint64_t>(value); return e; }
  Expr* text(std::string_view value) { auto* e = expr<typed::StrConst>(types.str); e->value = program.arena.copy_text(value); return e; }
  Expr* boolean(bool value) { auto* e = expr<typed::BoolConst>(types.bool_); e->value = value; return e; }
  Expr* null(TypeId type) { return expr<typed::NullConst>(type); }
  Expr* var(FunctionId f, VariableId v) { auto* e = expr<typed::VariableRef>(program.function(f).variables[v.index].type); e->variable = v; return e; }
  Expr* global_ref(typed::GlobalId g) { auto* e = expr<typed::GlobalRef>(program.globals[g.index].type); e->global = g; return e; }
  Expr* field(Expr* object, uint32_t index) {
    types::Kind kind = types.kind(object->type);
    TypeId type = kind == types::Kind::Tuple ? types.arg(object->type, index) : program.nominal(object->type).fields[index].type;
    auto* e = expr<typed::FieldRef>(type);
    e->object = object;
    e->index = index;
    return e;
  }
  Expr* call(FunctionId f, std::vector<Expr*> args) {
    auto* e = expr<typed::Call>(program.function(f).result);
    e->function = f;
    std::vector<types::ParamMode> modes;
    for (size_t i = 0; i < args.size(); ++i) modes.push_back(program.function(f).variables[i].mode);
    e->args = program.arena.copy(args);
    e->modes = program.arena.copy(modes);
    return e;
  }
  Expr* ref(Expr* place) { auto* e = expr<typed::RefTo>(place->type); e->place = place; return e; }
  Expr* make_new(TypeId type, std::vector<Expr*> fields) { auto* e = expr<typed::New>(type); e->fields = program.arena.copy(fields); return e; }
  Expr* tuple(std::vector<Expr*> items) {
    std::vector<TypeId> parts;
    for (Expr* item : items) parts.push_back(item->type);
    auto* e = expr<typed::MakeTuple>(types.tuple(parts));
    e->items = program.arena.copy(items);
    return e;
  }
  Expr* closure(FunctionId f, TypeId type, std::vector<Expr*> captures) {
    auto* e = expr<typed::MakeClosure>(type);
    e->function = f;
    e->captures = program.arena.copy(captures);
    return e;
  }
  Expr* binary(typed::BinaryOp op, Expr* left, Expr* right) { auto* e = expr<typed::Binary>(left->type); e->op = op; e->left = left; e->right = right; return e; }
  Expr* compare(typed::CompareOp op, Expr* left, Expr* right) { auto* e = expr<typed::Compare>(types.bool_); e->op = op; e->left = left; e->right = right; return e; }
  Expr* both(Expr* left, Expr* right) { auto* e = expr<typed::And>(types.bool_); e->left = left; e->right = right; return e; }
  Expr* ternary(Expr* condition, Expr* yes, Expr* no) { auto* e = expr<typed::Ternary>(yes->type); e->condition = condition; e->then_value = yes; e->else_value = no; return e; }
  Expr* coalesce(Expr* left, Expr* right) { auto* e = expr<typed::Coalesce>(right->type); e->left = left; e->right = right; return e; }
  Expr* unwrap(Expr* operand, bool checked) { auto* e = expr<typed::Unwrap>(types.arg(operand->type)); e->operand = operand; e->checked = checked; return e; }
  Expr* convert(typed::ConvertKind kind, Expr* operand, TypeId to, bool checked = false) {
    auto* e = expr<typed::Convert>(to);
    e->convert = kind;
    e->operand = operand;
    e->checked = checked;
    return e;
  }
  Expr* seq(std::vector<Stmt*> stmts, Expr* value) { auto* e = expr<typed::Seq>(value->type); e->stmts = block(stmts); e->value = value; return e; }

  // ---- statements ----
  template <typename T> T* stmt() {
    T* s = program.arena.make<T>();
    s->span = next_span();
    return s;
  }
  Stmt* run(Expr* e) { auto* s = stmt<typed::ExprStmt>(); s->value = e; return s; }
  Stmt* assign(Expr* target, Expr* value) { auto* s = stmt<typed::Assign>(); s->target = target; s->value = value; return s; }
  Stmt* if_(Expr* condition, std::vector<Stmt*> yes, std::vector<Stmt*> no = {}) {
    auto* s = stmt<typed::If>();
    s->condition = condition;
    s->then_body = block(yes);
    s->else_body = block(no);
    return s;
  }
  Stmt* loop(uint32_t label, Expr* condition, std::vector<Stmt*> body) {
    auto* s = stmt<typed::Loop>();
    s->label = label;
    s->condition = condition;
    s->body = block(body);
    return s;
  }
  Stmt* break_(uint32_t label) { auto* s = stmt<typed::Break>(); s->label = label; return s; }
  Stmt* continue_(uint32_t label) { auto* s = stmt<typed::Continue>(); s->label = label; return s; }
  Stmt* ret(Expr* value = nullptr) { auto* s = stmt<typed::Return>(); s->value = value; return s; }
  Stmt* raise(Expr* value) { auto* s = stmt<typed::Raise>(); s->value = value; return s; }
  Stmt* del(Expr* place) { auto* s = stmt<typed::Drop>(); s->place = place; return s; }
  Stmt* defer(std::vector<Stmt*> body) { auto* s = stmt<typed::Defer>(); s->body = block(body); return s; }
  struct Catch { std::vector<TypeId> types; VariableId variable; std::vector<Stmt*> body; };
  Stmt* try_(std::vector<Stmt*> body, std::vector<Catch> catches) {
    auto* s = stmt<typed::Try>();
    s->body = block(body);
    std::vector<typed::CatchClause> clauses;
    for (Catch& c : catches) clauses.push_back({program.arena.copy(c.types), c.variable, block(c.body), next_span()});
    s->catches = program.arena.copy(clauses);
    return s;
  }
  Stmt* cleanup(std::vector<Stmt*> body, std::vector<Stmt*> last) {
    auto* s = stmt<typed::Cleanup>();
    s->body = block(body);
    s->cleanup = block(last);
    return s;
  }
  Stmt* scope(std::vector<VariableId> temps, std::vector<Stmt*> body) {
    auto* s = stmt<typed::BlockStmt>();
    s->temps = program.arena.copy(temps);
    s->body = block(body);
    return s;
  }

 private:
  source::Span next_span() { ++place_; return {source::FileId(0), place_, place_ + 1}; }

  VariableId add_variable(FunctionId f, std::string_view name, TypeId type, typed::VariableKind kind) {
    typed::Variable v;
    if (!name.empty()) v.name = names.intern(name);
    v.type = type;
    v.kind = kind;
    program.function(f).variables.push_back(v);
    return VariableId(static_cast<uint32_t>(program.function(f).variables.size() - 1));
  }

  void hook(FunctionId f, std::vector<TypeId> params, TypeId result) {
    program.function(f).result = result;
    for (TypeId type : params) param(f, "", type);
  }

  TypeId nominal(types::Kind kind, std::string_view name, const std::vector<FieldSpec>& fields, TypeId base) {
    TypeId type = types.nominal(kind, types.add_nominal(kind, std::string(name)));
    typed::Nominal n;
    n.type = type;
    n.name = name;
    n.base = base;
    for (const FieldSpec& f : fields) n.fields.push_back({names.intern(f.name), f.type, {}});
    program.nominals[type] = std::move(n);
    return type;
  }

  uint32_t place_ = 0;
};

}  // namespace meteor::mir
