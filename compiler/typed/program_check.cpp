// Structs that contain themselves; the virtual methods of a class; whether the top level calls main.
#include "compiler/typed/program_check.h"

#include "compiler/typed/scan_names.h"

namespace meteor::typed {

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

namespace {

std::vector<Name> list_virtual_methods(Checker& c, NominalInfo* info) {
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
  bool may_grow = c.hierarchy().may_grow(c, info);
  if (may_grow && c.has_derived_text(info)) add(c.name("__str__"));
  if (may_grow && c.has_derived_json(info)) add(c.name("write_json"));
  std::function<void(TypeId)> from_trait = [&](TypeId trait) {
    NominalInfo* t = c.nominal_info(trait);
    for (FunctionInfo* m : t->method_order)
      if (m->has_self) add(m->name());
    for (TypeId super : t->traits) from_trait(super);
  };
  for (TypeId trait : info->traits) from_trait(trait);
  return out;
}

}  // namespace

const std::vector<Name>& virtual_method_names(Checker& c, NominalInfo* info) {
  if (const std::vector<Name>* kept = c.hierarchy().find_virtual_names(c, info)) return *kept;
  std::vector<Name> names = list_virtual_methods(c, info);
  return c.hierarchy().keep_virtual_names(c, info, std::move(names));
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
