// `x[i]`, `len(x)`, `for … in x` and `in` of an `any`: each is one function over all types that the program boxes,
// which does with what it holds what it would do with a value of that type, or raises `TypeError`. What lies in
// something frozen comes out frozen: the boxes are told apart by their types, frozen ones included.
#include "compiler/typed/body.h"
#include "compiler/typed/frozen.h"

namespace meteor::typed {

bool BodyChecker::is_any(TypeId type) { return c.kind(thawed_type(c, type)) == Kind::Any; }

Expr* BodyChecker::any_length(Expr* value, Span span) {
  return call_any_function(AnyFunction::Length, {coerce(value, types.any, span)}, types.int_, span);
}

Expr* BodyChecker::any_item(Expr* object, Expr* key, Span span) {
  if (is_poison(key)) return key;
  Expr* held = coerce(key, types.any, span);
  if (is_poison(held)) return held;
  return call_any_function(AnyFunction::Item, {coerce(object, types.any, span), held}, types.any, span);
}

Expr* BodyChecker::any_elements(Expr* value, Span span) {
  return call_any_function(AnyFunction::Elements, {coerce(value, types.any, span)}, c.list_of(types.any), span);
}

Expr* BodyChecker::any_contains(Expr* container, Expr* item, Span span) {
  return make_seq(
      [&]() -> Expr* {
        Expr* wanted = variable_ref(hold(coerce(item, types.any, span), span), span);  // evaluated first, as written
        return call_any_function(AnyFunction::Contains, {coerce(container, types.any, span), wanted}, types.bool_,
                                 span);
      },
      span);
}

// The branch for what is held, known to be of this type; `other` is the key or the item.
void BodyChecker::give_from_any(AnyFunction which, Expr* held, Expr* other, TypeId type) {
  Span span;
  TypeId seen = c.resolve(thawed_type(c, type));
  Kind kind = c.kind(seen);
  NominalInfo* info = c.nominal_info(seen);
  auto is_core = [&](const char* name) { return info && info == c.core_nominal(name); };
  auto give = [&](Expr* value) {
    auto* result = make_stmt<Return>(span);
    result->value = value;
    emit(result);
  };
  auto refuse = [&](std::string message) { raise_new("TypeError", make_text(message, span), span); };
  auto boxed = [&](Expr* value) { return coerce(value, types.any, span); };
  auto is_type = [&](Expr* value, TypeId tested) {
    c.note_type(tested);
    auto* test = make<IsType>(types.bool_, span);
    test->operand = value;
    test->tested = tested;
    return test;
  };
  auto unboxed = [&](TypeId as) { return make_convert(ConvertKind::FromAny, other, as); };
  auto when = [&](Expr* condition, const std::function<void()>& then) {
    auto* branch = make_stmt<If>(span);
    branch->condition = condition;
    branch->then_body = collect(then);
    emit(branch);
  };
  auto item_at = [&](Expr* key) { return call_method(held, "__getitem__", {key}, span); };
  // A key or an item can be looked for as what it must be.
  auto can_ask = [&](TypeId wanted) {
    switch (c.kind(wanted)) {
      case Kind::Any:
      case Kind::Bool:
      case Kind::Int:
      case Kind::Float:
      case Kind::Str:
      case Kind::Bytes:
      case Kind::Enum:
      case Kind::Class:
      case Kind::Struct:
      case Kind::Tuple: return !types.has_var(wanted);
      default: return false;
    }
  };
  auto as_wanted = [&](TypeId wanted, const std::function<void(Expr*)>& then) {
    if (c.kind(wanted) == Kind::Any)
      then(other);
    else
      when(is_type(other, wanted), [&] { then(unboxed(wanted)); });
  };
  std::string name = "`" + c.text(type) + "`";
  bool is_sequence = kind == Kind::Str || kind == Kind::Bytes || is_core("list") || is_core("Range");
  bool is_table = is_core("dict") || is_core("set");
  switch (which) {
    case AnyFunction::Length:
      if (kind == Kind::Tuple) return give(make_int(static_cast<int64_t>(types.get(seen).args.size()), span));
      if (kind != Kind::Optional)
        if (Expr* length = try_call_method(held, "__len__", {}, span)) return give(length);
      return refuse("a " + name + " has no length");
    case AnyFunction::Item: {
      if (is_sequence) {
        when(is_type(other, types.int_), [&] { give(boxed(item_at(unboxed(types.int_)))); });
        when(is_type(other, c.core_type("_Slice")), [&] { give(boxed(item_at(unboxed(c.core_type("_Slice"))))); });
        return refuse("the index of a " + name + " is an int");
      }
      if (kind == Kind::Tuple) {
        int64_t count = static_cast<int64_t>(types.get(seen).args.size());
        when(is_type(other, types.int_), [&] {
          for (int64_t i = 0; i < count; ++i)
            for (int64_t at : {i, i - count})
              when(make_equal(unboxed(types.int_), make_int(at, span), span), [&] {
                Expr* part = make_field(thaw(*this, held), static_cast<uint32_t>(i),
                                        types.arg(seen, static_cast<size_t>(i)), span);
                give(boxed(is_frozen(*this, held) ? freeze_part(*this, part) : part));
              });
          raise_new("IndexError", make_text("this tuple has " + std::to_string(count) + " elements", span), span);
        });
        return refuse("the index of a " + name + " is an int");
      }
      Member member = find_member(type, c.name("__getitem__"));
      bool is_plain = is_core("dict") || (info && info->type_params.empty() && !info->module->is_std);
      if (!is_plain || member.kind != Member::Methods || member.methods->size() != 1)
        return refuse("a " + name + " can't be indexed");
      FunctionInfo* method = member.methods->front();
      c.ensure_signature(method);
      bool takes_one = method->has_self && method->params.size() == 1 && method->params[0].type.valid() &&
                       method->params[0].mode == ParamMode::Plain && method->type_params.empty() &&
                       method->frame == FrameKind::None;
      TypeId key = takes_one ? c.resolve(c.apply(method->params[0].type, member.subst)) : TypeId();
      if (!key.valid() || !can_ask(key)) return refuse("a " + name + " can't be indexed here");
      as_wanted(key, [&](Expr* wanted) {
        Expr* found = item_at(wanted);
        if (c.kind(found->type) == Kind::Void)
          refuse("a " + name + " gives nothing for an index");
        else
          give(boxed(found));
      });
      if (c.kind(key) != Kind::Any) refuse("the key of a " + name + " is a `" + c.text(key) + "`");
      return;
    }
    case AnyFunction::Elements:
      if (kind == Kind::Tuple) {
        std::vector<Expr*> items;
        Expr* tuple = thaw(*this, held);
        for (size_t i = 0; i < types.get(seen).args.size(); ++i) {
          Expr* part = make_field(tuple, static_cast<uint32_t>(i), types.arg(seen, i), span);
          items.push_back(boxed(is_frozen(*this, held) ? freeze_part(*this, part) : part));
        }
        return give(list_from(items, types.any, span));
      }
      if (is_sequence || is_table) return give(call_core("_boxed_items", {held}, span));
      return refuse("a " + name + " can't be iterated over");
    case AnyFunction::Contains:
      if (kind == Kind::Str || kind == Kind::Bytes) {
        as_wanted(kind == Kind::Str ? types.str : types.bytes,
                  [&](Expr* wanted) { give(make_contains(wanted, held, span)); });
        if (kind == Kind::Bytes)
          when(is_type(other, types.int_), [&] { give(make_contains(unboxed(types.int_), held, span)); });
        return refuse("only a `" + c.text(seen) + "` can be in a " + name);
      }
      if (is_table && can_ask(types.arg(seen))) {
        as_wanted(c.resolve(types.arg(seen)), [&](Expr* wanted) { give(make_contains(wanted, held, span)); });
        if (c.kind(types.arg(seen)) != Kind::Any) give(make_bool(false, span));
        return;
      }
      if (is_sequence || is_table || kind == Kind::Tuple)
        return give(make_contains(other, any_elements(variable_ref(VariableId(0), span), span), span));
      return refuse("`in` does not work on a " + name);
    default: return;
  }
}

}  // namespace meteor::typed
