// Places: where a value lies. Reading one does not count anything; whether it may be used without a count depends on
// what can write to it meanwhile.
#include "compiler/base/check.h"
#include "compiler/mir/lower_function.h"
#include "compiler/typed/walk.h"

namespace meteor::mir {

using namespace typed;
using types::Kind;

Place FunctionLowering::project(Place place, ProjectionKind kind, TypeId type, uint32_t index, uint32_t case_index) {
  place.path.push_back({kind, index, case_index, type});
  return place;
}

bool FunctionLowering::is_place(const Expr* e) const {
  while (true) {
    switch (e->kind) {
      case ExprKind::Variable: case ExprKind::Global: case ExprKind::Field: return true;
      case ExprKind::Unwrap:
        if (e->as<Unwrap>()->takes) return false;
        e = e->as<Unwrap>()->operand;
        break;
      case ExprKind::Seq: e = e->as<Seq>()->value; break;
      case ExprKind::Convert: {
        const Convert& convert = *e->as<Convert>();
        bool same_bits = convert.convert == ConvertKind::Upcast || convert.convert == ConvertKind::Downcast || convert.convert == ConvertKind::Reinterpret ||
                         convert.convert == ConvertKind::WrapOptional;   // of a class: the same reference
        if (!same_bits || !program_.facts.is_class_reference(e->type) || !program_.facts.is_class_reference(convert.operand->type)) return false;
        e = convert.operand;
        break;
      }
      default: return false;
    }
  }
}

Place FunctionLowering::object_place(const Expr* e) {
  if (is_place(e)) return lower_place(e);
  return place_of(materialise(own(e)));
}

Place FunctionLowering::lower_place(const Expr* e) {
  switch (e->kind) {
    case ExprKind::Variable: return variable_place(e->as<VariableRef>()->variable);
    case ExprKind::Global: {
      GlobalId global = e->as<GlobalRef>()->global;
      const typed::Global& declared = program_.source.globals[global.index];
      if (declared.is_local && !(declared.initializer == out_.id)) {
        span_ = e->span.valid() ? e->span : span_;
        emit_raising(make_call(program_.ensure_function(global), {}));
      } else {
        require_home(declared, e->span);
      }
      Place place;
      place.global = global;
      return place;
    }
    case ExprKind::Field: {
      const FieldRef& field = *e->as<FieldRef>();
      return project(object_place(field.object), ProjectionKind::Field, e->type, field.index);
    }
    case ExprKind::Unwrap: {
      const Unwrap& unwrap = *e->as<Unwrap>();
      Place place = object_place(unwrap.operand);
      if (unwrap.checked) {
        if (e->span.valid()) span_ = e->span;
        require_not_null(place, unwrap.operand->type);
      }
      return project(std::move(place), ProjectionKind::Payload, e->type);
    }
    case ExprKind::Convert: {
      const Convert& convert = *e->as<Convert>();
      Place place = object_place(convert.operand);
      if (convert.checked && convert.convert == ConvertKind::Downcast) {
        if (e->span.valid()) span_ = e->span;
        require_type(place, convert.operand->type, e->type);
      }
      return project(std::move(place), ProjectionKind::Cast, e->type);
    }
    case ExprKind::Seq: {
      const Seq& seq = *e->as<Seq>();
      auto temps = facts_.seq_temps.find(&seq);
      if (temps != facts_.seq_temps.end()) enter_scoped(temps->second);
      lower(seq.stmts);
      return object_place(seq.value);
    }
    default: return place_of(materialise(own(e)));
  }
}

// passes/home_checks removes what need not be asked.
void FunctionLowering::require_home(const typed::Global& variable, Span span) {
  if (!program_.has_other_isolates || variable.is_const || variable.is_local || program_.is_initializer(out_.id)) return;
  if (span.valid()) span_ = span;
  Operand name = constant(ConstKind::Str, program_.types.str);
  name.constant.text = variable.name.text();
  emit_raising(make(Op::RequireHome, {std::move(name)}));
}

bool FunctionLowering::is_stable(const Place& place) const {
  if (!place.local.valid() || out_.local(place.local).by_reference) return false;
  size_t from = 0;
  TypeId type = out_.local(place.local).type;
  if (place.local == out_.environment) {
    if (place.path.empty()) return true;
    type = place.path[0].type;
    from = 1;
  }
  for (size_t i = from; i < place.path.size(); ++i) {
    Kind kind = program_.types.kind(type);
    if (place.path[i].kind == ProjectionKind::Field && (kind == Kind::Class || kind == Kind::Cell)) return false;
    type = place.path[i].type;
  }
  return true;
}

bool FunctionLowering::later_writes(const Place& place, Later later) const {
  if (later.empty()) return false;
  VariableId variable;
  bool stable = is_stable(place);
  if (stable) {
    auto found = variable_of_local_.find(place.local.index);
    if (found == variable_of_local_.end()) return false;
    variable = found->second;
  }
  auto writes = [&](const Expr* part) { return root_variable(part, program_.types) == variable; };
  for (const Expr* e : later) {
    bool found = stable ? typed::any_inside(
                              e, [&](const Expr& x) { return x.kind == ExprKind::RefTo && writes(x.as<RefTo>()->place); },
                              [&](const Stmt& s) {
                                if (const auto* assign = s.as<Assign>()) return writes(assign->target);
                                if (const auto* drop = s.as<Drop>()) return writes(drop->place);
                                return s.kind == StmtKind::Try || s.kind == StmtKind::Switch;
                              })
                        : typed::any_inside(
                              e, [](const Expr& x) { return x.kind == ExprKind::Call || x.kind == ExprKind::Seq || x.kind == ExprKind::Await || x.kind == ExprKind::Yield; },
                              [](const Stmt&) { return true; });
    if (found) return true;
  }
  return false;
}

Operand FunctionLowering::held(Operand value, Later later) {
  if (value.kind != OperandKind::Copy && value.kind != OperandKind::Borrow) return value;
  if (!later_writes(value.place, later)) return value;
  bool borrowed = value.kind == OperandKind::Borrow;
  value.kind = OperandKind::Copy;
  TypeId type = value.type;
  LocalId temp = materialise(std::move(value));
  return borrowed ? borrow_of(place_of(temp), type) : take(temp);
}

}  // namespace meteor::mir
