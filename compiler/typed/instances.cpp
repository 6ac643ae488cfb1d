// Function instances: one per set of concrete types. See checker.h for why
// calls are fixed late.
#include <algorithm>

#include "compiler/base/check.h"
#include "compiler/base/stack.h"
#include "compiler/typed/body.h"
#include "compiler/typed/checker.h"
#include "compiler/typed/frozen.h"
#include "compiler/typed/own_self.h"
#include "compiler/typed/special_methods.h"

namespace meteor::typed {

std::string Checker::unique_symbol(const std::string& wanted) {
  int& count = symbol_counts_[wanted];
  ++count;
  return count == 1 ? wanted : wanted + "#" + std::to_string(count);
}

Function& Checker::make_typed_function(std::string shown, Span span, const ModuleInfo* inside) {
  FunctionId id(static_cast<uint32_t>(program.functions.size()));
  program.functions.emplace_back();
  Function& fn = program.functions.back();
  fn.id = id;
  fn.symbol = unique_symbol("met:" + shown + (inside && !inside->is_main ? " in " + inside->name : ""));
  fn.name = std::move(shown);
  fn.span = span;
  fn.result = types.void_;
  return fn;
}

std::string Checker::instance_name(Instance* instance) {
  FunctionInfo* info = instance->info;
  std::string own = info->name() ? info->name().str() : "lambda";
  if (instance->self_type.valid()) return text(instance->self_type) + "." + own;
  if (info->owner) return info->owner->name.str() + "." + own;
  std::string out = info->module && !info->module->is_main && !info->module->is_core ? info->module->name + "." + own : own;
  if (!info->type_params.empty()) {
    out += "<";
    for (size_t i = 0; i < info->type_params.size(); ++i) out += (i ? ", " : "") + text(apply(info->type_params[i].type, instance->subst));
    out += ">";
  }
  return out;
}

std::string Checker::key_of(Instance* instance) {
  std::string key = std::to_string(reinterpret_cast<uintptr_t>(instance->info));
  auto put = [&](TypeId t) { key += "," + std::to_string(t.valid() ? resolve(t).index : UINT32_MAX); };
  put(instance->self_type);
  key += "|";
  // The substitution in order of the parameters, so that equal ones compare equal.
  FunctionInfo* info = instance->info;
  auto params = [&](std::vector<TypeParamInfo>& list) { for (TypeParamInfo& p : list) put(apply(p.type, instance->subst)); };
  if (info->owner) {
    params(info->owner->type_params);
    if (info->owner->kind == Kind::Trait) put(apply(info->owner->self_type, instance->subst));
  }
  if (info->impl) params(info->impl->type_params);
  params(info->type_params);
  key += "|";
  for (TypeId t : instance->param_types) put(t);
  if (instance->told.valid()) key += "|", put(instance->told);
  return key;
}

Instance* Checker::instantiate(FunctionInfo* info, Subst subst, TypeId self_type, std::vector<TypeId> param_types, TypeId told) {
  bool is_peek = std::exchange(peeks, false);
  ensure_signature(info);
  instances_.emplace_back();
  Instance* instance = &instances_.back();
  instance->info = info;
  instance->told = told;
  add_own_self(*this, info, subst, self_type);
  for (auto& [from, to] : subst.pairs) to = resolve(to);
  instance->subst = std::move(subst);
  instance->self_type = self_type.valid() ? resolve(self_type) : self_type;
  for (TypeId& t : param_types) t = resolve(t);
  if (info->is_refused) param_types.resize(info->params.size(), types.error);   // the language's call gives it what it should take
  instance->param_types = std::move(param_types);
  instance->asked_at = call_site;
  instance->asked_by = body_under_way;
  bool open = instance->self_type.valid() && types.has_var(instance->self_type);
  for (TypeId t : instance->param_types) open |= types.has_var(t);
  for (auto& [from, to] : instance->subst.pairs) open |= types.has_var(to);
  if (!open) {
    std::string key = key_of(instance);
    auto found = instance_by_key_.find(key);
    if (found != instance_by_key_.end()) {
      instances_.pop_back();
      if (!is_peek) settle_lifted(found->second);
      return found->second;
    }
    instance_by_key_[key] = instance;
  }
  instance->body_started = instance->body_done = info->is_refused;
  instance->frame = info->frame;
  instance->is_lifted = is_lifted(*this, *instance);
  bool coloured = false;
  if (info->frame == FrameKind::None)
    for (size_t i = 0; i < info->params.size(); ++i) coloured |= is_coloured(*instance, i);
  if (coloured && calls_coloured(*instance)) instance->frame = FrameKind::Async;
  if (info->result.valid()) {
    instance->result = apply(info->result, instance->subst);
    if (info->frame == FrameKind::None && instance->frame == FrameKind::Async) instance->result = core_type("Future", {instance->result});
    lift_result(instance);
  } else {
    instance->result = unifier.fresh(info->decl->name_span);
    if (instance->frame != FrameKind::None) instance->result = core_type(frame_class(instance->frame), {instance->result});
    instance->result_inferred = true;
  }
  // What the body does with unannotated parameters may be what fixes the open types: `list(items)`.
  if (instance->result_inferred || instance->lifted_from.valid() || coloured || (open && info->is_unannotated())) check_instance_body(instance);
  return instance;
}

// What a lifted instance gives may be frozen: its body tells.
void Checker::lift_result(Instance* instance) {
  FunctionInfo* info = instance->info;
  if (!instance->is_lifted || !info->decl->has_body) return;
  bool framed = instance->frame != FrameKind::None;
  TypeId produced = framed ? produced_of(instance->result) : instance->result;
  if (kind(produced) == Kind::Void || lifted_results(*this, produced).size() == 1) return;
  TypeId open = unifier.fresh(info->decl->name_span);
  instance->lifted_from = resolve(produced);
  instance->result = framed ? core_type(frame_class(instance->frame), {open}) : open;
  if (instance->told.valid()) unifier.unify(open, instance->told);
}

// Somebody needs to know what it gives before its body has told, most likely the body itself: then it is what is always right, frozen.
void Checker::settle_lifted(Instance* instance) {
  if (!instance->lifted_from.valid() || instance->body_done) return;
  TypeId produced = unifier.shallow(instance->frame == FrameKind::None ? instance->result : produced_of(instance->result));
  if (types.kind(produced) == Kind::Var) unifier.unify(produced, lifted_results(*this, instance->lifted_from).back());
}

namespace {

bool is_for_people(std::string_view name) { return name == "__str__" || name == "__repr__"; }

// The files of core whose functions a program's own loops call.
constexpr std::string_view INNER[] = {"bool", "buffer", "builtins", "bytes", "channel", "dict", "dict_views", "float", "generator", "hash", "int",
                                      "iterator", "list", "range", "set", "slice", "sort", "split", "str", "str_format", "table", "traits"};

}  // namespace

bool Checker::is_inner_loop(const FunctionInfo* info) const {
  if (!info->module->is_core || is_for_people(info->name().text()) || !info->decl->span.valid()) return false;
  std::string_view path = input.sources.path(info->decl->span.file);
  path.remove_prefix(path.rfind('/') + 1);
  return std::ranges::find(INNER, path.substr(0, path.find('.'))) != std::end(INNER);
}

void Checker::declare_instance(Instance* instance) {
  FunctionInfo* info = instance->info;
  Function& fn = make_typed_function(instance_name(instance), info->decl->name_span.valid() ? info->decl->name_span : info->decl->span);
  instance->function = fn.id;
  fn.is_inline = info->is_inline;
  fn.region = info->region;
  fn.is_std = info->module->is_std || info->module->is_core;
  fn.is_glue = info->module->is_std ? !is_inner_loop(info) : is_for_people(info->name().text());
  fn.frame = instance->frame;
  fn.result = instance->result;
  size_t index = 0;
  if (info->has_self) {
    Variable self;
    self.name = name("self");
    self.type = instance->self_type;
    self.kind = VariableKind::Param;
    self.mode = info->self_mode;
    if (mutates_self(info) && kind(thawed_type(*this, instance->self_type)) != Kind::Class && kind(thawed_type(*this, instance->self_type)) != Kind::Dyn) self.mode = ParamMode::Ref;
    self.span = info->decl->params[0].span;
    fn.variables.push_back(self);
  }
  for (ParamInfo& p : info->params) {
    Variable v;
    v.name = p.name;
    v.type = instance->param_types[index++];
    v.kind = VariableKind::Param;
    v.mode = p.mode;
    v.span = p.span;
    fn.variables.push_back(v);
  }
  fn.param_count = static_cast<uint32_t>(fn.variables.size());
  if (!info->extern_symbol.empty()) {
    fn.is_extern = true;
    fn.only_reads = info->only_reads;
    fn.extern_c_abi = !info->decl->extern_abi.empty();
    fn.symbol = info->extern_symbol;
    fn.never_raises = true;
    if (!info->library.empty() && std::ranges::find(program.libraries, info->library) == program.libraries.end()) program.libraries.push_back(info->library);
  }
}

void Checker::check_instance_body(Instance* instance) {
  if (instance->body_started) return;
  instance->body_started = true;
  FunctionInfo* info = instance->info;
  if (!instance->function.valid()) declare_instance(instance);
  Function& fn = program.function(instance->function);
  // An extern function has no body; a trait's required method is called through tables only.
  if (fn.is_extern || !info->decl->has_body) {
    instance->body_done = true;
    return;
  }
  fn.has_body = true;
  bool is_endless = has_endless_types(instance);
  bool is_too_deep = !is_endless && base::stack_runs_out();
  if (is_too_deep) {
    auto& d = error(Code::InstantiationTooDeep, info->decl->name_span, "too many functions stand between the first whose result must be inferred and `" + info->name().str() + "`");
    d.help = "annotate its parameters and its result";
    show_chain(d, instance);
  }
  if (is_endless || is_too_deep) {
    fn.result = types.error;
    unifier.unify(instance->result, types.error);
    instance->body_done = true;
    return;
  }
  ++info->bodies_under_way;
  ++info->instances;
  check_depth_enter();
  Span outer_declaration = std::exchange(grows_in, info->decl->name_span);
  Instance* outer = std::exchange(body_under_way, instance);
  Span outer_site = call_site;
  call_site = info->module->is_std || info->is_derived ? instance->asked_at : Span();
  Function declared = instance->is_lifted ? fn : Function();
  while (!check_body_once(instance)) fn = declared;
  call_site = outer_site;
  body_under_way = outer;
  instance->body_done = true;
  --info->bodies_under_way;
  grows_in = outer_declaration;
  check_depth_leave();
}

// False: a variable of a lifted one holds something frozen where its written type is plain, so it is to be done again.
bool Checker::check_body_once(Instance* instance) {
  FunctionInfo* info = instance->info;
  auto body = std::make_unique<BodyChecker>(*this, program.function(instance->function), info->module, nullptr);
  BodyChecker* b = body.get();
  b->instance = instance;
  b->info = info;
  b->type_scope = scope_of(info);
  b->self_type = instance->self_type.valid() ? thawed_type(*this, instance->self_type) : instance->self_type;
  b->lifted_result_ = instance->lifted_from;
  Instance* outer_lifted = std::exchange(lifted_body, instance->is_lifted ? instance : nullptr);
  if (info->has_self) b->self_variable = VariableId(0);
  if (info->owner && info->name().text() == "__init__") b->is_constructor_body = true;
  b->keep_bounds();
  b->find_coloured();
  if (instance->frame != FrameKind::None) b->start_frame(instance->frame, instance->result);
  else if (instance->result_inferred || instance->lifted_from.valid()) b->result_var = instance->result;
  else b->declared_result = instance->result;
  add_unfinished(std::move(body));
  b->check_function_body(info->decl->body);
  if (!instance->is_given_up) check_special_result(*this, *instance);
  lifted_body = outer_lifted;
  if (!std::exchange(instance->is_given_up, false)) return true;
  give_up(*b);
  return false;
}

void Checker::give_up(BodyChecker& body) {
  std::unordered_set<uint32_t> gone;
  std::function<void(BodyChecker&)> gather = [&](BodyChecker& b) {
    gone.insert(b.fn.id.index);
    if (&b != &body) b.fn.has_body = false;
    for (auto& closure : b.closures_) gather(*closure);
    for (NestedFunction& nested : b.nested_)
      if (nested.body) gather(*nested.body);
      else if (nested.function.valid()) program.function(nested.function).has_body = false;
  };
  gather(body);
  auto is_gone = [&](FunctionId id) { return id.valid() && gone.contains(id.index); };
  for (PendingLambda& lambda : lambdas) lambda.done = lambda.done || lambda.home->root == &body;
  for (PendingCall& call : pending_)
    if (is_gone(call.caller)) call = PendingCall();
  for (LiftedCall& call : lifted_calls)
    if (is_gone(call.caller)) call.method = nullptr;
  std::erase_if(reach.calls, [&](const IsolateReach::Call& call) { return is_gone(call.caller); });
  std::erase_if(reach.uses, [&](const IsolateReach::Use& use) { return is_gone(use.function); });
  std::erase_if(reach.entries, [&](const IsolateReach::Entry& entry) { return is_gone(entry.function) || is_gone(entry.maker); });
  std::erase_if(reach.assigned, [&](const IsolateReach::Assigned& assigned) { return is_gone(assigned.function); });
  auto at = std::ranges::find_if(unfinished_, [&](auto& one) { return one.get() == &body; });
  given_up_.push_back(std::move(*at));
  unfinished_.erase(at);
}

namespace {

constexpr std::string_view WRITTEN_BY_LIBRARY = "this call would change a frozen value, or keep it where it could be changed";

}  // namespace

// What a lifted body does that can't be done is the mistake of the call that gave it something frozen: without that it is checked too.
Diagnostic& Checker::lifted_error(Span span, const std::string& message) {
  Instance& instance = *lifted_body;
  if (!instance.writer) {
    instance.writer = instance.info;
    bool is_library = instance.info->module->is_std && user_call.valid();
    instance.written_at = is_library ? user_call : span;
    instance.written = is_library ? std::string(WRITTEN_BY_LIBRARY) : message;
  }
  if (!instance.told.valid()) report_lifted(instance, instance.asked_at);
  return ignored_ = Diagnostic();
}

void Checker::report_lifted(const Instance& instance, Span call) {
  if (quiet_lifts > 0) return;
  for (const Diagnostic& d : sink.all())
    if (d.span.file == call.file && d.span.start == call.start && d.span.end == call.end) return;
  Span at = instance.written_at;
  bool is_here = at.file == call.file && at.start == call.start && at.end == call.end;
  bool is_library = instance.writer->module->is_std;
  bool is_shown = at.valid() && !is_here && !is_of_library(at);
  std::string what = is_library && !is_shown ? std::string(WRITTEN_BY_LIBRARY) : "this would change a frozen value";
  if (!is_library) what += ", in `" + instance.writer->name().str() + "`";
  Diagnostic& d = sink.report(Code::AssignToConst, call, what);
  if (is_shown) d.labels.push_back({instance.written_at, instance.written});
  d.help = "give it a copy, or let it only read what it is given";
}

Diagnostic& Checker::error(Code code, Span span, std::string message) {
  if (lifted_body && lifted_body->is_given_up) return ignored_ = Diagnostic();
  bool is_about_values = code == Code::AssignToConst || code == Code::TypeMismatch || code == Code::InvalidConversion || code == Code::TraitNotImplemented || code == Code::InvalidOperand ||
                         code == Code::CannotInfer || code == Code::InvalidRefArgument || code == Code::UnknownMember;
  if (lifted_body && is_about_values && lifted_body->asked_at.valid()) return lifted_error(span, message);
  if (!call_site.valid() || span.file == call_site.file) return sink.report(code, span, std::move(message));
  for (ModuleInfo& module : modules_)
    for (ast::Module* tree : module.trees)
      if (!module.is_std && !module.is_core && tree->file == span.file) return sink.report(code, span, std::move(message));
  for (const Diagnostic& d : sink.all())
    if (d.span.file == call_site.file && d.span.start == call_site.start && d.span.end == call_site.end) {
      ignored_ = Diagnostic();
      return ignored_;
    }
  return sink.report(code, call_site, std::move(message));
}

bool Checker::is_of_library(Span span) const {
  for (const ModuleInfo& module : modules_)
    for (const ast::Module* tree : module.trees)
      if (tree->file == span.file) return module.is_std || module.is_core;
  return false;
}

std::string Checker::text_with_article(TypeId type) {
  std::string name = text(type);
  bool vowel = std::string_view("aeioAEIO").find(name.front()) != std::string_view::npos;   // a `u8`, a `User`
  return (vowel ? "an `" : "a `") + name + "`";
}

void Checker::add_unfinished(std::unique_ptr<BodyChecker> body) { unfinished_.push_back(std::move(body)); }

void Checker::check_depth_leave() {
  if (--depth_ > 0 || finishing_) return;
  finish_pending();
}

bool Checker::run_ready_lambdas() {
  bool any = false;
  for (size_t i = 0; i < lambdas.size(); ++i) {
    PendingLambda& lambda = lambdas[i];
    if (lambda.done) continue;
    bool ready = true;
    for (TypeId p : types.func_params(unifier.shallow(lambda.type))) ready &= !unifier.has_unbound(p);
    if (!ready) continue;
    lambda.home->run_lambda(lambda);
    any = true;
  }
  return any;
}

// All bodies under way have been checked: what is not known now never will be.
void Checker::finish_pending() {
  finishing_ = true;
  ++depth_;
  while (true) {
    while (run_ready_lambdas()) {}
    for (size_t i = 0; i < unfinished_.size(); ++i) unfinished_[i]->finish();
    for (size_t i = 0; i < lambdas.size(); ++i)
      if (!lambdas[i].done) lambdas[i].home->run_lambda(lambdas[i]);   // reports what it can't infer
    // Running a lambda can have added bodies and lambdas.
    bool open = false;
    for (auto& body : unfinished_) open |= !body->is_finished();
    for (PendingLambda& lambda : lambdas) open |= !lambda.done;
    if (!open) break;
  }
  std::vector<std::unique_ptr<BodyChecker>> bodies = std::move(unfinished_);
  unfinished_.clear();
  for (auto& body : bodies) body->resolve_types();
  lambdas.clear();
  --depth_;
  finishing_ = false;
  // Fix the callees. Instantiating may check further bodies, which finish by themselves.
  std::vector<PendingCall> calls = std::move(pending_);
  pending_.clear();
  for (PendingCall& p : calls) {
    FunctionId function = p.instance ? function_of(p.instance) : FunctionId();
    if (p.constructed.valid()) {
      TypeId type = resolve(p.constructed);
      function = constructor(type, p.instance);
    }
    if (p.caller.valid() && function.valid()) reach.calls.push_back({p.caller, function, p.call ? p.call->span : p.closure ? p.closure->span : Span()});
    if (p.call) p.call->function = function;
    if (p.closure) p.closure->function = function;
  }
}

bool Checker::is_construction(const Expr* value) const {
  return std::ranges::any_of(pending_, [&](const PendingCall& p) { return p.call == value && p.constructed.valid(); });
}

FunctionId Checker::function_of(Instance* instance) {
  while (instance->canonical) instance = instance->canonical;
  if (!instance->fixed) {
    // It may have been made while types were open: look for an equal one, or become the one.
    instance->fixed = true;
    for (auto& [from, to] : instance->subst.pairs) to = resolve(to);
    if (instance->self_type.valid()) instance->self_type = resolve(instance->self_type);
    for (TypeId& t : instance->param_types) t = resolve(t);
    instance->result = resolve(instance->result);
    auto [at, fresh] = instance_by_key_.emplace(key_of(instance), instance);
    if (!fresh && at->second != instance) {
      instance->canonical = at->second;
      return function_of(instance);
    }
  }
  if (!instance->function.valid()) {
    declare_instance(instance);
    queue_.push_back(instance);
  }
  return instance->function;
}

void Checker::run_queue() {
  while (!queue_.empty()) {
    Instance* instance = queue_.front();
    queue_.pop_front();
    check_instance_body(instance);
  }
}

}  // namespace meteor::typed
