// Which places are known to hold more than their type says, and what makes
// such knowledge void. Invariant: a fact is kept only while nothing can have
// written the place, so that narrowed reads need no check at run time.
#include <optional>

#include "compiler/typed/body.h"
#include "compiler/typed/frozen.h"
#include "compiler/typed/scan_names.h"

namespace meteor::typed {

bool BodyChecker::is_shared(VariableId v) {
  auto use = name_uses_.find(var(v).name);
  return facts(v).assigned_by_closure || (use != name_uses_.end() && use->second.by_closure);
}

PlaceKey BodyChecker::place_key(Expr* place) {
  switch (place->kind) {
    case ExprKind::Variable: {
      VariableId v = place->as<VariableRef>()->variable;
      return is_shared(v) ? PlaceKey() : "v" + std::to_string(v.index);
    }
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
    case ExprKind::Convert: {
      auto* convert = place->as<Convert>();
      bool is_view = convert->convert == ConvertKind::Downcast || convert->convert == ConvertKind::FromAny ||
                     (convert->convert == ConvertKind::Reinterpret && frozen_type(c, convert->type) == frozen_type(c, convert->operand->type));
      return is_view && !convert->checked ? place_key(convert->operand) : PlaceKey();
    }
    default: return {};
  }
}

PlaceKey BodyChecker::name_key(Name name) {
  Binding binding = lookup(name);
  if (binding.kind == BindingKind::Variable) {
    VariableId v = binding.variable;
    return !v.valid() || is_shared(v) ? PlaceKey() : "v" + std::to_string(v.index);
  }
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

Expr* BodyChecker::see_as(Expr* place, TypeId type) {
  TypeId to = c.resolve(type);
  while (true) {
    TypeId from = c.resolve(place->type);
    if (from == to || c.kind(to) == Kind::Null || c.kind(to) == Kind::Never) return place;
    switch (c.kind(from)) {
      case Kind::Optional:
        if (c.kind(to) == Kind::Optional && types.arg(from) != to) return place;
        // What a weak field refers to may die at any time, so that one is looked at again.
        place = make_unwrap(place, place->span, place->kind == ExprKind::WeakGet);
        continue;
      case Kind::Any: case Kind::Dyn: {
        auto* view = make<Convert>(to, place->span);
        view->convert = ConvertKind::FromAny;
        view->operand = place;
        return view;
      }
      case Kind::Frozen: return freeze_part(*this, see_as(thaw(*this, place), thawed_type(c, to)));
      case Kind::Class: {
        if (c.kind(to) != Kind::Class) return place;
        auto* view = make<Convert>(to, place->span);
        view->convert = ConvertKind::Downcast;
        view->operand = place;
        return view;
      }
      default: return place;
    }
  }
}

Expr* BodyChecker::check_maybe_null(ast::Expr* expr, TypeId expected) {
  Expr* value = check(expr, expected);
  auto* seen = value->as<Unwrap>();
  return seen && seen->operand->kind == ExprKind::WeakGet ? seen->operand : value;
}

Expr* BodyChecker::apply_narrowing(Expr* place) {
  if (flow.narrowed.empty()) return place;
  PlaceKey key = place_key(place);
  if (key.empty()) return place;
  auto fact = flow.narrowed.find(key);
  if (fact == flow.narrowed.end()) return place;
  return c.kind(fact->second) == Kind::Error ? poison(place->span) : see_as(place, fact->second);
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

namespace {

// Facts that a call into code of the user may break: through fields that somebody assigns, and module variables that a
// function assigns.
void forget_shared(BodyChecker& body, Flow& flow, const std::unordered_set<Name>* only_fields) {
  Checker& c = body.c;
  auto is_written = [&](const PlaceKey& key) {
    size_t dot = key.find('.');
    std::string_view root = std::string_view(key).substr(0, dot);
    uint32_t index = static_cast<uint32_t>(std::strtoul(std::string(root.substr(1)).c_str(), nullptr, 10));
    if (root[0] == 'g') {
      if (!only_fields && c.written_names().globals.contains(c.program.globals[index].name)) return true;
    }
    while (dot != PlaceKey::npos) {
      size_t end = key.find('.', dot + 1);
      std::string_view part = std::string_view(key).substr(dot + 1, end == PlaceKey::npos ? PlaceKey::npos : end - dot - 1);
      Name field = c.name(part.substr(0, part.find('#')));
      if (only_fields ? only_fields->contains(field) : c.reassigned_fields().contains(field)) return true;
      dot = end;
    }
    return false;
  };
  std::erase_if(flow.narrowed, [&](const auto& fact) { return is_written(fact.first); });
}

}  // namespace

void BodyChecker::forget_written(Flow& target, ast::Block body, ast::Expr* condition) {
  if (target.narrowed.empty()) return;
  scan_assigned(body, [&](const AssignedName& name) { target.forget(name_key(name.name)); });
  FieldWrites writes = scan_field_writes(body, c.written_names());
  if (condition) {
    TreeVisitor visitor;
    visitor.on_expr = [&](ast::Expr* expr) { writes.calls = writes.calls || may_run_user_code(expr, c.written_names()); };
    visitor.visit(condition);
  }
  // A variable may hold a function.
  TreeVisitor calls;
  calls.on_expr = [&](ast::Expr* expr) {
    auto* call = expr->as<ast::CallExpr>();
    auto* name = call ? call->callee->as<ast::NameExpr>() : nullptr;
    if (name && lookup(name->name).kind != BindingKind::None) writes.calls = true;
  };
  if (!writes.calls) calls.visit(body);
  forget_shared(*this, target, writes.calls ? nullptr : &writes.fields);
  if (writes.calls) forget_shared(*this, target, &writes.fields);
}

void BodyChecker::narrow_in_loop(ast::Block body, ast::Expr* condition) { forget_written(flow, body, condition); }

void BodyChecker::call_may_write(FunctionInfo* callee) {
  if (flow.narrowed.empty()) return;
  if (!callee) return forget_shared(*this, flow, nullptr);
  if (callee->module && (callee->module->is_core || callee->module->is_std)) {
    for (const ParamInfo& param : callee->params) {
      if (!param.type.valid()) continue;
      Kind kind = c.kind(param.type);
      if (kind == Kind::Optional) kind = c.kind(types.arg(c.resolve(param.type)));
      if (kind == Kind::Func) return forget_shared(*this, flow, nullptr);
    }
    return;
  }
  if (!callee->decl || !callee->decl->has_body || (callee->owner && c.is_overridden(callee->owner, callee->name()))) return forget_shared(*this, flow, nullptr);
  const FieldWrites& writes = c.field_writes(callee);
  if (writes.calls) return forget_shared(*this, flow, nullptr);
  forget_shared(*this, flow, &writes.fields);
  std::erase_if(flow.narrowed, [&](const auto& fact) {
    if (fact.first[0] != 'g') return false;
    auto index = std::strtoul(fact.first.c_str() + 1, nullptr, 10);
    return c.written_names().globals.contains(c.program.globals[index].name);
  });
}

Flow BodyChecker::after_part_of(const Flow& before, size_t moves_before, ast::Block body) {
  Flow out = before;
  forget_written(out, body);
  for (size_t i = moves_before; i < moves_.size(); ++i)
    if (moves_[i].global.valid()) out.moved_globals.emplace(moves_[i].global.index, moves_[i].span);
    else if (out.is_assigned(moves_[i].variable)) out.moved.emplace(moves_[i].variable.index, moves_[i].span);
  // `del` on the way: it may be gone.
  TreeVisitor visitor;
  visitor.on_stmt = [&](ast::Stmt* stmt) {
    auto* del = stmt->as<ast::DelStmt>();
    if (!del) return;
    for (ast::Expr* target : del->targets) {
      auto* name = target->as<ast::NameExpr>();
      Binding binding = name ? find_local(name->name) : Binding();
      if (binding.kind == BindingKind::Variable && out.is_assigned(binding.variable)) out.assigned[binding.variable.index] = false;
    }
  };
  visitor.visit(body);
  return out;
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
    Diagnostic& d = c.error(Code::UseAfterMove, span, "`" + var(v).name.str() + "` is moved in every pass of this loop");
    d.label = "moved here; the next pass finds nothing";
    d.help = "move it after the loop, or assign `" + var(v).name.str() + "` again before the next pass";
  }
  for (auto& [index, span] : back.moved_globals) {
    GlobalInfo* global = c.global_of(GlobalId(index));
    if (!entry.narrowed.count(assigned_key(GlobalId(index))) || entry.moved_globals.contains(index) || is_renewed(global->name)) continue;
    Diagnostic& d = c.error(Code::UseAfterMove, span, "`" + global->name.str() + "` is moved in every pass of this loop");
    d.label = "moved here; the next pass finds nothing";
    d.help = "move it after the loop, or assign `" + global->name.str() + "` again before the next pass";
  }
  for (size_t i = 0; i < entry.assigned.size() && i < fn.variables.size(); ++i) {
    VariableId v(static_cast<uint32_t>(i));
    if (!entry.assigned[i] || back.is_assigned(v) || !var(v).name || is_renewed(var(v).name)) continue;
    Diagnostic& d = c.error(Code::UnassignedVariable, var(v).span, "`" + var(v).name.str() + "` is deleted in a loop and used again in the next pass");
    d.help = "assign `" + var(v).name.str() + "` at the start of each pass";
  }
}

}  // namespace meteor::typed
