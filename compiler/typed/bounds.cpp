// What bounds say inside a body. A body is checked with the types that its type parameters are there, so `x.go()` with
// `x: X` and `X: T1` would ask the type, which may have another `go` of its own or of another trait. Where it has, X is
// not replaced by the type but by an inference variable that is solved already and remembers the bounds: whatever is
// inferred from an X goes through that variable, and calls on it ask the bounds first.
#include <algorithm>

#include "compiler/typed/body.h"
#include "compiler/typed/frozen.h"

namespace meteor::typed {

TypeId Checker::stand_for(TypeId type, std::vector<TypeId> bounds) {
  TypeId var = unifier.fresh();
  bounds_of_var_[types.get(var).var.index] = std::move(bounds);
  unifier.unify(var, type);
  return var;
}

const std::vector<TypeId>* Checker::bounds_behind(TypeId type) {
  if (bounds_of_var_.empty()) return nullptr;
  while (type.valid() && types.kind(type) == Kind::Var) {
    auto found = bounds_of_var_.find(types.get(type).var.index);
    if (found != bounds_of_var_.end()) return &found->second;
    type = unifier.next(type);
  }
  return nullptr;
}

TypeId Checker::resolve_parts(TypeId type) {
  type = unifier.shallow(type);
  if (bounds_of_var_.empty() || !types.has_var(type)) return resolve(type);
  types::Type copy = types.get(type);
  for (TypeId& arg : copy.args)
    if (!bounds_behind(arg)) arg = resolve_parts(arg);
  return copy.args.empty() ? type : types.intern(std::move(copy));
}

namespace {

// Does the type itself answer otherwise than its bounds?
bool differs(Checker& c, TypeId type, const std::vector<TypeId>& bounds) {
  for (TypeId bound : bounds)
    for (TypeId trait : c.with_supertraits(bound, type))
      for (FunctionInfo* method : c.nominal_info(trait)->method_order) {
        Member plain = c.find_member(type, method->name());
        Member bounded = c.find_bound_member(type, bounds, method->name());
        if (!plain.rivals.empty() || !bounded.rivals.empty()) return true;
        if (plain.kind != bounded.kind || plain.methods != bounded.methods) return true;
      }
  return false;
}

}  // namespace

void BodyChecker::keep_bounds(const std::vector<TypeParamInfo>& params, const Subst& subst) {
  for (const TypeParamInfo& p : params) keep_bounds_of(p.type, p.bounds, subst);
}

void BodyChecker::keep_bounds_of(TypeId param, const std::vector<TypeId>& bounds, const Subst& subst) {
  if (bounds.empty()) return;
  TypeId type = c.resolve(c.apply(param, subst));
  Kind k = types.kind(type);
  if (types.has_var(type) || k == Kind::Error || k == Kind::Param || k == Kind::Dyn) return;
  std::vector<TypeId> traits;
  for (TypeId bound : bounds) traits.push_back(c.resolve(c.apply(bound, subst)));
  if (!differs(c, type, traits)) return;
  auto at = std::ranges::find(own_subst_.pairs, param, &std::pair<TypeId, TypeId>::first);
  TypeId standing = c.stand_for(type, std::move(traits));
  if (at != own_subst_.pairs.end())
    at->second = standing;
  else
    own_subst_.add(param, standing);
}

namespace {

// The same without `frozen` around what stands for type parameters.
TypeId thawed_standing(Checker& c, TypeId type) {
  if (const std::vector<TypeId>* bounds = c.bounds_behind(type)) {
    TypeId thawed = thawed_type(c, type);
    return thawed == c.resolve(type) ? type : c.stand_for(thawed, *bounds);
  }
  types::Type copy = c.types.get(c.unifier.shallow(type));
  if (copy.args.empty()) return type;
  for (TypeId& arg : copy.args) arg = thawed_standing(c, arg);
  return c.types.intern(std::move(copy));
}

// The type of a variable that is declared as `standing`, with what that says of bounds. A frozen one stays frozen; a
// frozen collection is declared as its view, `list<frozen T>` (frozen.h).
TypeId with_bounds(Checker& c, TypeId variable, TypeId standing) {
  variable = c.resolve(variable);
  if (c.resolve(standing) == variable) return standing;
  if (c.kind(variable) != Kind::Frozen) return variable;
  TypeId declared = c.resolve(standing);
  if (declared != thawed_type(c, variable) && declared != read_as(c, variable)) return variable;
  if (const std::vector<TypeId>* bounds = c.bounds_behind(standing)) return c.stand_for(variable, *bounds);
  TypeId frozen = c.types.wrap(Kind::Frozen, thawed_standing(c, standing));
  return c.resolve(frozen) == variable ? frozen : variable;
}

}  // namespace

void BodyChecker::keep_bounds() {
  keep_bounds(info->type_params, instance->subst);
  if (info->owner) {
    keep_bounds(info->owner->type_params, instance->subst);
    if (info->owner->kind == Kind::Trait)
      keep_bounds_of(info->owner->self_type, {c.trait_with(info->owner, instance->subst)}, instance->subst);
  }
  if (info->impl) keep_bounds(info->impl->type_params, instance->subst);
  if (own_subst_.pairs.empty()) return;
  size_t next = 0;
  if (info->has_self) {
    TypeId written = info->owner ? info->owner->self_type : info->impl ? info->impl->target : TypeId();
    TypeId standing = written.valid() ? applied(written) : TypeId();
    if (standing.valid() && c.resolve(standing) == c.resolve(self_type)) self_type = standing;
    if (standing.valid()) fn.variables[0].type = with_bounds(c, fn.variables[0].type, standing);
    ++next;
  }
  for (const ParamInfo& p : info->params) {
    Variable& variable = fn.variables[next++];
    TypeId standing = p.type.valid() ? applied(p.type) : TypeId();
    if (standing.valid()) variable.type = with_bounds(c, variable.type, standing);
  }
}

bool BodyChecker::keeps_bounds() const {
  for (const BodyChecker* at = this; at; at = at->parent)
    if (!at->own_subst_.pairs.empty()) return true;
  return false;
}

// The variables that stand for type parameters here, with what they are.
std::vector<std::pair<TypeId, TypeId>> BodyChecker::standing_types() {
  std::vector<std::pair<TypeId, TypeId>> out;
  for (BodyChecker* at = this; at; at = at->parent)
    for (auto& [param, type] : at->own_subst_.pairs)
      if (c.bounds_behind(type)) out.emplace_back(type, c.resolve(type));
  for (TypeId type : root->of_several_params_) out.emplace_back(type, c.resolve(type));
  return out;
}

namespace {

bool mentions(Checker& c, TypeId type, TypeId standing) {
  while (type.valid() && c.types.kind(type) == Kind::Var) {
    if (type == standing) return true;
    type = c.unifier.next(type);
  }
  return type.valid() && c.types.has_var(type) &&
         std::ranges::any_of(c.types.get(type).args, [&](TypeId arg) { return mentions(c, arg, standing); });
}

TypeId replaced(Checker& c, TypeId type, TypeId from, TypeId to) {
  if (type == from) return to;
  types::Type copy = c.types.get(type);
  if (copy.args.empty()) return type;
  for (TypeId& arg : copy.args) arg = replaced(c, arg, from, to);
  return c.types.intern(std::move(copy));
}

}  // namespace

TypeId BodyChecker::as_standing(TypeId result, const Subst& subst, const std::vector<TypeId>& given) {
  TypeId whole = c.resolve(result);
  if (types.has_var(whole)) return result;
  std::vector<std::pair<TypeId, TypeId>> stand_ins;  // by type: what stands for it among the arguments
  for (auto& [standing, type] : standing_types()) {
    bool is_given = std::ranges::any_of(given, [&](TypeId one) { return mentions(c, one, standing); });
    for (auto& [param, one] : subst.pairs) is_given |= mentions(c, one, standing);
    if (!is_given) continue;
    auto known = std::ranges::find(stand_ins, type, &std::pair<TypeId, TypeId>::first);
    if (known == stand_ins.end()) {
      stand_ins.emplace_back(type, standing);
      continue;
    }
    // Two parameters that are one type here: which of them it came from is not known, so it has the bounds of both.
    std::vector<TypeId> bounds = *c.bounds_behind(known->second);
    for (TypeId bound : *c.bounds_behind(standing))
      if (std::ranges::find(bounds, bound) == bounds.end()) bounds.push_back(bound);
    if (bounds.size() == c.bounds_behind(known->second)->size()) continue;
    known->second = c.stand_for(type, std::move(bounds));
    root->of_several_params_.push_back(known->second);
  }
  for (auto& [type, standing] : stand_ins) whole = replaced(c, whole, type, standing);
  return stand_ins.empty() ? result : whole;
}

Member BodyChecker::find_member(TypeId type, Name n) {
  if (const std::vector<TypeId>* bounds = c.bounds_behind(type))
    if (Member found = c.find_bound_member(type, *bounds, n)) return found;
  Member found = c.find_member(type, n);
  if (found.rivals.empty() || !keeps_bounds()) return found;
  // Where it came from is not known, but what the function asked for is.
  std::vector<TypeId> bounds;
  for (auto& [standing, known] : standing_types())
    if (known == c.resolve(type))
      bounds.insert(bounds.end(), c.bounds_behind(standing)->begin(), c.bounds_behind(standing)->end());
  Member asked = c.find_bound_member(type, bounds, n);
  return asked && asked.rivals.empty() ? asked : found;
}

bool BodyChecker::has_method(TypeId type, std::string_view name) {
  return find_member(type, c.name(name)).kind == Member::Methods;
}

// ---- A name that several traits have -------------------------------------------

namespace {

bool takes_wanted_type(ast::Expr* e) {
  switch (e->kind) {
    case ast::ExprKind::Lambda:
    case ast::ExprKind::AnonDef:
    case ast::ExprKind::List:
    case ast::ExprKind::Dict:
    case ast::ExprKind::Set:
    case ast::ExprKind::Null: return true;
    default: return false;
  }
}

// Can something written so, whose type the place decides, be one of these?
bool may_become(Checker& c, ast::Expr* literal, TypeId wanted) {
  while (c.kind(wanted) == Kind::Optional && literal->kind != ast::ExprKind::Null)
    wanted = c.types.arg(c.unifier.shallow(wanted));
  Kind kind = c.kind(wanted);
  if (kind == Kind::Var || kind == Kind::Any || kind == Kind::Dyn || kind == Kind::Error) return true;
  NominalInfo* info = c.nominal_info(wanted);
  switch (literal->kind) {
    case ast::ExprKind::Lambda:
    case ast::ExprKind::AnonDef: return kind == Kind::Func;
    case ast::ExprKind::List: return info == c.core_nominal("list");
    case ast::ExprKind::Dict: return info == c.core_nominal("dict") || info == c.core_nominal("set");
    case ast::ExprKind::Set: return info == c.core_nominal("set");
    case ast::ExprKind::Null: return kind == Kind::Optional;
    default: return true;
  }
}

// 0: not this one; 1: it can be called so; 2: with exactly these types.
int fit(BodyChecker& b, const Member& member, std::vector<BodyChecker::CallArg>& args) {
  if (member.kind != Member::Methods) return 0;
  FunctionInfo* f = member.methods->front();
  if (!b.accepts(f, args)) return 0;
  Subst open = member.subst;
  for (TypeParamInfo& p : f->type_params) open.add(p.type, b.c.unifier.fresh());
  int best = 2;
  size_t position = 0;
  for (BodyChecker::CallArg& arg : args) {
    const ParamInfo* param = nullptr;
    if (arg.name) {
      auto named = std::ranges::find(f->params, arg.name, &ParamInfo::name);
      if (named != f->params.end()) param = &*named;
    } else if (position < f->params.size()) {
      param = &f->params[position++];
    }
    if (!param || !param->type.valid() || param->kind != ast::ParamKind::Normal) continue;
    TypeId wanted = b.c.apply(param->type, open);
    if (!arg.value && arg.ast && !may_become(b.c, arg.ast, wanted)) return 0;
    if (!arg.value) continue;
    if (b.c.unifier.could_unify(wanted, arg.value->type)) continue;
    if (!b.can_convert(arg.value, wanted)) return 0;
    best = 1;
  }
  return best;
}

std::vector<const Member*> best_fitting(BodyChecker& b, const std::vector<Member>& rivals,
                                        std::vector<BodyChecker::CallArg>& args) {
  std::vector<const Member*> fitting;
  int best = 1;
  for (const Member& rival : rivals) {
    int fits = fit(b, rival, args);
    if (fits < best) continue;
    if (fits > best) fitting.clear();
    best = fits;
    fitting.push_back(&rival);
  }
  return fitting;
}

// Something written without a type that says what it is all the same.
bool has_own_type(ast::Expr* e) {
  if (auto* lambda = e->as<ast::LambdaExpr>()) return lambda->function->params.empty();
  return e->kind == ast::ExprKind::List || e->kind == ast::ExprKind::Dict || e->kind == ast::ExprKind::Set;
}

std::string source_of(Checker& c, Expr* value, const char* otherwise) {
  std::string_view text = value && value->span.valid() ? c.input.sources.text(value->span) : std::string_view();
  return text.empty() || text.size() > 40 || text.find('\n') != std::string_view::npos ? otherwise : std::string(text);
}

}  // namespace

bool BodyChecker::settle(Member& member, TypeId type, Expr* receiver, Name n, std::vector<CallArg>* args, Span span) {
  if (member.rivals.empty()) return true;
  std::vector<Member> rivals = std::move(member.rivals);
  if (args) {
    for (CallArg& arg : *args)
      if (!arg.value && arg.ast && !takes_wanted_type(arg.ast)) arg.value = check(arg.ast);
    std::vector<const Member*> fitting = best_fitting(*this, rivals, *args);
    // What takes the wanted type has one of its own, too: `[1]` is a `list<int>`.
    bool any = false;
    for (CallArg& arg : *args)
      if (fitting.size() > 1 && !arg.value && arg.ast && has_own_type(arg.ast)) any = arg.value = check(arg.ast);
    if (any) fitting = best_fitting(*this, rivals, *args);
    if (fitting.size() == 1) {
      member = *fitting.front();
      return true;
    }
    if (std::ranges::any_of(*args, [&](const CallArg& arg) { return arg.value && is_poison(arg.value); })) return false;
  }
  std::string traits, calls;
  for (const Member& rival : rivals) {
    if (!rival.trait.valid()) continue;
    std::string trait = c.text(rival.trait);
    bool is_static = rival.kind == Member::Methods && !rival.methods->front()->has_self;
    traits += (traits.empty() ? "`" : &rival == &rivals.back() ? " and `" : ", `") + trait + "`";
    if (!is_static)
      calls += (calls.empty() ? "`" : " or `") + trait + "." + n.str() + "(" +
               source_of(c, receiver, receiver && is_self(receiver) ? "self" : "…") +
               (args && !args->empty() ? ", …" : "") + ")`";
  }
  auto& d = c.error(
      Code::AmbiguousCall, span,
      "`" + c.text(type) + "` has `" + n.str() + "` from several " + (traits.empty() ? "impls" : "traits: " + traits));
  for (const Member& rival : rivals)
    if (rival.kind == Member::Methods)
      d.labels.push_back({rival.methods->front()->decl->name_span,
                          rival.trait.valid() ? "of `" + c.text(rival.trait) + "`" : "one of them"});
  d.help = calls.empty() ? "give one of them another name, or give the arguments types that only one of them takes"
                         : "say which is meant: " + calls;
  return false;
}

// ---- Trait.method(x) -------------------------------------------------------------

Expr* BodyChecker::call_trait_member(const Entity& entity, ast::CallExpr* expr, TypeId expected) {
  Name n = expr->callee->as<ast::MemberExpr>()->name;
  Span span = expr->span;
  NominalInfo* nominal = c.nominal_info(entity.type);
  std::vector<CallArg> args = call_args(expr->args);
  if (!entity.symbol.functions->front()->has_self) {
    auto& d =
        c.error(Code::InvalidOperand, span, "`" + n.str() + "` has no `self`, so it belongs to a type, not to a value");
    d.help = "call it on a type that has the trait: `Type." + n.str() + "(…)`";
    return poison(span);
  }
  if (args.empty() || args[0].name || args[0].star) {
    auto& d = c.error(Code::MissingArgument, span, "`" + n.str() + "` is a method of a trait and needs an object");
    d.help = "write `" + nominal->name.str() + "." + n.str() + "(x)`";
    return poison(span);
  }
  Expr* receiver = args[0].value ? args[0].value : check(args[0].ast);
  args.erase(args.begin());
  if (is_poison(receiver)) return receiver;
  TypeId type = require_known(receiver->type, receiver->span, "this value");
  if (types.kind(type) == Kind::Error) return poison(span);
  if (types.kind(type) == Kind::Frozen) {
    TypeId view = read_as(c, type);
    type = c.uses_of_trait(view, nominal).empty() ? thawed_type(c, type) : view;
  }
  std::vector<Member> found;
  for (TypeId use : c.uses_of_trait(type, nominal)) {
    if (!c.unifier.could_unify(use, entity.type)) continue;
    for (TypeId trait : c.traits_declaring({use}, type, n))
      if (Member member = c.find_impl_method(type, trait, n)) found.push_back(std::move(member));
  }
  if (found.empty()) {
    std::string trait = c.unifier.has_unbound(entity.type) ? nominal->name.str() : c.text(entity.type);
    auto& d = c.error(Code::TraitNotImplemented, receiver->span,
                      "`" + c.text(type) + "` does not have the trait `" + trait + "`");
    d.help = types.kind(type) == Kind::Optional
                 ? "test it with `is not null` first"
                 : "write `impl " + trait + " for " + c.text(type) + ":` with the trait's methods";
    return poison(span);
  }
  Member member = found.front();
  if (found.size() > 1) member.rivals = found;
  if (!settle(member, type, receiver, n, &args, span)) return poison(span);
  if (member.kind == Member::Field) return member_of(receiver, n, span, span, expected);
  if (!may_see(member, n, span)) return poison(span);
  // In the method that replaces a default, this is the default: `super` with a name.
  bool is_own = member.kind == Member::Methods && info && member.methods->front() == info && is_self(receiver);
  if (is_own)
    for (TypeId use : c.uses_of_trait(type, nominal)) {
      if (!c.unifier.could_unify(use, entity.type)) continue;
      Member above = c.find_trait_method(type, use, n, Checker::Wanted::WithBody);
      if (!above) continue;
      return call_overloads(*above.methods, above.subst, receiver, type, std::move(args), span, expected, n, true);
    }
  std::vector<TypeId> type_args;
  for (ast::TypeExpr* t : expr->type_args) type_args.push_back(type_of(t));
  Overloads left;
  Subst subst = member.subst;
  Overloads* methods = taking(member.methods, type_args, left, subst, span);
  if (!methods) return poison(span);
  return call_overloads(*methods, std::move(subst), receiver, type, std::move(args), span, expected, n);
}

}  // namespace meteor::typed
