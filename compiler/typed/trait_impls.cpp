// Which impl of a trait a type has, and which method answers for the trait's. An impl is known by its trait, the
// trait's type arguments and the type; the name of a method tells nothing. docs/decisions/finding_an_impl.md says why.
#include <algorithm>
#include <tuple>

#include "compiler/typed/checker.h"
#include "compiler/typed/frozen.h"

namespace meteor::typed {

namespace {

constexpr size_t MAX_BOUNDS_ASKED =
    64;  // whether a type has a trait may ask whether another has; an impl can make that endless

}  // namespace

TypeId Checker::trait_with(NominalInfo* trait, const Subst& subst) {
  std::vector<TypeId> args;
  for (const TypeParamInfo& p : trait->type_params) args.push_back(apply(p.type, subst));
  return types.nominal(Kind::Trait, trait->id, std::move(args));
}

std::vector<TypeId> Checker::with_supertraits(TypeId trait, TypeId self) {
  std::vector<TypeId> out;
  auto walk = [&](TypeId at, auto& again) -> void {
    at = resolve(at);
    if (std::ranges::find(out, at) != out.end()) return;
    out.push_back(at);
    NominalInfo* info = nominal_info(at);
    ensure_header(info);
    Subst subst = arguments_of(at);
    subst.add(info->self_type, self);
    for (TypeId super : info->traits) again(apply(super, subst), again);
  };
  walk(trait, walk);
  return out;
}

bool Checker::builds_on(TypeId trait, TypeId super, TypeId self) {
  NominalInfo* wanted = nominal_info(super);
  return std::ranges::any_of(with_supertraits(trait, self),
                             [&](TypeId at) { return nominal_info(at) == wanted && unifier.could_unify(at, super); });
}

bool Checker::match_target(ImplInfo* impl, TypeId pattern, TypeId type, Subst& subst) {
  type = unifier.shallow(type);
  const types::Type& p = types.get(pattern);
  if (p.kind == Kind::Param) {
    bool is_own =
        std::ranges::any_of(impl->type_params, [&](const TypeParamInfo& param) { return param.type == pattern; });
    if (!is_own) return pattern == type;
    if (TypeId have = subst.find(pattern); have.valid()) return unifier.could_unify(have, type);
    subst.add(pattern, type);
    return true;
  }
  const types::Type& t = types.get(type);
  if (pattern == type || t.kind == Kind::Var) return true;
  if (p.kind != t.kind || p.args.size() != t.args.size() || p.args.empty()) return false;
  if (p.nominal != t.nominal || p.is_async != t.is_async || p.modes != t.modes) return false;
  for (size_t i = 0; i < p.args.size(); ++i)
    if (!match_target(impl, p.args[i], t.args[i], subst)) return false;
  return true;
}

bool Checker::match_impl(ImplInfo* impl, TypeId at, Subst& subst) {
  bool every_width =
      (impl->all_integers && types.kind(at) == Kind::Int) || (impl->all_floats && types.kind(at) == Kind::Float);
  if (!every_width && !match_target(impl, impl->target, at, subst)) return false;
  for (TypeParamInfo& p : impl->type_params)
    if (!subst.find(p.type).valid()) subst.add(p.type, unifier.fresh());
  if (impl->self_param.valid()) subst.add(impl->self_param, at);
  for (TypeParamInfo& p : impl->type_params) {
    TypeId actual = unifier.shallow(subst.find(p.type));
    if (types.kind(actual) == Kind::Var || types.kind(actual) == Kind::Param) continue;
    for (TypeId bound : p.bounds)
      if (!implements(actual, apply(bound, subst))) return false;
  }
  return true;
}

std::vector<Checker::TraitSource> Checker::trait_sources(TypeId type) {
  std::vector<TraitSource> out;
  type = unifier.shallow(type);
  if (types.kind(type) == Kind::Dyn) out.push_back({nullptr, nullptr, type, {}, types.arg(type), 0});
  uint32_t level = 0;
  for (TypeId at = type; at.valid() && types.kind(at) != Kind::Var; at = base_of(at), ++level) {
    for (const std::string& key : {impl_key(at), std::string("any")}) {
      auto list = impls_by_target_.find(key);
      if (list == impls_by_target_.end()) continue;
      for (ImplInfo* impl : list->second) {
        Subst subst;
        if (impl->trait.valid() && match_impl(impl, at, subst))
          out.push_back({impl, nullptr, at, subst, apply(impl->trait, subst), level});
      }
      if (types.kind(at) == Kind::Param) break;  // the same key
    }
    NominalInfo* info = nominal_info(at);
    if (!info || info->kind == Kind::Trait) break;
    ensure_header(info);
    Subst subst = arguments_of(at);
    for (TypeId trait : info->traits) out.push_back({nullptr, info, at, subst, apply(trait, subst), level});
  }
  return out;
}

std::vector<TypeId> Checker::traits_of(TypeId type) {
  std::vector<TypeId> out;
  for (const TraitSource& source : trait_sources(type))
    for (TypeId trait : with_supertraits(source.trait, type))
      if (std::ranges::find(out, trait) == out.end()) out.push_back(trait);
  return out;
}

void Checker::choose_source(const TraitSource& source, TypeId have, TypeId trait) {
  if (source.impl && types.has_var(source.at)) unifier.unify(apply(source.impl->target, source.subst), source.at);
  unifier.unify(have, trait);
}

// Fields, methods and constants that the declaration of the type or of a class above it has.
Member Checker::find_own_member(TypeId type, Name n) {
  Member out;
  for (TypeId at = unifier.shallow(type); at.valid() && nominal_info(at) && types.kind(at) != Kind::Trait;
       at = base_of(at)) {
    NominalInfo* info = nominal_info(at);
    ensure_fields(info);
    Subst subst = arguments_of(at);
    for (FieldInfo& field : info->fields) {
      if (field.name != n) continue;
      out.kind = Member::Field;
      out.field = &field;
      out.field_type = apply(field.type, subst);
      out.owner = info;
      const auto& flat = flat_fields(at);
      for (uint32_t i = 0; i < flat.size(); ++i)
        if (flat[i].info == &field) out.field_index = i;
      return out;
    }
    if (Overloads* methods = info->find_method(n)) {
      out.kind = Member::Methods;
      out.methods = methods;
      out.subst = std::move(subst);
      out.owner = info;
      return out;
    }
    if (auto constant = info->consts.find(n); constant != info->consts.end()) {
      out.kind = Member::Const;
      out.constant = constant->second;
      out.owner = info;
      return out;
    }
  }
  return out;
}

// What the library's `impl Type:` without a trait adds to a type.
Member Checker::find_added_member(TypeId type, Name n) {
  Member out;
  for (TypeId at = unifier.shallow(type); at.valid() && types.kind(at) != Kind::Var; at = base_of(at)) {
    for (const std::string& key : {impl_key(at), std::string("any")}) {
      auto list = impls_by_target_.find(key);
      if (list == impls_by_target_.end()) continue;
      for (ImplInfo* impl : list->second) {
        if (impl->trait.valid()) continue;
        auto own = impl->methods.find(n);
        Subst subst;
        if (own == impl->methods.end() || !match_impl(impl, at, subst)) continue;
        if (types.has_var(at) && !impl->self_param.valid()) unifier.unify(apply(impl->target, subst), at);
        out.kind = Member::Methods;
        out.methods = &own->second;
        out.subst = std::move(subst);
        return out;
      }
    }
    if (!nominal_info(at)) break;
  }
  return out;
}

// The method as a trait itself declares it.
Member Checker::declared_in(TypeId trait, TypeId self, Name n) {
  Member out;
  NominalInfo* info = nominal_info(trait);
  Overloads* methods = info->find_method(n);
  if (!methods) return out;
  out.kind = Member::Methods;
  out.methods = methods;
  out.subst = arguments_of(trait);
  out.subst.add(info->self_type, self);
  out.owner = info;
  out.trait = trait;
  return out;
}

Member Checker::find_impl_method(TypeId type, TypeId trait, Name n) {
  type = unifier.shallow(type);
  if (types.kind(type) == Kind::Frozen) {   // an impl for `list<T>` takes its view, one for `list<Point>` the list itself
    Member seen = find_impl_method(read_as(*this, type), trait, n);
    return seen ? seen : find_impl_method(thawed_type(*this, type), trait, n);
  }
  NominalInfo* wanted = nominal_info(trait);
  struct Fitting {
    TraitSource source;
    TypeId have;
    bool is_exact;
    size_t order;
  };
  std::vector<Fitting> fitting;
  for (TraitSource& source : trait_sources(type))
    for (TypeId have : with_supertraits(source.trait, type))
      if (nominal_info(have) == wanted && unifier.could_unify(have, trait)) {
        fitting.push_back({source, have, nominal_info(source.trait) == wanted, fitting.size()});
        break;
      }
  if (fitting.empty()) return {};
  // The nearest class counts, and there the impl of this trait before that of one that builds on it.
  std::ranges::sort(fitting, {},
                    [](const Fitting& one) { return std::tuple(one.source.level, !one.is_exact, one.order); });
  for (Fitting& one : fitting) {
    Member out;
    if (one.source.impl) {
      auto own = one.source.impl->methods.find(n);
      if (own == one.source.impl->methods.end()) continue;
      choose_source(one.source, one.have, trait);
      out.kind = Member::Methods;
      out.methods = &own->second;
      out.subst = one.source.subst;
    } else if (one.source.header) {
      out = find_own_member(type, n);
      if (out.kind != Member::Methods && out.kind != Member::Field) continue;
      choose_source(one.source, one.have, trait);
    } else {  // a `dyn`: its table has it
      out = answered_by(one.source.trait, trait, type, n, Wanted::Any);
      if (!out) continue;
      choose_source(one.source, one.have, trait);
    }
    out.trait = one.have;
    return out;
  }
  choose_source(fitting.front().source, fitting.front().have, trait);
  for (Fitting& one : fitting)
    if (Member found = answered_by(one.source.trait, trait, type, n, Wanted::WithBody)) return found;
  // Required and left out by the impl: what the type has itself will do.
  Member own = find_own_member(type, n);
  if (!own) own = find_added_member(type, n);
  if (!own) own = declared_in(fitting.front().have, type, n);
  own.trait = fitting.front().have;
  return own;
}

// Of a trait and those it builds on, the first that declares the method of `wanted`, or declares it again.
Member Checker::answered_by(TypeId trait, TypeId wanted, TypeId self, Name n, Wanted which) {
  for (TypeId at : with_supertraits(trait, self)) {
    Overloads* methods = nominal_info(at)->find_method(n);
    if (!methods || (which == Wanted::WithBody && !methods->front()->decl->has_body)) continue;
    if (builds_on(at, wanted, self)) return declared_in(at, self, n);
  }
  return {};
}

std::vector<TypeId> Checker::traits_declaring(const std::vector<TypeId>& traits, TypeId self, Name n) {
  std::vector<TypeId> found;
  for (TypeId trait : traits)
    for (TypeId at : with_supertraits(trait, self))
      if (nominal_info(at)->find_method(n) && std::ranges::find(found, at) == found.end()) found.push_back(at);
  // What a trait declares again is the one method of both.
  std::vector<TypeId> out;
  for (TypeId one : found)
    if (std::ranges::none_of(found, [&](TypeId other) {
          return other != one && builds_on(other, one, self) && !builds_on(one, other, self);
        }))
      out.push_back(one);
  return out;
}

Member Checker::one_of(std::vector<Member> found) {
  if (found.empty()) return {};
  Member out = found.front();
  if (found.size() > 1) out.rivals = std::move(found);
  return out;
}

Member Checker::find_trait_member(TypeId type, Name n) {
  std::vector<TypeId> traits;
  std::vector<Member> found;
  // Through `dyn Trait` it is the trait's, whatever impls there are for any type.
  if (TypeId seen = unifier.shallow(type); types.kind(seen) == Kind::Dyn)
    for (TypeId trait : traits_declaring({types.arg(seen)}, seen, n))
      if (Member member = find_impl_method(seen, trait, n)) found.push_back(std::move(member));
  if (!found.empty()) return one_of(std::move(found));
  for (TraitSource& source : trait_sources(type)) {
    traits.push_back(source.trait);
    if (!source.impl) continue;
    // A method that no trait asked for.
    auto own = source.impl->methods.find(n);
    if (own == source.impl->methods.end() || !traits_declaring({source.trait}, type, n).empty()) continue;
    if (std::ranges::any_of(found, [&](const Member& m) { return m.methods == &own->second; })) continue;
    if (types.has_var(source.at)) unifier.unify(apply(source.impl->target, source.subst), source.at);
    Member extra;
    extra.kind = Member::Methods;
    extra.methods = &own->second;
    extra.subst = source.subst;
    found.push_back(std::move(extra));
  }
  for (TypeId trait : traits_declaring(traits, type, n))
    if (Member member = find_impl_method(type, trait, n)) found.push_back(std::move(member));
  return one_of(std::move(found));
}

// A method that a class gives for `Handler<A>` of its header, beside an impl of `Handler<B>`: neither hides the other.
Member Checker::with_other_uses(TypeId type, Member own, Name n) {
  if (own.kind != Member::Methods) return own;
  std::vector<Member> all;
  for (TypeId at = unifier.shallow(type); at.valid() && nominal_info(at); at = base_of(at))
    for (TypeId trait : nominal_info(at)->traits) {
      NominalInfo* info = nominal_info(trait);
      if (info->type_params.empty() || !info->find_method(n)) continue;
      for (TypeId use : uses_of_trait(type, info)) {
        Member member = find_impl_method(type, use, n);
        if (member.kind != Member::Methods) continue;
        bool is_default = member.owner && member.owner->kind == Kind::Trait;   // another one for each use
        bool is_known = std::ranges::any_of(
            all, [&](const Member& m) { return m.methods == member.methods && (!is_default || m.trait == member.trait); });
        if (!is_known) all.push_back(std::move(member));
      }
    }
  if (all.size() < 2) return own;
  return one_of(std::move(all));
}

Member Checker::find_bound_member(TypeId type, const std::vector<TypeId>& bounds, Name n) {
  std::vector<Member> found;
  for (TypeId trait : traits_declaring(bounds, type, n))
    if (Member member = find_impl_method(type, trait, n)) found.push_back(std::move(member));
  return one_of(std::move(found));
}

bool Checker::has_by_declaration(TypeId type, TypeId trait) {
  NominalInfo* wanted = nominal_info(trait);
  auto asked = std::pair(resolve(type), resolve(trait));
  if (asked_bounds_.size() >= MAX_BOUNDS_ASKED || std::ranges::find(asked_bounds_, asked) != asked_bounds_.end())
    return false;
  asked_bounds_.push_back(asked);
  bool found = false;
  for (TraitSource& source : trait_sources(type)) {
    for (TypeId have : with_supertraits(source.trait, type))
      if (!found && nominal_info(have) == wanted && unifier.could_unify(have, trait)) {
        choose_source(source, have, trait);
        found = true;
      }
    if (found) break;
  }
  asked_bounds_.pop_back();
  return found;
}

std::vector<TypeId> Checker::uses_of_trait(TypeId type, NominalInfo* trait) {
  std::vector<TypeId> out;
  for (TraitSource& source : trait_sources(type))
    for (TypeId have : with_supertraits(source.trait, type))
      if (nominal_info(have) == trait && std::ranges::find(out, have) == out.end()) out.push_back(have);
  return out;
}

}  // namespace meteor::typed
