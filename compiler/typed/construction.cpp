// What a constructor does with `self`, before and after all fields have their values.
#include "compiler/typed/construction.h"

#include "compiler/typed/scan_names.h"

namespace meteor::typed {

namespace {

// The flow of the constructor that this body belongs to: its own, or the one where the closure was made.
const Flow* constructor_flow(BodyChecker& b) {
  if (!b.root->is_constructor_body || b.module->is_std) return nullptr;
  if (b.root == &b) return &b.flow;
  BodyChecker* at = &b;
  while (at->parent != b.root) at = at->parent;
  return &at->outer_flow_;
}

std::vector<FieldInfo*> missing_fields(BodyChecker& constructor, const Flow& flow, size_t from = 0) {
  std::vector<FieldInfo*> missing;
  if (!flow.reachable) return missing;
  Checker& c = constructor.c;
  const auto& flat = c.flat_fields(constructor.self_type);
  for (size_t i = from; i < flat.size(); ++i) {
    FieldInfo* field = flat[i].info;
    bool starts_with_value =
        field->default_value || c.kind(flat[i].type) == Kind::Optional || field->owner->self_type == c.program.raisable;
    bool is_assigned = i < flow.fields_assigned.size() && flow.fields_assigned[i];
    if (!starts_with_value && !is_assigned) missing.push_back(field);
  }
  return missing;
}

std::string listed(const std::vector<FieldInfo*>& fields, const char* before) {
  std::string text;
  for (size_t i = 0; i < fields.size(); ++i)
    text += (i == 0 ? "" : i + 1 == fields.size() ? " and " : ", ") + ("`" + (before + fields[i]->name.str()) + "`");
  return text;
}

void show_fields(Diagnostic& d, const std::vector<FieldInfo*>& fields) {
  for (FieldInfo* field : fields)
    if (field->span.valid() && field->span.file == d.span.file)
      d.labels.push_back({field->span, "declared here without a default"});
}

// One mistake is reported once: what follows takes the fields for assigned.
void take_for_assigned(BodyChecker& b) {
  for (BodyChecker* at = &b; at; at = at->parent) {
    Flow& flow = at->parent ? at->outer_flow_ : at->flow;
    std::fill(flow.fields_assigned.begin(), flow.fields_assigned.end(), true);
  }
}

bool mentions(ast::Block body, Name name, Span& where) {
  bool found = false;
  TreeVisitor visitor;
  visitor.on_expr = [&](ast::Expr* e) {
    auto* n = e->as<ast::NameExpr>();
    bool is_it = (n && n->name == name) || e->kind == ast::ExprKind::Super;
    if (is_it && !found) where = e->span;
    found |= is_it;
  };
  visitor.visit(body);
  return found;
}

// Where this constructor does more with `self` than assign and read its fields; nothing if it does not.
std::optional<Span> hands_out_self(Checker& c, FunctionInfo* init) {
  if (!init->decl || !init->decl->has_body || !init->owner || init->decl->params.empty()) return std::nullopt;
  Name self = init->decl->params[0].name;
  TypeId type = init->owner->self_type;
  std::optional<Span> out;
  std::unordered_set<ast::Expr*> harmless;
  TreeVisitor visitor;
  visitor.into_functions = false;
  auto look_into = [&](ast::FunctionDecl* function) {
    Span where;
    if (!out && mentions(function->body, self, where)) out = where;
  };
  visitor.on_stmt = [&](ast::Stmt* stmt) {
    if (auto* function = stmt->as<ast::FunctionDecl>()) look_into(function);
  };
  visitor.on_expr = [&](ast::Expr* expr) {
    if (out) return;
    if (auto* lambda = expr->as<ast::LambdaExpr>()) return look_into(lambda->function);
    if (auto* function = expr->as<ast::AnonDefExpr>()) return look_into(function->function);
    if (auto* member = expr->as<ast::MemberExpr>()) {
      if (member->object->kind == ast::ExprKind::Super) {
        if (member->name.text() != "__init__") {
          out = member->span;
          return;
        }
        TypeId base = c.base_of(type);
        Member found = base.valid() ? c.find_member(base, member->name) : Member();
        if (found.kind == Member::Methods)
          for (FunctionInfo* above : *found.methods)
            if (!out) out = hands_out_self(c, above);
        return;
      }
      auto* object = member->object->as<ast::NameExpr>();
      if (object && object->name == self && c.find_member(type, member->name).kind == Member::Field)
        harmless.insert(object);
    }
    auto* name = expr->as<ast::NameExpr>();
    if (name && name->name == self && !harmless.contains(expr)) out = expr->span;
  };
  visitor.visit(init->decl->body);
  return out;
}

bool is_constructors_self(BodyChecker& b, VariableId used) {
  if (!b.root->is_constructor_body) return false;
  BodyChecker* owner = &b;
  while (owner->parent && owner->var(used).kind == VariableKind::Capture) {
    used = owner->facts(used).outer;
    owner = owner->parent;
  }
  return owner == b.root && used == owner->self_variable;
}

}  // namespace

Expr* own_field_object(BodyChecker& b, ast::Expr* object, Name member) {
  auto* name = object->as<ast::NameExpr>();
  if (!b.is_constructor_body || b.parent || !name || name->name != b.var(b.self_variable).name) return nullptr;
  Binding binding = b.lookup(name->name);
  if (binding.kind != BindingKind::Variable || binding.variable != b.self_variable) return nullptr;
  return b.c.find_member(b.self_type, member).kind == Member::Field ? b.read_variable(b.self_variable, object->span)
                                                                    : nullptr;
}

bool refuse_unfinished_self(BodyChecker& b, Span span) {
  const Flow* flow = constructor_flow(b);
  if (!flow || !b.flow.reachable) return false;
  std::vector<FieldInfo*> missing = missing_fields(*b.root, *flow);
  if (missing.empty()) return false;
  bool one = missing.size() == 1;
  Diagnostic& d =
      b.c.error(Code::FieldNotAssigned, span,
                std::string("`self` can't be ") + (b.parent ? "captured" : "used") + " yet: the " +
                    (one ? "field " : "fields ") + listed(missing, "") + (one ? " has" : " have") + " no value");
  d.label = b.parent ? "a function that has `self` could run before the object is complete"
                     : "this could meet the object before it is complete";
  show_fields(d, missing);
  NominalInfo* made = b.c.nominal_info(b.c.resolve(b.root->self_type));
  bool is_inherited = made && b.root->info && b.root->info->owner && b.root->info->owner != made;
  if (is_inherited)
    d.help = "give `" + made->name.str() + "` an `__init__` of its own, which assigns " + listed(missing, "self.") +
             " and then calls `super.__init__`";
  else
    d.help = "assign " + listed(missing, "self.") +
             " before this; until then, only fields of `self` can be assigned and read";
  take_for_assigned(b);
  return true;
}

bool refuse_unfinished_self(BodyChecker& b, VariableId used, Span span) {
  return is_constructors_self(b, used) && refuse_unfinished_self(b, span);
}

bool refuse_assigning_self(BodyChecker& b, VariableId assigned, Span span) {
  if (!is_constructors_self(b, assigned)) return false;
  Diagnostic& d = b.c.error(Code::InvalidAssignmentTarget, span, "`self` can't be assigned in `__init__`");
  d.label = "the object that is being made";
  d.help = "assign its fields: `self.x = …`; a function that picks one object or another is a plain `def`";
  return true;
}

bool refuse_early_base_init(BodyChecker& b, FunctionInfo* base_init, TypeId base, Span span) {
  if (b.parent) return refuse_unfinished_self(b, span);
  if (!b.flow.reachable || b.module->is_std) return false;
  std::vector<FieldInfo*> missing = missing_fields(b, b.flow, b.c.flat_fields(base).size());
  if (missing.empty()) return false;
  std::optional<Span> handed_out = hands_out_self(b.c, base_init);
  if (!handed_out) return false;
  bool one = missing.size() == 1;
  std::string name = b.c.text(base);
  Diagnostic& d =
      b.c.error(Code::FieldNotAssigned, span,
                "`super.__init__` uses `self` as a whole, and the " + std::string(one ? "field " : "fields ") +
                    listed(missing, "") + (one ? " has" : " have") + " no value yet");
  if (handed_out->file == span.file)
    d.labels.push_back(
        {*handed_out, "`" + name + "` uses it here, where it could meet the object before it is complete"});
  show_fields(d, missing);
  d.help = "assign " + listed(missing, "self.") + " first, then call `super.__init__`";
  take_for_assigned(b);
  return true;
}

}  // namespace meteor::typed
