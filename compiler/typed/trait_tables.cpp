// The tables behind `dyn`: which function is in which slot for a type. What answers there is called with the types that
// the trait declares, so it is looked at once more whether it has them.
#include <algorithm>

#include "compiler/typed/body.h"
#include "compiler/typed/program_check.h"

namespace meteor::typed {

uint32_t Checker::trait_table(TypeId type, TypeId trait) {
  std::string key = std::to_string(type.index) + ":" + std::to_string(trait.index);
  auto found = trait_tables_.find(key);
  if (found != trait_tables_.end()) return found->second;
  uint32_t index = static_cast<uint32_t>(program.trait_tables.size());
  trait_tables_[key] = index;
  program.trait_tables.push_back({type, trait, {}});
  return index;
}

// A field stands for a trait's property: a table needs a function that reads it.
FunctionInfo* Checker::getter_of(const Member& field, Name property) {
  NominalInfo* owner = field.owner;
  std::string key = "n" + std::to_string(owner->id.index) + "." + property.str();
  if (auto found = derived_.find(key); found != derived_.end()) return found->second.front();
  Overloads* made = parse_derived("def " + property.str() + "(self): return self." + property.str() + "\n", key,
                                  owner->self_type, owner->module, owner);
  return made->front();
}

namespace {

// Of the methods of one name, the one that stands for a trait's method.
FunctionInfo* overload_for(const Overloads& methods, FunctionInfo* required) {
  for (FunctionInfo* method : methods)
    if (method == required) return method;
  for (FunctionInfo* method : methods)
    if (method->params.size() == required->params.size() && method->frame == required->frame &&
        method->type_params.empty())
      return method;
  return methods.front();
}

}  // namespace

namespace {

// A function that calls the method and gives what the trait declares: a generator as an iterator.
FunctionId converted_slot(Checker& c, FunctionInfo* method, const Subst& use, TypeId type, TypeId result,
                          ModuleInfo* core) {
  Span span = method->decl->name_span;
  Function& fn = c.make_typed_function(c.text(type) + "." + method->name().str() + " (iterator)", span, method->module);
  FunctionId id = fn.id;
  fn.has_body = true;
  fn.result = result;
  auto add = [&](Name n, TypeId param, ParamMode mode) {
    Variable v;
    v.name = n;
    v.type = param;
    v.kind = VariableKind::Param;
    v.mode = mode;
    fn.variables.push_back(v);
  };
  add(c.name("self"), type, method->self_mode);
  for (const ParamInfo& p : method->params) add(p.name, c.resolve(c.apply(p.type, use)), p.mode);
  fn.param_count = static_cast<uint32_t>(fn.variables.size());
  c.check_depth_enter();
  auto made = std::make_unique<BodyChecker>(c, fn, core, nullptr);
  BodyChecker* b = made.get();
  b->type_scope.module = core;
  b->declared_result = result;
  c.add_unfinished(std::move(made));
  std::vector<Stmt*> stmts;
  std::vector<VariableId> temps;
  b->out_ = &stmts;
  b->temps_ = &temps;
  std::vector<BodyChecker::CallArg> args(method->params.size());
  for (uint32_t i = 0; i < args.size(); ++i) args[i].value = b->variable_ref(VariableId(i + 1), span);
  Expr* self = b->variable_ref(VariableId(0), span);
  Expr* given = b->call_function(method, use, self, type, std::move(args), span, TypeId());
  auto* out = b->make_stmt<Return>(span);
  out->value = b->coerce(given, result, span);
  b->emit(out);
  auto* block = b->make_stmt<BlockStmt>(span);
  block->body = b->keep(stmts);
  block->temps = b->keep(temps);
  c.program.function(id).body = b->keep(std::vector<Stmt*>{block});
  b->out_ = nullptr;
  b->temps_ = nullptr;
  c.check_depth_leave();
  return id;
}

}  // namespace

FunctionId Checker::table_slot(TypeId type, TypeId trait, FunctionInfo* required, const Subst& subst) {
  Member member = find_impl_method(type, trait_with(required->owner, subst), required->name());
  FunctionInfo* info = required;
  Subst use = subst;
  if (member.kind == Member::Methods) {
    info = overload_for(*member.methods, required);
    use = member.subst;
  } else if (member.kind == Member::Field) {
    info = getter_of(member, required->name());
    TypeId at = type;
    while (nominal_info(at) != member.owner) at = base_of(at);
    use = arguments_of(at);
  }
  ensure_signature(info);
  if (info->frame != FrameKind::None && mutates_self(info) && types.kind(type) != Kind::Class) {
    Diagnostic& d =
        error(Code::BorrowedByFuture, info->decl->name_span,
              "this method changes a struct that could be gone when it goes on: it can't be called through `dyn " +
                  text(trait) + "`");
    d.help = "make `" + text(type) + "` a class";
  }
  auto mentions = [&](TypeId type, TypeId inner) {
    auto look = [&](TypeId at, auto& again) -> bool {
      return at == inner || std::ranges::any_of(types.get(at).args, [&](TypeId arg) { return again(arg, again); });
    };
    return look(type, look);
  };
  auto fits = [&](TypeId have, TypeId wanted) { return fits_result(*this, have, wanted, info->frame); };
  auto refuse = [&](TypeId have, TypeId wanted) {
    Diagnostic& d = error(Code::OverrideMismatch, info->decl->name_span,
                          "this `" + info->name().str() + "` does not have the types of the method of `" + text(trait) +
                              "` that it stands for");
    d.labels.push_back({required->decl->name_span, "the trait's method"});
    d.expected = text(wanted);
    d.found = text(have);
    return FunctionId();
  };
  if (info->params.size() != required->params.size())
    return refuse(type, trait);  // reported with the types of the declarations before
  std::vector<TypeId> params;
  for (size_t p = 0; p < info->params.size(); ++p) {
    TypeId wanted = apply(required->params[p].type, subst);
    params.push_back(info->params[p].type.valid() ? apply(info->params[p].type, use) : wanted);
    if (resolve(params.back()) != resolve(wanted) && types.kind(wanted) != Kind::Error)
      return refuse(params.back(), wanted);
  }
  Instance* instance = instantiate(info, use, type, std::move(params));
  FunctionId function = function_of(instance);
  while (instance->canonical) instance = instance->canonical;
  if (required->result.valid()) {
    TypeId wanted = apply(required->result, subst);
    bool gives_iterator = info->frame == FrameKind::Generator && types.kind(wanted) == Kind::Dyn;
    if (gives_iterator && implements(instance->result, types.arg(wanted)))
      return converted_slot(*this, info, use, type, wanted, core_);
    return fits(instance->result, wanted) ? function : refuse(resolve(instance->result), wanted);
  }
  // Calls take what the default gives for the `dyn` itself. Where that has the `dyn` in it, they are refused, so the
  // slot may stay empty.
  TypeId dyn = types.wrap(Kind::Dyn, trait);
  Subst of_dyn = arguments_of(trait_with(required->owner, subst));
  of_dyn.add(required->owner->self_type, dyn);
  std::vector<TypeId> dyn_params;
  for (const ParamInfo& p : required->params) dyn_params.push_back(apply(p.type, of_dyn));
  TypeId wanted = resolve(instantiate(required, of_dyn, dyn, std::move(dyn_params))->result);
  if (fits(instance->result, wanted)) return function;
  return mentions(wanted, dyn) ? FunctionId() : refuse(resolve(instance->result), wanted);
}

namespace {

// Some test asks values for the trait: each type that has it and of which there may be a value needs a table.
void add_tables_of(Checker& c, TypeId trait, std::vector<TypeId> used, std::vector<TypeId> boxed) {
  auto add = [&](TypeId type) {
    while (c.kind(type) == Kind::Frozen || c.kind(type) == Kind::Optional) type = c.types.arg(type);
    Kind kind = c.kind(type);
    bool is_value = kind != Kind::Any && kind != Kind::Dyn && kind != Kind::Null && kind != Kind::Error;
    if (is_value && !c.types.has_var(type) && !c.types.has_param(type) && c.implements(type, trait))
      c.trait_table(type, trait);
  };
  for (TypeId type : boxed) add(type);
  for (TypeId type : used)
    if (c.kind(type) == Kind::Class) add(type);
}

}  // namespace

void Checker::build_trait_tables() {
  for (size_t i = 0; i < program.trait_tables.size(); ++i) {
    TypeId type = program.trait_tables[i].type, trait = program.trait_tables[i].trait;
    if (types.kind(type) == Kind::Any) add_tables_of(*this, trait, noted_order_, boxed_order_);
    if (types.kind(type) == Kind::Any || !program.trait_tables[i].slots.empty()) continue;
    note_type(type);
    std::vector<FunctionId> slots;
    for (auto& [required, subst] : trait_methods(trait, type))
      slots.push_back(table_slot(type, trait, required, subst));
    program.trait_tables[i].slots = std::move(slots);
  }
}

bool Checker::is_overridden_default(FunctionInfo* method) {
  auto is_of = [&](TypeId trait) {
    return std::ranges::any_of(with_supertraits(trait, TypeId()),
                               [&](TypeId at) { return nominal_info(at) == method->owner; });
  };
  for (NominalInfo* info : nominal_list_) {
    if (info == method->owner || !info->methods.count(method->name())) continue;
    for (NominalInfo* at = info; at; at = at->base.valid() ? nominal_info(at->base) : nullptr)
      if (std::ranges::any_of(at->traits, is_of)) return true;
  }
  return std::ranges::any_of(impls_, [&](ImplInfo& impl) {
    return impl.trait.valid() && impl.methods.count(method->name()) && is_of(impl.trait);
  });
}

}  // namespace meteor::typed
