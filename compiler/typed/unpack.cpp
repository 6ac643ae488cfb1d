// Unpacking: `a, (b, *rest) = value`. A tuple's parts are known when compiling;
// anything else that can be iterated is seen as a list whose length is tested.
#include "compiler/typed/body.h"
#include "compiler/typed/frozen.h"

namespace meteor::typed {

namespace {

void count_mismatch(BodyChecker& b, size_t wanted, bool at_least, size_t found, Span targets_span, Span span,
                    const char* whole = "a tuple of ") {
  Diagnostic& d = b.c.error(Code::TypeMismatch, targets_span, "the number of targets does not fit the value");
  d.expected = std::to_string(found) + (found == 1 ? " target" : " targets");
  d.found = (at_least ? "at least " : "") + std::to_string(wanted);
  d.labels.push_back({span, whole + std::to_string(found)});
}

}  // namespace

Expr* BodyChecker::slice_from(Expr* list, size_t from, size_t leave, Span span) {
  auto* slice = make<New>(c.core_type("_Slice"), span);
  TypeId optional = types.optional(types.int_);
  auto bound = [&](bool given, int64_t value) -> Expr* {
    if (!given) return make<NullConst>(optional, span);
    return make_some(make_int(value, span));
  };
  slice->fields = keep(std::vector<Expr*>{bound(true, static_cast<int64_t>(from)), bound(leave > 0, -static_cast<int64_t>(leave)), bound(false, 0)});
  return call_method(list, "__getitem__", {slice}, span);
}

Expr* BodyChecker::list_from(const std::vector<Expr*>& items, TypeId element, Span span) {
  return make_seq([&] {
    TypeId type = c.list_of(element);
    VariableId list = hold(call_static(type, "_with_capacity", {make_int(static_cast<int64_t>(items.size()), span)}, span), span);
    for (Expr* item : items) emit_expr(call_method(variable_ref(list, span), "append", {coerce(item, element, span)}, span));
    return variable_ref(list, span);
  }, span);
}

void BodyChecker::unpack_to(std::span<ast::Expr*> targets, Expr* value, Span span, Span targets_span) {
  size_t star = targets.size();
  for (size_t i = 0; i < targets.size(); ++i) {
    if (targets[i]->kind != ast::ExprKind::Star) continue;
    if (star != targets.size()) {
      c.error(Code::InvalidAssignmentTarget, targets[i]->span, "only one target can be starred").labels.push_back({targets[star]->span, "the first is here"});
      return;
    }
    star = i;
  }
  bool has_star = star != targets.size();
  size_t fixed = targets.size() - (has_star ? 1 : 0);
  auto inner = [&](size_t i) { return i == star ? targets[i]->as<ast::StarExpr>()->operand : targets[i]; };
  auto give_up = [&] {
    for (size_t i = 0; i < targets.size(); ++i) assign_to(inner(i), poison(span), span);
  };
  if (is_poison(value)) return give_up();
  TypeId type = c.resolve_parts(require_known(value->type, span, "the value to unpack"));
  if (c.kind(type) == Kind::Error) return give_up();

  if (c.kind(type) == Kind::Tuple) {
    std::vector<TypeId> parts = types.get(type).args;
    if (parts.size() < fixed || (!has_star && parts.size() != fixed)) {
      count_mismatch(*this, fixed, has_star, parts.size(), targets_span, span);
      return give_up();
    }
    // A variable may be one of the targets, so even that is held.
    Expr* tuple = variable_ref(hold(value, span), span);
    size_t after = has_star ? targets.size() - star - 1 : 0;
    for (size_t i = 0; i < targets.size(); ++i) {
      if (i != star) {
        size_t at = i < star ? i : parts.size() - (targets.size() - i);
        assign_to(targets[i], make_field(tuple, static_cast<uint32_t>(at), parts[at], span), span);
        continue;
      }
      TypeId element = star < parts.size() - after ? parts[star] : c.unifier.fresh(span);
      std::vector<Expr*> items;
      for (size_t k = star; k < parts.size() - after; ++k) {
        TypeId both = join(element, parts[k]);
        if (!both.valid()) {
          c.error(Code::TypeMismatch, targets[i]->span, "the starred target would hold values of different types").found = c.text(element) + " and " + c.text(parts[k]);
          return give_up();
        }
        element = both;
        items.push_back(make_field(tuple, static_cast<uint32_t>(k), parts[k], span));
      }
      assign_to(inner(i), list_from(items, element, span), span);
    }
    return;
  }

  NominalInfo* info = c.nominal_info(thawed_type(c, type));
  // A struct gives its fields, unless it says itself what it consists of.
  if (info && info->kind == Kind::Struct && !c.has_method(thawed_type(c, type), "__iter__") &&
      !c.has_method(thawed_type(c, type), "next")) {
    const auto& fields = c.flat_fields(thawed_type(c, type));
    if (has_star || fields.size() != fixed) {
      if (has_star)
        c.error(Code::InvalidAssignmentTarget, targets[star]->span,
                "the fields of a struct can't be gathered in a starred target")
            .help = "name a target for each field";
      else
        count_mismatch(*this, fixed, has_star, fields.size(), targets_span, span, "fields of this struct: ");
      return give_up();
    }
    Expr* whole = variable_ref(hold(value, span), span);
    for (size_t i = 0; i < targets.size(); ++i)
      assign_to(targets[i], member_of(whole, fields[i].info->name, targets[i]->span, span, TypeId()), span);
    return;
  }
  Expr* list = nullptr;
  if (info && info->module->is_core && info->name.text() == "list") {
    list = variable_ref(hold(value, span), span);
  } else {
    TypeId element = c.unifier.fresh(span);
    VariableId made = hold(call_static(c.list_of(element), "_with_capacity", {make_int(0, span)}, span), span);
    list = variable_ref(made, span);
    bool ok = true;
    build_for(
        value, nullptr, span,
        [&](Expr* item) {
          ok = !is_poison(item) && c.unifier.unify(element, item->type);
          if (ok) emit_expr(call_method(list, "append", {item}, span));
        },
        nullptr, nullptr);
    if (!ok) return give_up();
  }
  VariableId length = hold(call_method(list, "__len__", {}, span), span);
  auto* wrong = make<Compare>(types.bool_, span);
  wrong->op = has_star ? CompareOp::Lt : CompareOp::Ne;
  wrong->left = variable_ref(length, span);
  wrong->right = make_int(static_cast<int64_t>(fixed), span);
  auto* test = make_stmt<If>(span);
  test->condition = wrong;
  test->then_body = collect([&] {
    as_statement([&] {
      auto* message = make<Concat>(types.str, span);
      message->parts = keep(std::vector<Expr*>{
          make_text("expected " + std::string(has_star ? "at least " : "") + std::to_string(fixed) + (fixed == 1 ? " value" : " values") + " to unpack, found ", span),
          make_str(variable_ref(length, span), span, false)});
      raise_new("ValueError", message, span);
    });
  });
  emit(test);
  size_t after = has_star ? targets.size() - star - 1 : 0;
  for (size_t i = 0; i < targets.size(); ++i) {
    if (i == star) assign_to(inner(i), slice_from(list, star, after, span), span);
    else assign_to(targets[i], call_method(list, "__getitem__", {make_int(i < star ? static_cast<int64_t>(i) : -static_cast<int64_t>(targets.size() - i), span)}, span), span);
  }
}

}  // namespace meteor::typed
