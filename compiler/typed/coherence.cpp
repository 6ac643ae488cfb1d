// What holds for all impls together: one impl at most of a trait for a type, and none that belongs to others.
#include <algorithm>
#include <map>

#include "compiler/typed/checker.h"

namespace meteor::typed {

namespace {

// One declaration that a type has a trait.
struct Claim {
  ImplInfo* impl = nullptr;  // null: the header of a class
  const std::vector<TypeParamInfo>* params = nullptr;
  TypeId target, trait;
  Span span;
};

class Coherence {
 public:
  explicit Coherence(Checker& c) : c_(c) {}

  void check() {
    for (NominalInfo* info : c_.all_nominals())
      if (info->kind == Kind::Trait) check_supertraits(info);
    for (NominalInfo* info : c_.all_nominals()) {
      if (info->kind == Kind::Trait) continue;
      for (size_t i = 0; i < info->traits.size(); ++i)
        add({nullptr, &info->type_params, info->self_type, info->traits[i], info->decl->name_span});
    }
    for (ImplInfo& impl : c_.all_impls()) {
      if (!impl.decl || !impl.trait.valid()) continue;
      check_home(impl);
      check_methods(impl);
      add({&impl, &impl.type_params, impl.target, impl.trait, impl.decl->target->span});
    }
    check_shared_methods();
    for (NominalInfo* trait : c_.all_nominals())
      if (auto found = claims_.find(trait); found != claims_.end())
        for (Claim& claim : found->second) check_inherited(claim, found->second);
  }

 private:
  // A class inherits its base's traits. With an impl of either, which methods answer would depend on the type that the
  // caller sees; methods in classes override each other.
  void check_inherited(const Claim& claim, const std::vector<Claim>& of_trait) {
    if (c_.types.kind(claim.target) != Kind::Class) return;
    Subst own = opened(claim);
    for (TypeId at = c_.base_of(c_.apply(claim.target, own)); at.valid(); at = c_.base_of(at))
      for (const Claim& above : of_trait) {
        if ((!claim.impl && !above.impl) || c_.nominal_info(above.target) != c_.nominal_info(at)) continue;
        Subst of_above = opened(above);
        TypeId here = c_.types.tuple({at, c_.apply(claim.trait, own)});
        TypeId there = c_.types.tuple({c_.apply(above.target, of_above), c_.apply(above.trait, of_above)});
        if (c_.unifier.could_unify(here, there)) return report_inherited(claim, above);
      }
  }

  void report_inherited(const Claim& claim, const Claim& above) {
    std::string base = "`" + c_.text(above.target) + "`", trait = "`" + c_.text(above.trait) + "`";
    auto& d = c_.error(Code::DuplicateImpl, claim.span,
                       "`" + c_.text(claim.target) + "` has " + trait + " already: it inherits it from " + base);
    d.labels.push_back({above.span, above.impl ? "implemented here" : "the class names the trait here"});
    d.help = above.impl ? "name the trait in the header of " + base +
                              ", and put the methods into the classes: there a subclass can override them"
                        : "override the methods in the class";
  }

  // Each trait builds on others to the end, so nothing else may be asked about traits before this.
  void check_supertraits(NominalInfo* info) {
    std::unordered_set<NominalInfo*> seen;
    auto reaches = [&](NominalInfo* at, auto& again) -> bool {
      if (!seen.insert(at).second) return false;
      return std::ranges::any_of(at->traits, [&](TypeId super) {
        return c_.nominal_info(super) == info || again(c_.nominal_info(super), again);
      });
    };
    if (!reaches(info, reaches)) return;
    c_.error(Code::InvalidBase, info->decl->name_span, "trait `" + info->name.str() + "` builds on itself").help =
        "leave one of the traits in the circle out";
    info->traits.clear();
  }

  static bool is_blanket(Checker& c, const Claim& claim) { return c.types.kind(claim.target) == Kind::Param; }

  void add(Claim claim) {
    std::vector<Claim>& of_trait = claims_[c_.nominal_info(claim.trait)];
    for (Claim& other : of_trait)
      if (overlap(claim, other)) {
        report(other, claim);
        return;
      }
    of_trait.push_back(claim);
  }

  // The type parameters of an impl stand for any type.
  Subst opened(const Claim& claim) {
    Subst subst;
    for (const TypeParamInfo& p : *claim.params) subst.add(p.type, c_.unifier.fresh());
    return subst;
  }

  bool overlap(const Claim& a, const Claim& b) {
    bool shapes_differ =
        c_.types.kind(a.target) != c_.types.kind(b.target) || c_.nominal_info(a.target) != c_.nominal_info(b.target);
    if (shapes_differ && !is_blanket(c_, a) && !is_blanket(c_, b)) return false;
    Subst of_a = opened(a), of_b = opened(b);
    TypeId both_a = c_.types.tuple({c_.apply(a.target, of_a), c_.apply(a.trait, of_a)});
    TypeId both_b = c_.types.tuple({c_.apply(b.target, of_b), c_.apply(b.trait, of_b)});
    if (!c_.unifier.could_unify(both_a, both_b)) return false;
    c_.unifier.unify(both_a, both_b);
    // A bound that the other's type does not meet keeps them apart.
    return bounds_may_hold(*a.params, of_a) && bounds_may_hold(*b.params, of_b);
  }

  bool bounds_may_hold(const std::vector<TypeParamInfo>& params, const Subst& subst) {
    for (const TypeParamInfo& p : params) {
      TypeId actual = c_.resolve(subst.find(p.type));
      if (c_.types.has_var(actual)) continue;
      for (TypeId bound : p.bounds)
        if (!c_.implements(actual, c_.apply(bound, subst))) return false;
    }
    return true;
  }

  void report(const Claim& first, const Claim& second) {
    // The impl is the one to change, wherever the class stands.
    const Claim& shown = second.impl || !first.impl ? second : first;
    const Claim& other = &shown == &second ? first : second;
    bool same = c_.text(first.target) == c_.text(second.target) && c_.text(first.trait) == c_.text(second.trait);
    std::string trait = "`" + c_.text(shown.trait) + "`", target = "`" + c_.text(shown.target) + "`";
    auto& d = c_.error(Code::DuplicateImpl, shown.span,
                       same ? trait + " is already implemented for " + target
                            : trait + " for " + target + " overlaps with `" + c_.text(other.trait) + "` for `" +
                                  c_.text(other.target) + "`" + (is_blanket(c_, other) ? ", which is any type" : ""));
    if (other.span.start != shown.span.start || other.span.file != shown.span.file)
      d.labels.push_back({other.span, other.impl ? "implemented here" : "the class names the trait here"});
    d.help = !shown.impl           ? "name the trait once"
             : !other.impl && same ? "put the methods into the class, or leave the trait out of its header"
             : same                ? "put all methods into one impl"
                    : "a type may have one impl of a trait: leave one out, or let a bound keep them apart";
  }

  // A trait and a type that are both the library's: whoever else does the same would contradict this program.
  void check_home(ImplInfo& impl) {
    if (impl.module->is_std || mentions_own(impl.trait) || mentions_own(impl.target)) return;
    auto& d = c_.error(Code::ForeignImpl, impl.decl->target->span,
                       "neither the trait `" + c_.text(impl.trait) + "` nor `" + c_.text(impl.target) +
                           "` is declared in this program");
    d.help =
        "declare a trait of your own, or put the value into a class or struct of your own and implement it for that";
  }

  bool mentions_own(TypeId type) {
    if (NominalInfo* info = c_.nominal_info(type); info && !info->module->is_std) return true;
    return std::ranges::any_of(c_.types.get(type).args, [&](TypeId arg) { return mentions_own(arg); });
  }

  // The same name twice in one impl.
  void check_methods(ImplInfo& impl) {
    if (impl.module->is_std) return;
    for (auto& [name, list] : impl.methods)
      if (list.size() > 1) {
        auto& d = c_.error(Code::DuplicateDefinition, list[1]->decl->name_span,
                           "`" + name.str() + "` is defined twice in this impl");
        d.labels.push_back({list[0]->decl->name_span, "first defined here"});
      }
  }

  // Two traits that build on a third: only one of their impls may have the third's method, unless it has an impl of its
  // own.
  void check_shared_methods() {
    struct Given {
      ImplInfo* impl;
      TypeId trait;
      FunctionInfo* method;
    };
    std::map<std::pair<NominalInfo*, std::string>, std::vector<Given>> given;
    for (ImplInfo& impl : c_.all_impls()) {
      if (!impl.decl || !impl.trait.valid()) continue;
      std::vector<TypeId> traits = c_.with_supertraits(impl.trait, impl.target);
      for (size_t i = 1; i < traits.size(); ++i)
        for (FunctionInfo* required : c_.nominal_info(traits[i])->method_order) {
          auto own = impl.methods.find(required->name());
          if (own == impl.methods.end()) continue;
          std::vector<Given>& list = given[{c_.nominal_info(traits[i]), required->name().str()}];
          for (const Given& other : list) {
            if (other.impl == &impl || other.impl->target != impl.target || other.trait != traits[i] ||
                has_own_impl(traits[i], impl.target))
              continue;
            FunctionInfo* method = own->second.front();
            auto& d = c_.error(Code::DuplicateImpl, method->decl->name_span,
                               "`" + required->name().str() + "` of `" + c_.text(traits[i]) + "` is given twice for `" +
                                   c_.text(impl.target) + "`");
            d.labels.push_back({other.method->decl->name_span, "given here too"});
            d.help = "write it once, in `impl " + c_.text(traits[i]) + " for " + c_.text(impl.target) + ":`";
          }
          list.push_back({&impl, traits[i], own->second.front()});
        }
    }
  }

  bool has_own_impl(TypeId trait, TypeId target) {
    auto found = claims_.find(c_.nominal_info(trait));
    return found != claims_.end() && std::ranges::any_of(found->second, [&](const Claim& claim) {
             return claim.impl && claim.target == target && claim.trait == trait;
           });
  }

  Checker& c_;
  std::unordered_map<NominalInfo*, std::vector<Claim>> claims_;
};

}  // namespace

void Checker::check_coherence() { Coherence(*this).check(); }

}  // namespace meteor::typed
