// Whether a method can stand where another is called: an override for the method it overrides, a type's method for its
// trait's.
#include <algorithm>
#include <unordered_set>

#include "compiler/typed/own_self.h"
#include "compiler/typed/program_check.h"

namespace meteor::typed {

namespace {

// What a type's method stands for; its table converts a generator to the iterator that the trait declares.
constexpr std::string_view TRAITS_METHOD = "the trait's method";

const char* described(FrameKind kind) {
  switch (kind) {
    case FrameKind::None: return "a plain function";
    case FrameKind::Async: return "async";
    case FrameKind::Generator: return "a generator";
    case FrameKind::AsyncGenerator: return "an async generator";
  }
  return "";
}

// Compares one method with the one it stands for, `over`. `own` and `subst` say what the type parameters around each of
// them are.
class StandIn {
 public:
  StandIn(Checker& c, FunctionInfo* method, const Subst& own, FunctionInfo* over, const Subst& subst,
          std::string_view over_what)
      : c_(c),
        method_(method),
        own_(own),
        over_(over),
        subst_(subst),
        over_what_(over_what),
        name_("`" + method->name().str() + "`") {
    may_annotate_ = std::ranges::all_of(own.pairs, [](auto& pair) { return pair.first == pair.second; });
  }

  void check() {
    c_.ensure_signature(method_);
    c_.ensure_signature(over_);
    // `Self` of both is the type that has the method.
    bool is_traits = over_->owner && over_->owner->kind == Kind::Trait;
    TypeId self = is_traits        ? subst_.find(over_->owner->self_type)
                  : method_->owner ? method_->owner->self_type
                                   : TypeId();
    add_own_self(c_, method_, own_, self);
    add_own_self(c_, over_, subst_, self);
    if (method_->is_refused || over_->is_refused || !same_form()) return;
    for (size_t i = 0; i < over_->type_params.size(); ++i)
      subst_.add(over_->type_params[i].type, method_->type_params[i].type);
    for (size_t i = 0; i < method_->params.size(); ++i) check_param(method_->params[i], over_->params[i]);
    check_result();
  }

 private:
  Diagnostic& report(Span span, const std::string& what, Span over_span) {
    auto& d = c_.error(Code::OverrideMismatch, span, what + over_what_);
    d.labels.push_back({over_span, over_what_});
    if (over_what_ != TRAITS_METHOD || !method_->owner || !over_->owner) return d;
    auto uses =
        std::ranges::count_if(method_->owner->traits, [&](TypeId t) { return c_.nominal_info(t) == over_->owner; });
    if (uses > 1)
      d.help = "one method can't stand for both: leave `" + c_.text(c_.trait_with(over_->owner, subst_)) +
               "` out of the header, and write `impl " + c_.text(c_.trait_with(over_->owner, subst_)) + " for " +
               c_.text(method_->owner->self_type) + ":`";
    return d;
  }

  bool same_form() {
    Span at = method_->decl->name_span, over_at = over_->decl->name_span;
    if (method_->has_self != over_->has_self) {
      report(at, "this " + name_ + (method_->has_self ? " has a `self`, unlike " : " has no `self`, unlike "), over_at)
          .help = over_->has_self ? "add `self` as its first parameter" : "leave `self` out";
      return false;
    }
    if (method_->is_property != over_->is_property) {
      report(at, "this " + name_ + (over_->is_property ? " is no property, unlike " : " is a property, unlike "),
             over_at)
          .help = over_->is_property ? "write `@property` above it" : "remove `@property`";
      return false;
    }
    if (method_->self_mode != over_->self_mode) {
      report(at, "this " + name_ + " takes `self` in another way than ", over_at).help =
          "write both with the same `owned` or `ref`";
      return false;
    }
    if (over_->params.size() != method_->params.size()) {
      report(at, "this " + name_ + " takes other parameters than ", over_at).help = "give both the same parameters";
      return false;
    }
    if (over_->type_params.size() != method_->type_params.size()) {
      report(at, "this " + name_ + " has other type parameters than ", over_at).help =
          "give both the same type parameters";
      return false;
    }
    return true;
  }

  void check_param(ParamInfo& param, const ParamInfo& wanted) {
    TypeId expected = wanted.type.valid() ? c_.apply(wanted.type, subst_) : TypeId();
    if (!param.type.valid() && may_annotate_) param.type = expected;
    TypeId have = param.type.valid() ? c_.apply(param.type, own_) : TypeId();
    if (have.valid() && expected.valid() && !c_.unifier.could_unify(have, expected)) {
      auto& d = report(param.span, "this parameter of " + name_ + " has another type than in ", wanted.span);
      d.expected = c_.text(expected);
      d.found = c_.text(have);
    } else if (param.mode != wanted.mode || param.kind != wanted.kind) {
      report(param.span, "this parameter of " + name_ + " is passed in another way than in ", wanted.span).help =
          "write both with the same `owned`, `ref` or `*`";
    } else if (param.kind == ast::ParamKind::KeywordOnly && param.name != wanted.name) {
      report(param.span, "this parameter of " + name_ + " has another name than in ", wanted.span).help =
          "call it `" + wanted.name.str() + "`: it is given by name";
    } else if (wanted.default_value && !param.default_value) {
      report(param.span, "this parameter of " + name_ + " has no default, unlike in ", wanted.span).help =
          "give it a default too: some calls leave it out";
    } else if (wanted.default_value && text_of(param.default_value) != text_of(wanted.default_value)) {
      auto& d = report(param.span, "this parameter of " + name_ + " has another default than in ", wanted.span);
      d.help = "write the same default: which of them counted would depend on the type that the caller sees";
    }
  }

  std::string_view text_of(const ast::Expr* value) { return c_.input.sources.text(value->span); }

  // What a call gives: a future where the method is async.
  TypeId given_by(const FunctionInfo* method, const Subst& subst) {
    return method->result.valid() ? c_.apply(method->result, subst) : TypeId();
  }

  void check_result() {
    TypeId expected = given_by(over_, subst_);
    bool same_frame = method_->frame == over_->frame;
    if (expected.valid() && !method_->result.valid() && may_annotate_ && same_frame)
      method_->result = c_.apply(over_->result, subst_);
    TypeId have = given_by(method_, own_);
    bool known = expected.valid() && have.valid();
    bool gives_iterator = known && over_what_ == TRAITS_METHOD && method_->frame == FrameKind::Generator;
    if (gives_iterator && c_.kind(expected) == Kind::Dyn && c_.implements(have, c_.types.arg(expected))) return;
    if (!same_frame && !(known && c_.unifier.could_unify(have, expected))) {
      auto& d = report(
          method_->decl->name_span,
          "this " + name_ + " is " + described(method_->frame) + " and not " + described(over_->frame) + " like ",
          over_->decl->name_span);
      bool wants_async = over_->frame == FrameKind::Async, is_async = method_->frame == FrameKind::Async;
      d.help = wants_async ? "write `async def`"
               : is_async  ? "write `def`, or declare the other one with `async def`"
                          : "let the function that yields have another name, and give here what the other one declares";
      Span start = method_->decl->span;
      if (wants_async && method_->frame == FrameKind::None && c_.input.sources.text(start).starts_with("def "))
        d.edits.push_back({{start.file, start.start, start.start}, "async "});
      if (known) {
        d.expected = c_.text(expected);
        d.found = c_.text(have);
      }
      return;
    }
    if (!known || c_.unifier.could_unify(have, expected)) return;
    if (fits_result(c_, have, expected, method_->frame)) return;
    auto& d = report(method_->decl->name_span, "this " + name_ + " gives another type than ", over_->decl->name_span);
    d.expected = c_.text(expected);
    d.found = c_.text(have);
  }

  Checker& c_;
  FunctionInfo* method_;
  Subst own_;
  FunctionInfo* over_;
  Subst subst_;
  std::string over_what_, name_;
  bool may_annotate_;  // the method is declared in the same terms: what it leaves out is as in the other one
};

void check_trait_signature(Checker& c, const Member& have, FunctionInfo* wanted, const Subst& subst) {
  if (have.kind != Member::Methods || have.methods->front()->owner == wanted->owner) return;
  FunctionInfo* method = nullptr;
  for (FunctionInfo* one : *have.methods) {
    c.ensure_signature(one);
    if (!method || one->params.size() == wanted->params.size()) method = one;
    if (one->params.size() == wanted->params.size()) break;
  }
  if (method->is_derived || method->module->is_std) return;
  StandIn(c, method, have.subst, wanted, subst, TRAITS_METHOD).check();
}

// Can it be called? The trait's own declaration without a body can't.
bool is_real(const Member& have) {
  return have.kind == Member::Methods &&
         (have.methods->front()->decl->has_body || !have.methods->front()->extern_symbol.empty());
}

class Conformance {
 public:
  Conformance(Checker& c, TypeId type, TypeId trait, Span span) : c_(c), type_(type), trait_(trait), span_(span) {}

  void check() {
    for (TypeId at : c_.with_supertraits(trait_, type_)) {
      NominalInfo* info = c_.nominal_info(at);
      Subst subst = c_.arguments_of(at);
      subst.add(info->self_type, type_);
      for (FunctionInfo* method : info->method_order) check_method(method, at, subst);
    }
    if (missing_.empty()) return;
    std::string list;
    for (FunctionInfo* m : missing_) list += (list.empty() ? "`" : ", `") + m->name().str() + "`";
    auto& d = c_.error(Code::MissingTraitMethod, span_,
                       "`" + c_.text(type_) + "` lacks " + (missing_.size() == 1 ? "a method" : "methods") +
                           " of the trait `" + c_.text(trait_) + "`: " + list);
    FunctionInfo* first = missing_.front();
    d.help = "add `" + std::string(first->frame == FrameKind::Async ? "async " : "") + "def " + first->name().str() +
             (first->has_self ? "(self…)` to it" : "(…)` to it");
  }

 private:
  void check_method(FunctionInfo* method, TypeId trait, const Subst& subst) {
    c_.ensure_signature(method);
    Member have = c_.find_impl_method(type_, trait, method->name());
    if (have.kind == Member::Field) return check_field(have, method, subst);
    check_trait_signature(c_, have, method, subst);
    if (!method->decl->has_body && !is_real(have)) missing_.push_back(method);
  }

  void check_field(const Member& have, FunctionInfo* method, const Subst& subst) {
    if (!method->is_property) {
      auto& d = c_.error(Code::OverrideMismatch, have.field->span,
                         "the field `" + have.field->name.str() + "` can't stand for the method of that name of `" +
                             c_.text(trait_) + "`");
      d.labels.push_back({method->decl->name_span, "the trait's method"});
      d.help = "give the field another name, or declare the method with `@property` in the trait";
      return;
    }
    TypeId wanted = method->result.valid() ? c_.apply(method->result, subst) : TypeId();
    if (!wanted.valid() || c_.unifier.could_unify(have.field_type, wanted)) return;
    auto& d = c_.error(
        Code::OverrideMismatch, have.field->span,
        "the field `" + have.field->name.str() + "` has another type than the property of `" + c_.text(trait_) + "`");
    d.labels.push_back({method->decl->name_span, "the trait's property"});
    d.expected = c_.text(wanted);
    d.found = c_.text(have.field_type);
  }

  Checker& c_;
  TypeId type_, trait_;
  Span span_;
  std::vector<FunctionInfo*> missing_;
};

// What a class calls by a name: a field, or a method (a property is one too).
struct NamedMember {
  const char* what;
  Span span;
};

void report_same_name(Checker& c, NominalInfo* info, Name name, NamedMember own, NominalInfo* home, NamedMember other) {
  bool is_inherited = home != info;
  if (!is_inherited && own.span.start < other.span.start) std::swap(own, other);  // the second one is the mistake
  std::string text = "`" + info->name.str() + "` ";
  text += is_inherited ? std::string("has a ") + own.what + " `" + name.str() + "`, and inherits a " + other.what +
                             " of that name from `" + home->name.str() + "`"
                       : std::string("has a ") + other.what + " and a " + own.what + " `" + name.str() + "`";
  auto& d = c.error(Code::DuplicateDefinition, own.span, std::move(text));
  d.label = std::string("the ") + own.what;
  if (!home->module->is_std) d.labels.push_back({other.span, std::string("the ") + other.what});
  d.help = "give one of them another name: only one could be reached";
}

}  // namespace

void check_member_names(Checker& c, NominalInfo* info) {
  std::unordered_set<NominalInfo*> seen;  // a class may be its own base, which is reported elsewhere
  auto method_of = [](NominalInfo* home, Name name) -> FunctionInfo* {
    auto at = home->methods.find(name);
    return at == home->methods.end() || at->second.empty() ? nullptr : at->second.front();
  };
  for (NominalInfo* home = info; home && seen.insert(home).second;
       home = home->base.valid() ? c.nominal_info(home->base) : nullptr) {
    for (FieldInfo& field : info->fields)
      if (FunctionInfo* method = method_of(home, field.name))
        report_same_name(c, info, field.name, {"field", field.span}, home, {"method", method->decl->name_span});
    if (home == info) continue;
    for (FieldInfo& field : home->fields)
      if (FunctionInfo* method = method_of(info, field.name))
        report_same_name(c, info, field.name, {"method", method->decl->name_span}, home, {"field", field.span});
  }
}

void check_overrides(Checker& c, NominalInfo* info) {
  if (info->kind != Kind::Class || !info->base.valid() || info->module->is_std) return;
  for (FunctionInfo* method : info->method_order) {
    std::string_view n = method->name().text();
    if (n == "__init__" || n == "__del__" || !method->has_self) continue;
    Member base = c.find_virtual_member(c.base_of(info->self_type), method->name());
    if (base.kind != Member::Methods || base.methods->front()->is_derived) continue;
    StandIn(c, method, {}, base.methods->front(), base.subst, "the method it overrides").check();
    // Which of its many instances a table would hold, nobody can say.
    if (FunctionInfo* over = base.methods->front(); !over->type_params.empty() || over->is_unannotated()) {
      auto& d =
          c.error(Code::OverrideMismatch, method->decl->name_span,
                  "`" + method->name().str() + "` can't be overridden: it is made anew for each type it is used with");
      d.labels.push_back({over->decl->name_span,
                          over->type_params.empty() ? "a parameter without a type makes it generic" : "it is generic"});
      d.help = over->type_params.empty() ? "give its parameters types"
                                         : "let it take a `dyn` trait or `any` instead of any type";
    }
  }
}

bool fits_result(Checker& c, TypeId have, TypeId wanted, FrameKind frame) {
  if (frame == FrameKind::Async && c.future_value(have).valid() && c.future_value(wanted).valid())
    have = c.produced_of(have), wanted = c.produced_of(wanted);
  have = c.resolve(have);
  wanted = c.resolve(wanted);
  if (have == wanted || c.kind(have) == Kind::Error || c.kind(wanted) == Kind::Error) return true;
  return c.kind(have) == Kind::Class && c.kind(wanted) == Kind::Class && c.could_be_subclass(have, wanted);
}

namespace {

void report_inferred_result(Checker& c, Instance* instance, TypeId type, FunctionInfo* over, TypeId wanted) {
  FunctionInfo* method = instance->info;
  TypeId have = c.resolve(instance->result);
  std::string name = "`" + method->name().str() + "`";
  std::string what = over == method ? name + " gives another type for `" + c.text(type) + "` than for `" +
                                          c.text(c.base_of(type)) + "`"
                                    : "this " + name + " gives another type than the method it overrides";
  auto& d = c.error(Code::OverrideMismatch, method->decl->name_span, std::move(what));
  if (over != method) d.labels.push_back({over->decl->name_span, "the method it overrides"});
  d.expected = c.text(wanted);
  d.found = c.text(have);
  auto written = [&](TypeId result) {
    if (method->frame == FrameKind::Async) result = c.resolve(c.produced_of(result));
    return c.kind(result) == Kind::Void ? std::string() : "write its result type: `-> " + c.text(result) + "`";
  };
  if (!over->result.valid() && written(wanted).empty())  // as where it only raises an error
    d.help = "the other one gives nothing; to give a value there too, " + written(have);
  else if (!method->result.valid() && (!method->owner || method->owner->type_params.empty()))
    d.help = written(wanted);
}

}  // namespace

void check_inferred_result(Checker& c, Instance* instance, TypeId type) {
  FunctionInfo* method = instance->info;
  TypeId base = c.base_of(type);
  Member above = base.valid() ? c.find_virtual_member(base, method->name()) : Member();
  if (above.kind != Member::Methods) return;
  FunctionInfo* over = above.methods->front();
  c.ensure_signature(over);
  bool both_written = method->result.valid() && over->result.valid();
  if (both_written || (over == method && !varies_with_self(c, method))) return;
  std::vector<TypeId> params;
  for (const ParamInfo& p : over->params) params.push_back(p.type.valid() ? c.apply(p.type, above.subst) : c.types.any);
  Instance* expected = c.instantiate(over, above.subst, base, std::move(params));
  c.function_of(expected);  // its body tells the result
  while (expected->canonical) expected = expected->canonical;
  while (instance->canonical) instance = instance->canonical;
  if (!fits_result(c, instance->result, expected->result, method->frame))
    report_inferred_result(c, instance, type, over, c.resolve(expected->result));
}

void Checker::check_trait_conformance(NominalInfo* info) {
  if (info->kind != Kind::Trait) {
    for (TypeId trait : info->traits) Conformance(*this, info->self_type, trait, info->decl->name_span).check();
    return;
  }
  // A method that a trait declares again is the method of both.
  for (TypeId trait : info->traits)
    for (TypeId at : with_supertraits(trait, info->self_type))
      for (FunctionInfo* method : nominal_info(at)->method_order) {
        Overloads* again = info->find_method(method->name());
        if (!again || info->module->is_std) continue;
        Subst subst = arguments_of(at);
        subst.add(nominal_info(at)->self_type, info->self_type);
        StandIn(*this, again->front(), {}, method, subst, TRAITS_METHOD).check();
      }
}

void Checker::check_impl_conformance(ImplInfo* impl) {
  if (impl->trait.valid() && impl->decl)
    Conformance(*this, impl->target, impl->trait, impl->decl->target->span).check();
}

}  // namespace meteor::typed
