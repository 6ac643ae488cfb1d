// Arguments with one star that become one list, and with two that become named ones.
#include "compiler/typed/spread.h"

#include <algorithm>

namespace meteor::typed {

namespace {

using CallArg = BodyChecker::CallArg;

CallArg list_of_arguments(BodyChecker& b, std::vector<CallArg>& args, Span span) {
  CallArg out;
  bool is_one_list = args.size() == 1 && b.c.nominal_info(b.known(args[0].value->type)) == b.c.core_nominal("list");
  if (is_one_list) {
    out.value = args[0].value;
    return out;
  }
  std::vector<Expr*> plain;
  std::vector<std::pair<Expr*, bool>> items;
  for (CallArg& arg : args) {
    if (!arg.value) arg.value = b.check(arg.ast);
    plain.push_back(arg.star ? b.make<Unreachable>(b.iterated_type(arg.value, arg.value->span), arg.value->span) : arg.value);
    items.emplace_back(arg.value, arg.star);
  }
  out.value = b.collection_of(std::move(items), std::move(plain), TypeId(), "list", span);
  return out;
}

}  // namespace

void spread_as_list(BodyChecker& b, const Overloads& overloads, std::vector<CallArg>& args, Span span) {
  bool has_star = std::ranges::any_of(args, [](const CallArg& arg) { return arg.star; });
  if (!has_star || !overloads.front()->module->is_core) return;
  auto takes = [&](const std::vector<CallArg>& given) {
    return std::ranges::any_of(overloads, [&](FunctionInfo* f) { return b.accepts(f, given); });
  };
  std::vector<CallArg> listed, as_list(1);
  for (const CallArg& arg : args) (arg.name ? as_list : listed).push_back(arg);
  if (takes(args) || !takes(as_list)) return;
  as_list[0] = list_of_arguments(b, listed, span);
  args = std::move(as_list);
}

namespace {

// Every key is a text, so the program knows which parameters get what.
bool has_known_keys(ast::Expr* operand) {
  auto* dict = operand->as<ast::DictExpr>();
  return dict && std::ranges::all_of(dict->items, [](const ast::DictItem& item) { return item.key ? item.key->kind == ast::ExprKind::Str : has_known_keys(item.value); });
}

void add_items(BodyChecker& b, ast::Expr* operand, std::vector<CallArg>& out) {
  for (ast::DictItem& item : operand->as<ast::DictExpr>()->items) {
    if (!item.key) {
      add_items(b, item.value, out);
      continue;
    }
    CallArg arg;
    arg.name = b.c.name(item.key->as<ast::StrExpr>()->value);
    arg.name_span = item.key->span;
    if (item.key->span.end - item.key->span.start == arg.name.text().size() + 2) ++arg.name_span.start, --arg.name_span.end;   // inside the quotes
    arg.ast = item.value;
    out.push_back(arg);
  }
}

}  // namespace

void add_named_arguments(BodyChecker& b, ast::DoubleStarExpr* spread, std::vector<CallArg>& out) {
  if (has_known_keys(spread->operand)) return add_items(b, spread->operand, out);
  CallArg arg;
  arg.ast = spread;
  arg.value = b.check(spread->operand);
  out.push_back(arg);
}

bool is_spread_dict(const CallArg& arg) { return arg.ast && arg.ast->kind == ast::ExprKind::DoubleStar; }

void refuse_spread_dict(BodyChecker& b, const CallArg& arg, const std::string& shown) {
  if (b.is_poison(arg.value)) return;
  Diagnostic& d = b.c.error(Code::UnexpectedArgument, arg.ast->span, "the keys of a dict are only known when the program runs, so `**` can't give `" + shown + "` its arguments");
  d.help = "name them: `" + shown + "(x=d[\"x\"])`; a function that declares `**options: T` takes a `dict<str, T>` here";
}

Expr* add_options(BodyChecker& b, Expr* options, const CallArg& arg, const std::vector<ParamInfo>& params) {
  Span span = arg.ast->span;
  if (b.is_poison(arg.value)) return arg.value;
  TypeId wanted = b.types.arg(b.c.unifier.shallow(options->type), 1);
  TypeId given = b.c.resolve(b.known(arg.value->type));
  bool is_options = b.c.nominal_info(given) == b.c.core_nominal("dict") && b.c.resolve(b.types.arg(given)) == b.types.str;
  if (!is_options || !b.can_convert(b.make<Unreachable>(b.types.arg(given, 1), span), wanted)) {
    Diagnostic& d = b.c.error(Code::TypeMismatch, span, "this can't be spread over the named arguments");
    d.expected = b.c.text(b.c.resolve(options->type));
    d.found = b.c.text(given);
    return b.poison(span);
  }
  std::vector<std::pair<Expr*, bool>> names;
  for (const ParamInfo& param : params)
    if (param.kind == ast::ParamKind::Normal) names.emplace_back(b.make_text(param.name.text(), span), false);
  return b.call_core("_add_options", {options, arg.value, b.build_collection(b.c.list_of(b.types.str), names, span)}, span);
}

}  // namespace meteor::typed
