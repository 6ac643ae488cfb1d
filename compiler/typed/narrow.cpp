// Which places are known to hold more than their type says, and what makes
// such knowledge void. Invariant: a fact is kept only while nothing can have
// written the place, so that narrowed reads need no check at run time.
#include <optional>

#include "compiler/typed/body.h"
#include "compiler/typed/construction.h"
#include "compiler/typed/frozen.h"
#include "compiler/typed/loop_facts.h"
#include "compiler/typed/scan_names.h"

namespace meteor::typed {

bool BodyChecker::is_shared(VariableId v) {
  auto use = name_uses_.find(var(v).name);
  return facts(v).assigned_by_closure || (use != name_uses_.end() && use->second.by_closure);
}

bool is_by_reference(const Variable& v) { return v.kind == VariableKind::Param && v.mode == ParamMode::Ref; }

PlaceKey BodyChecker::variable_key(VariableId v) {
  return (is_by_reference(var(v)) ? "r" : is_shared(v) ? "s" : "v") + std::to_string(v.index);
}

// What a case holds is read by name through a switch over a copy (BodyChecker::enum_payload): the place is
// `object.field`.
static PlaceKey payload_key(BodyChecker& b, const Seq* seq) {
  auto* copy = seq->stmts.size() == 2 ? seq->stmts[0]->as<Assign>() : nullptr;
  auto* sw = copy ? seq->stmts[1]->as<Switch>() : nullptr;
  auto* subject = sw ? copy->target->as<VariableRef>() : nullptr;
  auto* read = seq->value->as<VariableRef>();
  if (!subject || !read || subject->variable != sw->subject || sw->cases.size() != 1) return {};
  const Pattern* pattern = sw->cases[0].pattern;
  if (!pattern || pattern->kind != PatternKind::Case || !sw->cases[0].body.empty()) return {};
  PlaceKey object = b.place_key(copy->value);
  NominalInfo* type = b.c.nominal_info(b.c.resolve(copy->value->type));
  if (object.empty() || !type) return {};
  const std::vector<FieldInfo>& fields = type->cases[pattern->case_index].fields;
  for (size_t i = 0; i < fields.size(); ++i)
    if (pattern->items[i]->kind == PatternKind::Bind && pattern->items[i]->variable == read->variable)
      return object + "." + fields[i].name.str();
  return {};
}

PlaceKey BodyChecker::place_key(Expr* place) {
  switch (place->kind) {
    case ExprKind::Variable: return variable_key(place->as<VariableRef>()->variable);
    case ExprKind::Global: return "g" + std::to_string(place->as<GlobalRef>()->global.index);
    case ExprKind::Field: {
      auto* field = place->as<FieldRef>();
      PlaceKey object = place_key(field->object);
      if (object.empty()) return {};
      TypeId type = c.resolve(field->object->type);
      Kind kind = c.kind(type);
      if (kind == Kind::Tuple) return object + "." + std::to_string(field->index);
      if (kind != Kind::Class && kind != Kind::Struct) return {};
      auto& fields = c.flat_fields(type);
      if (field->index >= fields.size()) return {};
      return object + "." + fields[field->index].info->name.str();
    }
    case ExprKind::Unwrap: return place_key(place->as<Unwrap>()->operand);
    case ExprKind::WeakGet: return place_key(place->as<WeakGet>()->value);
    case ExprKind::Seq: {
      if (root->assigning_.contains(place)) return {};  // looking at it again would assign again
      PlaceKey payload = payload_key(*this, place->as<Seq>());
      return payload.empty() ? place_key(place->as<Seq>()->value) : payload;  // looked at first: `x!`
    }
    case ExprKind::Convert: {
      auto* convert = place->as<Convert>();
      bool is_view = convert->convert == ConvertKind::Downcast || convert->convert == ConvertKind::FromAny ||
                     (convert->convert == ConvertKind::Reinterpret && frozen_type(c, convert->type) == frozen_type(c, convert->operand->type));
      return is_view ? place_key(convert->operand) : PlaceKey();
    }
    default: return {};
  }
}

PlaceKey BodyChecker::tested_place(Expr* value) {
  auto assigned = root->assigning_.find(value);
  return assigned == root->assigning_.end() ? place_key(value) : assigned->second;
}

PlaceKey BodyChecker::name_key(Name name) {
  Binding binding = lookup(name);
  if (binding.kind == BindingKind::Variable)
    return binding.variable.valid() ? variable_key(binding.variable) : PlaceKey();
  GlobalInfo* global = binding.kind == BindingKind::Global ? binding.global : nullptr;
  if (binding.kind == BindingKind::None) {
    Symbol symbol = find_symbol(name);
    if (symbol.kind == SymbolKind::Global) global = symbol.global;
  }
  return global ? "g" + std::to_string(global->id.index) : PlaceKey();
}

PlaceKey BodyChecker::place_key(ast::Expr* expr) {
  if (auto* name = expr->as<ast::NameExpr>()) return name_key(name->name);
  auto* member = expr->as<ast::MemberExpr>();
  if (!member || member->optional) return {};
  PlaceKey object = place_key(member->object);
  return object.empty() ? object : object + "." + member->name.str();
}

// The place as a type it is known to have. What is in doubt is looked at again: it raises instead of going wrong.
Expr* BodyChecker::see_as(Expr* place, Known known) {
  TypeId to = c.resolve(known.type);
  while (true) {
    TypeId from = c.resolve(place->type);
    if (from == to || c.kind(to) == Kind::Null || c.kind(to) == Kind::Never) return place;
    switch (c.kind(from)) {
      case Kind::Optional:
        if (c.kind(to) == Kind::Optional && types.arg(from) != to) return place;
        // What a weak field refers to may die at any time, so that one is always looked at again.
        place = make_unwrap(place, place->span, known.in_doubt || place->kind == ExprKind::WeakGet);
        continue;
      case Kind::Any: case Kind::Dyn: {
        auto* view = make<Convert>(to, place->span);
        view->convert = ConvertKind::FromAny;
        view->operand = place;
        view->checked = known.in_doubt;
        return view;
      }
      case Kind::Frozen: return freeze_part(*this, see_as(thaw(*this, place), {thawed_type(c, to), known.in_doubt}));
      case Kind::Class: {
        if (c.kind(to) != Kind::Class) return place;
        auto* view = make<Convert>(to, place->span);
        view->convert = ConvertKind::Downcast;
        view->operand = place;
        view->checked = known.in_doubt;
        return view;
      }
      default: return place;
    }
  }
}

Expr* BodyChecker::read_anew(Expr* value) {
  while (true) {
    if (auto* seen = value->as<Unwrap>(); seen && seen->checked && !place_key(seen->operand).empty()) value = seen->operand;
    else if (auto* view = value->as<Convert>(); view && view->checked && (view->convert == ConvertKind::Downcast || view->convert == ConvertKind::FromAny) && !place_key(view->operand).empty()) value = view->operand;
    else return value;
  }
}

Expr* BodyChecker::check_anew(ast::Expr* expr, TypeId expected) {
  Expr* value = check(expr, expected);
  return expr->kind == ast::ExprKind::Name || expr->kind == ast::ExprKind::Member ? read_anew(value) : value;
}

Expr* BodyChecker::apply_narrowing(Expr* place) {
  if (flow.narrowed.empty()) return place;
  const Known* fact = flow.find(place_key(place));
  if (!fact) return place;
  return c.kind(fact->type) == Kind::Error ? poison(place->span) : see_as(place, *fact);
}

HeldPlace::HeldPlace(BodyChecker& body, PlaceKey place) : body_(body), place_(std::move(place)) {
  if (place_.empty()) return;
  mark_ = place_ + "#held" + std::to_string(body_.root->next_label_++);
  body_.flow.know(mark_, body_.types.bool_);
}

HeldPlace::~HeldPlace() { body_.flow.narrowed.erase(mark_); }

const Known* HeldPlace::find(const Flow& flow) const { return flow.find(mark_); }

void HeldPlace::tell(Facts& facts, TypeId type) const {
  if (const Known* held = find(body_.flow)) facts.push_back({place_, type, held->in_doubt});
}

TypeId BodyChecker::narrowed_type(TypeId type, TypeId tested) {
  TypeId from = c.resolve(type);
  TypeId to = c.resolve(tested);
  if (from == to) return from;
  if (c.kind(from) == Kind::Optional) {
    if (c.kind(to) == Kind::Null || c.kind(to) == Kind::Optional) return to;
    return narrowed_type(types.arg(from), to);
  }
  if (c.kind(from) == Kind::Class && c.kind(to) == Kind::Class && c.is_subclass(from, to)) return from;
  return to;
}

TypeId BodyChecker::without(TypeId type, TypeId tested) {
  TypeId from = c.resolve(type);
  TypeId gone = c.resolve(tested);
  if (from == gone) return types.never;
  if (c.kind(from) != Kind::Optional) return from;
  TypeId inner = types.arg(from);
  if (c.kind(gone) == Kind::Null) return inner;
  return inner == gone ? types.null : from;
}

// ---- What makes facts void --------------------------------------------------

void BodyChecker::forget_place(const PlaceKey& place) {
  flow.forget(place);
  bool is_own = !place.empty() && place[0] == 'v';
  if (is_own && place.find('.') == PlaceKey::npos) return;
  // A `ref` parameter, or the struct that a method changes, may be another name of the same place, whoever owns that. A field
  // or an element is seldom the one that was lent: a read looks again.
  if (is_own || place.empty()) return flow.doubt_lent();
  auto forget_all = [&](const char* root, const char* next) {
    flow.narrowed.erase(flow.narrowed.lower_bound(root), flow.narrowed.lower_bound(next));
  };
  forget_all("r", "s");
  if (place[0] != 'r') return;
  forget_all("g", "h");
  forget_all("s", "t");
  flow.doubt_shared();
}

void BodyChecker::doubt_shared(Flow& target) {
  target.doubt_shared();
  if (closure_names_.empty()) return;
  for (auto& [place, known] : target.narrowed) {
    if (place[0] != 'v') continue;
    VariableId v(static_cast<uint32_t>(std::strtoul(place.c_str() + 1, nullptr, 10)));
    if (closure_names_.contains(var(v).name)) known.in_doubt = true;
  }
}

void BodyChecker::values_dropped(Flow& target) {
  if (!target.narrowed.empty() && c.written_names().has_destructors) doubt_shared(target);
}

void BodyChecker::lent_places_written(Call* call) {
  for (Expr* arg : call->args) {
    auto* ref = arg->as<RefTo>();
    if (!ref) continue;
    PlaceKey key = place_key(ref->place);
    bool is_inside = ref->place->kind == ExprKind::Unwrap || ref->place->kind == ExprKind::Seq;   // a struct's own method writes no null there
    const Known* known = is_inside ? flow.find(key) : nullptr;
    std::optional<Known> kept = known ? std::optional(*known) : std::nullopt;
    Expr* written = ref->place;
    while (written->kind == ExprKind::Unwrap || written->kind == ExprKind::Seq) written = written->kind == ExprKind::Seq ? written->as<Seq>()->value : written->as<Unwrap>()->operand;
    if (auto* field = written->as<FieldRef>()) {
      TypeId object = c.resolve(field->object->type);
      if (c.kind(object) == Kind::Class || c.kind(object) == Kind::Struct)
        flow.field_written(c.flat_fields(object)[field->index].info->name.text(), call->span);
    }
    forget_place(key);
    if (kept) flow.know(key, kept->type, kept->in_doubt);
  }
}

namespace {

bool has_shared(const Flow& flow) {
  for (auto& [place, known] : flow.narrowed)
    if (is_shared_place(place)) return true;
  return false;
}

// Values of such types run no code of the user: numbers, text, and collections of them.
bool is_plain_data(Checker& c, TypeId type) {
  type = c.resolve(type);
  switch (c.kind(type)) {
    case Kind::Bool: case Kind::Int: case Kind::Float: case Kind::Str: case Kind::Bytes: case Kind::Null: case Kind::Void: return true;
    case Kind::Optional: return is_plain_data(c, c.types.arg(type));
    case Kind::Class: case Kind::Struct: {
      NominalInfo* info = c.nominal_info(type);
      bool is_collection = info == c.core_nominal("list") || info == c.core_nominal("dict") || info == c.core_nominal("set");
      if (!is_collection) return false;
      break;
    }
    case Kind::Tuple: break;
    default: return false;
  }
  for (TypeId part : c.types.get(type).args)
    if (!is_plain_data(c, part)) return false;
  return true;
}

}  // namespace

// Ends the facts that such writes may break.
void BodyChecker::end_facts(Flow& target, const FieldWrites& writes, Span by) {
  auto breaks = [&](const PlaceKey& key) {
    size_t dot = key.find('.');
    if (key[0] == 's') {
      Name name = var(VariableId(static_cast<uint32_t>(std::strtoul(key.c_str() + 1, nullptr, 10)))).name;
      if (writes.anything || writes.variables.contains(name)) return true;
    }
    if (key[0] == 'g') {
      Name name = c.program.globals[std::strtoul(key.c_str() + 1, nullptr, 10)].name;
      bool written = writes.anything ? c.written_names().globals.contains(name) || c.reassigned_fields().contains(name)
                                     : writes.variables.contains(name) || writes.fields.contains(name);
      if (written) return true;
    }
    while (dot != PlaceKey::npos) {
      size_t end = key.find('.', dot + 1);
      std::string_view part = std::string_view(key).substr(dot + 1, end == PlaceKey::npos ? PlaceKey::npos : end - dot - 1);
      Name field = c.name(part.substr(0, part.find('#')));
      if (writes.fields.contains(field) || (writes.anything && c.reassigned_fields().contains(field))) return true;
      dot = end;
    }
    return false;
  };
  for (auto it = target.narrowed.begin(); it != target.narrowed.end();) {
    if (!breaks(it->first)) {
      ++it;
      continue;
    }
    if (by.valid()) target.ended[it->first] = {by, EndedBy::Code};
    it = target.narrowed.erase(it);
  }
}

void BodyChecker::code_ran(const FieldWrites& writes, Span span) {
  if (!has_shared(flow) && closure_names_.empty()) return;
  doubt_shared(flow);
  if (!writes.is_empty()) end_facts(flow, writes, span);
}

void BodyChecker::forget_written(Flow& target, ast::Block body, ast::Expr* condition,
                                 const std::unordered_set<Name>& kept, EndedBy by) {
  if (target.narrowed.empty()) return;
  doubt_shared(target);
  // Variables passed to `ref` parameters: of functions by name, or of function values.
  const LendingFunctions& lending = c.lending_functions();
  bool calls_value = false;
  TreeVisitor calls;
  calls.on_expr = [&](ast::Expr* expr) {
    auto* call = expr->as<ast::CallExpr>();
    if (!call) return;
    ast::Expr* callee = call->callee;
    if (auto* generic = callee->as<ast::TypeApplyExpr>()) callee = generic->callee;
    auto* name = callee->as<ast::NameExpr>();
    auto* member = callee->as<ast::MemberExpr>();
    bool is_value = name ? lookup(name->name).kind == BindingKind::Variable : !member || c.written_names().fields.contains(member->name);
    calls_value |= is_value;
    for (size_t i = 0; i < call->args.size(); ++i)
      if (lending.may_assign(call, i))
        if (PlaceKey place = place_key(call->args[i].value); !place.empty()) target.forget(place);
  };
  calls.visit(body);
  if (condition) calls.visit(condition);
  auto is_assigned = [&](const AssignedName& name) {
    PlaceKey place = name_key(name.name);
    const Known* known = kept.contains(name.name) ? target.find(place) : nullptr;
    std::optional<Known> present = known ? std::optional(*known) : std::nullopt;
    target.end(place, {name.span, by});
    if (present) target.know(place, present->type, present->in_doubt);
  };
  scan_assigned(body, is_assigned);
  scan_walruses(condition, is_assigned);
  if (!has_shared(target)) return;
  FieldWrites writes = writes_of(body, condition, c.written_names());
  writes.anything |= calls_value;
  end_facts(target, writes, {});
}

Facts BodyChecker::narrow_in_loop(const LoopParts& parts) {
  if (is_constructor_body && !flow.base_made.valid()) flow.base_made = find_base_init(parts.body_ast);
  std::unordered_map<Name, Fact> renewed;  // variables that are not null before the loop and that it assigns
  if (!flow.narrowed.empty())
    scan_assigned(parts.body_ast, [&](const AssignedName& name) {
      PlaceKey place = name_key(name.name);
      if (flow.find(place)) renewed.try_emplace(name.name, Fact{place, TypeId()});
    });
  scan_walruses(parts.condition_ast, [&](const AssignedName& name) { renewed.erase(name.name); });
  std::unordered_set<Name> names;
  for (auto& [name, fact] : renewed) {
    Binding binding = lookup(name);
    GlobalInfo* global = binding.kind == BindingKind::None ? find_symbol(name).global : binding.global;
    TypeId type = c.resolve(binding.kind == BindingKind::Variable ? var(binding.variable).type : global->type);
    if (c.kind(type) != Kind::Optional) continue;
    fact.type = types.arg(type);
    names.insert(name);
  }
  if (!names.empty()) names = present_in_every_pass(*this, parts, names);
  for (Name name : names) flow.know(renewed[name].place, renewed[name].type, flow.find(renewed[name].place)->in_doubt);
  forget_written(flow, parts.body_ast, parts.condition_ast, names, EndedBy::EarlierPass);
  Facts kept;
  for (Name name : names)
    if (flow.find(renewed[name].place)) kept.push_back(renewed[name]);
  return kept;
}

void BodyChecker::check_kept_facts(const Facts& kept, const Flow& back, const LoopParts& parts) {
  if (!back.reachable) return;
  for (const Fact& fact : kept) {
    const Known* known = back.find(fact.place);
    bool are_classes = known && c.kind(known->type) == Kind::Class && c.kind(fact.type) == Kind::Class;
    bool holds = known && (c.resolve(known->type) == c.resolve(fact.type) ||
                           (are_classes && c.could_be_subclass(known->type, fact.type)));
    if (holds) continue;
    bool is_told = false;
    scan_assigned(parts.body_ast, [&](const AssignedName& name) {
      if (is_told || name_key(name.name) != fact.place) return;
      is_told = true;
      Diagnostic& d = c.error(Code::OptionalNotUnwrapped, name.span,
                              "`" + name.name.str() + "` may be null when this loop comes round again");
      d.help = "test it in the loop, or give the new value a name of its own";
    });
  }
}

void BodyChecker::call_may_write(FunctionInfo* callee, Span span) {
  if (flow.narrowed.empty()) return;
  static const FieldWrites ANYTHING{{}, {}, true};
  if (!callee) return code_ran(ANYTHING, span);
  if (!callee->module || !(callee->module->is_core || callee->module->is_std)) return code_ran(callee->decl ? c.field_writes(callee) : ANYTHING, span);
  // The library runs the user's hooks, and functions that it is given.
  for (const ParamInfo& param : callee->params) {
    if (!param.type.valid()) continue;
    Kind kind = c.kind(param.type);
    if (kind == Kind::Optional) kind = c.kind(types.arg(c.resolve(param.type)));
    if (kind == Kind::Func) return code_ran(ANYTHING, span);
  }
  code_ran(c.written_names().hooks, span);
}

bool BodyChecker::runs_own_code_only(FunctionInfo* callee, TypeId self_type, const std::vector<TypeId>& args) {
  if (!callee->module || !(callee->module->is_core || callee->module->is_std)) return false;
  if (self_type.valid() && !is_plain_data(c, self_type)) return false;
  for (TypeId type : args)
    if (type.valid() && !is_plain_data(c, type)) return false;
  return true;
}

Flow BodyChecker::after_part_of(const Flow& before, size_t moves_before, ast::Block body) {
  Flow out = before;
  forget_written(out, body);
  add_deferred(out, body);
  for (size_t i = moves_before; i < moves_.size(); ++i) {
    const Move& move = moves_[i];
    if (move.global.valid()) out.moved_globals.emplace(move.global.index, move.span);
    if (move.global.valid() || !out.is_assigned(move.variable)) continue;
    out.moved.emplace(move.variable.index, move.span);
    out.lose(move.variable, move.span);
  }
  if (is_constructor_body && !out.base_made.valid()) out.base_made = find_base_init(body);
  // `del` on the way: it may be gone.
  TreeVisitor visitor;
  visitor.on_stmt = [&](ast::Stmt* stmt) {
    auto* del = stmt->as<ast::DelStmt>();
    if (!del) return;
    for (ast::Expr* target : del->targets) {
      auto* name = target->as<ast::NameExpr>();
      Binding binding = name ? find_local(name->name) : Binding();
      if (binding.kind != BindingKind::Variable || !binding.variable.valid()) continue;
      if (out.is_assigned(binding.variable)) out.assigned[binding.variable.index] = false;
      out.lose(binding.variable, target->span);
    }
  };
  visitor.visit(body);
  return out;
}

void BodyChecker::report_moved_in_loop(Name n, Span moved) {
  Diagnostic& d = c.error(Code::UseAfterMove, moved, "`" + n.str() + "` is moved in every pass of this loop");
  d.label = "moved here; the next pass finds nothing";
  d.help = "move it after the loop, or assign `" + n.str() + "` again before the next pass";
}

// A variable from before the loop that one pass moves away or deletes is not there in the next pass, unless that pass
// first assigns it: a statement of the body itself, before any other mention.
void BodyChecker::check_moved_in_loop(const Flow& entry, const Flow& back, ast::Block body, ast::Expr* condition) {
  if (!entry.reachable || !back.reachable) return;
  auto is_renewed = [&](Name name) {
    bool mentioned = false;
    TreeVisitor visitor;
    visitor.on_expr = [&](ast::Expr* expr) {
      auto* n = expr->as<ast::NameExpr>();
      if (n && n->name == name) mentioned = true;
    };
    if (condition) visitor.visit(condition);
    for (ast::Stmt* stmt : body) {
      if (mentioned) return false;
      if (auto* assign = stmt->as<ast::AssignStmt>()) {
        if (assign->value) visitor.visit(assign->value);
        bool assigned = false;
        for (ast::Expr* target : assign->targets) scan_target(target, [&](const AssignedName& found) { assigned = assigned || found.name == name; }, true);
        if (assigned && !mentioned) return true;
        continue;
      }
      visitor.visit(stmt);
    }
    return false;
  };
  for (auto& [index, span] : back.moved) {
    VariableId v(index);
    if (!entry.is_assigned(v) || entry.moved.contains(index) || !var(v).name || is_renewed(var(v).name)) continue;
    report_moved_in_loop(var(v).name, span);
  }
  for (auto& [index, span] : back.moved_globals) {
    GlobalInfo* global = c.global_of(GlobalId(index));
    if (!entry.is_assigned(GlobalId(index)) || entry.moved_globals.contains(index) || is_renewed(global->name))
      continue;
    report_moved_in_loop(global->name, span);
  }
  for (size_t i = 0; i < entry.assigned.size() && i < fn.variables.size(); ++i) {
    VariableId v(static_cast<uint32_t>(i));
    if (!entry.assigned[i] || back.is_assigned(v) || !var(v).name || is_renewed(var(v).name)) continue;
    Diagnostic& d = c.error(Code::UnassignedVariable, var(v).span, "`" + var(v).name.str() + "` is deleted in a loop and used again in the next pass");
    d.help = "assign `" + var(v).name.str() + "` at the start of each pass";
  }
}

}  // namespace meteor::typed
