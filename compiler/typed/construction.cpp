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

bool refuse_unset_field(BodyChecker& b, const Member& field, Span span) {
  if (!b.is_constructor_body || !b.reads_unassigned_field(field)) return false;
  std::string name = field.field->name.str();
  Diagnostic& d = b.c.error(Code::FieldNotAssigned, span, "the field `" + name + "` has no value yet here");
  d.labels.push_back({field.field->span, "declared here without a default"});
  d.help = "assign `self." + name + "` first";
  return true;
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

Span find_base_init(ast::Block body) {
  Span first;
  TreeVisitor visitor;
  visitor.into_functions = false;
  visitor.on_expr = [&](ast::Expr* expr) {
    auto* call = expr->as<ast::CallExpr>();
    auto* callee = call ? call->callee->as<ast::MemberExpr>() : nullptr;
    bool is_it = callee && callee->object->kind == ast::ExprKind::Super && callee->name.text() == "__init__";
    if (is_it && !first.valid()) first = expr->span;
  };
  visitor.visit(body);
  return first;
}

namespace {

// Fields of `self` that the constructor assigns, itself or through `super.__init__`.
void find_assigned_fields(Checker& c, FunctionInfo* init, std::unordered_set<Name>& out) {
  if (!init->decl || !init->owner || init->decl->params.empty()) return;
  Name self = init->decl->params[0].name;
  std::function<void(ast::Expr*)> target = [&](ast::Expr* expr) {
    if (auto* member = expr->as<ast::MemberExpr>()) {
      auto* object = member->object->as<ast::NameExpr>();
      if (object && object->name == self) out.insert(member->name);
    } else if (auto* tuple = expr->as<ast::TupleExpr>()) {
      for (ast::Expr* item : tuple->items) target(item);
    } else if (auto* star = expr->as<ast::StarExpr>()) {
      target(star->operand);
    }
  };
  TreeVisitor visitor;
  visitor.on_stmt = [&](ast::Stmt* stmt) {
    if (auto* assign = stmt->as<ast::AssignStmt>())
      for (ast::Expr* one : assign->targets) target(one);
    if (auto* loop = stmt->as<ast::ForStmt>()) target(loop->target);
  };
  visitor.visit(init->decl->body);
  if (!find_base_init(init->decl->body).valid()) return;
  TypeId base = c.base_of(init->owner->self_type);
  Member above = base.valid() ? c.find_member(base, init->name()) : Member();
  if (above.kind == Member::Methods)
    for (FunctionInfo* one : *above.methods) find_assigned_fields(c, one, out);
}

}  // namespace

bool refuse_second_base_init(BodyChecker& b, const Overloads* base_init, TypeId base, Span span) {
  if (!b.flow.reachable) return false;
  if (!b.is_constructor_body || b.parent) {
    Diagnostic& d = b.c.error(Code::InitCalledAgain, span, "`super.__init__` can only be called by `__init__` itself");
    d.label = "the object has been made already";
    d.help = "move what both need into a method, and call that";
    return true;
  }
  if (b.flow.base_made.valid()) {
    bool is_loop = b.flow.base_made.file == span.file && b.flow.base_made.start == span.start;
    Diagnostic& d = b.c.error(Code::InitCalledAgain, span, "`super.__init__` may have run already");
    d.label = is_loop ? "an earlier pass of the loop has called it"
                      : "this would give the fields of the base their first values again";
    if (!is_loop) d.labels.push_back({b.flow.base_made, "it may have run here"});
    d.help = is_loop ? "call it before the loop" : "call it once; assign the fields that should have other values";
    take_for_assigned(b);
    return true;
  }
  if (!base_init) return false;
  std::unordered_set<Name> assigned;
  for (FunctionInfo* one : *base_init) find_assigned_fields(b.c, one, assigned);
  const auto& flat = b.c.flat_fields(base);
  for (size_t i = 0; i < flat.size() && i < b.fields_touched_.size(); ++i) {
    if (!b.fields_touched_[i] || !assigned.contains(flat[i].info->name)) continue;
    std::string name = flat[i].info->name.str();
    Diagnostic& d = b.c.error(Code::InitCalledAgain, span,
                              "`super.__init__` gives `" + name + "` its value, and it may have one already");
    d.help = "assign `self." + name + "` after this call";
    take_for_assigned(b);
    return true;
  }
  return false;
}

bool refuse_init_call(BodyChecker& b, ast::MemberExpr* callee, ast::CallExpr* call) {
  if (callee->name.text() != "__init__" || b.module->is_std) return false;
  Diagnostic& d =
      b.c.error(Code::InitCalledAgain, call->span, "`__init__` can't be called: it runs when an object is made");
  if (b.root->is_constructor_body) take_for_assigned(b);  // it was meant to assign them
  auto* first = call->args.empty() ? nullptr : call->args[0].value->as<ast::NameExpr>();
  bool is_of_type = static_cast<bool>(b.find_entity(callee->object));
  if (is_of_type && first && first->name.text() == "self" && b.is_constructor_body) {
    uint32_t rest = call->args.size() > 1 ? call->args[1].value->span.start : first->span.end;
    if (call->args.size() > 1 && call->args[1].name) rest = call->args[1].name_span.start;
    d.help = "the constructor of the base is called by `super.__init__(…)`, without `self`";
    d.edits.push_back({callee->span, "super.__init__"});
    d.edits.push_back({{first->span.file, first->span.start, rest}, ""});
  } else {
    d.help = is_of_type ? "make an object: `" + std::string(b.c.input.sources.text(callee->object->span)) + "(…)`"
                        : "move what should run again into a method, and call that";
  }
  return true;
}

void note_base_init(BodyChecker& b, TypeId base, Span span) {
  if (!b.is_constructor_body || b.parent) return;
  b.flow.base_made = span;
  for (uint32_t i = 0; i < b.c.flat_fields(base).size(); ++i) b.mark_field_assigned(i);
  b.mark_field_assigned(b.c.flat_fields(b.self_type).size());  // one after the fields: the call itself
}

bool refuse_missing_base_init(BodyChecker& b) {
  if (!b.info || !b.info->owner || !b.flow.reachable) return false;
  TypeId base = b.c.base_of(b.owner_type());
  size_t called = b.c.flat_fields(b.self_type).size();  // see note_base_init
  if (!base.valid() || (called < b.flow.fields_assigned.size() && b.flow.fields_assigned[called])) return false;
  Member above = b.c.find_member(base, b.info->name());
  if (above.kind != Member::Methods) return false;
  FunctionInfo* init = above.methods->front();
  if (!init->owner || init->owner->kind != Kind::Class) return false;
  std::string name = init->owner->name.str();
  bool is_somewhere = b.flow.base_made.valid();
  Diagnostic& d = b.c.error(Code::InvalidSuper, b.info->decl->name_span,
                            is_somewhere ? "this constructor does not call `super.__init__(…)` on every path"
                                         : "this constructor never calls the one of `" + name + "`");
  if (init->decl->name_span.file == d.span.file)
    d.labels.push_back({init->decl->name_span, "it would be skipped"});
  else
    d.notes.push_back("the `__init__` of `" + name + "` would be skipped");
  if (is_somewhere) d.labels.push_back({b.flow.base_made, "only some paths come here"});
  d.help = is_somewhere ? "call `super.__init__(…)` before the paths part" : "call `super.__init__(…)`";
  return true;
}

bool base_may_have_set(BodyChecker& b, uint32_t field) {
  if (!b.flow.base_made.valid()) return false;
  TypeId base = b.c.base_of(b.owner_type());
  return base.valid() && field < b.c.flat_fields(base).size();
}

}  // namespace meteor::typed
