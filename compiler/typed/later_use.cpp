#include "compiler/typed/later_use.h"

#include "compiler/typed/scan_names.h"

namespace meteor::typed {

namespace {

constexpr int MAX_STEPS = 12;   // variables and expressions followed one into another

// How a variable's type contains the unknown one.
enum class Part : uint8_t { None, Whole, Element, Key, Value, Argument };

struct Search {
  BodyChecker& b;
  ast::Block block;               // the statements that may assign the variable
  ast::FunctionDecl* decl = nullptr;   // whose body that is, if it has not been checked
  Checker& c = b.c;
  NominalInfo* owner = nullptr;   // Part::Argument: the generic class, and which of its parameters is unknown
  TypeId argument;

  bool is(TypeId type, TypeId variable) { return c.unifier.shallow(type) == c.unifier.shallow(variable); }

  Part part_of(TypeId type, TypeId variable) {
    type = c.unifier.shallow(type);
    if (is(type, variable)) return Part::Whole;
    const types::Type& t = c.types.get(type);
    if (t.kind == Kind::Optional) return is(t.args[0], variable) ? Part::Whole : Part::None;
    NominalInfo* info = c.nominal_info(type);
    if (!info) return Part::None;
    std::string_view name = info->module->is_core ? info->name.text() : "";
    if (name == "list" || name == "set") return is(t.args[0], variable) ? Part::Element : Part::None;
    if (name != "dict") {
      for (size_t i = 0; i < t.args.size() && i < info->type_params.size(); ++i) {
        if (!is(t.args[i], variable)) continue;
        owner = info;
        argument = info->type_params[i].type;
        return Part::Argument;
      }
      return Part::None;
    }
    return is(t.args[0], variable) ? Part::Key : is(t.args[1], variable) ? Part::Value : Part::None;
  }

  bool names(ast::Expr* expr, Name name) {
    auto* n = expr->as<ast::NameExpr>();
    return n && n->name == name;
  }

  TypeId known(TypeId type) {
    if (!type.valid()) return {};
    type = c.resolve(type);
    return c.types.has_var(type) || c.kind(type) == Kind::Error || c.kind(type) == Kind::Null || c.kind(type) == Kind::Void ? TypeId() : type;
  }

  TypeId element_of(TypeId collection) {
    if (!collection.valid()) return {};
    NominalInfo* info = c.nominal_info(collection);
    if (c.kind(collection) == Kind::Str) return c.types.str;
    if (!info || !info->module->is_core) return {};
    std::string_view name = info->name.text();
    return name == "list" || name == "set" || name == "dict" ? c.types.arg(collection) : name.find("ange") != std::string_view::npos ? c.types.int_ : TypeId();
  }

  TypeId name_type(Name name, int steps) {
    if (decl) {
      for (ast::Param& p : decl->params)
        if (p.name == name) return p.type && decl->type_params.empty() ? known(b.type_of(p.type)) : TypeId();
      if (TypeId type = assigned_type(name, Part::Whole, steps); type.valid()) return type;
      if (is_own(name)) return {};
    }
    Binding binding = b.find_local(name);
    if (binding.kind == BindingKind::Variable && binding.variable.valid())
      if (TypeId type = known(b.var(binding.variable).type); type.valid()) return type;
    Symbol symbol = binding.kind == BindingKind::None ? b.find_symbol(name) : Symbol();
    if (symbol.kind == SymbolKind::Global)
      if (TypeId type = known(symbol.global->type); type.valid()) return type;
    return assigned_type(name, Part::Whole, steps);
  }

  // A variable of `decl`, whatever the functions around it call by that name.
  bool is_own(Name name) {
    std::unordered_set<Name> globals, outer;
    scan_outer_names(decl->body, globals, outer);
    if (globals.count(name) || outer.count(name)) return false;
    bool found = false;
    scan_assigned(decl->body, [&](const AssignedName& assigned) { found |= assigned.name == name; });
    for (ast::Param& p : decl->params) found |= p.name == name;
    return found;
  }

  TypeId call_type(ast::CallExpr* call, int steps) {
    auto result_of = [&](FunctionInfo* f, const Subst& subst) {
      c.ensure_signature(f);
      return f->type_params.empty() && f->result.valid() ? known(c.apply(f->result, subst)) : TypeId();
    };
    if (auto* name = call->callee->as<ast::NameExpr>()) {
      if (b.find_local(name->name).kind != BindingKind::None) return {};
      if (name->name.text() == "len") return c.types.int_;
      if (name->name.text() == "str") return c.types.str;
      Symbol symbol = b.find_symbol(name->name);
      if (symbol.kind == SymbolKind::BuiltinType) return symbol.type;
      if (symbol.kind == SymbolKind::Nominal) return symbol.nominal->type_params.empty() ? symbol.nominal->self_type : TypeId();
      if (symbol.kind == SymbolKind::EnumCase) return symbol.nominal->type_params.empty() ? symbol.nominal->self_type : TypeId();
      return symbol.kind == SymbolKind::Functions && symbol.functions->size() == 1 ? result_of(symbol.functions->front(), {}) : TypeId();
    }
    auto* member = call->callee->as<ast::MemberExpr>();
    if (!member || b.find_entity(member->object)) return {};
    TypeId object = value_type(member->object, steps - 1);
    if (!object.valid()) return {};
    Member found = c.find_member(object, member->name);
    return found.kind == Member::Methods && found.methods->size() == 1 ? result_of(found.methods->front(), found.subst) : TypeId();
  }

  TypeId value_type(ast::Expr* e, int steps) {
    if (!e || steps <= 0) return {};
    if (TypeId literal = b.literal_type(e); literal.valid()) return literal;
    if (auto* name = e->as<ast::NameExpr>()) return name_type(name->name, steps - 1);
    if (auto* call = e->as<ast::CallExpr>()) return call_type(call, steps);
    if (auto* member = e->as<ast::MemberExpr>()) {
      if (b.find_entity(member->object)) return {};
      TypeId object = value_type(member->object, steps - 1);
      Member found = object.valid() ? c.find_member(object, member->name) : Member();
      return found.kind == Member::Field ? known(found.field_type) : TypeId();
    }
    if (auto* index = e->as<ast::IndexExpr>()) {
      TypeId object = value_type(index->object, steps - 1);
      if (!object.valid() || index->index->kind == ast::ExprKind::Slice) return object;
      NominalInfo* info = c.nominal_info(object);
      if (info && info->module->is_core && info->name.text() == "dict") return c.types.arg(object, 1);
      return info && info->name.text() == "set" ? TypeId() : element_of(object);
    }
    if (auto* choice = e->as<ast::TernaryExpr>()) {
      TypeId type = value_type(choice->then_value, steps - 1);
      return type.valid() ? type : value_type(choice->else_value, steps - 1);
    }
    if (auto* binary = e->as<ast::BinaryExpr>()) {
      if (binary->op == ast::BinaryOp::Div) return c.types.float_;
      TypeId left = value_type(binary->left, steps - 1), right = value_type(binary->right, steps - 1);
      bool literal = b.literal_type(binary->left).valid();
      return left.valid() && !(literal && right.valid()) ? left : right;
    }
    if (auto* walrus = e->as<ast::WalrusExpr>()) return value_type(walrus->value, steps - 1);
    if (auto* sign = e->as<ast::UnaryExpr>()) return value_type(sign->operand, steps - 1);
    if (e->kind == ast::ExprKind::Compare || e->kind == ast::ExprKind::Is || e->kind == ast::ExprKind::And || e->kind == ast::ExprKind::Or) return c.types.bool_;
    if (auto* unwrap = e->as<ast::UnwrapExpr>()) {
      TypeId type = value_type(unwrap->operand, steps - 1);
      return type.valid() && c.kind(type) == Kind::Optional ? c.types.arg(type) : type;
    }
    if (auto* tuple = e->as<ast::TupleExpr>()) {
      std::vector<TypeId> items;
      for (ast::Expr* item : tuple->items) {
        items.push_back(value_type(item, steps - 1));
        if (!items.back().valid()) return {};
      }
      return c.types.tuple(std::move(items));
    }
    if (auto* list = e->as<ast::ListExpr>(); list && !list->items.empty()) {
      TypeId element = value_type(list->items[0], steps - 1);
      return element.valid() ? c.list_of(element) : element;
    }
    return {};
  }

  // What the block puts into the variable, or into that part of it.
  TypeId assigned_type(Name name, Part part, int steps) {
    TypeId found;
    auto offer = [&](ast::Expr* value) {
      if (found.valid() || !value || value->kind == ast::ExprKind::Null) return;
      found = value_type(value, steps - 1);
    };
    auto look_into = [&](ast::FunctionDecl* nested) {   // where names may mean other variables
      Search inside{b, nested->body, nested};
      inside.owner = owner;
      inside.argument = argument;
      if (!found.valid() && !inside.is_own(name)) found = inside.assigned_type(name, part, steps - 1);
    };
    TreeVisitor visitor;
    visitor.into_functions = false;
    visitor.on_stmt = [&](ast::Stmt* stmt) {
      if (found.valid()) return;
      if (auto* nested = stmt->as<ast::FunctionDecl>()) return look_into(nested);
      if (auto* assign = stmt->as<ast::AssignStmt>()) {
        for (ast::Expr* target : assign->targets) {
          if (part == Part::Whole && names(target, name)) offer(assign->value);
          auto* into = target->as<ast::TupleExpr>();
          auto* from = assign->value ? assign->value->as<ast::TupleExpr>() : nullptr;
          if (part == Part::Whole && into && from && into->items.size() == from->items.size())
            for (size_t i = 0; i < into->items.size(); ++i)
              if (names(into->items[i], name)) offer(from->items[i]);
          auto* index = target->as<ast::IndexExpr>();
          if (!index || !names(index->object, name)) continue;
          if (part == Part::Value || part == Part::Element) offer(assign->value);
          if (part == Part::Key) offer(index->index);
        }
      }
      if (auto* loop = stmt->as<ast::ForStmt>(); loop && part == Part::Whole && names(loop->target, name)) {
        auto* call = loop->iterable->as<ast::CallExpr>();
        bool counts = call && names(call->callee, c.name("range"));
        found = counts ? c.types.int_ : element_of(value_type(loop->iterable, steps - 1));
      }
    };
    visitor.on_expr = [&](ast::Expr* expr) {
      if (auto* lambda = expr->as<ast::LambdaExpr>()) return look_into(lambda->function);
      if (auto* nested = expr->as<ast::AnonDefExpr>()) return look_into(nested->function);
      if (auto* walrus = expr->as<ast::WalrusExpr>(); walrus && part == Part::Whole && walrus->target->name == name)
        offer(walrus->value);
      auto* call = found.valid() ? nullptr : expr->as<ast::CallExpr>();
      auto* member = call ? call->callee->as<ast::MemberExpr>() : nullptr;
      if (!member || !names(member->object, name) || call->args.empty()) return;
      std::string_view method = member->name.text();
      if (Overloads* methods = part == Part::Argument ? owner->find_method(member->name) : nullptr) {   // `channel.send(x)`
        FunctionInfo* f = methods->front();
        c.ensure_signature(f);
        for (size_t i = 0; i < call->args.size() && i < f->params.size() && !call->args[i].name; ++i)
          if (f->params[i].type == argument) offer(call->args[i].value);
      }
      if (part == Part::Element && (method == "append" || method == "add")) offer(call->args[0].value);
      if (part == Part::Element && method == "insert" && call->args.size() > 1) offer(call->args[1].value);
    };
    if (steps > 0) visitor.visit(block);
    return found;
  }
};

}  // namespace

namespace {

// Every function of the module, methods included, with its body.
void for_each_function(ModuleInfo* module, const std::function<void(ast::FunctionDecl*)>& found) {
  for (ast::Module* tree : module->trees)
    for (ast::Stmt* stmt : tree->body) {
      if (auto* f = stmt->as<ast::FunctionDecl>()) found(f);
      if (auto* k = stmt->as<ast::ClassDecl>())
        for (ast::FunctionDecl* method : k->methods)
          if (k->type_params.empty()) found(method);
    }
}

}  // namespace

void settle_module_variables(BodyChecker& body) {
  Checker& c = body.c;
  for (GlobalInfo& global : c.globals()) {
    if (global.module != body.module || !global.type.valid() || !c.unifier.has_unbound(global.type)) continue;
    TypeId type = c.unifier.shallow(global.type);
    std::vector<TypeId> unknown = c.types.get(type).args;
    if (c.types.kind(type) == Kind::Var) unknown = {type};
    for (TypeId part : unknown) {
      if (c.kind(part) != Kind::Var) continue;
      TypeId found;
      for_each_function(body.module, [&](ast::FunctionDecl* f) {
        if (found.valid()) return;
        Search search{body, f->body, f};
        if (Part where = search.part_of(type, part); where != Part::None) found = search.assigned_type(global.name, where, MAX_STEPS);
      });
      if (found.valid()) c.unifier.unify(part, found);
    }
  }
}

TypeId type_by_later_use(BodyChecker& body, TypeId variable) {
  TypeId found;
  auto look = [&](Name name, TypeId type, ast::Block block) {
    if (found.valid() || !name) return;
    Search search{body, block};
    Part part = search.part_of(type, variable);
    if (part == Part::None) return;
    found = search.assigned_type(name, part, MAX_STEPS);
    // `T?` whose T is asked for.
    if (found.valid() && part == Part::Whole && body.c.kind(type) == Kind::Optional && body.c.kind(found) == Kind::Optional) found = body.types.arg(found);
  };
  for (BodyChecker* at = &body; at; at = at->parent)
    for (Variable& v : at->fn.variables) look(v.name, v.type, at->function_body_);
  if (body.root->is_module_body)
    for (GlobalInfo& global : body.c.globals())
      if (global.module == body.module && global.type.valid())
        for (ast::Module* tree : body.module->trees) look(global.name, global.type, tree->body);
  return found;
}

}  // namespace meteor::typed
