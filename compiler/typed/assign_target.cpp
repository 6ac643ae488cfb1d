// Members and elements as targets. A field of a class is written through the
// reference; a struct's field is written in place, which needs a place.
#include "compiler/typed/assign_target.h"

#include "compiler/typed/construction.h"
#include "compiler/typed/frozen.h"
#include "compiler/typed/scan_names.h"

namespace meteor::typed {

namespace {

bool is_place(Expr* e) {
  switch (e->kind) {
    case ExprKind::Variable: case ExprKind::Global: return true;
    case ExprKind::Field: return true;
    case ExprKind::Unwrap: return is_place(e->as<Unwrap>()->operand);
    case ExprKind::Seq: return e->as<Seq>()->value->kind == ExprKind::Unwrap && is_place(e->as<Seq>()->value);   // `x!`
    default: return false;
  }
}

// Changing part of a struct changes the variable that holds it: a closure that shares the variable must see that.
void note_changed_inside(BodyChecker& b, Expr* place) {
  while (true) {
    if (auto* unwrap = place->as<Unwrap>()) place = unwrap->operand;
    else if (auto* looked_at = place->as<Seq>()) place = looked_at->value;
    else if (auto* field = place->as<FieldRef>(); field && b.c.kind(field->object->type) == Kind::Struct) place = field->object;
    else break;
  }
  auto* ref = place->as<VariableRef>();
  if (!ref || b.c.kind(ref->type) == Kind::Class) return;
  BodyChecker* owner = &b;
  VariableId v = ref->variable;
  while (owner->var(v).kind == VariableKind::Capture && owner->parent) {
    v = owner->facts(v).outer;
    owner = owner->parent;
  }
  owner->name_uses_[owner->var(v).name].sites += 2;
  if (owner->facts(v).captured) owner->var(v).boxed = true;
}

// Nobody else assigns this variable.
bool is_own_variable(BodyChecker& b, const VariableRef* ref) {
  const Variable& v = b.var(ref->variable);
  if (v.kind == VariableKind::Temp) return true;
  if (v.kind == VariableKind::Capture || is_by_reference(v)) return false;
  auto use = b.name_uses_.find(v.name);
  return !b.facts(ref->variable).assigned_by_closure && (use == b.name_uses_.end() || (!use->second.by_closure && !use->second.by_call));
}

Expr* find_once(BodyChecker& b, Expr* value, Until until, Span span) {
  auto* variable = value->as<VariableRef>();
  bool is_fixed = is_constant(value) || (variable && is_own_variable(b, variable));
  if (until == Until::CodeRan && !is_fixed && !b.is_poison(value)) return b.variable_ref(b.hold(value, span), span);
  return b.as_stable(value, span);
}

bool is_value(BodyChecker& b, TypeId type) {
  Kind k = b.c.kind(type);
  return k == Kind::Struct || k == Kind::Tuple || k == Kind::Enum || k == Kind::Optional;
}

// The object that the place `at` is part of is found now; structs are parts of it.
void find_object(BodyChecker& b, Expr*& at, Target& target) {
  if (!is_value(b, at->type)) {
    at = find_once(b, at, Until::CodeRan, at->span);
  } else if (auto* field = at->as<FieldRef>()) {
    find_object(b, field->object, target);
  } else if (auto* unwrap = at->as<Unwrap>()) {
    if (!unwrap->checked) target.relies_on.push_back(b.place_key(unwrap->operand));
    find_object(b, unwrap->operand, target);
  }
}

// The element type of a collection whose elements are copied out, or invalid.
TypeId struct_element(BodyChecker& b, TypeId collection) {
  NominalInfo* info = b.c.nominal_info(collection);
  if (!info || !info->module->is_core || (info->name.text() != "list" && info->name.text() != "dict")) return TypeId();
  TypeId element = b.c.resolve(b.types.get(collection).args.back());
  TypeId inside = b.c.kind(element) == Kind::Optional ? b.c.resolve(b.types.arg(element)) : element;
  return b.c.kind(inside) == Kind::Struct ? element : TypeId();
}

// What holds the field or element that is written: a reference, or a place.
Expr* container(BodyChecker& b, ast::Expr* expr, Target& target, Until until) {
  auto* member = expr->as<ast::MemberExpr>();
  if (member && !member->optional && member->object->kind != ast::ExprKind::Super && !b.find_entity(member->object)) {
    Expr* self = own_field_object(b, member->object, member->name);
    Expr* object = self ? self : container(b, member->object, target, until);
    return b.is_poison(object) ? object : b.member_of(object, member->name, member->name_span, expr->span, TypeId());
  }
  if (auto* unwrap = expr->as<ast::UnwrapExpr>())
    return b.unwrap_or_raise(container(b, unwrap->operand, target, until), unwrap);
  auto* index = expr->as<ast::IndexExpr>();
  if (!index || index->index->kind == ast::ExprKind::Slice) return b.check(expr);
  Expr* object = container(b, index->object, target, until);
  if (b.is_poison(object)) return object;
  TypeId type = b.c.resolve(b.known(object->type));
  if (!struct_element(b, type).valid()) return b.make_index(object, index->index, expr->span);
  object = find_once(b, object, may_run_code(b, index->index) ? Until::CodeRan : until, index->object->span);
  Expr* at = find_once(b, b.check(index->index), until, index->index->span);
  if (b.is_poison(at)) return at;
  VariableId copy = b.hold(b.call_method(object, "__getitem__", {at}, expr->span), expr->span);
  target.write_back.push_back([&b, object, at, copy, span = expr->span] {
    b.emit_expr(b.call_method(object, "__setitem__", {at, b.variable_ref(copy, span)}, span));
  });
  return b.variable_ref(copy, expr->span);
}

bool self_escapes(BodyChecker& b) {
  if (b.self_escapes_) return *b.self_escapes_;
  Name self = b.var(b.self_variable).name;
  bool escapes = false;
  std::unordered_set<ast::Expr*> harmless;
  TreeVisitor visitor;
  visitor.on_expr = [&](ast::Expr* expr) {
    auto* call = expr->as<ast::CallExpr>();
    if (auto* method = call ? call->callee->as<ast::MemberExpr>() : nullptr) {
      auto* object = method->object->as<ast::NameExpr>();
      if (object && object->name == self) escapes = true;   // a method, which may assign fields
    }
    if (auto* member = expr->as<ast::MemberExpr>())
      if (member->object->kind == ast::ExprKind::Name) harmless.insert(member->object);
    auto* name = expr->as<ast::NameExpr>();
    if (name && name->name == self && !harmless.contains(expr)) escapes = true;
  };
  visitor.visit(b.function_body_);
  b.self_escapes_ = escapes;
  return escapes;
}

bool is_const_field(FieldInfo* field) {
  if (!field->owner || !field->owner->decl) return false;
  for (ast::FieldDecl& decl : field->owner->decl->fields)
    if (decl.name == field->name) return decl.is_const;
  return false;
}

Target global_target(BodyChecker& b, GlobalInfo* global, Span span) {
  Target target;
  target.span = span;
  if (global->is_const) {
    Diagnostic& d = b.c.error(Code::AssignToConst, span, "`" + global->name.str() + "` is a const and can't be assigned");
    d.labels.push_back({global->span, "declared here"});
    return target;
  }
  if (global->is_local) use_local(b, global, span);
  b.c.reach.uses.push_back({b.fn.id, global, span});
  auto* ref = b.make<GlobalRef>(global->type, span);
  ref->global = global->id;
  target.kind = Target::Place;
  target.place = ref;
  target.type = global->type;
  return target;
}

// A struct is a value: a variable has a copy of its own of a frozen one, or a copy of the struct that such a one is part of. What that refers to is frozen.
bool is_copy_of_frozen(BodyChecker& b, Expr* object) {
  if (auto* part = object->as<Convert>(); part && part->convert == ConvertKind::Reinterpret) object = part->operand;
  if (auto* field = object->as<FieldRef>()) return b.c.kind(thawed_type(b.c, field->type)) == Kind::Struct && is_copy_of_frozen(b, field->object);
  auto* variable = object->as<VariableRef>();
  if (!variable || !is_frozen(b, variable) || b.c.kind(thawed_type(b.c, variable->type)) != Kind::Struct || b.facts(variable->variable).is_const) return false;
  VariableKind kind = b.var(variable->variable).kind;
  return kind == VariableKind::Local || kind == VariableKind::Capture;
}

// The same place as a struct whose fields can be assigned.
Expr* copy_of_frozen(BodyChecker& b, Expr* object) {
  if (auto* part = object->as<Convert>()) object = part->operand;
  if (auto* field = object->as<FieldRef>()) field->object = copy_of_frozen(b, field->object);
  object->type = thawed_type(b.c, object->type);
  return object;
}

Target member_target(BodyChecker& b, ast::MemberExpr* expr, Until until) {
  Checker& c = b.c;
  Target target;
  target.span = expr->span;
  std::string name = expr->name.str();
  if (expr->optional) {
    c.error(Code::InvalidAssignmentTarget, expr->span, "a field behind `?.` can't be assigned").help = "test for null first: `if x is not null: x." + name + " = …`";
    return target;
  }
  if (b.find_entity(expr)) {
    c.error(Code::InvalidAssignmentTarget, expr->span, "`" + name + "` can't be assigned: it names a declaration");
    return target;
  }
  if (auto owner = b.find_entity(expr->object)) {
    if (owner.kind == SymbolKind::Module) {
      auto& names = owner.symbol.module->names;
      auto found = names.find(expr->name);
      if (found != names.end() && found->second.kind == SymbolKind::Global && found->second.is_pub) return global_target(b, found->second.global, expr->span);
      b.check(expr);   // says what is wrong
      return target;
    }
    Diagnostic& d = c.error(Code::InvalidAssignmentTarget, expr->span, "fields belong to instances, not to the type itself");
    d.help = "use a module variable, or assign the field of an instance";
    return target;
  }
  Expr* self = own_field_object(b, expr->object, expr->name);
  Expr* object = self ? self : container(b, expr->object, target, until);
  if (b.is_poison(object)) return target;
  TypeId type = c.resolve(b.known(object->type));
  bool is_copy = is_copy_of_frozen(b, object);
  if (!is_copy && (c.kind(type) == Kind::Frozen || lies_in_frozen(b, object))) {
    refuse_frozen_write(b, type, expr->span);
    return target;
  }
  if (is_copy) {
    object = copy_of_frozen(b, object);
    type = c.resolve(object->type);
  }
  Member member = c.find_member(type, expr->name);
  if (member && !b.may_see(member, expr->name, expr->name_span)) return target;
  if (member.kind != Member::Field || (c.kind(type) != Kind::Class && c.kind(type) != Kind::Struct)) {
    if (member.kind == Member::Methods) {
      bool property = member.methods->front()->is_property;
      if (property && c.find_member(type, c.name(name + ".setter"))) {
        if (c.kind(type) == Kind::Struct && is_place(object)) note_changed_inside(b, object);
        target.kind = Target::Property;
        target.object = object;
        target.property = expr->name;
        return target;
      }
      Diagnostic& d = c.error(Code::InvalidAssignmentTarget, expr->span, "`" + name + "` is a " + (property ? "property" : "method") + " of `" + c.text(type) + "` and can't be assigned");
      d.labels.push_back({member.methods->front()->decl->name_span, "declared here"});
      if (property) d.help = "assign the field it is made from, or add a setter: `@" + name + ".setter`";
      return target;
    }
    Expr* read = b.member_of(object, expr->name, expr->name_span, expr->span, TypeId());   // says what is wrong
    if (c.kind(type) == Kind::Enum && !b.is_poison(read)) {
      Diagnostic& d = c.error(Code::InvalidAssignmentTarget, expr->span, "`" + name + "` is payload of `" + c.text(type) + "` and can't be assigned");
      d.help = "make a new value of the case and assign that";
    }
    return target;
  }
  bool is_self = b.is_constructor_body && !b.parent && object->kind == ExprKind::Variable && object->as<VariableRef>()->variable == b.self_variable;
  if (is_const_field(member.field) && !is_self) {
    Diagnostic& d = c.error(Code::AssignToConst, expr->span, "`" + name + "` is a const field and can't be assigned");
    d.labels.push_back({member.field->span, "declared here"});
    return target;
  }
  if (c.kind(type) == Kind::Struct && !is_place(object)) {
    Diagnostic& d = c.error(Code::InvalidAssignmentTarget, expr->span, "this changes a copy of `" + c.text(type) + "` that nobody keeps");
    d.label = "a struct is a value";
    d.help = "store it in a variable, change that, and put it back";
    return target;
  }
  target.kind = Target::Place;
  target.is_weak = member.field->is_weak;
  target.type = member.field_type;
  target.why = "the field is declared here";
  target.why_span = member.field->span;
  TypeId place_type = target.is_weak ? b.types.wrap(Kind::Weak, b.types.arg(c.resolve(member.field_type))) : member.field_type;
  target.place = b.make_field(object, member.field_index, place_type, expr->span);
  if (is_copy) target.type = target.place->type = frozen_type(c, place_type);
  if (c.kind(type) == Kind::Struct) note_changed_inside(b, object);
  if (is_self) {
    target.own_field = member.field_index;
    if (b.fields_touched_.size() <= member.field_index) b.fields_touched_.resize(member.field_index + 1);
    target.initializes = !b.fields_touched_[member.field_index] && !base_may_have_set(b, member.field_index) &&
                         b.loop_depth_ == 0 && !member.field->default_value && !self_escapes(b);
    b.fields_touched_[member.field_index] = true;
  }
  return target;
}

}  // namespace

bool lies_in_frozen(BodyChecker& b, Expr* place) {
  while (true) {
    if (is_frozen(b, place)) return true;
    if (auto* convert = place->as<Convert>()) {
      place = convert->operand;
    } else if (auto* unwrap = place->as<Unwrap>()) {
      place = unwrap->operand;
    } else if (auto* looked_at = place->as<Seq>()) {
      place = looked_at->value;
    } else if (auto* field = place->as<FieldRef>()) {
      place = field->object;
      if (b.c.kind(place->type) == Kind::Class && place->kind != ExprKind::Convert) return false;   // a reference to something that can change
    } else {
      auto* global = place->as<GlobalRef>();
      GlobalInfo* info = global ? b.c.global_of(global->global) : nullptr;
      auto* variable = place->as<VariableRef>();
      return (info && info->is_const) || (variable && b.facts(variable->variable).is_const);
    }
  }
}

bool may_run_code(BodyChecker& b, ast::Expr* expr) {
  const WrittenNames& names = b.c.written_names();
  bool runs = false;
  TreeVisitor visitor;
  visitor.on_expr = [&](ast::Expr* e) { runs = runs || may_run_user_code(e, names); };
  visitor.visit(expr);
  return runs;
}

bool is_still_there(BodyChecker& b, ast::Expr* written, Target& target) {
  for (const PlaceKey& key : target.relies_on) {
    const Known* fact = b.flow.find(key);
    if (fact && !fact->in_doubt && b.c.kind(fact->type) != Kind::Optional && b.c.kind(fact->type) != Kind::Null) continue;
    Target again;
    b.collect([&] { again = resolve_target(b, written, Until::Written); });   // as if it were found now: says what is wrong
    if (again.kind != Target::None) b.c.error(Code::OptionalNotUnwrapped, written->span, "this may be null by now: code that ran since it was tested may have changed it");
    return false;
  }
  return true;
}

void find_object_once(BodyChecker& b, Expr*& place) {
  Target relies;   // whoever asks looks again
  find_object(b, place, relies);
}

std::vector<Expr*> shared_optionals(BodyChecker& b, Expr* place) {
  std::vector<Expr*> found;
  for (Expr* at = place; is_value(b, at->type) || at == place;) {
    if (auto* field = at->as<FieldRef>()) {
      at = field->object;
    } else if (auto* looked_at = at->as<Seq>()) {
      at = looked_at->value;
    } else if (auto* unwrap = at->as<Unwrap>()) {
      at = unwrap->operand;
      found.insert(found.begin(), at);
    } else {
      auto* variable = at->as<VariableRef>();
      if (variable && is_own_variable(b, variable) && !b.facts(variable->variable).captured) found.clear();
      break;
    }
  }
  return found;
}

void emit_unless_null(BodyChecker& b, std::span<Expr* const> optionals, Span span, const std::function<void()>& write) {
  if (optionals.empty()) return write();
  auto* is_null = b.make<IsNull>(b.types.bool_, span);
  is_null->operand = optionals[0];
  auto* test = b.make_stmt<If>(span);
  test->condition = is_null;
  test->else_body = b.collect([&] { emit_unless_null(b, optionals.subspan(1), span, write); });
  b.emit(test);
}

Target resolve_target(BodyChecker& b, ast::Expr* expr, Until until) {
  bool read_too = until != Until::Written;
  if (auto* member = expr->as<ast::MemberExpr>()) {
    Target target = member_target(b, member, until);
    if (read_too && target.own_field != UINT32_MAX &&
        refuse_unset_field(b, b.c.find_member(b.self_type, member->name), expr->span)) {
      b.mark_field_assigned(target.own_field);  // one mistake is enough
      return Target{.span = expr->span};
    }
    if (read_too && target.kind == Target::Property && b.c.kind(target.object->type) == Kind::Class) target.object = find_once(b, target.object, until, member->object->span);
    auto* field = target.kind == Target::Place ? target.place->as<FieldRef>() : nullptr;
    if (field && until == Until::CodeRan) find_object(b, field->object, target);
    else if (read_too && field && b.c.kind(field->object->type) == Kind::Class) field->object = b.as_stable(field->object, member->object->span);
    return target;
  }
  Target target;
  target.span = expr->span;
  auto* index = expr->as<ast::IndexExpr>();
  Expr* object = container(b, index->object, target, until);
  Expr* at = index->index->kind == ast::ExprKind::Slice ? b.make_slice(index->index->as<ast::SliceExpr>()) : nullptr;
  if (!at) at = b.check(index->index, b.hint_for_key(object->type));
  if (b.is_poison(object) || b.is_poison(at)) return target;
  TypeId type = b.c.resolve(b.known(object->type));
  if (b.c.kind(type) == Kind::Optional) {
    b.make_index(object, index->index, expr->span);   // says what is wrong
    return target;
  }
  if (b.c.kind(type) == Kind::Frozen) {
    refuse_frozen_write(b, type, expr->span);
    return target;
  }
  if (!b.c.has_method(type, "__setitem__")) {
    Diagnostic& d = b.c.error(Code::InvalidAssignmentTarget, expr->span, "elements of `" + b.c.text(type) + "` can't be assigned");
    d.label = "there is no `__setitem__`";
    if (b.c.kind(type) == Kind::Str) d.help = "text does not change; build a new one, for instance with slices or `replace`";
    if (b.c.kind(type) == Kind::Any) {
      d.label = "what it holds is known only when the program runs";
      bool is_number = b.c.kind(at->type) == Kind::Int;
      d.help = "say what it holds: `xs = … as " + std::string(is_number ? "list<any>" : "dict<str, any>") +
               "`, and assign its element";
    }
    if (b.c.kind(type) == Kind::Tuple) d.help = "tuples do not change; use a list, or make a new tuple";
    return target;
  }
  if (b.c.kind(type) == Kind::Struct && is_place(object)) note_changed_inside(b, object);
  target.kind = Target::Item;
  target.object = object;
  target.index = at;
  if (!read_too) return target;
  if (!is_value(b, object->type)) target.object = find_once(b, object, until, index->object->span);
  else if (until == Until::CodeRan) find_object(b, target.object, target);
  target.index = find_once(b, at, until, index->index->span);
  return target;
}

Expr* load(BodyChecker& b, Target& target) {
  if (target.kind == Target::None) return b.poison(target.span);
  if (target.kind == Target::Item) return b.call_method(target.object, "__getitem__", {target.index}, target.span);
  if (target.kind == Target::Property) return b.member_of(target.object, target.property, target.span, target.span, TypeId());
  if (!target.is_weak) return b.apply_narrowing(target.place);
  auto* get = b.make<WeakGet>(target.type, target.span);
  get->value = target.place;
  return b.apply_narrowing(get);
}

void store(BodyChecker& b, Target& target, Expr* value, Span value_span) {
  if (target.kind == Target::None) return;
  if (target.kind == Target::Item) {
    if (!b.is_poison(value)) b.emit_expr(b.call_method(target.object, "__setitem__", {target.index, value}, target.span));
  } else if (target.kind == Target::Property) {
    if (!b.is_poison(value)) b.emit_expr(b.call_method(target.object, target.property.str() + ".setter", {value}, target.span));
  } else {
    Expr* converted = b.coerce(value, target.type, value_span, target.why, target.why_span);
    if (target.is_weak) {
      auto* weak = b.make<MakeWeak>(target.place->type, value_span);
      weak->value = converted;
      converted = weak;
    }
    b.emit_assign(target.place, converted, target.initializes);
    b.remember_value(target.place, target.is_weak ? converted : value);   // a weak one may be null again at once
    if (target.own_field != UINT32_MAX) b.mark_field_assigned(target.own_field);
  }
  for (size_t i = target.write_back.size(); i-- > 0;) target.write_back[i]();
}

}  // namespace meteor::typed
