// `spawn f(a, b)`: the arguments are evaluated here and handed over, the call happens in a new isolate.
//
// It becomes `p = _hand_over(a); q = _hand_over(b); _spawn(() -> f(_take_over(p), _take_over(q)))`: the closure that goes to the
// new isolate holds plain addresses only.
#include <map>
#include <set>

#include "compiler/typed/body.h"
#include "compiler/typed/program_check.h"

namespace meteor::typed {

namespace {

bool is_literal(ast::Expr* e) {
  switch (e->kind) {
    case ast::ExprKind::Int: case ast::ExprKind::Float: case ast::ExprKind::Bool: case ast::ExprKind::Null: case ast::ExprKind::Str: case ast::ExprKind::Bytes:
    case ast::ExprKind::Duration: return true;
    case ast::ExprKind::Unary: return is_literal(e->as<ast::UnaryExpr>()->operand);
    default: return false;
  }
}

// Where a value of this type holds something that belongs to its isolate.
struct Pinned {
  std::string path;   // `job.steps[].conn`, without the beginning
  TypeId type;
};

class PinnedSearch {
 public:
  explicit PinnedSearch(Checker& checker) : c_(checker) {}

  bool find(TypeId type, Pinned& found) {
    type = c_.resolve(type);
    const types::Type t = c_.types.get(type);
    switch (t.kind) {
      case Kind::Tuple: case Kind::Optional:
        for (TypeId arg : t.args)
          if (find(arg, found)) return true;
        return false;
      case Kind::Class: case Kind::Struct: case Kind::Enum: return find_in(type, t, found);
      default: return false;   // what `any`, a trait object or a function holds is looked at when it moves
    }
  }

 private:
  bool find_in(TypeId type, const types::Type& t, Pinned& found) {
    NominalInfo* info = c_.nominal_info(type);
    if (!seen_.insert(type.index).second) return false;
    if (c_.is_pinned(type)) {
      found.type = type;
      return true;
    }
    if (info->module->is_std && info->kind == Kind::Class) {   // its fields are its own affair, its elements are not
      for (TypeId arg : t.args) {
        if (!find(arg, found)) continue;
        found.path = "[]" + found.path;
        return true;
      }
      return false;
    }
    c_.ensure_fields(info);
    Subst subst = c_.arguments_of(type);
    auto look = [&](const FieldInfo& field) {
      if (field.is_weak || !find(c_.apply(field.type, subst), found)) return false;
      found.path = "." + field.name.str() + found.path;
      return true;
    };
    for (const FieldInfo& field : info->fields)
      if (look(field)) return true;
    for (const CaseInfo& one : info->cases)
      for (const FieldInfo& field : one.fields)
        if (look(field)) return true;
    return info->base.valid() && find(c_.apply(info->base, subst), found);
  }

  Checker& c_;
  std::set<uint32_t> seen_;
};

std::string shown(Expr* value, BodyChecker& b) {
  auto* ref = value->as<VariableRef>();
  return ref ? b.var(ref->variable).name.str() : "it";
}

}  // namespace

// A module's variable belongs to the isolate that ran the module. What runs in another may not touch it.
void check_isolate_reach(Checker& c) {
  IsolateReach& reach = c.reach;
  std::multimap<uint32_t, uint32_t> calls;
  for (auto& [caller, callee] : reach.calls) calls.emplace(caller.index, callee.index);
  std::multimap<uint32_t, const IsolateReach::Use*> uses;
  for (const IsolateReach::Use& use : reach.uses)
    if (!use.global->is_const && !use.global->is_local && !use.global->module->is_std) uses.emplace(use.function.index, &use);
  std::set<std::pair<uint32_t, uint32_t>> reported;
  for (auto& [entry, spawned_at] : reach.entries) {
    std::set<uint32_t> seen{entry.index};
    std::vector<uint32_t> open{entry.index};
    while (!open.empty()) {
      uint32_t function = open.back();
      open.pop_back();
      for (auto [at, end] = uses.equal_range(function); at != end; ++at) {
        const IsolateReach::Use& use = *at->second;
        if (!reported.emplace(use.span.file.index, use.span.start).second) continue;
        auto& d = c.error(Code::ForeignVariable, use.span, "`" + use.global->name.str() + "` belongs to the isolate that ran the module, and this runs in another");
        d.labels.push_back({spawned_at, "started here"});
        d.labels.push_back({use.global->span, "the module's variable"});
        d.help = "pass it as an argument, make it a `const`, or a `local`, of which every isolate has its own";
      }
      for (auto [at, end] = calls.equal_range(function); at != end; ++at)
        if (seen.insert(at->second).second) open.push_back(at->second);
    }
  }
}

bool BodyChecker::can_cross(Expr* value, Span span) {
  Pinned pinned;
  if (PinnedSearch(c).find(value->type, pinned)) {
    auto& d = c.error(Code::CannotCross, span, "this can't go to another isolate: `" + shown(value, *this) + pinned.path + "` is a `" + c.text(pinned.type) + "`, which belongs to the isolate that made it");
    NominalInfo* holder = c.nominal_info(pinned.type);
    if (holder->gives_to_many) d.help = "everyone gets the same `" + c.text(types.arg(pinned.type)) + "` from it, so that must be something that can't change: text, numbers, a struct of these, or `frozen`";
    else d.help = "send what it is made from, or talk to it over a `Channel`";
    return false;
  }
  if (is_copied_type(value->type)) return true;
  auto* variable = value->as<VariableRef>();
  if (variable && var(variable->variable).kind == VariableKind::Param && var(variable->variable).mode == ParamMode::Plain) {
    auto& d = c.error(Code::CannotCross, span, "`" + shown(value, *this) + "` is borrowed: whoever called this function still has it");
    d.labels.push_back({var(variable->variable).span, "a plain parameter"});
    d.help = "take it as `owned " + shown(value, *this) + "`, or send a copy";
    return false;
  }
  if (value->kind == ExprKind::Field || value->kind == ExprKind::Global) {
    auto& d = c.error(Code::CannotCross, span, "this value is still held here, so it can't move to another isolate");
    d.help = "put a new value into a variable and move that, or send a copy";
    return false;
  }
  return true;
}

ast::Expr* BodyChecker::hand_over(ast::Expr* argument) {
  if (is_literal(argument)) return argument;
  if (argument->kind == ast::ExprKind::Star || argument->kind == ast::ExprKind::DoubleStar) {
    c.error(Code::InvalidOperand, argument->span, "`spawn` takes its arguments one by one");
    return nullptr;
  }
  ast::Expr* source = argument;
  if (auto* owned = argument->as<ast::OwnedExpr>()) source = owned->operand;
  Expr* value = check(source);
  if (is_poison(value) || !can_cross(value, source->span)) return nullptr;
  Expr* place = call_core("_hand_over", {value}, source->span);
  if (is_poison(place)) return nullptr;
  base::Arena& arena = c.program.arena;
  auto* there = arena.make<ast::TakeOverExpr>();
  there->span = source->span;
  there->variable = c.name("argument of spawn " + std::to_string(++hidden_names_));
  VariableId variable = declare(there->variable, place->type, source->span);
  facts(variable).assigned_in_loop = false;   // each turn has its own
  emit_assign(variable_ref(variable, source->span), place);
  return there;
}

Expr* BodyChecker::check_take_over(ast::TakeOverExpr* expr) {
  Binding binding = lookup(expr->variable);
  return call_core("_take_over", {variable_ref(binding.variable, expr->span)}, expr->span);
}

Expr* BodyChecker::check_spawn(ast::SpawnExpr* expr) {
  Span span = expr->span;
  auto* call = expr->call->as<ast::CallExpr>();
  if (!call) return poison(span);
  // What the call gives, and what it makes of types that are still open: only its type is wanted.
  Expr* probe = nullptr;
  Flow before = flow;
  size_t moves = moves_.size();
  collect([&] { probe = check(call); });
  flow = std::move(before);
  moves_.erase(moves_.begin() + static_cast<ptrdiff_t>(moves), moves_.end());
  if (is_poison(probe)) return poison(span);
  bool is_async = c.future_value(known(probe->type)).valid();

  base::Arena& arena = c.program.arena;
  auto* there = arena.make<ast::CallExpr>(*call);
  bool failed = false;
  auto move = [&](ast::Expr* e) {
    ast::Expr* moved = hand_over(e);
    failed |= !moved;
    return moved;
  };
  if (auto* name = call->callee->as<ast::NameExpr>()) {
    BindingKind kind = lookup(name->name).kind;
    if (kind == BindingKind::Variable || kind == BindingKind::Nested) there->callee = move(call->callee);
  } else if (auto* member = call->callee->as<ast::MemberExpr>()) {
    if (!find_entity(member->object)) {
      auto* moved = arena.make<ast::MemberExpr>(*member);
      moved->object = move(member->object);
      there->callee = moved;
    }
  } else {
    there->callee = move(call->callee);
  }
  std::vector<ast::Arg> args;
  for (const ast::Arg& arg : call->args) {
    args.push_back(arg);
    args.back().value = move(arg.value);
  }
  if (failed) return poison(span);
  there->args = arena.copy(args);

  auto* give = arena.make<ast::ReturnStmt>();
  give->value = there;
  give->span = call->span;
  auto* decl = arena.make<ast::FunctionDecl>();
  decl->body = arena.copy(std::vector<ast::Stmt*>{give});
  decl->is_lambda = true;
  decl->name = c.name("spawn");
  decl->span = call->span;
  Expr* body = check_lambda(decl, call->span, TypeId());
  if (is_poison(body)) return body;
  if (auto* closure = body->as<MakeClosure>()) c.reach.entries.emplace_back(closure->function, span);
  Expr* site = call_intrinsic(Intrinsic::CallSite, types.int_, types.wrap(Kind::RawPtr, types.int_), {}, span);
  return call_core(is_async ? "_spawn_async" : "_spawn", {body, site}, span);
}

}  // namespace meteor::typed
