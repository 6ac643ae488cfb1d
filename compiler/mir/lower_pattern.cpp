// Patterns: tests that go to `fail` (dropping what was made since `mark`) or fall through. Variables are bound by
// `bind` once the whole pattern has matched.
// Variables that stand for the value in a test are aliases of its place, so looking costs no copy.
#include "compiler/mir/lower_function.h"

namespace meteor::mir {

using namespace typed;
using types::Kind;

void FunctionLowering::require(Operand condition, size_t mark, BlockId fail) {
  if (condition.kind == OperandKind::Const && condition.constant.bits) return;
  BlockId pass = new_block();
  branch(std::move(condition), pass, exit_block(mark, fail));
  start(pass);
}

// The parts of a frozen value are looked at as what they are, and bound as frozen.
Place FunctionLowering::matched_as(const Place& place, TypeId type) {
  TypeId have = !place.path.empty() ? place.path.back().type : place.local.valid() ? out_.locals[place.local.index].type : program_.source.globals[place.global.index].type;
  return have == type ? place : project(place, ProjectionKind::Cast, type);
}

void FunctionLowering::match(const Pattern& p, const Place& given, size_t mark, BlockId fail) {
  Place subject = matched_as(given, p.type);
  switch (p.kind) {
    case PatternKind::Wildcard: return;
    case PatternKind::Bind:
      for (const Pattern* item : p.items) match(*item, subject, mark, fail);
      bindings_.push_back({p.variable, subject, p.type});
      return;
    case PatternKind::Test: return match_test(p, subject, mark, fail);
    case PatternKind::Case: {
      require(lower_is_case(borrow_of(subject, p.type), p.case_index), mark, fail);
      const EnumCase& declared = program_.source.nominal(p.type).cases[p.case_index];
      for (uint32_t i = 0; i < p.items.size(); ++i)
        match(*p.items[i], project(subject, ProjectionKind::Case, declared.fields[i].type, i, p.case_index), mark, fail);
      return;
    }
    case PatternKind::Type: return match_type(p, subject, mark, fail);
    case PatternKind::Null: return require(is_null(borrow_of(subject, p.type)), mark, fail);
    case PatternKind::NotNull: {
      Operand none = is_null(borrow_of(subject, p.type));
      require(emit_value(make(Op::Not, {std::move(none)}), program_.types.bool_), mark, fail);
      bool optional = program_.types.kind(p.type) == Kind::Optional;
      for (const Pattern* item : p.items)
        match(*item, optional ? project(subject, ProjectionKind::Payload, program_.types.arg(p.type)) : subject, mark, fail);
      return;
    }
    case PatternKind::Tuple:
      for (uint32_t i = 0; i < p.items.size(); ++i) {
        bool tuple = program_.types.kind(p.type) == Kind::Tuple;
        TypeId type = tuple ? program_.types.arg(p.type, i) : program_.source.nominal(p.type).fields[i].type;
        match(*p.items[i], project(subject, ProjectionKind::Field, type, i), mark, fail);
      }
      return;
    case PatternKind::List: return match_list(p, subject, mark, fail);
    case PatternKind::Or: return match_or(p, subject, mark, fail);
  }
}

void FunctionLowering::match_test(const Pattern& p, const Place& subject, size_t mark, BlockId fail) {
  aliases_[p.subject.index] = matched_as(subject, source_->variables[p.subject.index].type);
  BlockId pass = new_block();
  condition(p.test, pass, exit_block(mark, fail));
  aliases_.erase(p.subject.index);
  start(pass);
}

void FunctionLowering::match_type(const Pattern& p, const Place& subject, size_t mark, BlockId fail) {
  Kind kind = program_.types.kind(p.type);
  if (kind == Kind::Frozen) kind = program_.types.kind(program_.types.arg(p.type));
  if (p.type != p.tested && program_.types.kind(p.tested) == Kind::Optional) return match_optional(p, subject, mark, fail);
  if (!p.always) {
    Inst test = make(Op::IsType, {borrow_of(subject, p.type)});
    test.type = p.tested;
    require(emit_value(std::move(test), program_.types.bool_), mark, fail);
  }
  if (p.items.empty() || p.items[0]->kind == PatternKind::Wildcard) return;
  if (p.type == p.tested) return match(*p.items[0], subject, mark, fail);
  if (kind == Kind::Any || kind == Kind::Dyn || program_.types.kind(p.tested) == Kind::Dyn) {
    Inst unbox = make(Op::Unbox, {borrow_of(subject, p.type)});
    unbox.type = p.tested;
    Operand value = emit_value(std::move(unbox), p.tested);
    return match(*p.items[0], value.place, mark, fail);
  }
  match(*p.items[0], project(subject, ProjectionKind::Cast, p.tested), mark, fail);
}

// `case T?` of an `any` or a wider optional: null fits, and a T.
void FunctionLowering::match_optional(const Pattern& p, const Place& subject, size_t mark, BlockId fail) {
  bool from_optional = program_.types.kind(p.type) == Kind::Optional;
  TypeId held = from_optional ? program_.types.arg(p.type) : p.type, wanted = program_.types.arg(p.tested);
  Place inside = from_optional ? project(subject, ProjectionKind::Payload, held) : subject;
  BlockId some = new_block(), pass = new_block();
  branch(is_null(borrow_of(subject, p.type)), pass, some);
  start(some);
  Inst test = make(Op::IsType, {borrow_of(inside, held)});
  test.type = wanted;
  require(emit_value(std::move(test), program_.types.bool_), mark, fail);
  jump(pass);
  start(pass);
  if (p.items.empty() || p.items[0]->kind == PatternKind::Wildcard) return;
  LocalId result = new_temp(p.tested);
  BlockId full = new_block(), none = new_block(), after = new_block();
  branch(is_null(borrow_of(subject, p.type)), none, full);
  start(none);
  assign(place_of(result), constant(ConstKind::Null, p.tested), true);
  jump(after);
  start(full);
  Inst value = make(Op::MakeSome, {unboxed(inside, held, wanted)});
  value.dst = place_of(result);
  value.type = p.tested;
  emit(std::move(value));
  jump(after);
  start(after);
  match(*p.items[0], finish_arms(result).place, mark, fail);
}

// What is in this place as the type that it has been found to have.
Operand FunctionLowering::unboxed(const Place& place, TypeId type, TypeId wanted) {
  Kind kind = program_.types.kind(type);
  if (kind == Kind::Frozen) kind = program_.types.kind(program_.types.arg(type));
  if (kind == Kind::Class && program_.types.kind(wanted) != Kind::Dyn) return copy_of(project(place, ProjectionKind::Cast, wanted), wanted);
  Inst unbox = make(Op::Unbox, {borrow_of(place, type)});
  unbox.type = wanted;
  return emit_value(std::move(unbox), wanted);
}

void FunctionLowering::match_list(const Pattern& p, const Place& subject, size_t mark, BlockId fail) {
  aliases_[p.subject.index] = matched_as(subject, source_->variables[p.subject.index].type);
  if (p.length_test) {
    BlockId pass = new_block();
    condition(p.length_test, pass, exit_block(mark, fail));
    start(pass);
  }
  for (size_t i = 0; i < p.items.size(); ++i) {
    if (p.items[i]->kind == PatternKind::Wildcard) continue;
    LocalId element = materialise(own(p.elements[i]));
    match(*p.items[i], place_of(element), mark, fail);
  }
  aliases_.erase(p.subject.index);
}

void FunctionLowering::bind(size_t from) {
  for (size_t i = from; i < bindings_.size(); ++i)
    assign(variable_place(bindings_[i].variable), copy_of(bindings_[i].place, bindings_[i].type), false, true);
  bindings_.resize(from);
}

// Each alternative drops what it made; one that matches has bound its variables by then.
void FunctionLowering::match_or(const Pattern& p, const Place& subject, size_t mark, BlockId fail) {
  BlockId matched = new_block();
  for (size_t i = 0; i < p.items.size(); ++i) {
    bool last = i + 1 == p.items.size();
    BlockId next = last ? fail : new_block();
    size_t scope = this->mark(), bound = bindings_.size();
    match(*p.items[i], subject, last ? mark : scope, next);
    bind(bound);
    pop_scope(scope);
    jump(matched);
    if (!last) start(next);
  }
  start(matched);
}

}  // namespace meteor::mir
