// A checked body → one whose types are all known: nested functions that were never used are checked, inference variables replaced by what they
// have become. Leaves no variable in the typed tree; what nobody has decided is reported.
#include <algorithm>

#include "compiler/typed/body.h"
#include "compiler/typed/later_use.h"

namespace meteor::typed {

void BodyChecker::finish() {
  if (finished_) return;
  finished_ = true;
  if (is_module_body) settle_module_variables(*this);
  report_lent();
  bool is_lifted = root->instance && root->instance->is_lifted;
  for (size_t i = 0; i < nested_.size(); ++i) {
    NestedFunction& nested = nested_[i];
    if (nested.started || is_template(nested)) continue;
    // In a lifted body its variables may be frozen: what only lifted instances of it touch is not for plain values there.
    bool only_lifted = is_lifted && std::ranges::any_of(nested_, [&](const NestedFunction& other) { return other.origin == &nested; });
    // Nobody uses it: what was assigned where it is defined counts, too.
    for (uint32_t i = 0; i < nested.flow.assigned.size(); ++i)
      if (nested.flow.assigned[i]) flow.set_assigned(VariableId(i));
    if (!only_lifted) start_nested(nested);
    else if (nested.function.valid()) c.program.function(nested.function).has_body = false;
  }
  for (auto& closure : closures_) closure->finish();
  complete_nested();
}

void BodyChecker::resolve_types() {
  auto fix = [&](TypeId& type) {
    if (!type.valid()) return;
    type = c.resolve(type);
    if (types.kind(type) == Kind::Null) type = types.any;   // a parameter that was left out: only ever null
  };
  auto report = [&](TypeId type, Span span, const std::string& what) {
    if (c.sink.has_errors()) return;   // most likely a consequence
    auto& d = c.error(Code::CannotInfer, span, "the type of " + what + " can't be inferred");
    NominalInfo* nominal = c.nominal_info(type);
    bool is_literal =
        nominal && (nominal->name.text() == "list" || nominal->name.text() == "dict" || nominal->name.text() == "set");
    std::string args;
    if (nominal && !is_literal)
      for (size_t i = 0; i < nominal->type_params.size(); ++i) args += i == 0 ? "int" : ", int";
    if (args.empty())
      d.help = "say what it holds, for instance `xs: list<int> = []`";
    else
      d.help = "say what it holds, for instance `" + nominal->name.str() + "<" + args + (c.input.sources.text(span).ends_with("()") ? ">()`" : ">(…)`");
  };
  // What an empty collection in an `any` holds, nobody has said: it may hold anything.
  std::function<void(TypeId, TypeId)> settle = [&](TypeId type, TypeId value) {
    type = c.unifier.shallow(type);
    if (types.kind(type) == Kind::Var) {
      c.unifier.unify(type, value);
      return;
    }
    NominalInfo* nominal = c.nominal_info(type);
    if (!nominal || !nominal->module->is_core) return;
    std::vector<TypeId> args = types.get(type).args;
    bool keyed = nominal->name.text() == "dict" || nominal->name.text() == "set";
    if (!keyed && nominal->name.text() != "list") return;
    for (size_t i = 0; i < args.size(); ++i) settle(args[i], keyed && i == 0 ? types.str : types.any);
  };
  for (TypeId boxed : boxed_)
    if (types.kind(c.unifier.shallow(boxed)) != Kind::Var) settle(boxed, types.any);
  std::function<void(BodyChecker&)> variables = [&](BodyChecker& b) {
    for (Variable& v : b.fn.variables) {
      fix(v.type);
      if (types.has_var(v.type) && v.name) {
        report(v.type, v.span, "`" + v.name.str() + "`");
        v.type = types.error;
      }
    }
    fix(b.fn.result);
    if (b.fn.frame != FrameKind::None) {
      fix(b.fn.produced);
      if (b.fn.frame == FrameKind::Async) c.note_type(c.core_type("Task", {b.fn.produced}));
    }
    for (auto& closure : b.closures_) variables(*closure);
    for (NestedFunction& nested : b.nested_)
      if (nested.body) variables(*nested.body);
  };
  variables(*this);
  auto look_for_tables = [&](TypeId type) {   // at run time (has_trait.cpp)
    if (type.valid() && types.kind(type) == Kind::Frozen) type = types.arg(type);
    if (type.valid() && types.kind(type) == Kind::Dyn && !types.has_var(type)) c.trait_table(types.any, types.arg(type));
  };
  for (Expr* e : created_) {   // an object without its type arguments says more than what it is made of
    TypeId type = c.resolve(e->type);
    NominalInfo* made = e->span.valid() && types.has_var(type) ? c.nominal_info(type) : nullptr;
    if (made && !made->module->is_core) report(type, e->span, "this expression");
  }
  for (Expr* e : created_) {
    fix(e->type);
    if (auto* call = e->as<Call>()) fix(call->type_arg);
    if (auto* test = e->as<IsType>()) fix(test->tested);
    if (types.has_var(e->type)) {
      if (e->span.valid()) report(e->type, e->span, "this expression");
      e->type = types.error;
    }
    c.note_type(e->type);
    if (auto* test = e->as<IsType>()) look_for_tables(test->tested);
    if (auto* convert = e->as<Convert>(); convert && types.kind(e->type) == Kind::Dyn) {
      if (convert->convert == ConvertKind::ToDyn) convert->vtable = c.trait_table(c.resolve(convert->operand->type), types.arg(e->type));
      if (convert->convert == ConvertKind::FromAny) look_for_tables(e->type);
    }
  }
  for (Pattern* p : patterns_) {
    fix(p->type);
    fix(p->tested);
    look_for_tables(p->tested);
  }
  for (TypeId boxed : boxed_) {
    TypeId type = c.resolve(boxed);
    if (!types.has_var(type) && c.boxed_types_.insert(type).second) c.boxed_order_.push_back(type);
  }
  boxed_.clear();
  created_.clear();
  patterns_.clear();
}

}  // namespace meteor::typed
