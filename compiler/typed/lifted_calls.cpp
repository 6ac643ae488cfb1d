#include "compiler/typed/lifted_calls.h"

#include <algorithm>
#include <map>

#include "compiler/typed/frozen.h"
#include "compiler/typed/reads_only.h"

namespace meteor::typed {

namespace {

bool is_by_trait(Checker& c, const LiftedCall& call) { return c.kind(call.receiver) == Kind::Dyn; }

// Methods of the library's collections see a frozen one as a collection of frozen elements.
bool is_of_collection(Checker& c, const FunctionInfo* method, TypeId type) {
  return is_collection(c, type) && method->module->is_core;
}

// A struct or enum that the method changes, called with something frozen: only the table leads to the one inside the `dyn`.
bool is_changed_value(Checker& c, const LiftedCall& call, FunctionInfo* method, TypeId type) {
  return !call.frozen_self && c.kind(type) != Kind::Class && c.mutates_self(method);
}

bool is_reached(Checker& c, const LiftedCall& call, TypeId type) {
  switch (c.kind(type)) {
    case Kind::Class: break;
    case Kind::Struct: case Kind::Enum: case Kind::Tuple: case Kind::Func: case Kind::Bool: case Kind::Int: case Kind::Float: case Kind::Str: case Kind::Bytes:
      if (!is_by_trait(c, call)) return false;
      break;
    default: return false;
  }
  if (c.types.has_param(type) || c.types.has_var(type)) return false;
  return is_by_trait(c, call) ? c.implements(type, c.types.arg(c.resolve(call.receiver))) : c.could_be_subclass(type, call.receiver);
}

// `result` with `frozen` wherever the instance gives it.
TypeId joined_result(Checker& c, TypeId result, const Instance& instance) {
  TypeId given = c.resolve(instance.result);
  bool is_iterator = c.kind(result) == Kind::Dyn && instance.frame == FrameKind::Generator;
  if (!is_iterator) return with_frozen_parts(c, result, given);
  types::Type trait = c.types.get(c.types.arg(result));   // a generator as an iterator
  if (trait.args.size() != 1) return result;
  trait.args[0] = with_frozen_parts(c, trait.args[0], c.produced_of(given));
  return c.types.wrap(Kind::Dyn, c.types.intern(std::move(trait)));
}

void add_subclasses(NominalInfo* info, std::vector<NominalInfo*>& out) {
  for (NominalInfo* sub : info->subclasses) {
    if (std::ranges::find(out, sub) != out.end()) continue;
    out.push_back(sub);
    add_subclasses(sub, out);
  }
}

size_t depth_of(Checker& c, TypeId type) {
  size_t depth = 0;
  for (TypeId at = type; c.kind(type) == Kind::Class && at.valid(); at = c.base_of(at)) ++depth;
  return depth;
}

}  // namespace

TypeId lifted_call_result(Checker& c, const LiftedCall& call) {
  TypeId result = c.resolve(call.result);
  TypeId produced = call.method->frame == FrameKind::None ? result : c.produced_of(result);
  if (!produced.valid() || c.types.has_var(result) || c.unifier.has_unbound(call.receiver) || c.kind(produced) == Kind::Void || lifted_results(c, produced).size() == 1) return result;
  std::vector<NominalInfo*> infos;
  if (is_by_trait(c, call)) infos = c.all_nominals();
  else add_subclasses(c.nominal_info(call.receiver), infos);
  for (NominalInfo* info : infos) {
    if (info->kind == Kind::Trait) continue;
    c.ensure_header(info);
    std::vector<TypeId> args;
    for (size_t i = 0; i < info->type_params.size(); ++i) args.push_back(c.unifier.fresh(call.span));
    TypeId type = args.empty() ? info->self_type : c.types.nominal(info->kind, info->id, args);
    bool has_it = is_by_trait(c, call) ? c.implements(type, c.types.arg(c.resolve(call.receiver))) : c.could_be_subclass(type, call.receiver) && c.is_subclass(type, call.receiver);
    if (!has_it || c.unifier.has_unbound(type)) continue;   // what else its parameters may be is seen at the end
    Instance* instance = c.peek_implementation(call, c.resolve(type));
    if (instance && instance->body_done && !instance->writer && !c.types.has_var(c.resolve(instance->result))) result = joined_result(c, result, *instance);
  }
  return result;
}

Instance* Checker::peek_implementation(const LiftedCall& call, TypeId type) {
  Instance* outer = std::exchange(lifted_body, nullptr);
  ++quiet_lifts;
  peeks = true;
  Instance* instance = lifted_implementation(call, type);
  peeks = false;
  --quiet_lifts;
  lifted_body = outer;
  return instance;
}

Instance* Checker::lifted_implementation(const LiftedCall& call, TypeId type, TypeId told) {
  bool by_trait = is_by_trait(*this, call);
  TypeId called_on = call.frozen_self ? frozen_type(*this, type) : type;
  Member member = by_trait ? find_impl_method(called_on, trait_with(call.method->owner, call.subst), call.method->name()) : find_virtual_member(type, call.method->name());
  FunctionInfo* method = call.method;
  Subst subst = call.subst;
  if (member.kind == Member::Field) {   // stands for a property
    method = getter_of(member, call.method->name());
    TypeId at = type;
    while (nominal_info(at) != member.owner) at = base_of(at);
    subst = arguments_of(at);
  } else if (member.kind == Member::Methods) {
    method = member.methods->front();
    for (FunctionInfo* one : *member.methods)
      if (one->params.size() == call.method->params.size()) method = one;
    subst = member.subst;
  } else if (by_trait) {
    subst.add(call.method->owner->self_type, type);
  }
  ensure_signature(method);
  if ((!method->decl->has_body && method->extern_symbol.empty()) || method->params.size() != call.param_types.size()) return nullptr;
  bool is_value = kind(type) != Kind::Class;
  bool is_library = is_of_collection(*this, method, type);
  if (call.frozen_self && ((is_library && !reads_only(*this, method, 0)) || (is_value && mutates_self(method)))) {
    if (quiet_lifts > 0) return nullptr;
    auto& d = error(Code::AssignToConst, call.span, "`" + method->name().str() + "` of `" + text(type) + "` changes what it is called on, which may be frozen here");
    if (!is_of_library(method->decl->name_span)) d.labels.push_back({method->decl->name_span, "declared here"});
    return nullptr;
  }
  if (is_library && call.frozen_self) {
    called_on = collection_view(*this, type);
    if (Member seen = find_member(called_on, method->name()); seen.kind == Member::Methods) subst = seen.subst;
  }
  Span outer = std::exchange(call_site, call.span);
  Instance* instance = instantiate(method, subst, called_on, call.param_types, told);
  call_site = outer;
  if (instance->writer && !told.valid()) report_lifted(*instance, call.span);
  return instance;
}

// Which function stands for the tables in a call of these types.
LiftedDispatch& Checker::dispatch_of(LiftedCall& call) {
  if (call.dispatch) return *call.dispatch;
  call.receiver = resolve(call.receiver);
  call.result = resolve(call.result);
  for (TypeId& param : call.param_types) param = resolve(param);
  for (auto& [from, to] : call.subst.pairs) to = resolve(to);
  std::string key = std::to_string(reinterpret_cast<uintptr_t>(call.method)) + (call.frozen_self ? "f" : "p");
  auto put = [&](TypeId type) { key += "," + std::to_string(type.index); };
  put(call.receiver);
  put(call.result);
  for (TypeId param : call.param_types) put(param);
  for (const TypeParamInfo& param : call.method->owner->type_params) put(resolve(apply(param.type, call.subst)));
  call.dispatch = &dispatches_[key];
  return *call.dispatch;
}

// The chain of tests: `if self is Sub: return Sub.go(self, …)`.
void Checker::build_dispatch(const LiftedCall& call, LiftedDispatch& to) {
  Span span = call.method->decl->name_span;
  bool is_new = !to.function.valid();
  if (is_new) to.function = make_typed_function(text(call.receiver) + "." + call.method->name().str() + " (frozen)", span, call.method->module).id;
  Function& fn = program.function(to.function);
  fn.has_body = true;
  fn.is_untraced = true;
  fn.result = call.result;
  fn.variables.clear();
  auto add = [&](Name n, TypeId type, ParamMode mode) {
    Variable v;
    v.name = n;
    v.type = type;
    v.kind = VariableKind::Param;
    v.mode = mode;
    fn.variables.push_back(v);
  };
  add(name("self"), call.receiver, call.method->self_mode);
  for (size_t i = 0; i < call.param_types.size(); ++i) add(call.method->params[i].name, call.param_types[i], call.method->params[i].mode);
  fn.param_count = static_cast<uint32_t>(fn.variables.size());
  check_depth_enter();
  auto made = std::make_unique<BodyChecker>(*this, fn, core_, nullptr);
  BodyChecker* b = made.get();
  b->type_scope.module = core_;
  b->declared_result = call.result;
  add_unfinished(std::move(made));
  std::vector<Stmt*> stmts;
  std::vector<VariableId> temps;
  b->out_ = &stmts;
  b->temps_ = &temps;
  bool by_trait = is_by_trait(*this, call);
  auto self = [&] { return b->variable_ref(VariableId(0), span); };
  auto as = [&](Expr* value, TypeId type) { return value->type == type ? value : b->make_convert(ConvertKind::Reinterpret, value, type); };
  auto fill = [&](Call* out, Expr* receiver) {
    BodyChecker::BoundArgs bound;
    for (uint32_t i = 0; i < call.param_types.size(); ++i) {
      Expr* value = b->variable_ref(VariableId(i + 1), span);
      ParamMode mode = call.method->params[i].mode;
      if (mode == ParamMode::Ref) {
        auto* ref = b->make<RefTo>(value->type, span);
        ref->place = value;
        value = ref;
      }
      bound.values.push_back(value);
      bound.modes.push_back(mode);
    }
    b->finish_call(out, receiver, call.method->self_mode, bound);
  };
  auto give = [&](Expr* value) {
    bool gives = kind(call.result) != Kind::Void;
    if (!gives) b->emit_expr(value);
    auto* out = b->make_stmt<Return>(span);
    out->value = gives ? b->coerce(value, call.result, span) : nullptr;
    b->emit(out);
  };
  to.refusals.clear();
  std::map<size_t, std::vector<LiftedDispatch::Entry>, std::greater<>> by_depth;   // a test for a class holds for its subclasses too
  for (const LiftedDispatch::Entry& entry : to.entries) by_depth[depth_of(*this, entry.type)].push_back(entry);
  std::vector<LiftedDispatch::Entry> entries;
  for (auto& [depth, some] : by_depth) entries.insert(entries.end(), some.begin(), some.end());
  for (const LiftedDispatch::Entry& entry : entries) {
    Instance* instance = entry.instance;
    auto* test = b->make<IsType>(types.bool_, span);
    test->operand = by_trait ? as(self(), types.wrap(Kind::Frozen, call.receiver)) : self();   // a frozen one is asked for its type alone
    test->tested = entry.type;
    auto made_call = [&] {
      Expr* receiver = by_trait ? b->make_convert(ConvertKind::FromAny, self(), entry.type) : b->make_convert(ConvertKind::Downcast, self(), entry.type);
      auto* out = b->make<Call>(instance->result, span);
      out->call = CallKind::Direct;
      fill(out, as(receiver, instance->self_type));
      return out;
    };
    Call* out = made_call();
    bool is_void = kind(call.result) == Kind::Void;
    if (!is_void && kind(instance->result) != Kind::Error && !b->can_convert(out, call.result)) {
      TypeId wanted = instance->frame == FrameKind::None ? call.result : produced_of(call.result);
      instance = wanted.valid() ? lifted_implementation(call, entry.type, wanted) : nullptr;
      if (instance) {
        function_of(instance);
        check_instance_body(instance);
        out = made_call();
      }
      if (!instance || instance->writer || !b->can_convert(out, call.result)) {
        to.refusals.push_back({entry.type, entry.instance->info->decl->name_span});
        continue;
      }
    }
    PendingCall pending;
    pending.call = out;
    pending.instance = instance;
    pending.caller = fn.id;
    add_pending(pending);
    auto* branch = b->make_stmt<If>(span);
    branch->condition = test;
    branch->then_body = b->collect([&] { give(out); });
    b->emit(branch);
  }
  if (to.by_table) {
    auto* out = b->make<Call>(call.result, span);
    out->call = CallKind::Dyn;
    out->slot = call.slot;
    fill(out, self());
    give(out);
  } else {
    b->raise_new("TypeError", b->make_text("`" + call.method->name().str() + "` is not known for this frozen value", span), span);
  }
  auto* block = b->make_stmt<BlockStmt>(span);
  block->body = b->keep(stmts);
  block->temps = b->keep(temps);
  program.function(to.function).body = b->keep(std::vector<Stmt*>{block});
  b->out_ = nullptr;
  b->temps_ = nullptr;
  check_depth_leave();
  to.built = to.entries.size();
}

bool Checker::check_lifted_calls() {
  bool any = check_frozen_ends();
  for (size_t i = 0; i < lifted_calls.size(); ++i) {
    if (!lifted_calls[i].method) continue;
    LiftedDispatch& to = dispatch_of(lifted_calls[i]);
    for (size_t& at = lifted_done_[i]; at < noted_order_.size();) {
      TypeId type = noted_order_[at++];
      LiftedCall call = lifted_calls[i];
      if (!is_reached(*this, call, type)) continue;
      Instance* instance = lifted_implementation(call, type);
      if (!instance) continue;
      while (instance->canonical) instance = instance->canonical;
      any = true;
      function_of(instance);
      check_instance_body(instance);
      if (std::ranges::find(to.entries, type, &LiftedDispatch::Entry::type) != to.entries.end()) continue;
      if (is_changed_value(*this, call, instance->info, type)) to.by_table = true;
      else to.entries.push_back({type, instance});
    }
  }
  return any;
}

// The calls reach what was found. True when that needed something new.
bool Checker::build_dispatches() {
  bool any = false;
  for (size_t i = 0; i < lifted_calls.size(); ++i) {
    LiftedCall call = lifted_calls[i];
    if (!call.method || !call.dispatch) continue;
    LiftedDispatch& to = *call.dispatch;
    if (!to.function.valid() || to.built != to.entries.size()) {
      build_dispatch(call, to);
      any = true;
    }
    if (call.call) {
      call.call->call = CallKind::Direct;
      call.call->function = to.function;
      call.call->starts_frame = false;
    }
  }
  return any;
}

void Checker::report_refused_dispatches() {
  for (const LiftedCall& call : lifted_calls) {
    if (!call.method || !call.dispatch) continue;
    for (const LiftedDispatch::Refusal& refusal : call.dispatch->refusals) {
      auto& d = error(Code::AssignToConst, call.span, "`" + call.method->name().str() + "` gives a part of a frozen value here, and something that can change there");
      d.labels.push_back({refusal.declared_at, "of `" + text(refusal.type) + "`"});
      d.help = "let all of them give a copy";
    }
  }
}

}  // namespace meteor::typed
