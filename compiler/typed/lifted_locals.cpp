#include "compiler/typed/lifted_locals.h"

#include "compiler/typed/frozen.h"

namespace meteor::typed {

namespace {

// `whole` with `to` for every `from` in it.
TypeId with_part(Checker& c, TypeId whole, TypeId from, TypeId to) {
  if (whole == from) return to;
  types::Type copy = c.types.get(whole);
  if (copy.kind == Kind::Func || copy.kind == Kind::Frozen || copy.args.empty()) return whole;
  for (TypeId& arg : copy.args) arg = with_part(c, arg, from, to);
  return c.types.intern(std::move(copy));
}

// The place without what is read from it: the variable of `groups[key]` or `groups.setdefault(key, [])`.
Expr* collection_behind(BodyChecker& b, Expr* place) {
  while (true) {
    if (auto* convert = place->as<Convert>()) {
      place = convert->operand;
    } else if (auto* unwrap = place->as<Unwrap>()) {
      place = unwrap->operand;
    } else if (auto* seq = place->as<Seq>()) {
      place = seq->value;
    } else if (auto* call = place->as<Call>(); call && call->call == CallKind::Direct && !call->args.empty() &&
                                               is_collection(b.c, call->args[0]->type)) {
      place = call->args[0];
    } else {
      return place;
    }
  }
}

}  // namespace

bool is_given_up(const BodyChecker& b) { return b.root->instance && b.root->instance->is_given_up; }

TypeId annotated_type(BodyChecker& b, ast::TypeExpr* written) {
  TypeId type = b.type_of(written);
  if (!b.root->instance || !b.root->instance->is_lifted) return type;
  auto refined = b.root->instance->local_types.find(written);
  return refined == b.root->instance->local_types.end() ? type : refined->second;
}

ast::TypeExpr* annotation_of(BodyChecker& b, Expr* place) {
  if (!b.root->instance || !b.root->instance->is_lifted) return nullptr;
  auto* ref = collection_behind(b, place)->as<VariableRef>();
  if (!ref) return nullptr;
  BodyChecker* owner = &b;
  VariableId at = ref->variable;
  while (owner->var(at).kind == VariableKind::Capture && owner->parent) {
    at = owner->facts(at).outer;
    owner = owner->parent;
  }
  return owner->facts(at).annotation;
}

Expr* freeze_new(BodyChecker& b, Expr* value, TypeId wanted) {
  Instance* instance = b.root->instance;
  if (!b.filled_annotation_ || !instance || !instance->local_types.contains(b.filled_annotation_)) return nullptr;
  wanted = b.c.resolve(wanted);
  if (b.c.kind(wanted) == Kind::Optional) wanted = b.c.types.arg(wanted);
  bool fits = b.c.kind(wanted) == Kind::Frozen && frozen_type(b.c, value->type) == wanted;
  if (!fits || !(value->kind == ExprKind::New || b.c.is_construction(value))) return nullptr;
  instance->freezes_result = true;  // it may give it back
  return b.call_core("freeze", {value}, value->span);
}

bool refine_annotation(BodyChecker& b, ast::TypeExpr* written, TypeId wanted, TypeId given) {
  Instance* instance = b.root->instance;
  if (!written || !instance || !instance->is_lifted || instance->body_done) return false;
  wanted = b.c.resolve(wanted);
  TypeId frozen = with_frozen_parts(b.c, wanted, given);
  TypeId type = b.c.resolve(annotated_type(b, written));
  TypeId refined = with_part(b.c, type, wanted, frozen);
  if (refined == type && b.c.kind(type) == Kind::Optional && b.c.kind(wanted) == Kind::Optional) refined = frozen;
  if (refined == type || b.c.types.has_var(refined)) return false;
  instance->local_types[written] = refined;
  instance->is_given_up = true;
  return true;
}

}  // namespace meteor::typed
