#include "compiler/mir/passes/splice.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/mir/flow.h"

namespace meteor::mir {

namespace {

Operand moved(LocalId local, TypeId type) {
  Operand operand;
  operand.kind = OperandKind::Move;
  operand.type = type;
  operand.place.local = local;
  return operand;
}

Inst assign(LocalId local, Operand value, Span span) {
  Inst inst;
  inst.op = Op::Assign;
  inst.span = span;
  inst.initializes = true;
  inst.dst.local = local;
  inst.args.push_back(std::move(value));
  return inst;
}

Terminator go(BlockId target, Span span) {
  Terminator terminator;
  terminator.kind = TerminatorKind::Goto;
  terminator.span = span;
  terminator.target = target;
  return terminator;
}

class Splice {
 public:
  Splice(const Program& program, const TypeFacts& facts, Function& caller, const Function& callee)
      : program_(program), facts_(facts), caller_(caller), callee_(callee), first_local_(static_cast<uint32_t>(caller.locals.size())), first_block_(static_cast<uint32_t>(caller.blocks.size())) {}

  // In place of the last instruction of `at`. Gives the block where the caller goes on.
  BlockId run(BlockId at, const AdaptTaken& adapt) {
    take_locals();
    find_lent(caller_.blocks[at.index].insts.back());
    after_ = BlockId(first_block_ + static_cast<uint32_t>(callee_.blocks.size()));
    caller_.blocks.resize(after_.index + 1);
    bool is_cold = caller_.blocks[at.index].is_cold;
    call_ = cut(at);
    for (uint32_t i = 0; i < callee_.blocks.size(); ++i) {
      Block block = callee_.blocks[i];
      block.is_cold |= is_cold;
      std::erase_if(block.insts, [&](const Inst& inst) { return inst.op == Op::Drop && inst.args[0].place.is_local() && is_lent(inst.args[0].place.local); });
      renumber(block, adapt);
      if (block.terminator.kind == TerminatorKind::Return) leave(block);
      else if (block.terminator.kind == TerminatorKind::Raise) raise(block);
      caller_.blocks[first_block_ + i] = std::move(block);
    }
    return after_;
  }

 private:
  void take_locals() {
    for (Local local : callee_.locals) {
      if (local.kind == LocalKind::Param) local.kind = LocalKind::Variable;
      if (!facts_.needs_drop(local.type)) local.ownership = Ownership::Owned;   // a plain parameter is a copy
      caller_.locals.push_back(std::move(local));
    }
  }

  // A parameter that gets a copy of one of the caller's locals, and that the callee only looks at, is that local: the caller does
  // nothing before the callee has ended.
  void find_lent(const Inst& call) {
    lent_.assign(callee_.param_count, LocalId());
    for (uint32_t i = 0; i < callee_.param_count; ++i) {
      const Operand& arg = call.args[i];
      if (arg.kind != OperandKind::Copy || !arg.place.is_local() || !facts_.is_class_reference(arg.type)) continue;
      const Local& local = caller_.local(arg.place.local);
      if (local.by_reference || local.kind == LocalKind::Environment || local.type != callee_.locals[i].type || is_referred_to(call, arg.place.local) || !is_only_read(LocalId(i))) continue;
      lent_[i] = arg.place.local;
    }
  }

  static bool is_referred_to(const Inst& call, LocalId id) {
    for (const Operand& arg : call.args)
      if (arg.kind != OperandKind::Const && arg.kind != OperandKind::Copy && arg.place.local.valid() && arg.place.local == id) return true;
    return call.dst.local.valid() && call.dst.local == id;
  }

  bool is_only_read(LocalId param) const {
    if (callee_.local(param).by_reference) return false;
    for (const Block& block : callee_.blocks) {
      for (const Inst& inst : block.insts) {
        if (inst.op == Op::Drop) continue;
        if ((inst.dst.local.valid() && inst.dst.local == param && inst.dst.is_local()) || (inst.error.valid() && inst.error == param)) return false;
        for (const Operand& arg : inst.args)
          if (arg.kind != OperandKind::Const && arg.place.local.valid() && arg.place.local == param && (arg.kind == OperandKind::Move || (arg.kind == OperandKind::Ref && arg.place.is_local()))) return false;
      }
      const Operand& value = block.terminator.value;
      if (value.kind == OperandKind::Move && value.place.local.valid() && value.place.local == param) return false;
    }
    return true;
  }

  bool is_lent(LocalId id) const { return id.index < lent_.size() && lent_[id.index].valid(); }

  // The instruction goes; before it stand the parameters' values.
  Inst cut(BlockId at) {
    Block& head = caller_.blocks[at.index];
    Block& tail = caller_.blocks[after_.index];
    Inst call = std::move(head.insts.back());
    tail.terminator = std::move(head.terminator);
    tail.is_cold = head.is_cold;
    head.insts.pop_back();
    for (uint32_t i = 0; i < callee_.param_count; ++i)
      if (!lent_[i].valid()) head.insts.push_back(assign(LocalId(first_local_ + i), std::move(call.args[i]), call.span));
    head.terminator = go(BlockId(first_block_), call.span);
    return call;
  }

  void renumber(Block& block, const AdaptTaken& adapt) {
    for (Inst& inst : block.insts) {
      renumber(inst.dst);
      for (Operand& arg : inst.args) renumber(arg.place);
      if (inst.on_error.valid()) {
        inst.on_error = BlockId(inst.on_error.index + first_block_);
        inst.error = LocalId(inst.error.index + first_local_);
      }
      if (inst.op == Op::Trace && !inst.function.valid()) inst.function = callee_.id;   // the place keeps its function's name
      adapt(callee_, call_.span, inst);
    }
    Terminator& end = block.terminator;
    renumber(end.value.place);
    for_each_target(end, [&](BlockId& target) { target = BlockId(target.index + first_block_); });
    if (end.error.valid()) end.error = LocalId(end.error.index + first_local_);
  }

  void renumber(Place& place) const {
    if (place.local.valid()) place.local = is_lent(place.local) ? lent_[place.local.index] : LocalId(place.local.index + first_local_);
  }

  void leave(Block& block) {
    Operand value = std::move(block.terminator.value);
    block.terminator = go(after_, call_.span);
    bool is_void = value.kind == OperandKind::Const && value.constant.kind == ConstKind::Void;
    if (is_void) return;
    LocalId into = call_.dst.local;
    if (!into.valid()) {
      Local unused;
      unused.type = value.type;
      into = LocalId(static_cast<uint32_t>(caller_.locals.size()));
      caller_.locals.push_back(unused);
    }
    bool drops = !call_.dst.local.valid() && facts_.needs_drop(value.type);
    TypeId type = value.type;
    block.insts.push_back(assign(into, std::move(value), call_.span));
    if (!drops) return;
    Inst drop;
    drop.op = Op::Drop;
    drop.span = call_.span;
    drop.args.push_back(moved(into, type));
    block.insts.push_back(std::move(drop));
  }

  void raise(Block& block) {
    if (!call_.on_error.valid()) {   // known not to happen
      block.terminator = {};
      return;
    }
    block.insts.push_back(assign(call_.error, moved(block.terminator.error, program_.typed->raisable), call_.span));
    block.terminator = go(call_.on_error, call_.span);
  }

  const Program& program_;
  const TypeFacts& facts_;
  Function& caller_;
  const Function& callee_;
  uint32_t first_local_, first_block_;
  std::vector<LocalId> lent_;   // per parameter: the caller's local that stands for it; else not valid
  BlockId after_;
  Inst call_;
};

}  // namespace

// An instruction moves once, from the block it stood in to the one it ends up in, however many calls stand before it.
bool splice_calls(const Program& program, const TypeFacts& facts, Function& caller, const FindBody& find_body,
                  const AdaptTaken& adapt) {
  std::unordered_map<uint32_t, std::vector<Inst>>
      rest_of;  // by block: what is still to be looked at and put there, last first
  bool any = false;
  for (uint32_t at = 0; at < caller.blocks.size(); ++at) {
    std::vector<Inst> rest;
    if (auto pending = rest_of.find(at); pending != rest_of.end()) {
      rest = std::move(pending->second);
      rest_of.erase(pending);
    } else if (std::ranges::any_of(caller.blocks[at].insts,
                                   [&](const Inst& inst) { return find_body(inst) != nullptr; })) {
      rest.swap(caller.blocks[at].insts);
      std::ranges::reverse(rest);
    }
    while (!rest.empty()) {
      std::vector<Inst>& insts = caller.blocks[at].insts;
      insts.push_back(std::move(rest.back()));
      rest.pop_back();
      const Function* body = find_body(insts.back());
      if (!body) continue;
      BlockId after = Splice(program, facts, caller, *body).run(BlockId(at), adapt);
      rest_of[after.index] = std::move(rest);
      any = true;
      break;
    }
  }
  return any;
}

}  // namespace meteor::mir
