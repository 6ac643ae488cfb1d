// Two walks: the shape of every block first, then ownership along the dataflow of initialisedness (only where the shape
// is sound, since the dataflow trusts it).
#include "compiler/mir/verify.h"

#include <algorithm>
#include <cstdio>

#include "compiler/base/check.h"
#include "compiler/mir/init_state.h"
#include "compiler/mir/passes/take_replaced.h"
#include "compiler/mir/print.h"

namespace meteor::mir {

namespace {

using types::Kind;

class Verifier {
 public:
  Verifier(const Program& program, const TypeFacts& facts, const Function& function, DropForm form)
      : program_(program), facts_(facts), function_(function), form_(form) {}

  std::vector<std::string> run() {
    if (function_.blocks.empty()) return {};
    for (BlockId block : reachable_in_bounds()) check_shape(block);
    if (!violations_.empty()) return std::move(violations_);
    InitFlow flow(function_);
    for (BlockId block : flow.order()) check_ownership(block, flow.at_entry(block));
    return std::move(violations_);
  }

 private:
  void report(const std::string& what) {
    if (violations_.size() < 20)
      violations_.push_back(function_.name + " bb" + std::to_string(block_.index) + ": `" + where() + "`: " + what);
  }
  std::string where() const {
    return inst_ ? print(program_, function_, *inst_) : print(program_, function_, function_.blocks[block_.index].terminator);
  }
  std::string text(LocalId id) const { return print(program_, function_, id); }
  std::string text(TypeId id) const { return id.valid() ? program_.types->text(id) : "no type"; }

  // All blocks when some edge leaves the function (reported), else the reachable ones.
  std::vector<BlockId> reachable_in_bounds() {
    bool sound = true;
    for (uint32_t i = 0; i < function_.blocks.size(); ++i) {
      block_ = BlockId(i);
      for_each_successor(function_.blocks[i], [&](BlockId target) {
        if (target.index < function_.blocks.size()) return;
        sound = false;
        report("an edge leads to no block");
      });
    }
    return sound ? reachable_blocks(function_) : std::vector<BlockId>{};
  }

  // ---- shape ----

  bool known(LocalId id) const { return id.index < function_.locals.size(); }

  bool check_place(const Place& place) {
    if (place.local.valid() == place.global.valid()) return report("a place needs a local or a global"), false;
    if (place.local.valid() && !known(place.local)) return report("no such local"), false;
    if (place.global.valid() && place.global.index >= program_.typed->globals.size() + program_.globals.size()) return report("no such global"), false;
    for (const Projection& step : place.path)
      if (!step.type.valid()) return report("a projection without type"), false;
    return true;
  }

  TypeId place_type(const Place& place) const {
    if (!place.path.empty()) return place.path.back().type;
    if (place.local.valid()) return function_.local(place.local).type;
    size_t own = program_.typed->globals.size();
    return place.global.index < own ? program_.typed->globals[place.global.index].type : program_.globals[place.global.index - own].type;
  }

  // By a later instruction of this block.
  bool is_initialised_anew(const Place& place) const {
    const std::vector<Inst>& insts = function_.blocks[block_.index].insts;
    if (form_ != DropForm::Exact || !inst_) return false;
    return std::any_of(insts.begin() + (inst_ - insts.data()) + 1, insts.end(), [&](const Inst& later) { return later.op == Op::Assign && later.initializes && is_same(later.dst, place); });
  }

  void check_operand(const Operand& operand, bool is_call, bool is_drop) {
    if (!operand.type.valid()) return report("an operand without type");
    if (operand.kind == OperandKind::Const) return;
    if (!check_place(operand.place)) return;
    bool counted = facts_.needs_drop(operand.type);
    if (operand.kind == OperandKind::Ref && !is_call) report("only calls take references");
    if (operand.kind == OperandKind::Move) {
      if (!operand.place.is_local()) {
        if (!is_initialised_anew(operand.place)) report("only whole locals are moved, and what is initialised anew at once");
      }
      else if (function_.local(operand.place.local).ownership == Ownership::Borrowed) report(text(operand.place.local) + " is borrowed and can't be moved or dropped");
      else if (!counted && !is_drop) report("a plain value is copied, not moved");
    }
    if (operand.kind == OperandKind::Borrow && !counted) report("a plain value is copied, not borrowed");
    if (place_type(operand.place) != operand.type) report("operand of type " + text(operand.type) + " at a place of type " + text(place_type(operand.place)));
  }

  // An object that lies in a local has no second owner: it is lent, ended, or moved to another such local.
  void check_stays(const Operand& operand, bool is_drop) {
    if (operand.kind == OperandKind::Const || !operand.place.local.valid() || !known(operand.place.local)) return;
    if (!function_.local(operand.place.local).on_stack || operand.place.enters() || is_drop) return;
    bool to_another = operand.kind == OperandKind::Move && inst_ && inst_->op == Op::Assign && inst_->dst.is_local() && function_.local(inst_->dst.local).on_stack;
    if (operand.kind != OperandKind::Borrow && !to_another) report(text(operand.place.local) + " lies on the stack and gets another owner");
  }

  void check_shape(BlockId id) {
    block_ = id;
    const Block& block = function_.blocks[id.index];
    for (const Inst& inst : block.insts) {
      inst_ = &inst;
      for (const Operand& arg : inst.args) check_stays(arg, inst.op == Op::Drop);
      for (const Operand& arg : inst.args) check_operand(arg, inst.op == Op::Call || inst.op == Op::Await || inst.op == Op::MakeFuture, inst.op == Op::Drop);
      bool stores = inst.dst.local.valid() || inst.dst.global.valid();
      if (stores && check_place(inst.dst) && inst.op != Op::Assign && !inst.dst.is_local()) report("only assign writes to a place inside something");
      if (inst.op == Op::Assign) check_assign(inst, stores);
      if (inst.op == Op::Call) check_call(inst);
      if (inst.op == Op::Await || inst.op == Op::MakeFuture) check_frame_call(inst);
      if (inst.may_suspend() && function_.frame == FrameKind::None) report("only a body with a frame can suspend");
      if (inst.on_error.valid()) check_error(inst.error);
    }
    inst_ = nullptr;
    const Terminator& end = block.terminator;
    check_stays(end.value, false);
    if (end.kind == TerminatorKind::Branch || end.kind == TerminatorKind::Switch || end.kind == TerminatorKind::Return) check_operand(end.value, false, false);
    if (end.kind == TerminatorKind::Branch && end.value.type != program_.types->bool_) report("a branch on something else than bool");
    if (end.kind == TerminatorKind::Return && end.value.type.valid() && end.value.type != function_.result)
      report("returns " + text(end.value.type) + " instead of " + text(function_.result));
    if (end.kind == TerminatorKind::Return && end.value.kind == OperandKind::Borrow) report("results are owned");
    if (end.kind == TerminatorKind::Raise) check_error(end.error);
  }

  void check_assign(const Inst& inst, bool stores) {
    if (!stores || inst.args.size() != 1) return report("assign takes one place and one value");
    bool to_borrowed = inst.dst.is_local() && function_.local(inst.dst.local).ownership == Ownership::Borrowed && !function_.local(inst.dst.local).by_reference;
    if (inst.args[0].kind == OperandKind::Ref || (inst.args[0].kind == OperandKind::Borrow && !to_borrowed)) report("assign needs an owned value");
    if (inst.args[0].type.valid() && place_type(inst.dst) != inst.args[0].type)
      report("value of type " + text(inst.args[0].type) + " in a place of type " + text(place_type(inst.dst)));
    if (to_borrowed && (inst.dst.local.index < function_.param_count || !inst.initializes)) report(text(inst.dst.local) + " is borrowed and can't be replaced");
    if (to_borrowed && inst.args[0].kind != OperandKind::Borrow && inst.args[0].kind != OperandKind::Const) report(text(inst.dst.local) + " would own what it only borrows");
  }

  void check_call(const Inst& inst) {
    if (inst.call != CallKind::Direct && inst.call != CallKind::Virtual) return;
    if (inst.function.index >= program_.functions.size()) return report("no such function");
    const Function& callee = program_.functions[inst.function.index];
    if (callee.param_count != inst.args.size()) return report("the callee takes " + std::to_string(callee.param_count) + " arguments");
    for (size_t i = 0; i < inst.args.size(); ++i) {
      const Operand& arg = inst.args[i];
      bool counted = arg.type.valid() && facts_.needs_drop(arg.type);
      std::string which = "argument " + std::to_string(i + 1) + " ";
      switch (callee.param_modes[i]) {
        case ParamMode::Ref: if (arg.kind != OperandKind::Ref) report(which + "is taken by reference"); break;
        case ParamMode::Owned: if (arg.kind == OperandKind::Borrow || arg.kind == OperandKind::Ref) report(which + "must be owned"); break;
        case ParamMode::Plain: if (counted && arg.kind != OperandKind::Borrow && arg.kind != OperandKind::Const) report(which + "must be borrowed"); break;
      }
      if (arg.type.valid() && arg.type != callee.locals[i].type && !callee.is_extern && inst.call == CallKind::Direct)
        report(which + "has type " + text(arg.type) + ", the callee wants " + text(callee.locals[i].type));
    }
    if (inst.dst.local.valid() && inst.dst.is_local() && function_.local(inst.dst.local).type != callee.result)
      report("the callee gives " + text(callee.result));
    if (callee.summary.known && callee.summary.raises && !inst.on_error.valid()) report("the callee may raise, but there is no error edge");
  }

  void check_frame_call(const Inst& inst) {
    if (inst.function.index >= program_.functions.size()) return report("no such function");
    const Function& callee = program_.functions[inst.function.index];
    if (callee.frame == FrameKind::None) report("the callee has no frame");
    if (callee.param_count != inst.args.size()) return report("the callee takes " + std::to_string(callee.param_count) + " arguments");
    for (size_t i = 0; i < inst.args.size(); ++i) {
      bool by_reference = callee.param_modes[i] == ParamMode::Ref;
      if (by_reference != (inst.args[i].kind == OperandKind::Ref) || inst.args[i].kind == OperandKind::Borrow)
        report("argument " + std::to_string(i + 1) + (by_reference ? " is taken by reference" : " must be owned"));
      if (inst.args[i].type != callee.locals[i].type) report("argument " + std::to_string(i + 1) + " has type " + text(inst.args[i].type) + ", the callee wants " + text(callee.locals[i].type));
    }
    if (inst.op == Op::Await && !inst.on_error.valid()) report("an await without an error edge");
  }

  void check_error(LocalId error) {
    if (!error.valid() || !known(error)) return report("no local for the error");
    const Local& local = function_.local(error);
    if (local.ownership != Ownership::Owned || local.type != program_.typed->raisable) report("the error's local must be an owned Raisable");
  }

  // ---- ownership ----

  bool owns(LocalId id) const {
    const Local& local = function_.local(id);
    return local.ownership == Ownership::Owned && !local.by_reference && facts_.needs_drop(local.type);
  }

  void check_use(const InitState& state, LocalId id) {
    if (id.valid() && !state.surely_init(id)) report(text(id) + (state.surely_uninit(id) ? " is not initialised" : " is not initialised on every path"));
  }

  void check_store(const InitState& state, const Inst& inst) {
    if (!inst.dst.local.valid()) return;
    LocalId id = inst.dst.local;
    if (!inst.dst.is_local()) return check_use(state, id);
    if (!owns(id)) return;
    bool adapts = inst.op == Op::Assign && !inst.initializes && form_ == DropForm::Adaptive;
    if (adapts) return;
    if (inst.op == Op::Assign && !inst.initializes) return check_use(state, id);
    if (!state.surely_uninit(id)) report(text(id) + " still holds a value that is lost here");
  }

  void check_drop(const InitState& state, const Inst& inst) {
    if (inst.args.size() != 1 || !inst.args[0].place.is_local()) return;
    if (form_ == DropForm::Exact) check_use(state, inst.args[0].place.local);
  }

  void check_exit(const InitState& state) {
    state.maybe_init.for_each([&](LocalId id) {
      if (owns(id)) report(text(id) + " is neither dropped nor moved" + (state.surely_init(id) ? "" : " on some path"));
    });
  }

  void check_ownership(BlockId id, InitState state) {
    block_ = id;
    const Block& block = function_.blocks[id.index];
    for (const Inst& inst : block.insts) {
      inst_ = &inst;
      if (inst.op == Op::Drop) check_drop(state, inst);
      else
        for (size_t i = 0; i < inst.args.size(); ++i) {
          check_use(state, inst.args[i].place.local);
          if (inst.args[i].kind == OperandKind::Move) check_single_use(inst, i);
        }
      state.consume(inst);
      if (inst.on_error.valid() && !state.surely_uninit(inst.error)) report(text(inst.error) + " still holds an error");
      check_store(state, inst);
      state.store(inst);
    }
    inst_ = nullptr;
    const Terminator& end = block.terminator;
    check_use(state, end.value.place.local);
    if (end.kind == TerminatorKind::Return) {
      if (end.value.kind == OperandKind::Move) state.uninit(end.value.place.local);
      check_exit(state);
    } else if (end.kind == TerminatorKind::Raise) {
      check_use(state, end.error);
      state.uninit(end.error);
      check_exit(state);
    }
  }

  void check_single_use(const Inst& inst, size_t moved) {
    for (size_t i = 0; i < inst.args.size(); ++i)
      if (i != moved && inst.args[i].kind != OperandKind::Const && inst.args[i].place.local == inst.args[moved].place.local)
        report(text(inst.args[moved].place.local) + " is moved and used by the same instruction");
  }

  const Program& program_;
  const TypeFacts& facts_;
  const Function& function_;
  DropForm form_;
  BlockId block_;
  const Inst* inst_ = nullptr;   // null: the terminator
  std::vector<std::string> violations_;
};

}  // namespace

std::vector<std::string> find_violations(const Program& program, const TypeFacts& facts, const Function& function, DropForm form) {
  return Verifier(program, facts, function, form).run();
}

void verify(const Program& program, const TypeFacts& facts, DropForm form, std::string_view after) {
  bool sound = true;
  for (const Function& function : program.functions) {
    std::vector<std::string> violations = find_violations(program, facts, function, form);
    if (violations.empty()) continue;
    for (const std::string& line : violations) std::fprintf(stderr, "mir after %.*s: %s\n", static_cast<int>(after.size()), after.data(), line.c_str());
    if (sound) std::fputs(print(program, function).c_str(), stderr);
    sound = false;
  }
  CHECK(sound && "MIR is sound");
}

}  // namespace meteor::mir
