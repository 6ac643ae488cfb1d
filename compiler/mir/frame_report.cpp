#include "compiler/mir/frame_report.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "runtime/abi/abi.h"

namespace meteor::mir {

namespace {

std::string what_waits(const Program& program, const Inst& inst) {
  switch (inst.op) {
    case Op::Await: return "await " + program.functions[inst.function.index].name;
    case Op::Yield: return "yield";
    case Op::RunFrame: return "run a future";
    case Op::Checkpoint: return "end of the slice";
    default: return inst.function.valid() ? "await " + program.functions[inst.function.index].name : "wait";
  }
}

class Reporter {
 public:
  Reporter(const Program& program, const Function& function, const source::Sources& sources, const FrameLayout& layout)
      : program_(program), function_(function), sources_(sources), layout_(layout) {}

  FrameState state(uint32_t number) {
    FrameState state;
    state.number = number;
    Span span = number == 0 ? function_.span : layout_.suspensions[number - 1].span;
    if (span.valid()) {
      source::LineColumn at = sources_.start_of(span);
      state.line = at.line;
      state.column = at.column;
      std::string_view text = sources_.line_text(span.file, at.line);
      size_t first = text.find_first_not_of(" \t");
      if (first != std::string_view::npos) state.source = text.substr(first);
      while (!state.source.empty() && (state.source.back() == '\n' || state.source.back() == '\r')) state.source.pop_back();
    }
    if (number == 0) {
      state.what = "start";
      follow(BlockId(0), 0, state);
      return state;
    }
    const Suspension& at = layout_.suspensions[number - 1];
    const Inst& inst = function_.blocks[at.block.index].insts[at.inst];
    state.what = what_waits(program_, inst);
    follow(at.block, at.inst + 1, state);
    if (inst.on_error.valid()) follow_error(inst.on_error, state);
    return state;
  }

 private:
  // The suspensions that can be reached without passing another one; error edges are not followed.
  void follow(BlockId from, uint32_t inst, FrameState& state) {
    std::set<uint32_t> next, seen;
    std::vector<std::pair<BlockId, uint32_t>> left = {{from, inst}};
    while (!left.empty()) {
      auto [block_id, first] = left.back();
      left.pop_back();
      const Block& block = function_.blocks[block_id.index];
      bool is_cut = false;
      for (uint32_t i = first; i < block.insts.size() && !is_cut; ++i) {
        if (!block.insts[i].may_suspend()) continue;
        next.insert(layout_.state_of(block_id, i));
        is_cut = true;
      }
      if (is_cut) continue;
      const Terminator& end = block.terminator;
      auto go = [&](BlockId target) {
        if (target.valid() && seen.insert(target.index).second) left.emplace_back(target, 0);
      };
      switch (end.kind) {
        case TerminatorKind::Return: state.may_end = true; break;
        case TerminatorKind::Goto: go(end.target); break;
        case TerminatorKind::Branch: go(end.target); go(end.other); break;
        case TerminatorKind::Switch:
          go(end.target);
          for (const SwitchTarget& target : end.cases) go(target.block);
          break;
        default: break;
      }
    }
    state.next.assign(next.begin(), next.end());
  }

  // Along the way of an error that no `catch` takes.
  void follow_error(BlockId from, FrameState& state) {
    std::set<uint32_t> seen;
    for (BlockId at = from; at.valid() && seen.insert(at.index).second;) {
      const Block& block = function_.blocks[at.index];
      bool tests_type = false;
      for (const Inst& inst : block.insts) {
        if (inst.op == Op::IsType) {
          state.on_error.push_back({program_.types->text(inst.type), line_of(inst.span)});
          tests_type = true;
        } else if (is_clean_up(inst)) {
          state.on_error.push_back({"", line_of(inst.span)});
          state.error_leaves = true;
          return;
        }
      }
      const Terminator& end = block.terminator;
      if (end.kind == TerminatorKind::Raise) {
        state.error_leaves = true;
        return;
      }
      if (end.kind == TerminatorKind::Return) return;
      if (end.kind == TerminatorKind::Goto) {
        bool is_taken = !block.is_cold && !tests_type && !state.on_error.empty() && at != from;
        if (is_taken) return;
        at = end.target;
      } else if (end.kind == TerminatorKind::Branch && tests_type) {
        at = end.other;
      } else {
        state.error_leaves = true;
        return;
      }
    }
  }

  // Not what the compiler puts around it.
  bool is_clean_up(const Inst& inst) const {
    if (inst.may_suspend()) return true;
    if (inst.op != Op::Call) return false;
    if (inst.call != CallKind::Direct) return inst.call != CallKind::Intrinsic;
    const std::string& name = program_.functions[inst.function.index].name;
    return !name.starts_with("_region_") && !name.starts_with("_hook_");
  }

  uint32_t line_of(Span span) const { return span.valid() ? sources_.start_of(span).line : 0; }

  const Program& program_;
  const Function& function_;
  const source::Sources& sources_;
  const FrameLayout& layout_;
};

std::vector<FrameField> fields_of(const Program& program, const Function& function, const FrameLayout& layout, const Frames::SizeOf& size_of) {
  std::vector<FrameField> fields;
  for (uint32_t i = 0; i < function.locals.size(); ++i) {
    if (layout.slot[i] == FrameLayout::NONE) continue;
    const Local& local = function.locals[i];
    FrameField field;
    field.name = local.name ? local.name.str() : "";
    field.type = (local.by_reference ? "ref " : "") + program.types->text(local.type);
    field.offset = layout.slot[i];
    field.size = local.by_reference ? sizeof(void*) : size_of(local.type).size;
    field.has_home = layout.home[i];
    if (i < function.param_count) field.states.push_back(0);
    for (uint32_t k = 0; k < layout.suspensions.size(); ++k)
      if (std::ranges::find(layout.suspensions[k].saved, LocalId(i)) != layout.suspensions[k].saved.end()) field.states.push_back(k + 1);
    fields.push_back(std::move(field));
  }
  // Awaits of one function at one place show as one piece.
  for (uint32_t k = 0; k < layout.suspensions.size(); ++k) {
    const Suspension& at = layout.suspensions[k];
    if (!at.has_child) continue;
    const std::string& name = program.functions[function.blocks[at.block.index].insts[at.inst].function.index].name;
    auto same = std::ranges::find_if(fields, [&](const FrameField& f) { return f.is_callee && f.name == name && f.offset == at.child_offset; });
    if (same != fields.end()) {
      same->states.push_back(k + 1);
      continue;
    }
    fields.push_back({name, at.boxed ? "boxed frame" : "frame", at.child_offset, at.child_size, true, at.boxed, true, {k + 1}});
  }
  std::ranges::sort(fields, {}, [](const FrameField& f) { return std::tuple(f.offset, UINT64_MAX - f.size, f.states); });
  return fields;
}

}  // namespace

FrameReport report_frame(const Program& program, FunctionId id, const source::Sources& sources, Frames& frames, const Frames::SizeOf& size_of) {
  const Function& function = program.functions[id.index];
  FrameReport report;
  report.name = function.name;
  report.kind = function.frame;
  report.result = program.types->text(function.result);
  report.suspends = function.suspends;
  if (function.span.valid()) {
    report.file = sources.path(function.span.file);
    report.line = sources.start_of(function.span).line;
  }
  const FrameLayout& layout = frames.layout(id);
  report.size = layout.size;
  report.header_size = MET_FRAME_SLOTS;
  report.result_offset = layout.result_offset;
  report.result_size = size_of(function.result).size;
  report.fields = fields_of(program, function, layout, size_of);
  Reporter reporter(program, function, sources, layout);
  for (uint32_t i = 0; i <= layout.suspensions.size(); ++i) {
    FrameState state = reporter.state(i);
    for (const FrameField& field : report.fields)
      if (std::ranges::find(field.states, i) != field.states.end()) state.kept += field.size;
    report.states.push_back(std::move(state));
  }
  return report;
}

}  // namespace meteor::mir
