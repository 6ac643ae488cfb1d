// Built-in functions that the compiler expands: print, str, repr, len, hash,
// same, type, id; and the functions behind `any`.
#include <algorithm>

#include "compiler/base/check.h"
#include "compiler/typed/body.h"
#include "compiler/typed/frozen.h"
#include "compiler/typed/hidden_types.h"
#include "compiler/typed/scan_names.h"

namespace meteor::typed {

Expr* BodyChecker::make_str(Expr* value, Span span, bool quoted) {
  if (is_poison(value)) return value;
  value = c.kind(thawed_type(c, value->type)) == Kind::Any ? thaw(*this, value) : thaw_copied(*this, value);
  TypeId type = require_known(value->type, span, "this value");
  bool is_ours = module->is_std || (info && info->is_derived);
  if (!is_ours && c.holds_unrun_future(type)) {
    Diagnostic& d =
        c.error(Code::UnawaitedFuture, value->span, "this shows a future, which never runs, instead of its value");
    d.found = c.text(type);
    suggest_await_inside(d, value);
    return poison(span);
  }
  switch (types.kind(type)) {
    case Kind::Error: return poison(span);
    case Kind::Str: return quoted ? call_method(value, "__repr__", {}, span) : value;
    case Kind::Null: return make_text("null", span);
    case Kind::Never: return poison(span);
    case Kind::Bool: {
      auto* choice = make<Ternary>(types.str, span);
      choice->condition = value;
      choice->then_value = make_text("true", span);
      choice->else_value = make_text("false", span);
      return choice;
    }
    case Kind::Optional:
      return make_seq([&]() -> Expr* {
        VariableId temp = new_temp(type, span);
        emit_assign(variable_ref(temp, span), value);
        auto* test = make<IsNull>(types.bool_, span);
        test->operand = variable_ref(temp, span);
        auto* choice = make<Ternary>(types.str, span);
        choice->condition = test;
        choice->then_value = make_text("null", span);
        choice->else_value = make_str(make_unwrap(variable_ref(temp, span), span, false), span, quoted);
        return is_poison(choice->else_value) ? choice->else_value : choice;
      }, span);
    case Kind::Any: return call_any_function(quoted ? AnyFunction::Quoted : AnyFunction::Text, {value}, types.str, span);
    case Kind::Dyn:
      if (!c.has_method(type, "__str__")) return call_any_function(quoted ? AnyFunction::Quoted : AnyFunction::Text, {make_convert(ConvertKind::Reinterpret, value, types.any)}, types.str, span);
      break;
    case Kind::Func: return make_seq([&]() -> Expr* { emit_expr(value); return make_text("<function>", span); }, span);
    case Kind::Void: {
      c.error(Code::TypeMismatch, span, "this gives no value that could be shown");
      return poison(span);
    }
    default: break;
  }
  if (c.kind(thawed_type(c, type)) == Kind::Dyn && !c.has_method(type, "__str__"))
    return call_any_function(quoted ? AnyFunction::Quoted : AnyFunction::Text, {make_convert(ConvertKind::Reinterpret, thaw(*this, value), types.any)}, types.str, span);
  if (quoted)
    if (Expr* call = try_call_method(value, "__repr__", {}, span)) return call;
  // As in Python, `__repr__` stands in for a `__str__` that nobody wrote.
  if (c.nominal_info(thawed_type(c, type)) && c.has_method(type, "__repr__"))
    if (Member text = c.find_member(type, c.name("__str__")); text.kind != Member::Methods || text.methods->front()->is_derived) return call_method(value, "__repr__", {}, span);
  if (Expr* call = try_call_method(value, "__str__", {}, span)) return call;
  return make_seq([&]() -> Expr* { emit_expr(value); return make_text("<" + c.text(type) + ">", span); }, span);
}

Expr* BodyChecker::make_format(Expr* value, Expr* spec, Span span) {
  value = thaw_copied(*this, value);
  TypeId type = require_known(value->type, span, "this value");
  if (types.kind(type) == Kind::Error) return poison(span);
  if (c.has_method(type, "__format__")) return call_method(value, "__format__", {spec}, span);
  if (types.kind(type) == Kind::Any) return call_core("_format_any", {value, spec}, span);
  if (types.kind(type) == Kind::Optional) {   // what the text after the colon means depends on what it holds
    auto& d = c.error(Code::OptionalNotUnwrapped, span, "this may be null, so it can't be formatted");
    show_null_origin(d, value);
    d.help = "test it with `is not null` first, or give a default with `??`";
    return poison(span);
  }
  Expr* text = make_str(value, span, false);
  return is_poison(text) ? text : call_method(text, "__format__", {spec}, span);
}

Expr* BodyChecker::make_iterator(Expr* value, Span span) {
  if (is_poison(value)) return value;
  TypeId type = require_known(value->type, span, "what is iterated over");
  if (types.kind(type) == Kind::Error) return poison(span);
  if (is_any(type)) return make_iterator(any_elements(value, span), span);
  if (types.kind(type) == Kind::Tuple) {
    const types::Type& t = types.get(type);
    for (size_t i = 1; i < t.args.size(); ++i)
      if (!c.unifier.could_unify(t.args[i], t.args[0])) {
        auto& d = c.error(Code::NotIterable, span, "the elements of this tuple have different types, so it can't be iterated over");
        d.help = "unpack it: `a, b = …`";
        return poison(span);
      }
    return make_iterator(tuple_to_list(value, span), span);
  }
  if (types.kind(type) != Kind::Optional) {
    if (Expr* call = try_call_method(value, "__iter__", {}, span)) return call;
    if (c.has_method(type, "next")) return value;
  }
  auto& d = c.error(Code::NotIterable, span, c.text_with_article(type) + " can't be iterated over");
  if (types.kind(type) == Kind::Optional) show_null_origin(d, value);
  const FunctionInfo* of_library = module->is_std && root->info ? root->info : nullptr;
  if (of_library && of_library->name().text()[0] != '_') d.help = "`" + of_library->name().str() + "` goes through the elements of what it is given";
  else if (types.kind(type) == Kind::Optional) d.help = "it may be null: test it with `is not null` first, or write `?? []`";
  else if (types.kind(type) == Kind::Int) d.help = "to count, write `range(…)`";
  else if (c.future_value(type).valid()) suggest_await(d, value, "a future gives its value when it is awaited: ");
  else if (c.nominal_info(type)) d.help = "give it `__iter__`";
  return poison(span);
}

namespace {

// `open(path, "rb")`: what reading gives is decided by the mode, so it must be there to see. Writing is the same for all.
bool opens_binary(ast::CallExpr* expr) {
  for (size_t i = 0; i < expr->args.size(); ++i) {
    ast::Arg& arg = expr->args[i];
    if (arg.name ? arg.name.text() != "mode" : i != 1) continue;
    auto* mode = arg.value->as<ast::StrExpr>();
    auto has = [&](char flag) { return mode->value.find(flag) != std::string_view::npos; };
    return mode && has('b') && (has('r') || has('+'));
  }
  return false;
}

}  // namespace

// `dict(a=1)` is `{"a": 1}`, `dict(d, a=1)` is `{**d, "a": 1}`.
Expr* BodyChecker::check_dict_call(ast::CallExpr* expr, TypeId expected, bool& handled) {
  base::Arena& arena = c.program.arena;
  std::vector<ast::DictItem> items;
  bool named = false;
  for (size_t i = 0; i < expr->args.size(); ++i) {
    ast::Arg& arg = expr->args[i];
    if (!arg.name && (i > 0 || arg.value->kind == ast::ExprKind::Star || arg.value->kind == ast::ExprKind::DoubleStar)) return nullptr;
    ast::DictItem item;
    item.value = arg.value;
    if (arg.name) {
      auto* key = arena.make<ast::StrExpr>();
      key->value = arena.copy_text(arg.name.text());
      key->span = arg.name_span;
      item.key = key;
      named = true;
    }
    items.push_back(item);
  }
  handled = named;
  if (!named) return nullptr;
  auto* dict = arena.make<ast::DictExpr>();
  dict->items = arena.copy(items);
  dict->span = expr->span;
  return check_dict(dict, expected);
}

Expr* BodyChecker::check_builtin_call(Name n, ast::CallExpr* expr, TypeId expected, bool& handled) {
  std::string_view text = n.text();
  Span span = expr->span;
  handled = false;
  auto hidden = [&]() {   // the module has a declaration of that name, which derived code does not mean
    if (info && info->is_derived) return false;
    auto at = module->names.find(n);
    return at != module->names.end() && module != c.core_module() && !is_plain_case(at->second);
  };
  static const std::unordered_set<std::string_view> KNOWN = {"print", "str", "repr", "len", "hash", "same", "type", "id", "bool", "isinstance", "any", "iter", "next", "callable", "dict", "open"};
  if (!KNOWN.count(text) || hidden()) return nullptr;
  if (!expr->type_args.empty()) return nullptr;
  if (text == "dict") return check_dict_call(expr, expected, handled);
  if (text == "open") {
    handled = opens_binary(expr);
    return handled ? call_overloads(*c.core_function("_open_binary"), {}, nullptr, TypeId(), call_args(expr->args), span, expected, n) : nullptr;
  }
  if (text == "any") {
    Symbol symbol = find_symbol(n);
    if (!symbol.functions) return nullptr;
    handled = true;
    return call_overloads(*symbol.functions, {}, nullptr, TypeId(), call_args(expr->args), span, expected, n);
  }
  if (text == "str" && expr->args.size() != 1) return nullptr;
  if (text == "bool" && expr->args.size() != 1) return nullptr;
  handled = true;
  if (text == "isinstance") {
    auto& d = c.error(Code::UnknownName, expr->callee->span, "there is no `isinstance`: types are tested with `is`");
    d.help = "write `x is Type`";
    return poison(span);
  }
  if (text == "print") return check_print(expr);
  std::vector<Expr*> args;
  bool failed = false;
  for (ast::Arg& arg : expr->args) {
    if (arg.name || arg.value->kind == ast::ExprKind::Star) {
      c.error(Code::UnexpectedArgument, arg.value->span, "`" + n.str() + "` takes plain arguments only");
      return poison(span);
    }
    ast::Expr* value = arg.value;
    if (auto* owned = value->as<ast::OwnedExpr>()) value = owned->operand;
    args.push_back(check(value));
    failed |= is_poison(args.back());
  }
  size_t wanted = text == "same" || (text == "next" && args.size() == 2) ? 2 : 1;
  if (args.size() != wanted) {
    c.error(Code::WrongArgumentCount, span, "`" + n.str() + "` takes " + std::to_string(wanted) + (wanted == 1 ? " argument" : " arguments") + ", but " + std::to_string(args.size()) + (args.size() == 1 ? " is" : " are") + " given");
    return poison(span);
  }
  if (failed) return poison(span);
  if (text == "str") return make_str(args[0], span, false);
  if (text == "repr") return make_str(args[0], span, true);
  if (text == "hash") return make_hash(args[0], span);
  if (text == "bool") return truth(args[0], span);
  if (text == "iter") return make_iterator(args[0], span);
  if (text == "next") {
    bool python = !c.has_method(known(args[0]->type), "next") && c.has_method(known(args[0]->type), "__next__");
    Expr* found = call_method(args[0], python ? "__next__" : "next", {}, span);
    if (is_poison(found)) return found;
    if (args.size() == 1) return call_core("_next_value", {found}, span);
    return call_core("_next_or", {found, args[1]}, span);
  }
  if (text == "callable") return make_bool(c.kind(args[0]->type) == Kind::Func, span);
  TypeId type = require_known(args[0]->type, span, "this value");
  if (types.kind(type) == Kind::Error) return poison(span);
  if (text == "len" && is_any(type)) return any_length(args[0], span);
  if (text == "len") {
    if (types.kind(type) == Kind::Tuple) return make_seq([&]() -> Expr* { emit_expr(args[0]); return make_int(static_cast<int64_t>(types.get(type).args.size()), span); }, span);
    if (types.kind(type) != Kind::Optional)
      if (Expr* call = try_call_method(args[0], "__len__", {}, span)) return call;
    auto& d = c.error(Code::InvalidOperand, span, c.text_with_article(type) + " has no length");
    if (types.kind(type) == Kind::Optional) show_null_origin(d, args[0]);
    if (types.kind(type) == Kind::Optional) d.help = "it may be null: test it with `is not null` first, or write `!` after it";
    return poison(span);
  }
  if (text == "type") return call_intrinsic(Intrinsic::DynTypeName, type, types.str, {args[0]}, span);
  if (text == "id") return call_intrinsic(Intrinsic::Address, type, types.int_, {args[0]}, span);
  // same(a, b)
  for (Expr*& arg : args)
    if (is_frozen(*this, arg)) arg = thaw(*this, arg);
  if (!match_types(args[0], args[1], span, "same")) return poison(span);
  auto* same = make<Same>(types.bool_, span);
  same->left = args[0];
  same->right = args[1];
  Kind k = c.kind(args[0]->type);
  TypeId inner = k == Kind::Optional ? c.unifier.shallow(types.arg(c.unifier.shallow(args[0]->type))) : c.unifier.shallow(args[0]->type);
  Kind ik = types.kind(inner);
  if (ik != Kind::Class && ik != Kind::Dyn && ik != Kind::Any && ik != Kind::Func) {
    auto& d = c.error(Code::InvalidOperand, span, "`same` compares the identity of objects, and a `" + c.text(args[0]->type) + "` is a value");
    d.help = "compare with `==`";
    return poison(span);
  }
  return same;
}

// The text of `print(…, *items, …)`: as many parts as there are items, so their number shows when it runs.
Expr* BodyChecker::join_printed(const std::vector<Expr*>& values, const std::vector<Expr*>& spread, Expr* sep, Span span) {
  if (values.size() == 1) return call_core("_join_str", {spread[0], sep}, span);
  TypeId list_type = c.list_of(types.str);
  VariableId parts = hold(call_static(list_type, "_with_capacity", {make_int(static_cast<int64_t>(values.size()), span)}, span), span);
  for (size_t i = 0; i < values.size(); ++i) {
    Expr* list = variable_ref(parts, span);
    Expr* added = values[i] ? call_method(list, "append", {values[i]}, span) : call_core("_add_texts", {list, spread[i]}, span);
    if (is_poison(added)) return added;
    emit_expr(added);
  }
  return call_method(sep, "join", {variable_ref(parts, span)}, span);
}

Expr* BodyChecker::print_to(Expr* file, Expr* text, Span span) {
  if (Expr* call = try_call_method(file, "_print", {text}, span)) return call;
  auto& d = c.error(Code::InvalidOperand, file->span, "`print` can't write to " + c.text_with_article(file->type));
  d.help = "`file=` takes `io.stdout`, `io.stderr` or what `open` gives; write to others by their `write`";
  return poison(span);
}

Expr* BodyChecker::check_print(ast::CallExpr* expr) {
  Span span = expr->span;
  Expr* sep = nullptr;
  Expr* end = nullptr;
  Expr* flush = nullptr;
  Expr* file = nullptr;
  std::vector<Expr**> computed;   // which of these are no constants, in the order written
  std::vector<Expr*> values;
  bool failed = false;
  std::vector<Expr*> spread;      // one per value; null: it has no star
  size_t first_mutable = SIZE_MAX;
  bool changes = false;      // an argument may change one before it
  TreeVisitor visitor;
  visitor.on_expr = [&](ast::Expr* e) {
    auto* call = e->as<ast::CallExpr>();
    changes |= (call && call->callee->kind == ast::ExprKind::Member) || may_run_user_code(e, c.written_names());
  };
  for (ast::Arg& arg : expr->args) {
    if (arg.name) {
      std::string_view option = arg.name.text();
      if (option != "sep" && option != "end" && option != "flush" && option != "file") {
        auto& d = c.error(Code::UnexpectedArgument, arg.name_span, "`print` has no parameter `" + arg.name.str() + "`");
        d.help = "it takes `sep=`, `end=`, `flush=` and `file=`";
        failed = true;
        continue;
      }
      Expr*& place = option == "file" ? file : option == "flush" ? flush : option == "sep" ? sep : end;
      place = option == "file" ? check(arg.value) : check_to(arg.value, option == "flush" ? types.bool_ : types.str);
      failed |= is_poison(place);
      if (place->kind > ExprKind::Bytes) computed.push_back(&place);
      continue;
    }
    if (auto* star = arg.value->as<ast::StarExpr>()) {
      spread.resize(values.size());
      spread.push_back(check(star->operand));
      failed |= is_poison(spread.back());
      values.push_back(nullptr);
      continue;
    }
    Expr* value = check(arg.value);
    failed |= is_poison(value);
    values.push_back(value);
    if (!failed && !changes && !is_copied_type(value->type)) first_mutable = std::min(first_mutable, values.size());
    if (first_mutable < values.size() && !changes) visitor.visit(arg.value);
  }
  if (failed) return poison(span);
  // All arguments are evaluated once, in order, then made text: a later one may change an earlier one.
  changes |= !computed.empty();
  for (size_t i = 0; i < values.size(); ++i) {
    Expr*& value = values[i];
    if (!value && changes) spread[i] = variable_ref(hold(spread[i], spread[i]->span), spread[i]->span);
    if (!value) continue;
    Span at = value->span;
    bool constant = value->kind == ExprKind::Str || value->kind == ExprKind::Int;
    if (changes && !constant && c.kind(value->type) != Kind::Void) value = variable_ref(hold(usable_value(value, at), at), at);
    value = make_str(value, at, false);
    if (is_poison(value)) return poison(span);
  }
  for (Expr** option : computed) *option = variable_ref(hold(*option, (*option)->span), (*option)->span);
  return make_seq([&]() -> Expr* {
    if (!sep) sep = make_text(" ", span);
    if (!end) end = make_text("\n", span);
    std::vector<Expr*> parts;
    if (!spread.empty()) {
      parts.push_back(join_printed(values, spread, sep, span));
      if (is_poison(parts[0])) return parts[0];
    }
    for (size_t i = 0; spread.empty() && i < values.size(); ++i) {
      if (i) parts.push_back(sep);
      parts.push_back(values[i]);
    }
    parts.push_back(end);
    Expr* text = parts[0];
    if (parts.size() > 1) {
      auto* concat = make<Concat>(types.str, span);
      concat->parts = keep(parts);
      text = concat;
    }
    Expr* print = file ? print_to(file, text, span) : call_core("_print", {text}, span);
    if (!flush || is_poison(print)) return print;
    emit_expr(print);
    auto* chosen = make_stmt<If>(span);
    chosen->condition = flush;
    chosen->then_body = collect([&] { emit_expr(file ? call_method(file, "_flush_print", {}, span) : call_core("_flush_output", {}, span)); });
    emit(chosen);
    return make<VoidConst>(types.void_, span);
  }, span);
}

// ---- Values of type any ------------------------------------------------------

Expr* BodyChecker::call_any_function(AnyFunction which, std::vector<Expr*> args, TypeId result, Span span) {
  auto* call = make<Call>(result, span);
  call->call = CallKind::Direct;
  call->function = c.any_function(which);
  call->modes = keep(std::vector<ParamMode>(args.size(), ParamMode::Plain));
  call->args = keep(args);
  if (!flow.narrowed.empty()) code_ran(c.written_names().hooks, span);   // of whatever type the value has
  return call;
}

FunctionId Checker::any_function(AnyFunction which) {
  FunctionId& id = any_functions_[static_cast<size_t>(which)];
  if (id.valid()) return id;
  static const char* NAMES[] = {"str of any",   "repr of any", "== of any", "hash of any",     "json of any",
                                "truth of any", "len of any",  "[] of any", "elements of any", "in of any"};
  static_assert(std::size(NAMES) == ANY_FUNCTIONS);
  Function& fn = make_typed_function(NAMES[static_cast<size_t>(which)], {});
  id = fn.id;
  fn.is_glue = which == AnyFunction::Text || which == AnyFunction::Quoted;
  fn.has_body = true;
  bool tells = which == AnyFunction::Equal || which == AnyFunction::Json || which == AnyFunction::Truth ||
               which == AnyFunction::Contains;
  bool counts = which == AnyFunction::Hash || which == AnyFunction::Length;
  bool takes_two = which == AnyFunction::Equal || which == AnyFunction::Json || which == AnyFunction::Item ||
                   which == AnyFunction::Contains;
  fn.result = tells                            ? types.bool_
              : counts                         ? types.int_
              : which == AnyFunction::Item     ? types.any
              : which == AnyFunction::Elements ? list_of(types.any)
                                               : types.str;
  for (const char* param : {"a", "b"}) {
    Variable v;
    v.name = name(param);
    v.type = which == AnyFunction::Json && fn.variables.size() == 1 ? json_type("Writer") : types.any;
    v.kind = VariableKind::Param;
    fn.variables.push_back(v);
    if (!takes_two) break;
  }
  fn.param_count = static_cast<uint32_t>(fn.variables.size());
  return id;
}

// One test per type that the program puts into `any` or `dyn`, subclasses before their bases.
bool Checker::build_any_functions() {
  std::vector<TypeId> boxed;
  for (TypeId type : boxed_order_)
    if (types.kind(type) != Kind::Null && types.kind(type) != Kind::Any && types.kind(type) != Kind::Error) boxed.push_back(type);
  // What lies in a frozen collection of `any` was put into it before it was frozen.
  if (std::ranges::any_of(noted_order_, [&](TypeId type) { return types.kind(type) == Kind::Frozen && reaches(*this, types.arg(type), {Kind::Any, Kind::Dyn}); }))
    for (size_t i = 0, count = boxed.size(); i < count; ++i)
      if (TypeId frozen = frozen_type(*this, boxed[i]); std::find(boxed.begin(), boxed.end(), frozen) == boxed.end()) boxed.push_back(frozen);
  auto depth = [&](TypeId type) {
    int d = 0;
    type = thawed_type(*this, type);
    for (TypeId at = type; at.valid() && nominal_info(at); at = base_of(at)) ++d;
    return d;
  };
  // A class in a box may be any of its subclasses.
  for (size_t i = 0; i < boxed.size(); ++i)
    if (TypeId seen = thawed_type(*this, boxed[i]); types.kind(seen) == Kind::Class)
      for (NominalInfo* sub : nominal_info(seen)->subclasses) {
        TypeId also = seen == boxed[i] ? sub->self_type : frozen_type(*this, sub->self_type);
        if (sub->type_params.empty() && std::find(boxed.begin(), boxed.end(), also) == boxed.end()) boxed.push_back(also);
      }
  std::sort(boxed.begin(), boxed.end(), [&](TypeId a, TypeId b) { return depth(a) != depth(b) ? depth(a) > depth(b) : a < b; });
  bool built = false;
  for (size_t which = 0; which < std::size(any_functions_); ++which) {
    if (!any_functions_[which].valid() || any_built_for_[which] == boxed.size()) continue;
    any_built_for_[which] = boxed.size();
    built = true;
    Function& fn = program.function(any_functions_[which]);
    while (fn.variables.size() > fn.param_count) fn.variables.pop_back();
    check_depth_enter();
    auto body = std::make_unique<BodyChecker>(*this, fn, core_, nullptr);
    BodyChecker* b = body.get();
    b->type_scope.module = core_;
    b->declared_result = fn.result;
    add_unfinished(std::move(body));
    b->build_any_body(static_cast<AnyFunction>(which), boxed);
    check_depth_leave();
  }
  return built;
}

void BodyChecker::build_any_body(AnyFunction which, const std::vector<TypeId>& boxed) {
  Span span;
  std::vector<Stmt*> stmts;
  std::vector<VariableId> temps;
  out_ = &stmts;
  temps_ = &temps;
  auto give = [&](Expr* value) {
    auto* result = make_stmt<Return>(span);
    result->value = value;
    return result;
  };
  auto a = [&]() { return variable_ref(VariableId(0), span); };
  auto b = [&]() { return variable_ref(VariableId(1), span); };
  auto is_null = [&](Expr* e) {
    auto* test = make<IsNull>(types.bool_, span);
    test->operand = e;
    return test;
  };
  auto* null_case = make_stmt<If>(span);
  null_case->condition = is_null(a());
  bool is_collection_use = which >= AnyFunction::Length;
  auto refuse = [&](const std::string& what) {
    const char* text = which == AnyFunction::Length     ? " has no length"
                       : which == AnyFunction::Item     ? " can't be indexed"
                       : which == AnyFunction::Elements ? " can't be iterated over"
                                                        : " can't be looked into by `in`";
    raise_new("TypeError", make_text(what + text, span), span);
  };
  null_case->then_body = collect([&]() {
    if (is_collection_use) return refuse("null");
    emit(give(which == AnyFunction::Json || which == AnyFunction::Truth ? make_bool(false, span) : which == AnyFunction::Equal ? static_cast<Expr*>(is_null(b())) : which == AnyFunction::Hash ? make_int(0, span) : make_text("null", span)));
  });
  emit(null_case);
  for (TypeId type : boxed) {
    bool is_hashable = c.implements(type, c.core_type("Hash")) && !c.unhashable_part(type).valid();
    if (which == AnyFunction::Json && !c.implements(type, c.core_type("Json"))) continue;
    auto is_type = [&](Expr* e) {
      auto* test = make<IsType>(types.bool_, span);
      test->operand = e;
      test->tested = type;
      return test;
    };
    auto unbox = [&](Expr* e) { return make_convert(ConvertKind::FromAny, e, type); };
    auto* branch = make_stmt<If>(span);
    branch->condition = is_type(a());
    branch->then_body = collect([&]() {
      switch (which) {
        case AnyFunction::Text: emit(give(make_str(unbox(a()), span, false))); break;
        case AnyFunction::Quoted: emit(give(make_str(unbox(a()), span, true))); break;
        case AnyFunction::Hash:
          if (is_hashable) emit(give(make_hash(unbox(a()), span)));
          else raise_new("TypeError", make_text("`" + c.text(type) + "` can't be hashed, so it can't be a dict key or in a set", span), span);
          break;
        case AnyFunction::Truth: emit(give(truth(unbox(a()), span))); break;
        case AnyFunction::Length:
        case AnyFunction::Item:
        case AnyFunction::Elements:
        case AnyFunction::Contains: give_from_any(which, unbox(a()), fn.param_count > 1 ? b() : nullptr, type); break;
        case AnyFunction::Json: {
          auto* write = make_stmt<ExprStmt>(span);
          write->value = call_method(unbox(a()), "write_json", {b()}, span);
          emit(write);
          emit(give(make_bool(true, span)));
          break;
        }
        case AnyFunction::Equal: {
          auto* same_type = make_stmt<If>(span);
          same_type->condition = make_not(is_type(b()));
          same_type->then_body = collect([&]() { emit(give(make_bool(false, span))); });
          emit(same_type);
          emit(give(make_equal(unbox(a()), unbox(b()), span)));
          break;
        }
      }
    });
    emit(branch);
  }
  if (is_collection_use) refuse("this value");
  Expr* rest = is_collection_use                                           ? nullptr
               : which == AnyFunction::Truth                               ? make_bool(true, span)
               : which == AnyFunction::Equal || which == AnyFunction::Json ? make_bool(false, span)
               : which == AnyFunction::Hash                                ? make_int(1, span)
                                                                           : make_text("<any>", span);
  if (rest) emit(give(rest));
  auto* block = make_stmt<BlockStmt>(span);
  block->body = keep(stmts);
  block->temps = keep(temps);
  fn.body = keep(std::vector<Stmt*>{block});
  out_ = nullptr;
  temps_ = nullptr;
}

}  // namespace meteor::typed
