// switch: one jump by the tag where every case only asks for it, else the cases' patterns one after the other.
#include "compiler/mir/lower_function.h"

namespace meteor::mir {

using namespace typed;
using types::Kind;

namespace {

bool always_matches(const Pattern* p) {
  switch (p->kind) {
    case PatternKind::Wildcard: return true;
    case PatternKind::Bind: return p->items.empty() || always_matches(p->items[0]);
    case PatternKind::Type: return p->always && (p->items.empty() || always_matches(p->items[0]));
    case PatternKind::Tuple:
      for (const Pattern* item : p->items)
        if (!always_matches(item)) return false;
      return true;
    default: return false;
  }
}

// The tags a pattern stands for when it asks for nothing else.
bool collect_tags(const Pattern* p, std::vector<uint32_t>& tags) {
  if (p->kind == PatternKind::Or) {
    for (const Pattern* item : p->items) {
      if (!collect_tags(item, tags)) return false;
      for (const Pattern* payload : item->items)
        if (payload->kind != PatternKind::Wildcard) return false;
    }
    return true;
  }
  if (p->kind != PatternKind::Case) return false;
  for (const Pattern* item : p->items)
    if (!always_matches(item)) return false;
  tags.push_back(p->case_index);
  return true;
}

}  // namespace

void FunctionLowering::lower_switch(const Switch& s) {
  if (!lower_switch_by_tag(s)) lower_switch_by_tests(s);
}

bool FunctionLowering::lower_switch_by_tag(const Switch& s) {
  TypeId type = variable(s.subject).type;
  if (program_.types.kind(type) != Kind::Enum || s.cases.empty()) return false;
  std::vector<std::vector<uint32_t>> tags(s.cases.size());
  std::vector<bool> seen(program_.source.nominal(type).cases.size());
  size_t default_case = s.cases.size();
  for (size_t i = 0; i < s.cases.size(); ++i) {
    const SwitchCase& c = s.cases[i];
    if (c.guard || default_case < i) return false;
    if (!c.pattern || c.pattern->kind == PatternKind::Wildcard) {
      default_case = i;
      continue;
    }
    if (!collect_tags(c.pattern, tags[i])) return false;
    for (uint32_t tag : tags[i]) {
      if (seen[tag]) return false;
      seen[tag] = true;
    }
  }
  Place subject = variable_place(s.subject);
  BlockId after = new_block();
  Terminator end;
  end.kind = TerminatorKind::Switch;
  end.value = emit_value(make(Op::EnumTag, {borrow_of(subject, type)}), program_.types.int_);
  std::vector<BlockId> bodies;
  for (size_t i = 0; i < s.cases.size(); ++i) {
    bodies.push_back(new_block());
    for (uint32_t tag : tags[i]) end.cases.push_back({tag, bodies.back()});
  }
  bool complete = s.exhaustive && default_case == s.cases.size();
  end.target = default_case < s.cases.size() ? bodies[default_case] : complete ? new_block(true) : after;
  terminate(std::move(end));
  for (size_t i = 0; i < s.cases.size(); ++i) {
    start(bodies[i]);
    const SwitchCase& c = s.cases[i];
    if (c.span.valid()) span_ = c.span;
    size_t bound = bindings_.size();
    if (c.pattern && c.pattern->kind == PatternKind::Case) {
      const typed::EnumCase& declared = program_.source.nominal(type).cases[c.pattern->case_index];
      for (uint32_t k = 0; k < c.pattern->items.size(); ++k)
        match(*c.pattern->items[k], project(subject, ProjectionKind::Case, declared.fields[k].type, k, c.pattern->case_index), mark(), BlockId());
      bind(bound);
    }
    lower(c.body);
    jump(after);
  }
  start(after);
  return true;
}

void FunctionLowering::lower_switch_by_tests(const Switch& s) {
  Place subject = variable_place(s.subject);
  BlockId after = new_block();
  for (const SwitchCase& c : s.cases) {
    if (!reachable()) break;
    BlockId next = new_block();
    size_t scope = mark();
    if (c.span.valid()) span_ = c.span;
    if (c.pattern) {
      size_t bound = bindings_.size();
      match(*c.pattern, subject, scope, next);
      bind(bound);
    }
    if (c.guard && reachable()) {
      BlockId pass = new_block();
      condition(c.guard, pass, exit_block(scope, next));
      start(pass);
    }
    pop_scope(scope);
    lower(c.body);
    jump(after);
    start(next);
    if (!c.pattern && !c.guard) current_ = {};
  }
  if (s.exhaustive) terminate({});
  jump(after);
  start(after);
}

}  // namespace meteor::mir
