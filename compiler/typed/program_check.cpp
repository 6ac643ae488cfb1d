// Override and recursion checks; whether the top level calls main.
#include "compiler/typed/program_check.h"

#include "compiler/typed/scan_names.h"

namespace meteor::typed {

void check_overrides(Checker& c, NominalInfo* info) {
  if (info->kind != Kind::Class || !info->base.valid() || info->module->is_std) return;
  for (FunctionInfo* method : info->method_order) {
    std::string_view n = method->name().text();
    if (n == "__init__" || n == "__del__" || !method->has_self) continue;
    Member base = c.find_member(c.base_of(info->self_type), method->name());
    if (base.kind != Member::Methods) continue;
    FunctionInfo* over = base.methods->front();
    if (over->is_derived) continue;
    c.ensure_signature(method);
    c.ensure_signature(over);
    if (over->params.size() != method->params.size()) {
      auto& d = c.error(Code::OverrideMismatch, method->decl->name_span, "this override of `" + method->name().str() + "` takes other parameters than the method it overrides");
      d.labels.push_back({over->decl->name_span, "the method it overrides"});
      d.help = "give both the same parameters";
      continue;
    }
    for (size_t i = 0; i < method->params.size(); ++i) {
      TypeId expected = c.apply(over->params[i].type, base.subst);
      TypeId& have = method->params[i].type;
      if (!have.valid()) { have = expected; continue; }
      if (expected.valid() && !c.unifier.could_unify(have, expected)) {
        auto& d = c.error(Code::OverrideMismatch, method->params[i].span, "this parameter of `" + method->name().str() + "` has another type than in the method it overrides");
        d.expected = c.text(expected);
        d.found = c.text(have);
        d.labels.push_back({over->params[i].span, "the parameter of the method it overrides"});
      }
    }
    if (over->result.valid() && !method->result.valid()) method->result = c.apply(over->result, base.subst);
    if (over->result.valid() && method->result.valid()) {
      TypeId expected = c.apply(over->result, base.subst);
      bool fits = c.unifier.could_unify(method->result, expected) ||
                  (c.kind(method->result) == Kind::Class && c.kind(expected) == Kind::Class && c.is_subclass(method->result, expected));
      if (!fits) {
        auto& d = c.error(Code::OverrideMismatch, method->decl->name_span, "this override of `" + method->name().str() + "` gives another type than the method it overrides");
        d.expected = c.text(expected);
        d.found = c.text(method->result);
        d.labels.push_back({over->decl->name_span, "the method it overrides"});
      }
    }
  }
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
