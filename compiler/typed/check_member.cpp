// `x.name`, `x?.name`, `x[i]`: fields, properties, bound methods, elements.
#include "compiler/ast/foreign_names.h"
#include "compiler/base/check.h"
#include "compiler/typed/construction.h"
#include "compiler/typed/scan_names.h"
#include "compiler/typed/frozen.h"
#include "compiler/typed/did_you_mean.h"
#include "compiler/typed/has_trait.h"
#include "compiler/typed/suggest.h"

namespace meteor::typed {

Expr* BodyChecker::make_field(Expr* object, uint32_t index, TypeId type, Span span) {
  auto* field = make<FieldRef>(type, span);
  field->object = object;
  field->index = index;
  return field;
}

bool BodyChecker::may_see(const Member& member, Name n, Span span) {
  std::string_view text = n.text();
  if (text.empty() || text[0] != '_' || (text.size() > 4 && text.substr(0, 2) == "__")) return true;
  ModuleInfo* home = member.owner ? member.owner->module : member.methods ? member.methods->front()->module : nullptr;
  if (!home || home == module || module->is_std || (info && info->is_derived)) return true;
  auto& d = c.error(Code::PrivateName, span, "`" + n.str() + "` is private to module `" + home->name + "`");
  d.help = "names that start with `_` are for their own module only";
  return false;
}

void BodyChecker::mark_field_assigned(uint32_t index) {
  if (flow.fields_assigned.size() <= index) flow.fields_assigned.resize(index + 1);
  flow.fields_assigned[index] = true;
}

Expr* BodyChecker::check_receiver(ast::Expr* expr) { return check(expr); }

namespace {

// `self.n = …` in `__init__`: a field for who comes from Python.
bool init_assigns(NominalInfo* info, Name n) {
  bool found = false;
  TreeVisitor visitor;
  visitor.on_stmt = [&](ast::Stmt* stmt) {
    auto* assign = stmt->as<ast::AssignStmt>();
    if (!assign) return;
    for (ast::Expr* target : assign->targets) {
      auto* member = target->as<ast::MemberExpr>();
      auto* object = member ? member->object->as<ast::NameExpr>() : nullptr;
      found |= object && object->name.text() == "self" && member->name == n;
    }
  };
  for (ast::FunctionDecl* method : info->decl->methods)
    if (method->name.text() == "__init__") visitor.visit(method->body);
  return found;
}

}  // namespace

namespace {

// The case that an enum value is known to be here.
std::optional<uint32_t> known_case(BodyChecker& b, Expr* object, const NominalInfo& type, bool& in_doubt) {
  PlaceKey key = b.place_key(object);
  if (const Known* fact = key.empty() ? nullptr : b.flow.find(key + "#case")) {
    in_doubt = fact->in_doubt;
    return fact->type.index;
  }
  // The only one left after the others were ruled out by early returns.
  std::optional<uint32_t> left;
  for (uint32_t i = 0; i < type.cases.size(); ++i) {
    const Known* ruled_out = key.empty() ? nullptr : b.flow.find(key + "#not" + std::to_string(i));
    if (!ruled_out && left) return {};
    if (!ruled_out) left = i;
    in_doubt |= ruled_out && ruled_out->in_doubt;
  }
  return left;
}

// A misspelt name of what the case has that the value is known to be.
bool suggest_payload(BodyChecker& b, Diagnostic& d, Expr* object, const NominalInfo& type, Name wanted, Span at) {
  bool in_doubt = false;
  std::optional<uint32_t> index = known_case(b, object, type, in_doubt);
  if (!index || type.cases[*index].fields.empty()) return false;
  const CaseInfo& one = type.cases[*index];
  std::vector<std::string> names;
  std::string shown;
  for (const FieldInfo& field : one.fields) {
    names.push_back(field.name.str());
    shown += (shown.empty() ? "`" : ", `") + field.name.str() + "`";
  }
  std::string guess = did_you_mean(wanted.text(), names);
  if (guess.empty() && names.size() == 1) guess = names[0];
  d.labels.push_back({one.span, "`" + one.name.str() + "` has " + shown});
  if (guess.empty()) return true;
  d.help = "did you mean `" + guess + "`?";
  if (at.valid()) d.edits.push_back({at, guess});
  return true;
}

const CaseInfo* case_with_field(const NominalInfo& type, Name field) {
  for (const CaseInfo& one : type.cases)
    for (const FieldInfo& own : one.fields)
      if (own.name == field) return &one;
  return nullptr;
}

// What other languages call a method of this type of the library.
bool suggest_foreign_member(BodyChecker& b, Diagnostic& d, TypeId type, Expr* object, Name wanted, Span at) {
  NominalInfo* nominal = b.c.nominal_info(type);
  const ast::ForeignName* foreign = nominal && nominal->module->is_core ? ast::find_foreign_member_of(nominal->name.text(), wanted.text()) : nullptr;
  if (!foreign) return false;
  constexpr size_t LONGEST_SHOWN = 30;
  std::string_view written = b.c.input.sources.text(object->span);
  bool is_short = written.size() <= LONGEST_SHOWN && written.find('\n') == std::string_view::npos;
  d.help = ast::help_for(*foreign, is_short ? written : "…");
  if (!foreign->instead.empty() && at.valid()) d.edits.push_back({at, std::string(foreign->instead)});
  return true;
}

}  // namespace

Expr* BodyChecker::member_of(Expr* object, Name n, Span name_span, Span span, TypeId expected) {
  object = seen_as_trait(*this, object, n);
  if (is_poison(object)) return object;
  TypeId type = require_known(object->type, object->span, "this value");
  Kind k = types.kind(type);
  if (k == Kind::Error) return poison(span);
  if (k == Kind::Frozen) {
    Member member = find_member(object->type, n);
    if (!settle(member, type, object, n, nullptr, span)) return poison(span);
    if (member.kind == Member::Methods && member.methods->front()->has_self) {
      if (!may_see(member, n, name_span)) return poison(span);
      FunctionInfo* f = member.methods->front();
      return f->is_property ? call_function(f, member.subst, object, type, {}, span, expected) : function_value(*member.methods, member.subst, object, type, span, expected);
    }
    return freeze_part(*this, member_of(thaw(*this, object), n, name_span, span, expected));
  }
  Member member = find_member(object->type, n);
  if (!settle(member, type, object, n, nullptr, span)) return poison(span);
  if (member.kind == Member::Field) {
    if (!may_see(member, n, name_span)) return poison(span);
    if (is_self(object) && refuse_unset_field(*this, member, span)) return poison(span);
    if (member.field->is_weak) {
      TypeId inner = types.arg(c.unifier.shallow(member.field_type));
      Expr* place = make_field(object, member.field_index, types.wrap(Kind::Weak, inner), span);
      auto* get = make<WeakGet>(member.field_type, span);
      get->value = place;
      return apply_narrowing(get);
    }
    return apply_narrowing(make_field(object, member.field_index, member.field_type, span));
  }
  if (member.kind == Member::Methods) {
    if (!may_see(member, n, name_span)) return poison(span);
    FunctionInfo* f = member.methods->front();
    if (f->is_property) return call_function(f, member.subst, object, type, {}, span, expected);
    if (!f->has_self) return function_value(*member.methods, member.subst, nullptr, type, span, expected);
    return function_value(*member.methods, member.subst, object, type, span, expected);
  }
  if (member.kind == Member::Const) return check_class_const(member, span);
  if (k == Kind::Enum) {
    // After `x is Case` its payload can be read by name.
    if (Expr* payload = enum_payload(object, n, span)) return payload;
  }
  if (k == Kind::Optional) {
    TypeId inner = c.unifier.shallow(types.arg(type));
    bool would = types.kind(inner) != Kind::Var && static_cast<bool>(c.find_member(inner, n));
    auto& d = c.error(Code::OptionalNotUnwrapped, span, "this may be null, so `." + n.str() + "` can't be used on it directly");
    show_null_origin(d, object);
    d.found = c.text(type);
    d.help = would ? "write `?." + n.str() + "`, test it with `is not null` first, or write `!` to insist" : "test it with `is not null` first";
    return poison(span);
  }
  if (NominalInfo* nominal = c.nominal_info(type); nominal && nominal->kind == Kind::Class && init_assigns(nominal, n)) {
    bool is_told = !is_self(object) || !info || info->name().text() != "__init__";   // by the one in `__init__`
    if (is_told || !c.told_fields_[nominal].insert(n).second) return poison(span);
  }
  if (NominalInfo* nominal = c.nominal_info(type); nominal && nominal->has_unknown_base) return poison(span);
  auto& d = c.error(Code::UnknownMember, name_span.valid() ? name_span : span, "`" + c.text(type) + "` has no member `" + n.str() + "`");
  bool was_known = show_ended_fact(d, object);
  if (auto* variable = object->as<VariableRef>(); variable && var(variable->variable).name) {
    Name hidden = var(variable->variable).name;
    if (Symbol symbol = c.find_symbol(module, hidden); symbol.kind == SymbolKind::Module) {
      d.labels.push_back({var(variable->variable).span, "this variable hides the module `" + hidden.str() + "`"});
      d.help = "give the variable another name";
      return poison(span);
    }
  }
  if (TypeId given = c.future_value(type); given.valid() && c.find_member(c.resolve(given), n)) {
    if (may_suspend()) {
      d.help = "a future gives its value when it is awaited: write `(await …)." + n.str() + "`";
      d.edits.push_back({{object->span.file, object->span.start, object->span.start}, "(await "});
      d.edits.push_back({{object->span.file, object->span.end, object->span.end}, ")"});
    } else suggest_await(d, object, "a future gives its value when it is awaited: ");
    return poison(span);
  }
  if (is_any(type) && !was_known) {
    d.help = "say what it holds: `x as Type`; the value of a key is read with `[\"" + n.str() + "\"]`";
    return poison(span);
  }
  NominalInfo* nominal = c.nominal_info(type);
  if (const CaseInfo* of = k == Kind::Enum ? case_with_field(*nominal, n) : nullptr) {
    d.labels.push_back({of->span, "the case `" + of->name.str() + "` has it"});
    bool is_place = !place_key(object).empty();
    if (!was_known) d.help = std::string(is_place ? "test it with" : "put it into a variable and test that with") + " `is " + of->name.str() + "`, or use `switch`";
    return poison(span);
  }
  if (k == Kind::Enum && suggest_payload(*this, d, object, *nominal, n, name_span)) return poison(span);
  bool is_empty_braces = nominal && nominal == c.core_nominal("dict") && c.kind(types.arg(type)) == Kind::Var;
  if (is_empty_braces && c.find_member(c.core_type("set", {types.str}), n)) {
    d.help = "`{}` is an empty dict; an empty set is written `set()`";
    return poison(span);
  }
  if (suggest_foreign_member(*this, d, type, object, n, name_span)) return poison(span);
  bool is_text_dict = nominal && nominal->name.text() == "dict" && nominal->module->is_core && c.kind(types.arg(type)) == Kind::Str;
  bool is_called = name_span.valid() && c.input.sources.text(name_span.file).substr(name_span.end).starts_with('(');
  bool may_be_key = is_text_dict && (!is_called || c.kind(types.arg(type, 1)) == Kind::Func);
  if (may_be_key && name_span.valid()) {
    d.help = "the value of a key is read with `[\"" + n.str() + "\"]`";
    d.edits.push_back({{name_span.file, object->span.end, name_span.end}, "[\"" + n.str() + "\"]"});
    if (n.text().size() <= 3 || did_you_mean(n.text(), member_names(type)).empty()) return poison(span);   // short words are near to anything
    d.edits.clear();
  }
  std::vector<std::string> known_names = member_names(type);
  if (auto guess = did_you_mean(n.text(), known_names); !guess.empty()) {
    d.help = "did you mean `" + guess + "`?";
    if (name_span.valid()) d.edits.push_back({name_span, guess});
    return poison(span);
  }
  if (const ast::ForeignName* foreign = ast::find_foreign_member(n.text()); foreign && (foreign->instead.empty() || c.find_member(type, c.name(foreign->instead)))) {
    d.help = ast::help_for(*foreign);
    if (!foreign->instead.empty() && name_span.valid()) d.edits.push_back({name_span, std::string(foreign->instead)});
    return poison(span);
  }
  if (c.nominal_info(type) && c.nominal_info(type)->kind == Kind::Class && is_self(object)) d.help = "declare it in the class: `" + n.str() + ": Type`";
  return poison(span);
}

bool BodyChecker::is_self(Expr* object) {
  auto* ref = object->as<VariableRef>();
  return ref && self_variable.valid() && ref->variable == self_variable;
}

bool BodyChecker::reads_unassigned_field(const Member& member) {
  if (member.field->default_value || c.kind(member.field_type) == Kind::Optional || !flow.reachable) return false;
  return member.field_index >= flow.fields_assigned.size() || !flow.fields_assigned[member.field_index];
}

std::vector<std::string> BodyChecker::member_names(TypeId type) {
  std::vector<std::string> out;
  std::unordered_set<NominalInfo*> seen;
  auto add_trait = [&](TypeId trait, auto& again) -> void {
    NominalInfo* info = trait.valid() ? c.nominal_info(trait) : nullptr;
    if (!info || !seen.insert(info).second) return;
    for (auto& [n, m] : info->methods)
      if (n.text()[0] != '_') out.push_back(n.str());
    for (TypeId above : info->traits) again(above, again);
  };
  for (TypeId at = type; at.valid() && c.nominal_info(at); at = c.base_of(at)) {
    NominalInfo* nominal = c.nominal_info(at);
    for (FieldInfo& f : nominal->fields)
      if (f.name.text()[0] != '_' || nominal->module == module) out.push_back(f.name.str());
    for (auto& [n, m] : nominal->methods)
      if (n.text()[0] != '_') out.push_back(n.str());
    for (TypeId trait : nominal->traits) add_trait(trait, add_trait);
  }
  if (types.kind(type) == Kind::Dyn) add_trait(types.arg(type), add_trait);
  for (ImplInfo* impl : c.impls_for(type)) {
    for (auto& [n, m] : impl->methods)
      if (n.text()[0] != '_') out.push_back(n.str());
    add_trait(impl->trait, add_trait);
  }
  return out;
}

// `x.r` where x is an enum value known to be a case that has `r`, or where every case has it.
Expr* BodyChecker::enum_payload(Expr* object, Name n, Span span) {
  NominalInfo* nominal = c.nominal_info(object->type);
  c.ensure_fields(nominal);
  bool in_doubt = false;
  std::optional<uint32_t> index = known_case(*this, object, *nominal, in_doubt);
  if (!index) return nullptr;
  CaseInfo& info = nominal->cases[*index];
  for (uint32_t f = 0; f < info.fields.size(); ++f) {
    if (info.fields[f].name != n) continue;
    TypeId type = c.apply(info.fields[f].type, subst_of(object->type));
    Expr* payload = make_seq([&]() -> Expr* {
      // Read through a pattern (see payload_key in narrow.cpp): the case is known, so it always matches.
      VariableId subject = new_temp(object->type, span);
      VariableId out = new_temp(type, span);
      emit_assign(variable_ref(subject, span), object);
      auto* sw = make_stmt<Switch>(span);
      sw->subject = subject;
      sw->exhaustive = !in_doubt;
      Pattern* pattern = make_pattern(PatternKind::Case, object->type, span);
      pattern->case_index = *index;
      std::vector<Pattern*> items;
      for (uint32_t i = 0; i < info.fields.size(); ++i) {
        TypeId ft = c.apply(info.fields[i].type, subst_of(object->type));
        Pattern* item = make_pattern(i == f ? PatternKind::Bind : PatternKind::Wildcard, ft, span);
        if (i == f) item->variable = out;
        items.push_back(item);
      }
      pattern->items = keep(items);
      SwitchCase one;
      one.pattern = pattern;
      one.span = span;
      std::vector<SwitchCase> cases{one};
      if (in_doubt) {
        SwitchCase other;
        other.span = span;
        other.body = collect([&] {
          Flow before = flow;
          raise_new("TypeError", make_text("this is no longer `" + nominal->decl->cases[*index].name.str() + "`", span), span);
          flow = before;
        });
        cases.push_back(other);
      }
      sw->cases = keep(cases);
      emit(sw);
      return variable_ref(out, span);
    }, span);
    return apply_narrowing(payload);
  }
  return nullptr;
}

Expr* BodyChecker::check_class_const(const Member& member, Span span) {
  if (!member.owner->type_params.empty()) return freeze_part(*this, call_core("freeze", {check_default_expr(member.constant->value, member.constant->type ? type_of(member.constant->type) : TypeId(), member.owner->module, span)}, span));
  return read_global(c.class_consts_.at(member.constant), span);
}

Expr* BodyChecker::check_default_expr(ast::Expr* value, TypeId type, ModuleInfo* home, Span span) {
  ParamInfo p;
  p.default_value = value;
  return check_default(p, type, home, span);
}

Expr* BodyChecker::check_member(ast::MemberExpr* expr, TypeId expected) {
  Entity entity = find_entity(expr);
  if (entity) {
    switch (entity.kind) {
      case SymbolKind::EnumCase: return make_case(entity.symbol.nominal, entity.symbol.case_index, std::nullopt, entity.type, expr->span, expected);
      case SymbolKind::Functions: {
        if (!entity.is_type_member) return function_value(*entity.symbol.functions, {}, nullptr, TypeId(), expr->span, expected);
        FunctionInfo* f = entity.symbol.functions->front();
        c.ensure_signature(f);
        if (f->has_self) return wrap_as_lambda(expr, f->params.size() + 1, expr->span, expected, nullptr, f->frame == FrameKind::Async);
        Member found = find_member(entity.type, expr->name);
        if (c.kind(entity.type) == Kind::Trait || !settle(found, entity.type, nullptr, expr->name, nullptr, expr->span)) return poison(expr->span);
        return function_value(*found.methods, found.subst, nullptr, entity.type, expr->span, expected);
      }
      default: {
        if (wants_function_ || (expected.valid() && c.kind(expected) == Kind::Func)) return wrap_as_lambda(expr, 1, expr->span, expected);
        c.error(Code::NotAValue, expr->span, "this names a " + std::string(entity.kind == SymbolKind::Module ? "module" : "type") + ", not a value");
        return poison(expr->span);
      }
    }
  }
  Entity base = expr->object->kind == ast::ExprKind::Super ? Entity() : find_entity(expr->object);
  if (base.kind == SymbolKind::Module) {
    ModuleInfo* target = base.symbol.module;
    auto at = target->names.find(expr->name);
    if (at == target->names.end() || at->second.imported) {
      auto& d = c.error(Code::UnknownMember, expr->name_span, "module `" + target->name + "` has no `" + expr->name.str() + "`");
      suggest_module_member(d, *target, expr->name, expr->name_span);
      return poison(expr->span);
    }
    if (!at->second.is_pub) {
      auto& d = c.error(Code::PrivateName, expr->name_span, "`" + expr->name.str() + "` is private to module `" + target->name + "`");
      d.labels.push_back({at->second.span, "declared here without `pub`"});
      d.help = "write `pub` before its declaration";
      return poison(expr->span);
    }
    return read_global(at->second.global, expr->span);
  }
  if (base.kind == SymbolKind::Nominal || base.kind == SymbolKind::Alias || base.kind == SymbolKind::BuiltinType) {
    TypeId type = entity_type(base, {}, expr->span);
    Member found = c.find_member(type, expr->name);
    if (found.kind == Member::Const) return check_class_const(found, expr->span);
    auto& d = c.error(Code::UnknownMember, expr->name_span, "type `" + c.text(type) + "` has no `" + expr->name.str() + "`");
    if (NominalInfo* nominal = c.nominal_info(type); nominal && nominal->kind == Kind::Enum) {
      std::vector<std::string> names;
      for (ast::EnumCaseDecl& k : nominal->decl->cases) names.push_back(k.name.str());
      if (auto guess = did_you_mean(expr->name.text(), names); !guess.empty()) {
        d.help = "did you mean `" + guess + "`?";
        d.edits.push_back({expr->name_span, guess});
      }
    } else if (found.kind == Member::Field) {
      d.help = "a field belongs to a value: make one and read its `." + expr->name.str() + "`";
    }
    return poison(expr->span);
  }
  if (expr->object->kind == ast::ExprKind::Super) {
    TypeId above = self_type.valid() && c.kind(self_type) == Kind::Class && info && info->owner ? c.base_of(owner_type()) : TypeId();
    Member inherited = above.valid() ? c.find_member(above, expr->name) : Member();
    if (inherited.kind == Member::Methods && refuse_unfinished_self(*this, expr->span)) return poison(expr->span);
    Binding self = lookup(c.name("self"));
    if (self.kind == BindingKind::Variable && self.variable.valid()) {
      if (inherited.kind == Member::Field) return member_of(variable_ref(self.variable, expr->span), expr->name, expr->name_span, expr->span, expected);
      if (inherited.kind == Member::Methods && inherited.methods->front()->is_property)
        return call_function(inherited.methods->front(), inherited.subst, coerce(variable_ref(self.variable, expr->span), is_frozen(*this, variable_ref(self.variable, expr->span)) ? frozen_type(c, above) : above, expr->span), above, {}, expr->span, expected, true);
    }
    auto& d = c.error(Code::InvalidSuper, expr->span, "`super` can only be used to call a method");
    d.help = "write `super." + expr->name.str() + "(…)`";
    return poison(expr->span);
  }
  Expr* self = own_field_object(*this, expr->object, expr->name);
  return member_of(self ? self : check(expr->object), expr->name, expr->name_span, expr->span, expected);
}

// ---- a?.b.c(d): null ends the whole chain ------------------------------------

ast::MemberExpr* BodyChecker::first_optional_link(ast::Expr* expr) {
  ast::MemberExpr* link = nullptr;
  for (ast::Expr* at = expr; at;) {
    if (replaced_.count(at)) break;
    if (auto* m = at->as<ast::MemberExpr>()) {
      if (m->optional && !replaced_.count(m->object)) link = m;
      at = m->object;
    } else if (auto* call = at->as<ast::CallExpr>()) at = call->callee;
    else if (auto* index = at->as<ast::IndexExpr>()) at = index->object;
    else break;
    if (at && at->parenthesized) break;
  }
  return link;
}

// null when `is_null` holds; else what `rest` gives after `before`.
Expr* BodyChecker::ended_by_null(Expr* is_null, Block before, Expr* rest, Span span) {
  Kind k = c.kind(known(rest->type));
  if (k == Kind::Error) return rest;
  if (k == Kind::Void) {
    auto* branch = make_stmt<If>(span);
    branch->condition = make_not(is_null);
    branch->then_body = collect([&]() {
      for (Stmt* s : before) emit(s);
      emit_expr(rest);
    });
    emit(branch);
    return make<VoidConst>(types.void_, span);
  }
  bool may_be_null = k == Kind::Optional || k == Kind::Any;
  TypeId out = may_be_null ? rest->type : types.optional(rest->type);
  Expr* value = may_be_null ? rest : make_some(rest);
  if (!before.empty()) {
    auto* seq = make<Seq>(out, span);
    seq->stmts = before;
    seq->value = value;
    value = seq;
  }
  auto* choice = make<Ternary>(out, span);
  choice->condition = is_null;
  choice->then_value = make<NullConst>(out, span);
  choice->else_value = value;
  return choice;
}

Expr* BodyChecker::check_optional_chain(ast::Expr* expr, TypeId expected, bool& handled) {
  handled = false;
  ast::MemberExpr* link = first_optional_link(expr);
  if (!link) return nullptr;
  handled = true;
  Span span = expr->span;
  Expr* object = check_anew(link->object);
  if (is_poison(object)) return object;
  TypeId type = require_known(object->type, link->object->span, "this value");
  if (types.kind(type) == Kind::Error) return poison(span);
  if (types.kind(type) != Kind::Optional) {
    // It can't be null: `?.` is just `.`.
    replaced_[link->object] = object;
    Expr* rest = check(expr, expected);
    replaced_.erase(link->object);
    return rest;
  }
  VariableId temp = new_temp(type, span);
  Expr* result = nullptr;
  Block stmts = collect([&]() {
    emit_assign(variable_ref(temp, span), object);
    replaced_[link->object] = make_unwrap(variable_ref(temp, span), span, false);
    Expr* rest = nullptr;
    Flow before = flow;
    Block inner = collect([&]() { rest = check(expr); });
    replaced_.erase(link->object);
    flow = merge(before, flow);
    auto* test = make<IsNull>(types.bool_, span);
    test->operand = variable_ref(temp, span);
    result = ended_by_null(test, inner, rest, span);
  });
  auto* seq = make<Seq>(result->type, span);
  seq->stmts = stmts;
  seq->value = result;
  return seq;
}

// ---- Elements ----------------------------------------------------------------

Expr* BodyChecker::make_slice(ast::SliceExpr* slice) {
  TypeId type = c.core_type("_Slice");
  TypeId bound = types.optional(types.int_);
  std::vector<Expr*> fields;
  for (ast::Expr* part : {slice->lower, slice->upper, slice->step}) fields.push_back(part ? check_to(part, bound) : make<NullConst>(bound, slice->span));
  for (Expr* f : fields)
    if (is_poison(f)) return poison(slice->span);
  auto* made = make<New>(type, slice->span);
  made->fields = keep(fields);
  return made;
}

Expr* BodyChecker::make_index(Expr* object, ast::Expr* index, Span span) {
  if (is_poison(object)) {
    if (!index->as<ast::SliceExpr>()) check(index);
    return object;
  }
  TypeId type = require_known(object->type, object->span, "this value");
  if (types.kind(type) == Kind::Error) return poison(span);
  if (is_any(type))
    return any_item(object, index->as<ast::SliceExpr>() ? make_slice(index->as<ast::SliceExpr>()) : check(index), span);
  if (types.kind(type) == Kind::Tuple) {
    bool negative = false;
    ast::Expr* at = index;
    if (auto* u = at->as<ast::UnaryExpr>(); u && u->op == ast::UnaryOp::Neg) { negative = true; at = u->operand; }
    auto* number = at->as<ast::IntExpr>();
    size_t count = types.get(type).args.size();
    if (number && !number->too_big) {
      uint64_t i = number->value;
      if (negative) i = i <= count ? count - i : UINT64_MAX;
      if (i < count) return apply_narrowing(make_field(object, static_cast<uint32_t>(i), types.arg(type, i), span));
      c.error(Code::InvalidOperand, index->span, "this tuple has " + std::to_string(count) + " elements, so it has no element " + (negative ? "-" : "") + std::to_string(number->value));
      return poison(span);
    }
    bool same = count > 0;
    for (size_t i = 1; i < count; ++i) same &= c.unifier.could_unify(types.arg(type, i), types.arg(type, 0));
    if (!same) {
      auto& d = c.error(Code::InvalidOperand, index->span, "the elements of this tuple have different types, so the index must be a plain number");
      d.help = "unpack it: `a, b = …`";
      return poison(span);
    }
    return make_index(tuple_to_list(object, span), index, span);
  }
  Expr* i = index->as<ast::SliceExpr>() ? make_slice(index->as<ast::SliceExpr>()) : nullptr;
  Member member = find_member(object->type, c.name("__getitem__"));
  if (member.kind != Member::Methods) {
    if (!i) check(index);
    if (types.kind(type) == Kind::Optional) {
      auto& d = c.error(Code::OptionalNotUnwrapped, object->span, "this may be null, so it can't be indexed directly");
      show_null_origin(d, object);
      d.found = c.text(type);
      d.help = "test it with `is not null` first, or write `!` after it";
    } else {
      c.error(Code::InvalidOperand, span, c.text_with_article(type) + " can't be indexed");
    }
    return poison(span);
  }
  CallArg arg;
  arg.value = i;
  arg.ast = i ? nullptr : index;
  if (i && is_poison(i)) return i;
  std::vector<CallArg> args = {arg};
  if (!settle(member, type, object, c.name("__getitem__"), &args, span)) return poison(span);
  return call_overloads(*member.methods, member.subst, object, type, std::move(args), span, TypeId(), c.name("__getitem__"));
}

Expr* BodyChecker::tuple_to_list(Expr* tuple, Span span) {
  TypeId type = c.unifier.shallow(tuple->type);
  size_t count = types.get(type).args.size();
  TypeId element = count ? types.arg(type, 0) : types.int_;
  return make_seq([&]() -> Expr* {
    VariableId source = new_temp(type, span);
    VariableId list = new_temp(c.list_of(element), span);
    emit_assign(variable_ref(source, span), tuple);
    emit_assign(variable_ref(list, span), call_static(c.list_of(element), "_with_capacity", {make_int(static_cast<int64_t>(count), span)}, span));
    for (uint32_t i = 0; i < count; ++i) emit_expr(call_method(variable_ref(list, span), "append", {make_field(variable_ref(source, span), i, types.arg(type, i), span)}, span));
    return variable_ref(list, span);
  }, span);
}

Expr* BodyChecker::check_index(ast::IndexExpr* expr) { return make_index(check(expr->object), expr->index, expr->span); }

}  // namespace meteor::typed
