#include "compiler/typed/frozen.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "compiler/typed/reads_only.h"

namespace meteor::typed {

namespace {

bool is_copied(Checker& c, TypeId type, std::unordered_set<TypeId>& seen) {
  type = c.resolve(type);
  const types::Type t = c.types.get(type);
  switch (t.kind) {
    case Kind::Bool: case Kind::Int: case Kind::Float: case Kind::Str: case Kind::Bytes: case Kind::Error: case Kind::Null: case Kind::Frozen: case Kind::Void: return true;
    case Kind::Tuple: case Kind::Optional: return std::ranges::all_of(t.args, [&](TypeId arg) { return is_copied(c, arg, seen); });
    case Kind::Class: return c.nominal_info(type)->is_shareable;
    case Kind::Struct: case Kind::Enum: {
      if (!seen.insert(type).second) return true;
      NominalInfo* info = c.nominal_info(type);
      c.ensure_fields(info);
      Subst subst = c.arguments_of(type);
      Span outer = std::exchange(c.grows_in, info->decl->name_span);
      auto fits = [&](const FieldInfo& f) { return is_copied(c, c.apply(f.type, subst), seen); };
      bool all = std::ranges::all_of(info->fields, fits) && std::ranges::all_of(info->cases, [&](const CaseInfo& one) { return std::ranges::all_of(one.fields, fits); });
      c.grows_in = outer;
      return all;
    }
    default: return false;
  }
}

// A collection, tuple or optional without `frozen` in its arguments: where the whole is frozen, that says it.
TypeId without_frozen(Checker& c, TypeId type) {
  type = thawed_type(c, type);
  types::Type out = c.types.get(type);
  if (out.args.empty() || (out.kind != Kind::Optional && out.kind != Kind::Tuple && !is_collection(c, type))) return type;
  for (TypeId& arg : out.args) arg = without_frozen(c, arg);
  return c.types.intern(std::move(out));
}

}  // namespace

bool is_copied_type(Checker& c, TypeId type) {
  std::unordered_set<TypeId> seen;
  return is_copied(c, type, seen);
}

TypeId thawed_type(Checker& c, TypeId type) {
  type = c.unifier.shallow(type);
  return c.types.kind(type) == Kind::Frozen ? c.resolve_parts(c.types.arg(type)) : c.resolve(type);
}

bool is_collection(Checker& c, TypeId type) {
  NominalInfo* info = c.nominal_info(c.resolve(type));
  if (!info || !info->module->is_core || info->kind != Kind::Class) return false;
  std::string_view name = info->name.text();
  return name == "list" || name == "dict" || name == "set" || name == "Buffer" || name == "Deque" || name == "_Table";
}

TypeId frozen_type(Checker& c, TypeId type) {
  if (const std::vector<TypeId>* bounds = c.bounds_behind(type)) {   // what is frozen of a type parameter has its bounds
    TypeId whole = c.resolve(type), frozen = frozen_type(c, whole);
    return frozen == whole ? type : c.stand_for(frozen, *bounds);
  }
  type = c.resolve_parts(type);
  if (is_copied_type(c, type)) return type;
  switch (c.kind(type)) {
    case Kind::Optional: return c.types.optional(frozen_type(c, c.types.arg(type)));
    case Kind::Tuple: {
      std::vector<TypeId> parts;
      for (TypeId part : c.types.get(type).args) parts.push_back(frozen_type(c, part));
      return c.types.tuple(parts);
    }
    case Kind::Class: case Kind::Struct: case Kind::Enum: case Kind::Dyn: case Kind::Any:
      return c.types.wrap(Kind::Frozen, without_frozen(c, type));
    default: return type;
  }
}

TypeId with_frozen_parts(Checker& c, TypeId declared, TypeId given) {
  declared = c.resolve(declared);
  given = c.resolve(given);
  Kind k = c.kind(declared);
  if (k == Kind::Frozen || k == Kind::Func) return declared;
  if (k == Kind::Optional) return c.types.optional(with_frozen_parts(c, c.types.arg(declared), c.kind(given) == Kind::Optional ? c.types.arg(given) : given));
  if (c.kind(given) == Kind::Frozen) return frozen_type(c, declared);
  types::Type out = c.types.get(declared);
  const types::Type& have = c.types.get(given);
  bool same = k == have.kind && out.args.size() == have.args.size() && (k == Kind::Tuple || c.nominal_info(declared) == c.nominal_info(given));
  if (!same || out.args.empty()) return declared;
  for (size_t i = 0; i < out.args.size(); ++i) out.args[i] = with_frozen_parts(c, out.args[i], have.args[i]);
  return c.types.intern(std::move(out));
}

namespace {

// Every type of which a value may be reached from one of `root`; until `found` says so.
bool any_reached(Checker& c, TypeId root, const std::function<bool(TypeId)>& found) {
  std::unordered_set<TypeId> seen;
  std::vector<TypeId> open{c.resolve(root)};
  while (!open.empty()) {
    TypeId type = open.back();
    open.pop_back();
    if (!type.valid() || !seen.insert(type).second) continue;
    const types::Type t = c.types.get(type);
    if (found(type)) return true;
    if (t.kind == Kind::Func) continue;   // it holds what it captured, nothing of its parameters and result
    open.insert(open.end(), t.args.begin(), t.args.end());
    NominalInfo* info = c.nominal_info(type);
    if (!info || info->kind == Kind::Trait) continue;
    c.ensure_fields(info);
    Subst subst = c.arguments_of(type);
    for (const FieldInfo& f : info->fields) open.push_back(c.apply(f.type, subst));
    for (const CaseInfo& one : info->cases)
      for (const FieldInfo& f : one.fields) open.push_back(c.apply(f.type, subst));
    if (TypeId base = c.base_of(type); base.valid()) open.push_back(base);
    for (NominalInfo* sub : info->subclasses) open.push_back(sub->self_type);
  }
  return false;
}

}  // namespace

bool reaches(Checker& c, TypeId root, std::initializer_list<Kind> kinds) {
  return any_reached(c, root, [&](TypeId type) { return std::ranges::find(kinds, c.kind(type)) != kinds.end(); });
}

bool may_hold_shareable(Checker& c, TypeId root) {
  return any_reached(c, root, [&](TypeId type) {
    Kind kind = c.kind(type);
    if (kind == Kind::Func || kind == Kind::Any || kind == Kind::Dyn) return true;
    NominalInfo* info = c.nominal_info(type);
    return info && info->is_shareable;
  });
}

bool holds_frozen(Checker& c, TypeId type) {
  type = c.resolve(type);
  switch (c.kind(type)) {
    case Kind::Frozen: return true;
    case Kind::Optional: case Kind::Tuple: return std::ranges::any_of(std::vector(c.types.get(type).args), [&](TypeId arg) { return holds_frozen(c, arg); });
    default: return false;
  }
}

bool mentions_frozen(Checker& c, TypeId type) {
  type = c.resolve(type);
  if (c.kind(type) == Kind::Frozen) return true;
  if (c.kind(type) == Kind::Func) return false;
  return std::ranges::any_of(std::vector(c.types.get(type).args), [&](TypeId arg) { return mentions_frozen(c, arg); });
}

TypeId read_as(Checker& c, TypeId frozen) {
  TypeId inner = thawed_type(c, frozen);
  return is_collection(c, inner) ? collection_view(c, inner) : inner;
}

TypeId collection_view(Checker& c, TypeId collection) {
  const types::Type t = c.types.get(c.resolve_parts(collection));
  std::vector<TypeId> args;
  for (TypeId arg : t.args) args.push_back(frozen_type(c, arg));
  return c.types.nominal(t.kind, t.nominal, args);
}

Expr* thaw(BodyChecker& b, Expr* value) {
  TypeId type = b.c.resolve(value->type);
  return b.c.kind(type) == Kind::Frozen ? b.make_convert(ConvertKind::Reinterpret, value, b.types.arg(type)) : value;
}

Expr* thaw_copied(BodyChecker& b, Expr* value) {
  if (b.is_poison(value) || !is_frozen(b, value)) return value;
  return is_copied_type(b.c, thawed_type(b.c, value->type)) ? thaw(b, value) : value;
}

Expr* freeze_part(BodyChecker& b, Expr* value) {
  if (b.is_poison(value)) return value;
  TypeId type = frozen_type(b.c, value->type);
  if (b.module->is_core && b.c.kind(type) == Kind::RawPtr) type = b.types.wrap(Kind::RawPtr, frozen_type(b.c, b.types.arg(type)));   // the memory of a collection
  return type == b.c.resolve(value->type) ? value : b.make_convert(ConvertKind::Reinterpret, value, type);
}

TypeId lifted_param(Checker& c, TypeId wanted, TypeId given) {
  wanted = c.unifier.shallow(wanted);
  given = c.resolve(given);
  Kind k = c.types.kind(wanted);
  if (k == Kind::Optional) {
    TypeId inner = lifted_param(c, c.types.arg(wanted), c.kind(given) == Kind::Optional ? c.types.arg(given) : given);
    return inner.valid() ? c.types.optional(inner) : inner;
  }
  if (k == Kind::Tuple && c.kind(given) == Kind::Tuple && c.types.get(given).args.size() == c.types.get(wanted).args.size()) {
    std::vector<TypeId> parts;
    bool any = false;
    for (size_t i = 0; i < c.types.get(wanted).args.size(); ++i) {
      TypeId part = lifted_param(c, c.types.arg(wanted, i), c.types.arg(given, i));
      any |= part.valid();
      parts.push_back(part.valid() ? part : c.types.arg(wanted, i));
    }
    return any ? c.types.tuple(parts) : TypeId();
  }
  if (c.kind(given) != Kind::Frozen) {   // `list<frozen T>` for a `list<T>`
    if (!mentions_frozen(c, given) || c.unifier.could_unify(wanted, given)) return TypeId();
    return with_frozen_parts(c, wanted, given) == given ? given : TypeId();
  }
  TypeId inner = c.types.arg(given);
  if (k == Kind::Dyn) {
    bool fits = c.kind(inner) == Kind::Dyn ? c.unifier.could_unify(inner, wanted) && c.unifier.unify(inner, wanted) : c.implements(inner, c.types.arg(wanted));
    return fits ? c.types.wrap(Kind::Frozen, wanted) : TypeId();
  }
  if (k != Kind::Class && k != Kind::Struct && k != Kind::Enum) return TypeId();
  if (is_collection(c, inner) && c.nominal_info(wanted) == c.nominal_info(inner)) {
    TypeId view = collection_view(c, inner);
    TypeId fitting = c.unifier.could_unify(wanted, view) ? view : inner;
    return c.unifier.could_unify(wanted, fitting) && c.unifier.unify(wanted, fitting) ? given : TypeId();
  }
  if (c.nominal_info(wanted) == c.nominal_info(inner)) return c.unifier.could_unify(wanted, inner) && c.unifier.unify(wanted, inner) ? given : TypeId();
  if (k == Kind::Class && c.kind(inner) == Kind::Class && c.could_be_subclass(inner, wanted) && c.is_subclass(inner, wanted)) return c.types.wrap(Kind::Frozen, c.resolve(wanted));
  return TypeId();
}

Expr* lift_argument(BodyChecker& b, Expr* value, FunctionInfo* callee, size_t param, TypeId& wanted) {
  Checker& c = b.c;
  TypeId given = c.resolve(b.known(value->type));
  auto only_reads = [&] {
    if (!callee || !callee->module->is_core || !callee->decl->has_body) return false;
    bool is_element = callee->params[param].kind == ast::ParamKind::VarArgs || callee->params[param].kind == ast::ParamKind::KwArgs;   // what becomes of those, only their type tells
    return !is_element && reads_only(c, callee, param + (callee->has_self ? 1 : 0));
  };
  if (!holds_frozen(c, given)) {   // `[1] in TABLE`: looked at as if it were frozen too
    if (TypeId lifted = lifted_param(c, wanted, given); lifted.valid()) wanted = lifted;
    TypeId asked = c.resolve(wanted);
    if (c.kind(asked) != Kind::Frozen || is_copied_type(c, given) || !only_reads()) return value;
    if (!c.unifier.could_unify(c.types.arg(asked), given)) return value;
    c.unifier.unify(c.types.arg(asked), given);
    return b.make_convert(ConvertKind::Reinterpret, value, asked);
  }
  TypeId inner = thawed_type(c, given);
  bool same = c.kind(given) == Kind::Frozen && is_collection(c, inner) && c.nominal_info(c.resolve(wanted)) == c.nominal_info(inner);
  if (same && only_reads()) {
    TypeId view = collection_view(c, inner);
    if (c.unifier.could_unify(wanted, view) && c.unifier.unify(wanted, view)) return b.make_convert(ConvertKind::Reinterpret, value, view);
  }
  if (TypeId lifted = lifted_param(c, wanted, given); lifted.valid()) wanted = lifted;
  return value;
}

bool is_lifted(Checker& c, const Instance& instance) {
  if (instance.self_type.valid() && c.kind(instance.self_type) == Kind::Frozen) return true;
  const std::vector<ParamInfo>& params = instance.info->params;
  for (size_t i = 0; i < params.size() && i < instance.param_types.size(); ++i) {
    if (params[i].kind == ast::ParamKind::VarArgs && params[i].type.valid() && c.resolve(instance.param_types[i]) != c.apply(params[i].type, instance.subst)) return true;
    if (!holds_frozen(c, instance.param_types[i])) {
      if (params[i].type.valid() && mentions_frozen(c, instance.param_types[i]) && c.resolve(instance.param_types[i]) != c.apply(params[i].type, instance.subst)) return true;
      continue;
    }
    if (!params[i].type.valid() || !holds_frozen(c, params[i].type)) return true;
  }
  return false;
}

std::vector<TypeId> lifted_results(Checker& c, TypeId declared) {
  declared = c.resolve(declared);
  std::vector<TypeId> out{declared};
  auto add = [&](TypeId type) {
    if (std::ranges::find(out, type) == out.end()) out.push_back(type);
  };
  bool optional = c.kind(declared) == Kind::Optional;
  TypeId inner = optional ? c.types.arg(declared) : declared;
  if (is_collection(c, inner)) add(optional ? c.types.optional(collection_view(c, inner)) : collection_view(c, inner));
  add(frozen_type(c, declared));
  return out;
}

// What is frozen ends in the isolate that has it last, while others may hold parts of it: its `__del__` must leave those alone.
bool Checker::check_frozen_ends() {
  bool any = false;
  for (; frozen_ends_done_ < noted_order_.size(); ++frozen_ends_done_) {
    if (types.kind(noted_order_[frozen_ends_done_]) != Kind::Frozen) continue;
    any_reached(*this, types.arg(noted_order_[frozen_ends_done_]), [&](TypeId type) {
      Member del = types.kind(type) == Kind::Class && !types.has_var(type) ? find_member(type, name("__del__")) : Member();
      if (del.kind != Member::Methods || !frozen_ends_.insert(type).second) return false;
      any = true;
      FunctionInfo* method = del.methods->front();
      Span outer = std::exchange(call_site, method->decl->name_span);
      Instance* instance = instantiate(method, del.subst, frozen_type(*this, type), {});
      call_site = outer;
      function_of(instance);
      check_instance_body(instance);
      return false;
    });
  }
  return any;
}

void refuse_frozen_write(BodyChecker& b, TypeId type, Span span) {
  auto& d = b.c.error(Code::AssignToConst, span, "a frozen value can't be changed");
  d.label = "`frozen " + b.c.text(thawed_type(b.c, type)) + "`";
  d.help = "change the value before it is frozen, or change a copy";
}

Expr* receive_frozen_collection(BodyChecker& b, Expr* receiver, FunctionInfo* method, Span span) {
  TypeId collection = thawed_type(b.c, receiver->type);
  if (!reads_only(b.c, method, 0)) {
    refuse_frozen_write(b, collection, span);
    return nullptr;
  }
  return b.make_convert(ConvertKind::Reinterpret, receiver, collection_view(b.c, collection));
}

}  // namespace meteor::typed
