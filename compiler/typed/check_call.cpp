// Calls: functions, methods (direct, virtual, dyn), func values, overloads of
// the library, and constructors.
#include <algorithm>
#include <array>

#include "compiler/base/check.h"
#include "compiler/typed/assign_target.h"
#include "compiler/typed/blocking_call.h"
#include "compiler/typed/colour.h"
#include "compiler/typed/construction.h"
#include "compiler/typed/crossing.h"
#include "compiler/typed/did_you_mean.h"
#include "compiler/typed/frozen.h"
#include "compiler/typed/has_trait.h"
#include "compiler/typed/hidden_types.h"
#include "compiler/typed/lambda_bounds.h"
#include "compiler/typed/lifted_calls.h"
#include "compiler/typed/lifted_locals.h"
#include "compiler/typed/own_self.h"
#include "compiler/typed/reads_only.h"
#include "compiler/typed/spread.h"

namespace meteor::typed {

namespace {

bool is_lifted_call(BodyChecker& b, FunctionInfo* callee, bool frozen_self, const std::vector<TypeId>& params) {
  if (frozen_self) return true;
  for (size_t i = 0; i < params.size(); ++i)
    if (mentions_frozen(b.c, params[i]) && callee->params[i].type.valid() && !mentions_frozen(b.c, callee->params[i].type)) return true;
  return false;
}

// What a collection in a variable with a written type is given may be frozen: then so are its elements.
void keeps_frozen(BodyChecker& b, ast::TypeExpr* written, Expr* collection, FunctionInfo* method, const Subst& subst, const BodyChecker::BoundArgs& bound) {
  Checker& c = b.c;
  for (size_t i = 0; i < bound.types.size(); ++i) {
    TypeId given = c.resolve(bound.types[i]);
    if (!mentions_frozen(c, given)) continue;
    TypeId own = c.resolve(collection->type);
    TypeId wanted = method->params[i].type.valid() ? c.resolve(c.apply(method->params[i].type, subst)) : TypeId();
    if (wanted.valid() && wanted != own) {
      refine_annotation(b, written, wanted, given);
      continue;
    }
    TypeId items = read_as(c, given);   // `extend` and its like take all that is in something else
    bool is_same = wanted.valid() && c.nominal_info(items) == c.nominal_info(own);
    for (size_t part = 0; is_same && part < c.types.get(own).args.size(); ++part) refine_annotation(b, written, c.types.arg(own, part), c.types.arg(items, part));
    if (!wanted.valid() && is_collection(c, items)) refine_annotation(b, written, c.types.arg(own), c.types.arg(items));
  }
}

// A frozen value for a plain parameter: the function's lifted instance says whether that is right.
bool fits_but_for_frozen(Checker& c, TypeId wanted, TypeId frozen) {
  return c.unifier.could_unify(wanted, read_as(c, frozen)) || c.unifier.could_unify(wanted, thawed_type(c, frozen));
}

// What is awaited where a `T?` is wanted may be a future of a T: its arguments say which.
bool is_future_of_optional(Checker& c, TypeId type) {
  if (c.types.kind(type) != Kind::Class || c.nominal_info(type) != c.core_nominal("Future")) return false;
  return c.types.kind(c.unifier.shallow(c.types.arg(type))) == Kind::Optional;
}

// What a call would change is a `const`: that is what to say, since nothing at the call looks frozen.
void name_frozen_const(BodyChecker& b, Expr* receiver, Span span, size_t reported) {
  while (auto* convert = receiver ? receiver->as<Convert>() : nullptr) receiver = convert->operand;
  auto* ref = receiver ? receiver->as<GlobalRef>() : nullptr;
  const std::vector<Diagnostic>& all = b.c.sink.all();
  bool is_about_it = all.size() == reported + 1 && all.back().code == Code::AssignToConst && all.back().span.start == span.start;
  if (!ref || !is_about_it || !b.c.program.globals[ref->global.index].is_const) return;
  std::string name = b.c.program.globals[ref->global.index].name.str();
  std::vector<diagnostics::Label> labels = all.back().labels;
  b.c.sink.rewind(reported);
  Diagnostic& d = b.c.sink.report(Code::AssignToConst, span, "`" + name + "` is a `const`, which is frozen, and this call would change it");
  d.labels = std::move(labels);
  d.help = "make it a variable of the module, `" + name + " = …`, or one for each isolate: `local " + name + " = …`";
}

}  // namespace

// How deep type arguments nest: `list<list<int>>` has 2.
uint32_t BodyChecker::nesting_of(TypeId type) {
  uint32_t deepest = 0;
  for (TypeId arg : types.get(c.unifier.shallow(type)).args) deepest = std::max(deepest, nesting_of(arg) + 1);
  return deepest;
}

Expr* BodyChecker::call_function(FunctionInfo* callee, Subst subst, Expr* receiver, TypeId self_type, std::vector<CallArg> args, Span span, TypeId expected, bool force_direct, TypeId constructed, Name statement) {
  c.ensure_signature(callee);
  std::string shown = statement ? statement.str() : constructed.valid() ? c.nominal_info(constructed)->name.str() : callee->name().str();
  Span declared_at = statement ? Span() : callee->decl->name_span;
  if (receiver) {
    callee = in_def(*this, callee, self_type);
    c.ensure_signature(callee);
  }
  if (callee->is_refused) {
    for (CallArg& a : args)
      if (a.ast && !a.value) check(a.ast);
    return constructed.valid() ? make_error_of(constructed, span) : poison(span);
  }
  add_own_self(c, callee, subst, self_type);
  for (TypeParamInfo& p : callee->type_params)
    if (!subst.find(p.type).valid()) subst.add(p.type, c.unifier.fresh(span));
  bool gives_null = std::ranges::any_of(args, [](const CallArg& arg) { return arg.ast && arg.ast->kind == ast::ExprKind::Null; });
  if (expected.valid() && callee->result.valid() && !constructed.valid()) {
    TypeId result = c.apply(callee->result, subst);
    TypeId wanted = c.unifier.shallow(expected);
    if (types.kind(wanted) == Kind::Optional && c.kind(result) != Kind::Optional) wanted = c.unifier.shallow(types.arg(wanted));
    bool may_give_less = !gives_null && is_future_of_optional(c, wanted);
    if (c.unifier.has_unbound(result) && c.kind(result) == types.kind(wanted) && !may_give_less && c.unifier.could_unify(result, wanted)) c.unifier.unify(result, wanted);
  }
  if (receiver && callee->has_self && is_frozen(*this, receiver)) {
    TypeId inner = thawed_type(c, receiver->type);
    TypeId collection = inner;
    while (collection.valid() && c.nominal_info(collection) && !is_collection(c, collection)) collection = c.base_of(collection);
    if (callee->module->is_core && collection.valid() && is_collection(c, collection)) {
      receiver = receive_frozen_collection(*this, receiver, callee, span);
      if (!receiver) return poison(span);
      self_type = c.resolve(receiver->type);
      Subst explicit_args = std::move(subst);
      subst = c.find_member(receiver->type, callee->name()).subst;
      for (TypeParamInfo& p : callee->type_params)
        if (TypeId given = explicit_args.find(p.type); given.valid()) subst.add(p.type, given);
    } else if (c.mutates_self(callee) && c.kind(inner) != Kind::Class && c.kind(inner) != Kind::Dyn) {
      refuse_frozen_write(*this, inner, span);
      return poison(span);
    } else {
      self_type = c.resolve(receiver->type);
    }
  }
  BoundArgs bound;
  bound.lifts = callee->extern_symbol.empty() ? callee : nullptr;
  bool may_be_coloured = !args.empty() && takes_plain_functions(c, callee->params);
  std::vector<ParamInfo> params = may_be_coloured ? colour_params(*this, callee->params, args) : callee->params;
  ast::TypeExpr* kept_in = receiver && callee->module->is_core && is_collection(c, receiver->type) ? annotation_of(*this, receiver) : nullptr;
  bool ok = false;
  {
    FillsAnnotation filling(*this, kept_in);
    ok = bind_args(params, subst, std::move(args), span, shown, declared_at, callee->module, bound);
  }
  if (ok && kept_in && !reads_only(c, callee, 0)) keeps_frozen(*this, kept_in, receiver, callee, subst, bound);
  if (is_given_up(*this)) return poison(span);
  // What a `null` might have been besides, nobody will say: any type will do for which the traits asked for are there.
  for (const TypeParamInfo& p : callee->type_params) {
    TypeId type = c.unifier.shallow(subst.find(p.type));
    if (gives_null && !p.bounds.empty() && types.kind(type) == Kind::Optional && c.kind(types.arg(type)) == Kind::Var) c.unifier.unify(types.arg(type), types.bool_);
  }
  if (ok) ok = c.check_bounds(callee->type_params, subst, span);
  if (ok && !callee->extern_symbol.empty() && callee->module->is_std) {
    // The runtime takes any object, and looks into none: nobody needs to know how to show it.
    for (Expr* value : bound.values) {
      auto* convert = value ? value->as<Convert>() : nullptr;
      if (!convert || convert->convert != ConvertKind::ToAny) continue;
      auto at = std::find(root->boxed_.rbegin(), root->boxed_.rend(), convert->operand->type);
      if (at != root->boxed_.rend()) root->boxed_.erase(std::next(at).base());
    }
  }
  if (!ok) {
    if (constructed.valid()) return make_error_of(constructed, span);
    if (callee->result.valid()) return make_error_of(c.apply(callee->result, subst), span);
    return poison(span);
  }
  for (TypeId type : bound.types) {
    if (nesting_of(type) <= MAX_TYPE_NESTING) continue;
    bool is_instance = root->info && (!root->info->type_params.empty() || root->info->is_unannotated());
    if (callee->module->is_core && !is_instance) {   // what a literal stands for
      c.report_too_large(type, span, MAX_TYPE_NESTING);
      return poison(span);
    }
    auto& d = c.error(Code::InstantiationTooDeep, span, "`" + shown + "` is used with ever larger types without end");
    d.labels.push_back({callee->decl->name_span, "declared here"});
    c.show_chain(d, root->instance);
    d.help = "annotate its parameters, or end the recursion before the type grows";
    return poison(span);
  }
  TypeId called_on = self_type.valid() ? thawed_type(c, self_type) : self_type;
  Kind self_kind = called_on.valid() ? c.kind(called_on) : Kind::Error;
  bool frozen_self = receiver && is_frozen(*this, receiver);
  // Through a trait table.
  if (receiver && self_kind == Kind::Dyn) {
    TypeId trait = types.arg(c.unifier.shallow(called_on));
    auto methods = c.trait_methods(trait, called_on);
    for (uint32_t slot = 0; slot < methods.size(); ++slot) {
      if (methods[slot].first != callee || !c.unifier.could_unify(c.trait_with(callee->owner, methods[slot].second), c.trait_with(callee->owner, subst))) continue;
      if (c.names_self(callee)) {
        auto& d = c.error(Code::NotDynSafe, span, "`" + shown + "` can't be called through `dyn`: its `Self` is another type behind each value");
        d.labels.push_back({callee->decl->name_span, "declared here with `Self`"});
        d.help = "make the function around it generic: `def f<T: " + c.text(trait) + ">(a: T, b: T)`";
        return poison(span);
      }
      TypeId result = callee->result.valid() ? c.apply(callee->result, subst) : TypeId();
      if (!result.valid()) {
        result = c.instantiate(callee, subst, called_on, bound.types)->result;
        TypeId self = c.resolve(called_on);
        auto has_self = [&](TypeId at, auto& again) -> bool { return at == self || std::ranges::any_of(types.get(at).args, [&](TypeId arg) { return again(arg, again); }); };
        if (has_self(c.resolve(result), has_self)) {
          auto& d = c.error(Code::NotDynSafe, span, "`" + shown + "` can't be called through `dyn`: it gives its own type, which is another behind each value");
          d.labels.push_back({callee->decl->name_span, "declared here without a result type"});
          d.help = "say what it gives: `-> " + c.text(trait) + "`, or make the function around it generic: `def f<T: " + c.text(trait) + ">(x: T)`";
          return poison(span);
        }
      }
      bool is_lifted = is_lifted_call(*this, callee, frozen_self, bound.types);
      LiftedCall lifted{.receiver = called_on, .method = callee, .subst = subst, .frozen_self = frozen_self, .param_types = bound.types, .result = result, .span = root->instance && root->instance->is_lifted ? root->instance->asked_at : span, .caller = fn.id, .slot = slot};
      if (is_lifted) result = lifted.result = lifted_call_result(c, lifted);
      receiver = thaw(*this, receiver);
      auto* call = make<Call>(result, span);
      call->call = CallKind::Dyn;
      call->slot = slot;
      finish_call(call, receiver, ParamMode::Plain, bound);
      lifted.call = call;
      if (is_lifted) c.lifted_calls.push_back(std::move(lifted));
      call_may_write(callee, span);
      lent_places_written(call);
      return lend(call, callee->frame, bound.lent, span);
    }
  }
  if (self_kind == Kind::Dyn && callee->owner && callee->owner->kind == Kind::Trait && refuse_through_dyn(callee, types.arg(c.unifier.shallow(called_on)), span)) return poison(span);
  if (keeps_bounds() && callee->is_unannotated())
    for (PendingLambda& lambda : c.lambdas)
      if (!lambda.done && std::ranges::find(bound.values, lambda.closure) != bound.values.end()) note_given(lambda.flow, bound.types);
  Span outer_site = c.call_site;
  if (!module->is_std && !(info && info->is_derived)) c.call_site = root->instance && root->instance->is_lifted ? root->instance->asked_at : span;
  size_t reported = c.sink.mark();
  Span outer_call = c.user_call;
  if (!module->is_std) c.user_call = span;
  Instance* instance = c.instantiate(callee, subst, self_type, bound.types);
  c.user_call = outer_call;
  if (instance->writer) {   // it has been found to change what it is given frozen
    if (callee->module->is_std) instance->written_at = module->is_std ? c.user_call : span;
    if (Instance* caller = root->instance; caller && caller->is_lifted && !caller->writer) {
      caller->writer = instance->writer;
      caller->written_at = instance->written_at;
      caller->written = instance->written;
    }
    c.report_lifted(*instance, c.call_site);
    name_frozen_const(*this, receiver, span, reported);
  }
  c.call_site = outer_site;
  TypeId result = constructed.valid() ? constructed : instance->result;
  // As it is written where bounds count: an element of a `list<X>` is an X.
  if (keeps_bounds() && !instance->lifted_from.valid()) {   // a lifted one knows itself whether that is frozen
    if (constructed.valid()) result = callee->is_unannotated() ? as_standing(result, subst, bound.types) : result;
    else if (callee->result.valid() && instance->frame == callee->frame) result = c.apply(callee->result, subst);
    else result = as_standing(result, subst, bound.types);
  }
  auto* call = make<Call>(result, span);
  call->call = CallKind::Direct;
  ParamMode self_mode = callee->self_mode;
  if (receiver && callee->has_self) {
    if (c.mutates_self(callee) && self_kind != Kind::Class && self_kind != Kind::Dyn) {
      if (lies_in_frozen(*this, receiver)) {
        refuse_frozen_write(*this, receiver->type, span);
        return poison(span);
      }
      self_mode = ParamMode::Ref;
      receiver = reference_to(receiver, span, bound.lent);
    } else if (self_kind == Kind::Class && !force_direct) {
      if (auto slot = c.virtual_slot(called_on, callee, subst)) {
        call->call = CallKind::Virtual;
        call->slot = *slot;
        if (instance->is_lifted) {
          LiftedCall lifted{.receiver = called_on, .method = callee, .subst = subst, .frozen_self = frozen_self, .param_types = bound.types, .result = result, .span = c.call_site.valid() ? c.call_site : span, .caller = fn.id, .call = call};
          call->type = lifted.result = lifted_call_result(c, lifted);
          receiver = thaw(*this, receiver);
          c.lifted_calls.push_back(std::move(lifted));
        }
      }
    }
    if (callee->self_mode == ParamMode::Owned) note_moved(receiver, receiver->span);
  }
  call->starts_frame = instance->frame == FrameKind::Async && call->call == CallKind::Direct;
  PendingCall pending;
  pending.call = call;
  pending.instance = instance;
  pending.constructed = constructed;
  pending.caller = fn.id;
  c.add_pending(pending);
  finish_call(call, callee->has_self && !constructed.valid() ? receiver : nullptr, self_mode, bound);
  if (!check_crossings_of(*this, callee, call)) return poison(span);
  std::vector<TypeId> given_types = bound.types;   // it may run code of what it gets, and of the types it is told
  for (const TypeParamInfo& param : callee->type_params) given_types.push_back(c.apply(param.type, subst));
  if (!runs_own_code_only(callee, self_type, given_types)) call_may_write(callee, span);
  lent_places_written(call);
  bool became_async = callee->frame == FrameKind::None && instance->frame == FrameKind::Async;
  Expr* given = lend(call, instance->frame, bound.lent, span);
  if (became_async && waits_unasked(*this)) return make_await(given, span);
  // `freeze` of a collection of frozen values: one name for one type.
  if (is_frozen(*this, given) && c.kind(thawed_type(c, given->type)) != Kind::Func && !c.unifier.has_unbound(given->type))
    if (TypeId usual = frozen_type(c, thawed_type(c, given->type)); usual != c.resolve(given->type)) given = make_convert(ConvertKind::Reinterpret, given, usual);
  return unless_it_blocks(*this, callee, given, span);
}

Expr* BodyChecker::with_lent_places(Expr* result, Call* call, const LentPlaces& lent, Span span) {
  if (lent.empty() || is_poison(result)) return result;
  bool puts_back = std::ranges::any_of(lent, [](const LentPlace& place) { return static_cast<bool>(place.put_back); });
  return make_seq([&]() -> Expr* {
    if (call) hold_arguments(call, lent);
    if (!puts_back) return result;
    bool gives = c.kind(known(result->type)) != Kind::Void;
    VariableId kept = gives ? new_temp(result->type, span) : VariableId();
    auto* out = make_stmt<Cleanup>(span);
    out->body = collect([&] {
      if (gives) emit_assign(variable_ref(kept, span), result);
      else emit_expr(result);
    });
    out->cleanup = collect([&] {
      for (size_t i = lent.size(); i-- > 0;)
        if (lent[i].put_back) lent[i].put_back();
    });
    emit(out);
    return gives ? variable_ref(kept, span) : make<VoidConst>(types.void_, span);
  }, span);
}

void BodyChecker::hold_arguments(Call* call, const LentPlaces& lent) {
  std::vector<uint32_t> order(call->order.begin(), call->order.end());
  for (uint32_t i = 0; order.size() < call->args.size(); ++i) order.push_back(i);
  auto find = [&](uint32_t arg) { return std::ranges::find(lent, call->args[arg], &LentPlace::ref); };
  size_t end = order.size();   // behind the last lent place
  while (end > 0 && find(order[end - 1]) == lent.end()) --end;
  auto hold_one = [&](Expr*& value, ParamMode mode) {
    bool is_moved = mode == ParamMode::Owned && value->kind == ExprKind::Variable;
    if (is_constant(value) || is_moved || value->kind == ExprKind::MakeClosure || value->kind == ExprKind::RefTo) return;
    value = variable_ref(hold(value, value->span), value->span);
  };
  if (call->callee) hold_one(call->callee, ParamMode::Plain);
  for (size_t k = 0; k < end; ++k) {
    auto place = find(order[k]);
    if (place == lent.end()) hold_one(call->args[order[k]], call->modes[order[k]]);
    else
      for (Stmt* stmt : place->before) emit(stmt);
  }
  // What runs behind it must not put it back when it fails.
  for (size_t k = end; k < order.size(); ++k) {
    Expr*& value = call->args[order[k]];
    if (value->kind != ExprKind::MakeClosure && value->kind != ExprKind::RefTo) value = as_stable(value, value->span);
  }
}

void BodyChecker::finish_call(Call* call, Expr* receiver, ParamMode self_mode, BoundArgs& bound) {
  if (receiver) {
    bound.values.insert(bound.values.begin(), receiver);
    bound.modes.insert(bound.modes.begin(), self_mode);
    if (!bound.order.empty()) {
      for (uint32_t& i : bound.order) ++i;
      bound.order.insert(bound.order.begin(), 0);
    }
  }
  call->args = keep(bound.values);
  call->order = keep(bound.order);
  call->modes = keep(bound.modes);
}

// A receiver that the method may change: the place itself, or a temporary that holds the value.
Expr* BodyChecker::reference_to(Expr* value, Span span, LentPlaces& lent) {
  Expr* place = value;
  bool is_place = false, is_tested = false;
  for (Expr* at = value; at;) {
    auto* variable = at->as<VariableRef>();
    if (variable && is_tested && var(variable->variable).kind == VariableKind::Temp) break;   // `f()!`: nobody has it
    if (variable || at->kind == ExprKind::Global) { is_place = true; break; }
    if (auto* f = at->as<FieldRef>()) { at = f->object; if (c.kind(at->type) == Kind::Class) { is_place = true; break; } continue; }
    if (auto* u = at->as<Unwrap>()) { at = u->operand; continue; }
    if (auto* s = at->as<Seq>(); s && s->value->kind == ExprKind::Unwrap) { at = s->value; is_tested = true; continue; }   // `x!`
    break;
  }
  Kind kind = c.kind(value->type);
  NominalInfo* owner = kind == Kind::Struct || kind == Kind::Enum ? c.nominal_info(c.resolve(value->type)) : nullptr;
  if (!is_place && owner && !owner->module->is_std) {
    auto& d = c.error(Code::InvalidRefArgument, value->span, "this method changes the " + std::string(kind == Kind::Struct ? "struct" : "enum") + " it is called on, so it needs a variable");
    d.help = "put the value into a variable first";
  }
  if (!is_place) {
    VariableId temp = new_temp(value->type, span);
    emit_assign(variable_ref(temp, span), value);
    place = variable_ref(temp, span);
  } else {
    PlaceKey key = place_key(place);
    forget_place(key);
    if ((place->kind == ExprKind::Unwrap || place->kind == ExprKind::Seq) && !key.empty()) flow.know(key, value->type);   // what it writes there is no null
  }
  auto* ref = make<RefTo>(value->type, span);
  ref->place = place;
  std::vector<Expr*> optionals = is_place ? shared_optionals(*this, place) : std::vector<Expr*>();
  if (optionals.empty()) return ref;
  // Others may set it to null while the method runs: the method gets a copy, which is put back unless they did.
  VariableId copy;
  Block before = collect([&] {
    find_object_once(*this, place);
    copy = hold(place, span);
  });
  ref->place = variable_ref(copy, span);
  lent.insert(lent.begin(), {ref, before, [this, place, optionals, copy, span] {
    emit_unless_null(*this, optionals, span, [&] { emit_assign(place, variable_ref(copy, span)); });
  }});
  return ref;
}

Expr* BodyChecker::make_error_of(TypeId type, Span span) {
  // The call is wrong, but what it would give is known: later code can go on without follow-up errors.
  (void)type;
  return poison(span);
}

FunctionInfo* BodyChecker::choose_overload(Overloads& overloads, const Subst& subst, std::vector<CallArg>& args) {
  if (overloads.size() == 1) return overloads[0];
  std::vector<FunctionInfo*> fitting;
  for (FunctionInfo* f : overloads)
    if (accepts(f, args)) fitting.push_back(f);
  if (fitting.empty()) return overloads[0];
  if (fitting.size() == 1) return fitting[0];
  // Same number of arguments: the types decide. Functions and collections written as literals take the type that is wanted.
  auto takes_wanted_type = [](ast::Expr* e) {
    switch (e->kind) {
      case ast::ExprKind::Lambda: case ast::ExprKind::AnonDef: case ast::ExprKind::List: case ast::ExprKind::Dict: case ast::ExprKind::Set: return true;
      default: return false;
    }
  };
  // A call or a variable in a list has a type of its own, which can decide. It is checked again where the list is built: only its type is wanted here.
  auto has_own_type = [](const ast::Expr* e) { return e->kind == ast::ExprKind::Call || e->kind == ast::ExprKind::Name; };
  auto first_item = [&](CallArg& arg) -> Expr* {
    auto* list = arg.ast && !arg.value ? arg.ast->as<ast::ListExpr>() : nullptr;
    if (!list || list->items.empty() || !has_own_type(list->items[0]) || probes_ >= MAX_PROBES) return nullptr;
    ++probes_;
    Expr* item = nullptr;
    auto before = flow;
    collect([&] { item = check(list->items[0]); });
    flow = std::move(before);
    --probes_;
    if (is_poison(item)) arg.value = item;
    return item;
  };
  auto literal_fits = [&](const CallArg& arg, Expr* item, TypeId wanted) {
    ast::Expr* e = arg.ast;
    if (c.kind(wanted) == Kind::Var) return true;
    if (c.kind(wanted) == Kind::Optional) wanted = types.arg(c.unifier.shallow(wanted));
    switch (e->kind) {
      case ast::ExprKind::List: {
        if (c.nominal_info(wanted) != c.core_nominal("list")) return false;
        TypeId element = types.arg(c.unifier.shallow(wanted));
        return !item || c.unifier.could_unify(element, item->type) || can_convert(item, element);
      }
      case ast::ExprKind::Dict: return c.nominal_info(wanted) == c.core_nominal("dict");
      case ast::ExprKind::Set: return c.nominal_info(wanted) == c.core_nominal("set");
      default: return c.kind(wanted) == Kind::Func && (!types.get(c.unifier.shallow(wanted)).is_async || is_async_argument(arg));
    }
  };
  for (CallArg& arg : args)
    if (!arg.value && arg.ast && !takes_wanted_type(arg.ast)) arg.value = check(arg.ast);
  // What a function of the module becomes as a value depends on what it is given: it is looked at again then.
  auto choose = [&](FunctionInfo* f) {
    for (CallArg& arg : args) {
      auto* name =
          arg.ast && arg.value && arg.value->kind == ExprKind::MakeClosure ? arg.ast->as<ast::NameExpr>() : nullptr;
      if (name && lookup(name->name).kind == BindingKind::None) arg.value = nullptr;
    }
    return f;
  };
  std::vector<Expr*> items;
  for (CallArg& arg : args) items.push_back(first_item(arg));
  for (FunctionInfo* f : fitting) {
    Subst open = subst;
    for (TypeParamInfo& p : f->type_params) open.add(p.type, c.unifier.fresh());
    bool fits = true;
    size_t position = 0;
    for (CallArg& arg : args) {
      if (arg.name || position >= f->params.size()) { ++position; continue; }
      const ParamInfo& p = f->params[position++];
      if (!p.type.valid()) continue;
      TypeId type = c.apply(p.type, open);
      if (p.kind == ast::ParamKind::VarArgs) {   // the others go there too
        --position;
        if (!arg.star && c.nominal_info(type) == c.core_nominal("list")) type = types.get(c.unifier.shallow(type)).args[0];
      }
      if (c.kind(type) == Kind::Func && types.get(c.unifier.shallow(type)).is_async && !is_async_argument(arg)) fits = false;
      if (!arg.value) fits &= !arg.ast || literal_fits(arg, items[&arg - args.data()], type);
      else fits &= c.unifier.could_unify(type, arg.value->type) || can_convert(arg.value, type) || (is_frozen(*this, arg.value) && fits_but_for_frozen(c, type, arg.value->type));
    }
    if (fits) return choose(f);
  }
  return choose(fitting[0]);
}

// Type arguments that are written down leave those that take as many; what they stand for is added for each of them.
Overloads* BodyChecker::taking(Overloads* overloads, const std::vector<TypeId>& type_args, Overloads& left, Subst& subst, Span span) {
  if (type_args.empty()) return overloads;
  for (FunctionInfo* f : *overloads) {
    if (f->type_params.size() != type_args.size()) continue;
    left.push_back(f);
    for (size_t i = 0; i < type_args.size(); ++i) subst.add(f->type_params[i].type, type_args[i]);
  }
  if (!left.empty()) return &left;
  FunctionInfo* f = overloads->front();
  c.error(Code::WrongTypeArgumentCount, span, "`" + f->name().str() + "` takes " + std::to_string(f->type_params.size()) + " type arguments, not " + std::to_string(type_args.size()));
  return nullptr;
}

Expr* BodyChecker::call_overloads(Overloads& overloads, Subst subst, Expr* receiver, TypeId self_type, std::vector<CallArg> args, Span span, TypeId expected, Name shown, bool force_direct) {
  FunctionInfo* chosen = choose_overload(overloads, subst, args);
  bool is_statement = !receiver && chosen->module->is_core && shown != chosen->name();
  return call_function(chosen, std::move(subst), receiver, self_type, std::move(args), span, expected, force_direct, TypeId(), is_statement ? shown : Name());
}

Expr* BodyChecker::call_func_value(Expr* callee, std::vector<CallArg> args, Span span) {
  TypeId type = known(callee->type);
  if (types.kind(type) == Kind::Frozen && c.kind(types.arg(type)) == Kind::Func) {   // what it captured is frozen with it
    callee = thaw(*this, callee);
    type = known(callee->type);
  }
  if (types.kind(type) == Kind::Var) {
    // Something is called: it is a function of what it is given.
    std::vector<TypeId> params;
    for (CallArg& a : args) {
      if (!a.value) a.value = check(a.ast);
      params.push_back(a.value->type);
    }
    TypeId made = types.func(params, c.unifier.fresh(span));
    c.unifier.unify(type, made);
    type = c.unifier.shallow(type);
  }
  if (types.kind(type) != Kind::Func) {
    if (types.kind(type) == Kind::Error) return poison(span);
    if (Member call = find_member(callee->type, c.name("__call__")); call.kind == Member::Methods)
      return !settle(call, type, callee, c.name("__call__"), &args, span) ? poison(span) : call_overloads(*call.methods, call.subst, callee, type, std::move(args), span, TypeId(), c.name("__call__"));
    if (types.kind(type) == Kind::Optional) {
      auto& d = c.error(Code::OptionalNotUnwrapped, callee->span, "this may be null, so it can't be called");
      show_null_origin(d, callee);
      d.found = c.text(type);
      d.help = "test it with `is not null` first, or write `!` after it";
      return poison(span);
    }
    auto& d = c.error(Code::NotCallable, callee->span, "a value of type `" + c.text(type) + "` can't be called");
    (void)d;
    for (CallArg& a : args)
      if (a.ast && !a.value) check(a.ast);
    return poison(span);
  }
  auto params = types.func_params(type);
  std::vector<ParamInfo> infos;
  for (size_t i = 0; i < params.size(); ++i) {
    ParamInfo p;
    p.name = c.name("argument " + std::to_string(i + 1));
    p.type = params[i];
    p.mode = types.get(type).modes[i];
    infos.push_back(p);
  }
  TypeId result = types.func_result(type);
  if (types.get(type).is_async) result = c.core_type("Future", {result});
  BoundArgs bound;
  if (!bind_args(infos, {}, std::move(args), span, "this function", {}, module, bound)) return poison(span);
  auto* call = make<Call>(result, span);
  call->call = CallKind::Value;
  call->callee = callee;
  finish_call(call, nullptr, ParamMode::Plain, bound);
  call_may_write(nullptr, span);
  lent_places_written(call);
  Expr* given = lend(call, types.get(type).is_async ? FrameKind::Async : FrameKind::None, bound.lent, span);
  return is_coloured(callee) ? make_await(given, span) : given;
}

// A function of the library that asks for the elements of what it is given.
static bool goes_through_argument(BodyChecker& b, Name function) {
  static const std::unordered_set<std::string_view> NAMES = {"list", "set", "len", "sorted", "reversed", "enumerate",
                                                             "zip",  "min", "max", "map",    "filter"};
  if (!NAMES.contains(function.text())) return false;
  Symbol symbol = b.find_symbol(function);
  if (symbol.kind == SymbolKind::Functions) return symbol.functions->front()->module->is_core;
  return symbol.kind == SymbolKind::None || (symbol.kind == SymbolKind::Nominal && symbol.nominal->module->is_core);
}

// Futures have no sum; what they give has.
static Expr* refuse_sum_of_futures(BodyChecker& b, FunctionInfo* function, Expr* given) {
  if (!function->module->is_core || function->name().text() != "sum" || b.is_poison(given)) return given;
  if (!b.c.future_value(b.c.resolve(given->type)).valid()) return given;
  b.c.error(Code::UnawaitedFuture, given->span, "these are futures, which have no sum").help = "await them first: `sum(await gather(…))`";
  return b.poison(given->span);
}

Expr* BodyChecker::check_call(ast::CallExpr* expr, TypeId expected) {
  Span span = expr->span;
  ast::Expr* callee = expr->callee;
  // Plain names: nested functions, builtins, module functions, types.
  if (auto* n = callee->as<ast::NameExpr>()) {
    Binding local = lookup(n->name);
    if (local.kind == BindingKind::Nested) {
      std::vector<TypeId> type_args;
      for (ast::TypeExpr* t : expr->type_args) type_args.push_back(type_of(t));
      return call_nested(*local.nested, call_args(expr->args), type_args, span);
    }
    if (local.kind == BindingKind::None) {
      if (goes_through_argument(*this, n->name))
        for (ast::Arg& arg : expr->args) offer_cases(arg.value);
      bool handled = false;
      Expr* result = check_builtin_call(n->name, expr, expected, handled);
      if (handled) return result;
    }
  }
  if (auto* member = callee->as<ast::MemberExpr>()) {
    if (auto* n = member->object->as<ast::NameExpr>(); n && n->name.text() == "_intrinsic" && (module->is_std || (info && info->is_derived))) return check_intrinsic_call(expr, member->name);
    if (member->object->kind == ast::ExprKind::Super) return check_super_call(member, expr);
    if (refuse_init_call(*this, member, expr)) return poison(span);
  }
  Entity entity = find_entity(callee);
  if (callee->kind == ast::ExprKind::Name && is_plain_case(entity.symbol))
    if (Entity past = find_past_case(*this, callee)) entity = past;
  if (entity) {
    std::vector<TypeId> type_args;
    for (ast::TypeExpr* t : expr->type_args) type_args.push_back(type_of(t));
    switch (entity.kind) {
      case SymbolKind::Functions: {
        if (entity.is_type_member) return call_type_member(entity, expr, expected);
        Subst subst;
        Overloads left;
        Overloads* list = taking(entity.symbol.functions, type_args, left, subst, span);
        if (!list) return poison(span);
        std::vector<CallArg> args = call_args(expr->args);
        spread_as_list(*this, *list, args, span);
        Expr* given = call_overloads(*list, std::move(subst), nullptr, TypeId(), std::move(args), span, expected, list->front()->name());
        return refuse_sum_of_futures(*this, list->front(), given);
      }
      case SymbolKind::EnumCase: return make_case(entity.symbol.nominal, entity.symbol.case_index, call_args(expr->args), entity.type, span, expected);
      case SymbolKind::BuiltinType: case SymbolKind::Nominal: case SymbolKind::Alias: {
        TypeId type = entity_type(entity, type_args, span);
        return construct(type, call_args(expr->args), span, expected);
      }
      case SymbolKind::Module:
        c.error(Code::NotCallable, callee->span, "a module can't be called");
        return poison(span);
      default: break;
    }
  }
  if (auto* member = callee->as<ast::MemberExpr>()) return check_method_call(member, expr, expected);
  called_with_ = callee->kind == ast::ExprKind::Name ? static_cast<int>(expr->args.size()) : -1;
  Expr* function = check(callee);
  called_with_ = -1;
  return call_callee(function, expr);
}

Expr* BodyChecker::call_callee(Expr* function, ast::CallExpr* expr) {
  if (!is_poison(function)) return call_func_value(function, call_args(expr->args), expr->span);
  for (ast::Arg& a : expr->args)
    if (a.value->kind != ast::ExprKind::Lambda && a.value->kind != ast::ExprKind::Star && a.value->kind != ast::ExprKind::DoubleStar && a.value->kind != ast::ExprKind::Owned) check(a.value);
  return function;
}

bool BodyChecker::refuse_through_dyn(FunctionInfo* callee, TypeId trait, Span span) {
  bool is_default = callee->decl->has_body;
  if (is_default && !c.is_overridden_default(callee)) return false;   // made for `dyn` itself
  std::string why = !callee->has_self ? "it has no `self` that would tell the type" : !callee->type_params.empty() || callee->is_unannotated() ? "it is made anew for each type it is used with" : "its `Self` is another type behind each value";
  auto& d = c.error(Code::NotDynSafe, span, "`" + callee->name().str() + "` can't be called through `dyn " + c.text(trait) + "`: " + why);
  d.labels.push_back({callee->decl->name_span, is_default ? "declared here; some types have a method of their own instead" : "declared here"});
  d.help = callee->has_self ? "make the function around it generic: `def f<T: " + c.text(trait) + ">(x: T)`" : "call it on a type: `T." + callee->name().str() + "(…)` with `T: " + c.text(trait) + "`";
  return true;
}

Expr* BodyChecker::call_type_member(const Entity& entity, ast::CallExpr* expr, TypeId expected) {
  if (c.kind(entity.type) == Kind::Trait) return call_trait_member(entity, expr, expected);
  Name method = expr->callee->as<ast::MemberExpr>()->name;
  Member found = find_member(entity.type, method);
  std::vector<CallArg> args = call_args(expr->args);
  if (!found.rivals.empty() && found.methods->front()->has_self && !args.empty()) {   // the first is the object
    std::vector<CallArg> others(args.begin() + 1, args.end());
    if (!args[0].value) args[0].value = check(args[0].ast, entity.type);
    if (!settle(found, entity.type, args[0].value, method, &others, expr->span)) return poison(expr->span);
    std::ranges::copy(others, args.begin() + 1);
  }
  if (!settle(found, entity.type, nullptr, method, &args, expr->span)) return poison(expr->span);
  if (found.kind != Member::Methods) return poison(expr->span);
  Subst subst = found.subst;
  FunctionInfo* f = found.methods->front();
  for (size_t i = 0; i < expr->type_args.size() && i < f->type_params.size(); ++i) subst.add(f->type_params[i].type, type_of(expr->type_args[i]));
  if (!f->has_self) return call_overloads(*found.methods, std::move(subst), nullptr, entity.type, std::move(args), expr->span, expected, method);
  if (args.empty() || args[0].name) {
    auto& d = c.error(Code::MissingArgument, expr->span, "`" + method.str() + "` is a method and needs an object");
    d.help = "call it on a value: `x." + method.str() + "(…)`";
    return poison(expr->span);
  }
  Expr* receiver = args[0].value ? args[0].value : check(args[0].ast, entity.type);
  receiver = coerce(receiver, entity.type, receiver->span);
  args.erase(args.begin());
  if (is_poison(receiver)) return receiver;
  return call_overloads(*found.methods, std::move(subst), receiver, entity.type, std::move(args), expr->span, expected, method, true);
}

namespace {

// The defaults that the traits have for a method. One that builds on another's trait replaces it; several others are rivals.
Member default_above(Checker& c, const std::vector<TypeId>& traits, TypeId self, Name n) {
  std::vector<Member> found;
  for (TypeId trait : c.traits_declaring(traits, self, n)) {
    Member one = c.find_trait_method(self, trait, n, Checker::Wanted::WithBody);
    bool is_known = std::ranges::any_of(found, [&](const Member& m) { return m.methods == one.methods; });
    if (!one || is_known) continue;
    one.trait = trait;
    found.push_back(std::move(one));
  }
  if (found.empty()) return {};
  Member out = found.front();
  if (found.size() > 1) out.rivals = std::move(found);
  return out;
}

}  // namespace

Expr* BodyChecker::check_super_call(ast::MemberExpr* member, ast::CallExpr* expr) {
  if (member->name.text() != "__init__" && refuse_unfinished_self(*this, member->span)) return poison(expr->span);
  bool in_trait = info && info->owner && info->owner->kind == Kind::Trait;
  TypeId base = self_type.valid() && c.kind(self_type) == Kind::Class && info && info->owner && !in_trait ? c.base_of(owner_type()) : TypeId();
  // What the traits bring is above the type's own methods too.
  if (self_type.valid() && info && (!base.valid() || c.find_member(base, member->name).kind != Member::Methods)) {
    std::vector<TypeId> traits;
    if (info->impl && info->impl->trait.valid()) {
      traits.push_back(info->impl->trait);
    } else if (in_trait) {
      for (TypeId trait : info->owner->traits) traits.push_back(applied(trait));
    } else if (info->owner) {
      c.ensure_header(info->owner);
      Subst subst = c.arguments_of(c.resolve(owner_type()));
      for (TypeId trait : info->owner->traits) traits.push_back(c.apply(trait, subst));
    }
    Binding self = lookup(c.name("self"));
    Member found = default_above(c, traits, self_type, member->name);
    if (found && self.variable.valid()) {
      std::vector<CallArg> args = call_args(expr->args);
      if (!settle(found, self_type, variable_ref(self.variable, Span()), member->name, &args, expr->span)) return poison(expr->span);
      return call_overloads(*found.methods, found.subst, variable_ref(self.variable, member->object->span), self_type, std::move(args), expr->span, TypeId(), member->name, true);
    }
  }
  if (!base.valid()) {
    auto& d = c.error(Code::InvalidSuper, member->object->span, "`super` needs a method of a class that has a base class");
    d.help = "call the method on `self`";
    return poison(expr->span);
  }
  Member found = c.find_member(base, member->name);
  Binding self = lookup(c.name("self"));
  if (self.kind != BindingKind::Variable || !self.variable.valid()) return poison(expr->span);
  if (found.kind != Member::Methods) {
    if (member->name.text() == "__init__") {
      // The base has no constructor of its own: its fields are given by position or name.
      if (refuse_second_base_init(*this, nullptr, base, expr->span)) return poison(expr->span);
      Expr* made = init_base_fields(base, expr);
      note_base_init(*this, base, expr->span);
      return made;
    }
    c.error(Code::UnknownMember, member->name_span, "the base class `" + c.text(base) + "` has no method `" + member->name.str() + "`");
    return poison(expr->span);
  }
  Expr* receiver = variable_ref(self.variable, member->object->span);
  std::vector<CallArg> args = call_args(expr->args);
  if (!settle(found, base, receiver, member->name, &args, expr->span)) return poison(expr->span);   // of several impls
  if (!found.methods->front()->decl->has_body) {
    c.error(Code::InvalidSuper, member->name_span, "`" + member->name.str() + "` has no body in the base");
    return poison(expr->span);
  }
  bool is_init = member->name.text() == "__init__";
  if (is_init && refuse_second_base_init(*this, found.methods, base, expr->span)) return poison(expr->span);
  if (is_init)
    for (FunctionInfo* base_init : *found.methods)
      if (refuse_early_base_init(*this, base_init, base, expr->span)) return poison(expr->span);
  bool keeps_type = varies_with_self(c, found.methods->front());   // what it gives or makes is one of these
  Expr* seen = receiver;
  if (!keeps_type) seen = is_frozen(*this, receiver) ? coerce(receiver, frozen_type(c, base), receiver->span) : make_convert(ConvertKind::Upcast, receiver, base);
  Expr* called = call_overloads(*found.methods, found.subst, seen, keeps_type ? self_type : base, std::move(args), expr->span, TypeId(), member->name, true);
  if (is_init) note_base_init(*this, base, expr->span);
  return called;
}

Expr* BodyChecker::check_method_call(ast::MemberExpr* member, ast::CallExpr* expr, TypeId expected) {
  Span span = expr->span;
  switch (find_entity(member->object).kind) {
    case SymbolKind::Module: case SymbolKind::Nominal: case SymbolKind::Alias: case SymbolKind::BuiltinType:
      return call_callee(check_member(member, TypeId()), expr);   // a variable of a module, a constant of a type
    default: break;
  }
  Expr* self = own_field_object(*this, member->object, member->name);   // a field that holds a function
  Expr* object = self ? self : seen_as_trait(*this, check_receiver(member->object), member->name);
  if (is_poison(object)) return call_callee(object, expr);
  TypeId type = require_known(object->type, member->object->span, "this value");
  if (types.kind(type) == Kind::Error) return poison(span);
  Member found = find_member(object->type, member->name);
  if (found.kind == Member::None && module->is_std && member->name.text() == "__iter__") return make_iterator(object, span);
  if (found.kind == Member::Methods && (!found.rivals.empty() || !found.methods->front()->is_property)) {
    std::vector<CallArg> args = call_args(expr->args);
    if (!settle(found, type, object, member->name, &args, span)) return poison(span);
    if (found.kind == Member::Field) return call_func_value(member_of(object, member->name, member->name_span, callee_span(member), TypeId()), std::move(args), span);
    if (!may_see(found, member->name, member->name_span)) return poison(span);
    Subst subst = found.subst;
    std::vector<TypeId> type_args;
    for (ast::TypeExpr* t : expr->type_args) type_args.push_back(type_of(t));
    Overloads left;
    found.methods = taking(found.methods, type_args, left, subst, span);
    if (!found.methods) return poison(span);
    if (!found.methods->front()->has_self) return call_overloads(*found.methods, std::move(subst), nullptr, type, std::move(args), span, expected, member->name);
    if (Expr* changed = change_element(object, member, found, args, span, subst, expected)) return changed;
    // The receiver is evaluated first; a chain of calls may change it only through references.
    return call_overloads(*found.methods, std::move(subst), object, type, std::move(args), span, expected, member->name);
  }
  return call_callee(member_of(object, member->name, member->name_span, callee_span(member), TypeId()), expr);
}

}  // namespace meteor::typed
