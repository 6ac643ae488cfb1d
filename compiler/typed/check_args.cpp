// Arguments to parameters: positions, names, stars, defaults, modes.
#include <algorithm>

#include "compiler/base/check.h"
#include "compiler/typed/body.h"
#include "compiler/typed/did_you_mean.h"
#include "compiler/typed/frozen.h"
#include "compiler/typed/spread.h"

namespace meteor::typed {

namespace {

constexpr uint32_t MAX_DEFAULTS_OF_A_CALL = 10'000;

std::string plural(size_t n, const char* what) { return std::to_string(n) + " " + what + (n == 1 ? "" : "s"); }

bool is_int_literal(ast::Expr* e) {
  if (!e) return false;
  if (auto* u = e->as<ast::UnaryExpr>()) return u->op == ast::UnaryOp::Neg && is_int_literal(u->operand);
  return e->kind == ast::ExprKind::Int;
}

bool is_function_literal(ast::Expr* e) { return e && (e->kind == ast::ExprKind::Lambda || e->kind == ast::ExprKind::AnonDef); }

}  // namespace

std::vector<BodyChecker::CallArg> BodyChecker::call_args(std::span<ast::Arg> args) {
  std::vector<CallArg> out;
  for (ast::Arg& arg : args) {
    if (auto* spread = arg.value->as<ast::DoubleStarExpr>()) {
      add_named_arguments(*this, spread, out);
      continue;
    }
    CallArg a;
    a.name = arg.name;
    a.name_span = arg.name_span;
    a.ast = arg.value;
    if (auto* star = arg.value->as<ast::StarExpr>()) {
      a.star = true;
      a.ast = star->operand;
    } else if (auto* owned = arg.value->as<ast::OwnedExpr>()) {
      a.owned = true;
      a.ast = owned->operand;
    }
    // A tuple spread over parameters is as many arguments as it has elements.
    if (a.star) {
      Expr* value = check(a.ast);
      TypeId type = known(value->type);
      if (types.kind(type) == Kind::Tuple) {
        VariableId temp = new_temp(value->type, value->span);
        emit_or_hold(variable_ref(temp, value->span), value);
        for (uint32_t i = 0; i < types.get(type).args.size(); ++i) {
          CallArg item;
          item.value = make_field(variable_ref(temp, value->span), i, types.arg(type, i), value->span);
          item.ast = nullptr;
          out.push_back(item);
        }
        continue;
      }
      a.value = value;
    }
    out.push_back(a);
  }
  return out;
}

bool BodyChecker::accepts(FunctionInfo* callee, const std::vector<CallArg>& args) {
  c.ensure_signature(callee);
  size_t positional = 0;
  std::vector<bool> given(callee->params.size());
  bool var_args = false, kw_args = false, starred = false;
  size_t normal = 0;
  for (const ParamInfo& p : callee->params) {
    var_args |= p.kind == ast::ParamKind::VarArgs;
    kw_args |= p.kind == ast::ParamKind::KwArgs;
    normal += p.kind == ast::ParamKind::Normal;
  }
  for (const CallArg& arg : args) {
    if (arg.star) { starred = true; continue; }
    if (is_spread_dict(arg)) {
      if (!kw_args) return false;
      continue;
    }
    if (!arg.name) {
      if (positional < normal) given[positional] = true;
      else if (!var_args) return false;
      ++positional;
      continue;
    }
    bool found = false;
    for (size_t i = 0; i < callee->params.size(); ++i)
      if (callee->params[i].name == arg.name && callee->params[i].kind != ast::ParamKind::VarArgs) { given[i] = true; found = true; }
    if (!found && !kw_args) return false;
  }
  if (starred && !var_args) return false;   // a list fills no parameter that has a place of its own
  for (size_t i = 0; i < callee->params.size(); ++i) {
    const ParamInfo& p = callee->params[i];
    if (!given[i] && !p.default_value && !p.null_default && p.kind != ast::ParamKind::VarArgs && p.kind != ast::ParamKind::KwArgs) return false;
  }
  return true;
}

// A default is checked, and its code made, at each call that leaves the argument out. One that leads back to itself has no end, and ones
// that each need two others double with every step.
bool BodyChecker::refuse_endless_default(const ParamInfo& param, Span span) {
  if (defaults_inside_.empty()) {
    defaults_made_ = 0;
    outermost_call_ = span;
  }
  bool is_inside_itself = std::find(defaults_inside_.begin(), defaults_inside_.end(), param.default_value) != defaults_inside_.end();
  if (is_inside_itself) {
    Diagnostic& d = c.error(Code::EndlessDefault, param.default_value->span, "the default of `" + param.name.str() + "` needs the default of `" + param.name.str() + "` again, and so on without end");
    d.help = "declare it as an optional (`T?`) whose default is null, or pass the argument here";
    return true;
  }
  if (++defaults_made_ <= MAX_DEFAULTS_OF_A_CALL) return false;
  if (defaults_made_ == MAX_DEFAULTS_OF_A_CALL + 1)
    c.error(Code::EndlessDefault, outermost_call_, "the defaults of this call need more than " + std::to_string(MAX_DEFAULTS_OF_A_CALL) + " others").help =
        "make the inner values in a function, and let the default call it";
  return true;
}

Expr* BodyChecker::check_default(const ParamInfo& param, TypeId expected, ModuleInfo* home, Span span, const Subst& known) {
  if (param.default_value && refuse_endless_default(param, span)) return poison(span);
  Span outer_call = default_call_;
  default_call_ = span;
  if (param.default_value) defaults_inside_.push_back(param.default_value);
  Expr* value = check_default_value(param, expected, home, span, known);
  if (param.default_value) defaults_inside_.pop_back();
  default_call_ = outer_call;
  return value;
}

Expr* BodyChecker::check_default_value(const ParamInfo& param, TypeId expected, ModuleInfo* home, Span span, const Subst& known) {
  if (!param.default_value) {
    auto* null = make<NullConst>(expected.valid() ? expected : types.null, span);
    return null;
  }
  if (param.default_scope == this) home = nullptr;
  if (!home) return expected.valid() ? check_to(param.default_value, expected) : check(param.default_value);
  // A default is an expression of the module that declares the function, not of the caller's scope.
  std::vector<std::unordered_map<Name, Binding>> scopes(1);
  std::unordered_set<Name> locals, globals, nonlocals;
  ModuleInfo* own_module = module;
  BodyChecker* own_parent = parent;
  bool own_body = is_module_body;
  std::swap(scopes, scopes_);
  std::swap(locals, local_names_);
  std::swap(globals, global_names_);
  std::swap(nonlocals, nonlocal_names_);
  module = home;
  is_module_body = false;
  if (!param.default_scope) parent = nullptr;
  bool has_own_types = param.default_class.valid() || (param.default_function && !param.default_scope);
  TypeScope own_types = type_scope;
  Subst own_subst = own_subst_;
  TypeId own_self = self_type;
  if (param.default_class.valid()) {
    type_scope = c.scope_of(c.nominal_info(param.default_class));
    own_subst_ = c.arguments_of(param.default_class);
    self_type = param.default_class;
  } else if (has_own_types) {
    type_scope = c.scope_of(param.default_function);
    own_subst_ = known;
  }
  Expr* value = expected.valid() ? check_to(param.default_value, expected) : check(param.default_value);
  if (has_own_types) {
    type_scope = own_types;
    own_subst_ = std::move(own_subst);
    self_type = own_self;
  }
  parent = own_parent;
  module = own_module;
  is_module_body = own_body;
  std::swap(scopes, scopes_);
  std::swap(locals, local_names_);
  std::swap(globals, global_names_);
  std::swap(nonlocals, nonlocal_names_);
  return value;
}

// Values whose variables stay usable after being passed as `owned`.
bool BodyChecker::is_copied_type(TypeId type) { return typed::is_copied_type(c, type); }

// The variable or module variable whose value this is, narrowed or seen as another type; null: it is something else, or a copy.
static Expr* find_moved(BodyChecker& b, Expr* value) {
  while (!b.is_copied_type(value->type)) {
    auto* unwrap = value->as<Unwrap>();
    auto* convert = value->as<Convert>();
    if (unwrap) value = unwrap->operand;
    else if (convert && !convert->checked) value = convert->operand;
    else return value->kind == ExprKind::Variable || value->kind == ExprKind::Global ? value : nullptr;
  }
  return nullptr;
}

void BodyChecker::note_moved(Expr* value, Span span) {
  value = find_moved(*this, value);
  if (!value) return;
  if (auto* global = value->as<GlobalRef>()) {
    GlobalInfo* moved = c.global_of(global->global);
    if (this != root || !is_module_body || !moved || moved->module != module || moved->is_const || moved->is_local) return;
    flow.moved_globals[moved->id.index] = span;
    moves_.push_back({VariableId(), moved->id, span});
    forget_place(place_key(value));
    return;
  }
  auto* ref = value->as<VariableRef>();
  if (var(ref->variable).kind == VariableKind::Temp) return;
  Variable& v = var(ref->variable);
  if (v.kind == VariableKind::Param && v.mode == ParamMode::Plain) return;   // borrowed: a copy of the reference is passed
  flow.moved[ref->variable.index] = span;
  flow.lose(ref->variable, span);
  moves_.push_back({ref->variable, GlobalId(), span});
  flow.forget(variable_key(ref->variable));
}

Expr* BodyChecker::move_out(Expr* value, ParamMode mode, Span span) {
  Expr* moved_from = find_moved(*this, value);
  if (!moved_from || !out_ || !temps_) return value;
  if (auto* ref = moved_from->as<VariableRef>()) {
    const Variable& v = var(ref->variable);
    bool is_own = v.kind == VariableKind::Local || (v.kind == VariableKind::Param && v.mode == ParamMode::Owned);
    if (flow.deferred.contains(ref->variable.index)) return value;   // an error on the way to the next assignment runs the `defer`
    if (!is_own || !flow.moved.contains(ref->variable.index) || (value == ref && mode == ParamMode::Owned)) return value;
    return make_seq([&] {
      VariableId held = hold(value, span);
      auto* drop = make_stmt<Drop>(span);
      drop->place = variable_ref(ref->variable, span);
      emit(drop);
      return variable_ref(held, span);
    }, span);
  }
  auto* global = moved_from->as<GlobalRef>();
  if (!flow.moved_globals.contains(global->global.index)) return value;
  GlobalInfo* moved = c.global_of(global->global);
  if (moved->is_pub || c.functions_mention(module, moved->name)) return value;
  VariableId held = hold(value, span);
  Span at = flow.moved_globals[global->global.index];
  flow.moved_globals.erase(global->global.index);
  delete_global(moved, span);
  flow.moved_globals[global->global.index] = at;
  return variable_ref(held, span);
}

Expr* BodyChecker::check_ref_argument(CallArg& arg, TypeId expected, Span span, LentPlaces& lent) {
  Expr* place = arg.value;
  std::function<void()> put_back;
  Block before = collect([&] {
    if (arg.ast) place = check_place(arg.ast, put_back);
  });
  if (!place) return poison(span);
  if (is_poison(place)) return place;
  if (!c.unifier.unify(place->type, expected)) {
    auto& d = c.error(Code::TypeMismatch, place->span, "a `ref` parameter needs a variable of exactly its type");
    d.expected = c.text(expected);
    d.found = c.text(place->type);
    return poison(span);
  }
  forget_place(place_key(place));
  auto* ref = make<RefTo>(place->type, place->span);
  ref->place = place;
  if (!before.empty() || put_back) lent.push_back({ref, before, std::move(put_back)});
  return ref;
}

namespace {

bool is_display(ast::Expr* e) {
  return e->kind == ast::ExprKind::List || e->kind == ast::ExprKind::Dict || e->kind == ast::ExprKind::Set || e->kind == ast::ExprKind::Comprehension;
}

// Of the one function that a name stands for, if that is not async; else null.
const std::vector<ParamInfo>* params_of_function(BodyChecker& b, ast::Expr* e) {
  auto* name = e->as<ast::NameExpr>();
  if (!name && e->kind != ast::ExprKind::Member) return nullptr;
  Binding binding = name ? b.lookup(name->name) : Binding();
  if (binding.kind == BindingKind::Nested) {
    NestedFunction& nested = *binding.nested;
    if (nested.is_variable || nested.decl->is_async) return nullptr;
    nested.home->declare_nested(nested);
    return &nested.params;
  }
  if (binding.kind != BindingKind::None) return nullptr;
  BodyChecker::Entity entity = b.find_entity(e);
  if (entity.kind != SymbolKind::Functions || entity.is_type_member || entity.symbol.functions->size() != 1) return nullptr;
  FunctionInfo* function = entity.symbol.functions->front();
  b.c.ensure_signature(function);
  return function->frame == FrameKind::None ? &function->params : nullptr;
}

bool takes_objects(BodyChecker& b, const std::vector<ParamInfo>* params) {
  return params && std::ranges::any_of(*params, [&](const ParamInfo& p) { return p.type.valid() && !b.types.has_param(p.type) && !is_copied_type(b.c, p.type); });
}

}  // namespace

namespace {

std::string quoted(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "`" : ", `") + name + "`";
  return text;
}

}  // namespace

namespace {

// The trait of a parameter `dyn A<T>` or `dyn A<T>?` whose `T` is not known yet; else invalid.
TypeId open_trait(BodyChecker& b, TypeId wanted) {
  if (!wanted.valid() || !b.c.unifier.has_unbound(wanted)) return {};
  if (b.c.kind(wanted) == Kind::Optional) wanted = b.types.arg(b.c.unifier.shallow(wanted));
  return b.c.kind(wanted) == Kind::Dyn ? b.types.arg(b.c.unifier.shallow(wanted)) : TypeId();
}

// As which uses of its trait a value could be passed for a `dyn` whose arguments are not known yet.
std::vector<TypeId> open_uses(BodyChecker& b, TypeId type, TypeId wanted) {
  Kind kind = b.c.kind(type);
  TypeId trait = open_trait(b, wanted);
  if (!trait.valid() || kind == Kind::Dyn || kind == Kind::Error) return {};
  std::vector<TypeId> uses = b.c.uses_of_trait(b.c.unifier.shallow(type), b.c.nominal_info(trait));
  std::erase_if(uses, [&](TypeId use) { return !b.c.unifier.could_unify(use, trait); });
  return uses;
}

Expr* refuse_open_uses(BodyChecker& b, Expr* value, TypeId wanted, const std::vector<TypeId>& uses) {
  std::string list;
  for (TypeId use : uses) list += (list.empty() ? "`" : " and `") + b.c.text(use) + "`";
  auto& d = b.c.error(Code::AmbiguousCall, value->span,
                      "`" + b.c.text(value->type) + "` has " + list + ", and nothing says which of them is meant");
  d.help = "say it: `… as dyn " + b.c.text(uses.front()) + "`";
  b.c.unifier.unify(open_trait(b, wanted), uses.front());  // no other error about the same
  return b.poison(value->span);
}

}  // namespace

bool BodyChecker::bind_args(const std::vector<ParamInfo>& params, const Subst& subst, std::vector<CallArg> args, Span span, const std::string& shown, Span declared_at, ModuleInfo* default_module, BoundArgs& out) {
  size_t n = params.size();
  std::vector<int> source(n, -1);            // which argument a parameter gets
  std::vector<size_t> extra;                 // positional arguments for *args
  std::vector<size_t> extra_named;           // for **fields
  size_t next = 0;
  size_t var_index = SIZE_MAX, kw_index = SIZE_MAX, normal = 0, required = 0;
  for (size_t i = 0; i < n; ++i) {
    if (params[i].kind == ast::ParamKind::VarArgs) var_index = i;
    if (params[i].kind == ast::ParamKind::KwArgs) kw_index = i;
    if (params[i].kind == ast::ParamKind::Normal) {
      ++normal;
      required += !params[i].default_value && !params[i].null_default;
    }
  }
  bool failed = false;
  auto is_of_std = [&](Span declared) { return declared.valid() && c.is_of_library(declared); };
  auto show_declaration = [&](Diagnostic& d) {
    if (declared_at.valid()) d.labels.push_back({declared_at, "declared here"});
  };
  size_t positional_given = 0;
  for (const CallArg& a : args) positional_given += !a.name && !is_spread_dict(a);
  bool seen_named = false;
  for (size_t i = 0; i < args.size(); ++i) {
    CallArg& arg = args[i];
    if (is_spread_dict(arg)) {
      seen_named = true;
      if (kw_index != SIZE_MAX) {
        extra_named.push_back(i);
        continue;
      }
      refuse_spread_dict(*this, arg, shown);
      failed = true;
      continue;
    }
    if (seen_named && !arg.name && !arg.star && !failed) {
      auto& d = c.error(Code::UnexpectedArgument, arg.ast ? arg.ast->span : span, "an argument without a name comes after one with a name");
      d.help = "put it before those with names, or give its name too";
      failed = true;
    }
    seen_named |= static_cast<bool>(arg.name);
    if (arg.star) {
      if (var_index == SIZE_MAX) {
        auto& d = c.error(Code::WrongArgumentCount, arg.value->span, "a list can't be spread over the parameters of `" + shown + "`, whose number is fixed");
        d.help = "pass the elements one by one";
        failed = true;
        continue;
      }
      extra.push_back(i);
      continue;
    }
    if (!arg.name) {
      while (next < n && params[next].kind != ast::ParamKind::Normal) ++next;
      if (next < n && source[next] < 0) { source[next++] = static_cast<int>(i); continue; }
      if (next < n) { ++next; --i; continue; }
      if (var_index != SIZE_MAX) { extra.push_back(i); continue; }
      if (!failed) {
        Span at = arg.ast ? arg.ast->span : span;
        bool takes_names = false;
        for (const auto& param : params) takes_names |= param.kind == ast::ParamKind::KwArgs;
        std::string takes = required == normal ? plural(normal, "argument") : "at most " + plural(normal, "argument");
        auto& d = c.error(Code::WrongArgumentCount, at, "`" + shown + "` takes " + takes + ", but " + std::to_string(positional_given) + (positional_given == 1 ? " is" : " are") + " given");
        show_declaration(d);
        d.help = takes_names ? "give it a name: `" + shown + "(…, name=…)`" : is_of_std(declared_at) ? "leave out what is too much" : "leave out what is too much, or give `" + shown + "` another parameter";
      }
      failed = true;
      continue;
    }
    size_t found = SIZE_MAX;
    for (size_t p = 0; p < n; ++p)
      if (params[p].name == arg.name && params[p].kind != ast::ParamKind::VarArgs && params[p].kind != ast::ParamKind::KwArgs) found = p;
    if (found == SIZE_MAX) {
      if (kw_index != SIZE_MAX) { extra_named.push_back(i); continue; }
      auto& d = c.error(Code::UnexpectedArgument, arg.name_span.valid() ? arg.name_span : span, "`" + shown + "` has no parameter `" + arg.name.str() + "`");
      std::vector<std::string> names;
      for (const ParamInfo& p : params) names.push_back(p.name.str());
      if (shown == "gather" && arg.name.text() == "return_exceptions") {
        d.help = "write `settled=true`: it gives an `Outcome` for each";
        if (arg.name_span.valid()) d.edits.push_back({arg.name_span, "settled"});
      } else if (auto guess = did_you_mean(arg.name.text(), names); !guess.empty()) {
        d.help = "did you mean `" + guess + "`?";
        if (arg.name_span.valid()) d.edits.push_back({arg.name_span, guess});
      } else if (declared_at.valid()) show_declaration(d);
      else if (!names.empty()) d.help = "it takes " + quoted(names);
      failed = true;
      continue;
    }
    if (source[found] >= 0) {
      c.error(Code::UnexpectedArgument, arg.name_span.valid() ? arg.name_span : span, "parameter `" + arg.name.str() + "` of `" + shown + "` is given twice");
      failed = true;
      continue;
    }
    source[found] = static_cast<int>(i);
  }
  std::string missing;
  size_t missing_count = 0;
  for (size_t p = 0; p < n && !failed; ++p)
    if (source[p] < 0 && !params[p].default_value && !params[p].null_default && params[p].kind != ast::ParamKind::VarArgs && params[p].kind != ast::ParamKind::KwArgs) {
      missing += (missing.empty() ? "`" : ", `") + params[p].name.str() + "`";
      ++missing_count;
    }
  if (missing_count) {
    auto& d = c.error(Code::MissingArgument, span, "`" + shown + "` needs " + (missing_count == 1 ? "an argument for " : "arguments for ") + missing);
    show_declaration(d);
    d.help = missing_count == 1 ? "add the argument " + missing : "add the arguments " + missing;
    if (shown == "this function" && !declared_at.valid()) d.help += "; a function that is a value has no defaults";
    failed = true;
  }
  out.values.assign(n, nullptr);
  out.modes.resize(n);
  out.types.resize(n);
  std::vector<TypeId> expected(n);
  for (size_t p = 0; p < n; ++p) {
    expected[p] = params[p].type.valid() ? c.apply(params[p].type, subst) : TypeId();
    out.modes[p] = params[p].mode;
  }
  if (failed) {
    for (CallArg& arg : args)
      if (arg.ast && !arg.value && !is_function_literal(arg.ast)) check(arg.ast);   // errors inside are still worth knowing
    return false;
  }
  // Values of known kind first, then int literals (they adapt), then function literals (their parameters come from the others).
  TypeId var_element;
  if (var_index != SIZE_MAX) var_element = expected[var_index].valid() ? types.arg(c.unifier.shallow(expected[var_index])) : c.unifier.fresh(span);
  // A named function of objects waits for those it is given: they may be frozen. A collection written here takes the type that it wants.
  bool has_display = std::ranges::any_of(args, [](const CallArg& arg) { return arg.ast && is_display(arg.ast); });
  auto waits = [&](const CallArg& arg) { return !arg.value && arg.ast && !has_display && args.size() > 1 && takes_objects(*this, params_of_function(*this, arg.ast)); };
  auto check_one = [&](CallArg& arg, TypeId& wanted, ParamMode mode, bool unannotated, size_t param) -> Expr* {
    if (mode == ParamMode::Ref) return check_ref_argument(arg, wanted.valid() ? wanted : c.unifier.fresh(span), span, out.lent);
    Expr* value = arg.value;
    if (!value) {
      bool was = wants_function_;
      wants_function_ = unannotated;
      auto is_frozen_too = [&](Expr* other) { return other && mentions_frozen(c, other->type); };
      if (unannotated && waits(arg) && std::ranges::any_of(out.values, is_frozen_too)) {   // what calls it tells what it is given
        const std::vector<ParamInfo>& taken = *params_of_function(*this, arg.ast);
        value = wrap_as_lambda(arg.ast, count_for_value(taken, true), arg.ast->span, TypeId(), &taken);
      } else {
        value = check(arg.ast, wanted);
      }
      wants_function_ = was;
    }
    if (wanted.valid()) {
      if ((out.lifts || out.lifts_nested) && !is_poison(value)) value = lift_argument(*this, value, out.lifts, param, wanted);
      value = coerce(value, wanted, value->span);
    }
    if (c.kind(value->type) == Kind::Void && !module->is_core && !(wanted.valid() && c.kind(wanted) == Kind::Void)) {
      c.error(Code::TypeMismatch, value->span, "this call gives no value that could be passed on");
      value = poison(value->span);
    }
    bool is_variable = value->kind == ExprKind::Variable || value->kind == ExprKind::Global;
    if ((mode == ParamMode::Owned || arg.owned) && (arg.ast || is_variable)) {   // what is made around an element moves nothing
      note_moved(value, value->span);
      value = move_out(value, mode, value->span);
    }
    return value;
  };
  for (size_t e : extra) {  // the elements of what is spread may be frozen, as the arguments around may be
    if (!args[e].star || !(out.lifts || out.lifts_nested) || is_poison(args[e].value)) continue;
    TypeId spread = c.resolve(known(args[e].value->type));
    if (c.kind(spread) == Kind::Frozen) spread = read_as(c, spread);
    bool is_frozen_list = c.nominal_info(spread) == c.core_nominal("list") && holds_frozen(c, types.arg(spread));
    TypeId lifted = is_frozen_list ? lifted_param(c, var_element, types.arg(spread)) : TypeId();
    if (!lifted.valid()) continue;
    var_element = lifted;
    expected[var_index] = c.list_of(lifted);
  }
  // A value whose type has the trait several times, `A<int>` and `A<str>`, waits for what the other arguments tell.
  std::vector<size_t> unsettled;
  auto could_be_several = [&](size_t p, CallArg& arg) {
    if (params[p].mode == ParamMode::Ref || !open_trait(*this, expected[p]).valid()) return false;
    if (!arg.value) arg.value = check(arg.ast, expected[p]);
    return open_uses(*this, arg.value->type, expected[p]).size() > 1;
  };
  auto settle = [&](bool is_last) {
    std::erase_if(unsettled, [&](size_t p) {
      CallArg& arg = args[static_cast<size_t>(source[p])];
      std::vector<TypeId> uses = open_uses(*this, arg.value->type, expected[p]);
      if (uses.size() > 1 && !is_last) return false;
      if (uses.size() > 1) arg.value = refuse_open_uses(*this, arg.value, expected[p], uses);
      out.values[p] = check_one(arg, expected[p], params[p].mode, false, p);
      return true;
    });
  };
  std::vector<Expr*> extra_values(extra.size());
  for (int pass = 0; pass < 3; ++pass) {
    auto in_pass = [&](const CallArg& arg) {
      auto* number = arg.value ? arg.value->as<IntConst>() : nullptr;
      bool adapts = arg.value ? number && number->is_literal : is_int_literal(arg.ast);
      int mine = !arg.value && (is_function_literal(arg.ast) || waits(arg)) ? 2 : adapts ? 1 : 0;
      return mine == pass;
    };
    // In the order of the source, in which they are evaluated: what one of them tells or ends counts for those after it.
    for (size_t i = 0; i < args.size(); ++i)
      for (size_t p = 0; p < n; ++p)
        if (source[p] == static_cast<int>(i) && in_pass(args[i])) {
          if (pass == 0 && could_be_several(p, args[i]))
            unsettled.push_back(p);
          else
            out.values[p] = check_one(args[i], expected[p], params[p].mode, !expected[p].valid(), p);
        }
    if (pass > 0) settle(pass == 2);
    for (size_t e = 0; e < extra.size(); ++e)
      if (!args[extra[e]].star && in_pass(args[extra[e]])) {
        TypeId wanted = var_element;
        extra_values[e] = check_one(args[extra[e]], wanted, ParamMode::Plain, false, var_index);
        if (holds_frozen(c, wanted) && !holds_frozen(c, var_element)) {   // all of them are frozen, then
          var_element = wanted;
          expected[var_index] = c.list_of(wanted);
        }
      }
  }
  // Evaluation follows the source; defaults come after.
  for (size_t i = 0; i < args.size(); ++i)
    for (size_t p = 0; p < n; ++p)
      if (source[p] == static_cast<int>(i)) out.order.push_back(static_cast<uint32_t>(p));
  if (var_index != SIZE_MAX) {
    bool single_star = extra.size() == 1 && args[extra[0]].star;
    TypeId list_type = c.list_of(var_element);
    if (single_star && c.unifier.could_unify(args[extra[0]].value->type, list_type)) {
      out.values[var_index] = coerce(args[extra[0]].value, list_type, span);
    } else {
      out.values[var_index] = make_seq([&]() -> Expr* {
        VariableId list = new_temp(list_type, span);
        emit_assign(variable_ref(list, span), call_static(list_type, "_with_capacity", {make_int(static_cast<int64_t>(extra.size()), span)}, span));
        for (size_t e = 0; e < extra.size(); ++e) {
          if (args[extra[e]].star) emit_expr(call_method(variable_ref(list, span), "extend", {args[extra[e]].value}, span));
          else emit_expr(call_method(variable_ref(list, span), "append", {extra_values[e]}, span));
        }
        return variable_ref(list, span);
      }, span);
    }
    out.order.push_back(static_cast<uint32_t>(var_index));
  }
  if (kw_index != SIZE_MAX) {
    TypeId dict_type = expected[kw_index].valid() ? c.unifier.shallow(expected[kw_index]) : c.core_type("dict", {types.str, types.any});
    if (types.kind(dict_type) == Kind::Var) c.unifier.unify(dict_type, c.core_type("dict", {types.str, types.any})), dict_type = c.unifier.shallow(dict_type);
    TypeId value_type = types.arg(dict_type, 1);
    out.values[kw_index] = make_seq([&]() -> Expr* {
      VariableId dict = new_temp(dict_type, span);
      emit_assign(variable_ref(dict, span), call_static(dict_type, "_with_capacity", {make_int(static_cast<int64_t>(extra_named.size()), span)}, span));
      for (size_t e : extra_named) {
        if (is_spread_dict(args[e])) {
          Expr* added = add_options(*this, variable_ref(dict, span), args[e], params);
          if (is_poison(added)) return added;
          emit_expr(added);
          continue;
        }
        Expr* value = coerce(args[e].value ? args[e].value : check(args[e].ast, value_type), value_type, span);
        emit_expr(call_method(variable_ref(dict, span), "__setitem__", {make_text(args[e].name.text(), span), value}, span));
      }
      return variable_ref(dict, span);
    }, span);
    expected[kw_index] = dict_type;
    out.order.push_back(static_cast<uint32_t>(kw_index));
  }
  for (size_t p = 0; p < n; ++p) {
    if (!out.values[p]) {
      ModuleInfo* home = params[p].default_home ? params[p].default_home : default_module;
      out.values[p] = check_default(params[p], expected[p], home, span, subst);
      out.order.push_back(static_cast<uint32_t>(p));
    }
    out.types[p] = expected[p].valid() ? expected[p] : out.values[p]->type;
    if (!expected[p].valid() && params[p].kind == ast::ParamKind::VarArgs) out.types[p] = out.values[p]->type;
  }
  bool in_order = true;
  for (size_t i = 0; i < out.order.size(); ++i) in_order &= out.order[i] == i;
  if (in_order) out.order.clear();
  for (Expr* value : out.values)
    if (is_poison(value)) failed = true;
  return !failed;
}

}  // namespace meteor::typed
