// Override and recursion checks; whether the top level calls main.
#include "compiler/typed/program_check.h"

#include "compiler/typed/scan_names.h"

namespace meteor::typed {

namespace {

// What a call gives: a future where the method is async.
TypeId given_by(Checker& c, const FunctionInfo* method, const Subst& subst) {
  if (!method->result.valid()) return {};
  return c.apply(method->result, subst);
}

// A method that stands in for another is called as that one is: through a table, with the types that it declares.
void check_stands_in(Checker& c, FunctionInfo* method, const Subst& own, FunctionInfo* over, const Subst& subst, const std::string& over_what) {
  c.ensure_signature(method);
  c.ensure_signature(over);
  std::string name = "`" + method->name().str() + "`";
  auto report = [&](Span span, const std::string& what, Span over_span) -> Diagnostic& {
    auto& d = c.error(Code::OverrideMismatch, span, what + over_what);
    d.labels.push_back({over_span, over_what});
    return d;
  };
  if (over->params.size() != method->params.size()) {
    report(method->decl->name_span, "this " + name + " takes other parameters than ", over->decl->name_span).help = "give both the same parameters";
    return;
  }
  for (size_t i = 0; i < method->params.size(); ++i) {
    const ParamInfo& wanted = over->params[i];
    ParamInfo& param = method->params[i];
    TypeId expected = wanted.type.valid() ? c.apply(wanted.type, subst) : TypeId();
    if (!param.type.valid() && own.pairs.empty()) param.type = expected;
    if (!param.type.valid() || !expected.valid()) continue;
    TypeId have = c.apply(param.type, own);
    if (!c.unifier.could_unify(have, expected)) {
      auto& d = report(param.span, "this parameter of " + name + " has another type than in ", wanted.span);
      d.expected = c.text(expected);
      d.found = c.text(have);
    } else if (param.mode != wanted.mode || param.kind != wanted.kind) {
      report(param.span, "this parameter of " + name + " is passed in another way than in ", wanted.span).help = "write both with the same `owned`, `ref` or `*`";
    }
  }
  TypeId expected = given_by(c, over, subst);
  if (!expected.valid()) return;
  if (!method->result.valid() && own.pairs.empty() && method->frame == over->frame) method->result = c.apply(over->result, subst);
  TypeId have = given_by(c, method, own);
  if (!have.valid()) return;
  if (c.unifier.could_unify(have, expected)) return;
  bool both_async = method->frame == FrameKind::Async && over->frame == FrameKind::Async;   // what they produce counts then
  TypeId narrow = both_async ? c.produced_of(have) : have, wide = both_async ? c.produced_of(expected) : expected;
  if (c.kind(narrow) == Kind::Class && c.kind(wide) == Kind::Class && c.could_be_subclass(narrow, wide)) return;
  auto& d = report(method->decl->name_span, "this " + name + " gives another type than ", over->decl->name_span);
  d.expected = c.text(expected);
  d.found = c.text(have);
}

}  // namespace

void check_overrides(Checker& c, NominalInfo* info) {
  if (info->kind != Kind::Class || !info->base.valid() || info->module->is_std) return;
  for (FunctionInfo* method : info->method_order) {
    std::string_view n = method->name().text();
    if (n == "__init__" || n == "__del__" || !method->has_self) continue;
    Member base = c.find_member(c.base_of(info->self_type), method->name());
    if (base.kind != Member::Methods || base.methods->front()->is_derived) continue;
    check_stands_in(c, method, {}, base.methods->front(), base.subst, "the method it overrides");
  }
}

void check_trait_signature(Checker& c, const Member& have, FunctionInfo* wanted, const Subst& subst) {
  if (have.kind != Member::Methods || have.owner == wanted->owner) return;
  FunctionInfo* method = nullptr;
  for (FunctionInfo* one : *have.methods) {
    c.ensure_signature(one);
    if (!method || one->params.size() == wanted->params.size()) method = one;
    if (one->params.size() == wanted->params.size()) break;
  }
  if (method->is_derived || !method->has_self || !method->type_params.empty() || method->module->is_std) return;
  check_stands_in(c, method, have.subst, wanted, subst, "the trait's method");
}

void check_struct_recursion(Checker& c) {
  for (NominalInfo* info : c.all_nominals()) {
    if (info->kind != Kind::Struct) continue;
    std::unordered_set<NominalInfo*> seen;
    std::function<bool(NominalInfo*)> contains = [&](NominalInfo* at) -> bool {
      if (!seen.insert(at).second) return false;
      c.ensure_fields(at);
      std::function<bool(TypeId)> inside = [&](TypeId type) -> bool {
        const types::Type& t = c.types.get(type);
        if (t.kind == Kind::Tuple || t.kind == Kind::Optional) {
          for (TypeId arg : t.args)
            if (inside(arg)) return true;
          return false;
        }
        if (t.kind != Kind::Struct) return false;
        NominalInfo* next = c.nominal_info(type);
        return next == info || contains(next);
      };
      for (FieldInfo& f : at->fields)
        if (inside(f.type)) return true;
      return false;
    };
    if (contains(info)) {
      auto& d = c.error(Code::RecursiveType, info->decl->name_span, "struct `" + info->name.str() + "` contains itself, so it would be endless in size");
      d.help = "make it a `class`, or keep the inner ones in a list";
      for (FieldInfo& f : info->fields) f.type = c.types.error;
    }
  }
}

std::vector<Name> virtual_method_names(Checker& c, NominalInfo* info) {
  std::vector<Name> out;
  if (info->base.valid()) out = virtual_method_names(c, c.nominal_info(info->base));
  auto add = [&](Name n) {
    std::string_view text = n.text();
    if (text == "__init__" || text == "__del__" || text == "__drop__" || !c.is_overridden(info, n)) return;
    for (Name have : out)
      if (have == n) return;
    out.push_back(n);
  };
  for (FunctionInfo* m : info->method_order)
    if (m->has_self) add(m->name());
  if (!info->subclasses.empty() && c.has_derived_text(info)) add(c.name("__str__"));
  if (!info->subclasses.empty() && c.has_derived_json(info)) add(c.name("write_json"));
  std::function<void(TypeId)> from_trait = [&](TypeId trait) {
    NominalInfo* t = c.nominal_info(trait);
    for (FunctionInfo* m : t->method_order)
      if (m->has_self) add(m->name());
    for (TypeId super : t->traits) from_trait(super);
  };
  for (TypeId trait : info->traits) from_trait(trait);
  return out;
}

bool calls_main(ModuleInfo* module) {
  bool found = false;
  TreeVisitor visitor;
  visitor.on_expr = [&](ast::Expr* e) {
    if (auto* call = e->as<ast::CallExpr>())
      if (auto* n = call->callee->as<ast::NameExpr>(); n && n->name.text() == "main") found = true;
  };
  for (ast::Module* tree : module->trees)
    for (ast::Stmt* stmt : tree->body)
      if (stmt->kind != ast::StmtKind::Function && stmt->kind != ast::StmtKind::Class && stmt->kind != ast::StmtKind::Impl) visitor.visit(stmt);
  return found;
}

}  // namespace meteor::typed
