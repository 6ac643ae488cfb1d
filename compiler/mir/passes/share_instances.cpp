// By now everything that depends on what a type is has become a different instruction, call or drop.
// A function that names itself in a trace is left alone, so that no trace shows another instance's name.
#include "compiler/mir/passes/share_instances.h"

#include <algorithm>
#include <map>

#include "compiler/mir/erased_types.h"

namespace meteor::mir {

namespace {

// Operations that see no more of a type than how its values are stored and counted.
bool is_blind(const Inst& inst) {
  switch (inst.op) {
    case Op::Assign: case Op::Unary: case Op::Binary: case Op::Compare: case Op::Not: case Op::MakeStruct: case Op::MakeTuple: case Op::EnumTag:
    case Op::MakeSome: case Op::TakeSome: case Op::IsNull: case Op::Same: case Op::Drop: case Op::Reinterpret: return true;
    case Op::Call: break;
    default: return false;
  }
  if (inst.call == CallKind::Direct) return true;
  if (inst.call != CallKind::Intrinsic) return false;
  switch (inst.intrinsic) {
    case Intrinsic::RawAlloc: case Intrinsic::RawRealloc: case Intrinsic::RawFree: case Intrinsic::RawNull: case Intrinsic::RawGet:
    case Intrinsic::RawPeek: case Intrinsic::RawTake: case Intrinsic::RawInit: case Intrinsic::RawSet: case Intrinsic::RawSwap:
    case Intrinsic::RawMove: case Intrinsic::RawCopyTo: case Intrinsic::RawDropAll: case Intrinsic::RawZero: case Intrinsic::SizeOf:
    case Intrinsic::IsPlain: case Intrinsic::RefCount: case Intrinsic::IsUnique: case Intrinsic::Slowpath: case Intrinsic::Likely: return true;
    default: return false;
  }
}

// A function as text: two with the same text are the same code.
class Writer {
 public:
  Writer(const std::vector<FunctionId>& shared, ErasedTypes& erased) : shared_(shared), erased_(erased) {}

  std::string write(const Function& function) {
    f_ = &function;
    text_.clear();
    put(function.param_count);
    put(function.summary.raises | function.is_inline << 1 | function.is_cold << 2);
    put_type(function.result, false);
    for (ParamMode mode : function.param_modes) put(static_cast<uint64_t>(mode));
    for (const Local& local : function.locals) {
      put(static_cast<uint64_t>(local.kind) | static_cast<uint64_t>(local.ownership) << 8 | uint64_t(local.by_reference) << 16 | uint64_t(local.on_stack) << 24);
      put_type(local.type, local.on_stack);
    }
    for (const Block& block : function.blocks) {
      put(block.insts.size() << 1 | block.is_cold);
      for (const Inst& inst : block.insts) put_inst(inst);
      put_end(block.terminator);
    }
    return std::move(text_);
  }

 private:
  void put(uint64_t value) { text_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void put_type(TypeId type, bool exact) {
    if (!type.valid()) return put(~uint64_t(0));
    put(exact ? uint64_t(type.index) << 32 : erased_.as_value(type));
  }

  void put_place(const Place& place, bool exact) {
    put(place.local.valid() ? place.local.index : ~uint64_t(0));
    put(place.global.valid() ? place.global.index : ~uint64_t(0));
    put(place.path.size());
    TypeId type = place.local.valid() ? f_->local(place.local).type : TypeId();
    if (exact && type.valid()) put_type(type, true);
    for (const Projection& step : place.path) {
      put(static_cast<uint64_t>(step.kind) | uint64_t(step.index) << 8 | uint64_t(step.case_index) << 40);
      if (type.valid() && step.kind == ProjectionKind::Field) put(erased_.as_owner_of_fields(type));
      put_type(step.type, exact);
      type = step.type;
    }
  }

  void put_operand(const Operand& operand, bool exact) {
    put(static_cast<uint64_t>(operand.kind));
    put_type(operand.type, exact);
    if (operand.kind != OperandKind::Const) return put_place(operand.place, exact);
    put(static_cast<uint64_t>(operand.constant.kind));
    put(operand.constant.bits);
    uint64_t number;
    static_assert(sizeof number == sizeof operand.constant.number);
    __builtin_memcpy(&number, &operand.constant.number, sizeof number);
    put(number);
    put(operand.constant.text.size());
    text_ += operand.constant.text;
  }

  void put_inst(const Inst& inst) {
    bool exact = !is_blind(inst);
    put(static_cast<uint64_t>(inst.op) | static_cast<uint64_t>(inst.unary) << 8 | static_cast<uint64_t>(inst.binary) << 16 |
        static_cast<uint64_t>(inst.compare) << 24 | static_cast<uint64_t>(inst.call) << 32 | static_cast<uint64_t>(inst.intrinsic) << 40);
    put(inst.checked | inst.lends << 1 | inst.initializes << 2 | uint64_t(inst.index) << 8);
    FunctionId target = inst.function;
    if (target.valid()) put(target == f_->id ? ~uint64_t(0) - 1 : inst.op == Op::Call ? shared_[target.index].index : target.index);
    put_type(inst.type, exact);
    put(inst.on_error.valid() ? inst.on_error.index : ~uint64_t(0));
    put(inst.error.valid() ? inst.error.index : ~uint64_t(0));
    put_place(inst.dst, exact);
    put(inst.args.size());
    for (const Operand& arg : inst.args) put_operand(arg, exact);
  }

  void put_end(const Terminator& end) {
    put(static_cast<uint64_t>(end.kind));
    put_operand(end.value, false);
    put(end.target.valid() ? end.target.index : ~uint64_t(0));
    put(end.other.valid() ? end.other.index : ~uint64_t(0));
    put(end.error.valid() ? end.error.index : ~uint64_t(0));
    put(end.cases.size());
    for (const SwitchTarget& one : end.cases) {
      put(one.value);
      put(one.block.index);
    }
  }

  const std::vector<FunctionId>& shared_;
  ErasedTypes& erased_;
  const Function* f_ = nullptr;
  std::string text_;
};

bool may_share(const Function& function) {
  if (function.is_extern || function.blocks.empty() || function.frame != FrameKind::None || function.environment.valid() || !function.span.valid()) return false;
  for (const Block& block : function.blocks)
    for (const Inst& inst : block.insts)
      if (inst.op == Op::Trace || (inst.op == Op::Call && inst.call == CallKind::Intrinsic && inst.intrinsic == Intrinsic::CallSite)) return false;
  return true;
}

}  // namespace

std::vector<FunctionId> share_nothing(const Program& program) {
  std::vector<FunctionId> own;
  for (const Function& function : program.functions) own.push_back(function.id);
  return own;
}

std::vector<FunctionId> share_instances(const Program& program) {
  ErasedTypes erased(*program.typed, *program.types);
  std::map<std::pair<uint32_t, uint32_t>, std::vector<FunctionId>> by_source;   // instances of one function stand at one place
  for (const Function& function : program.functions)
    if (may_share(function)) by_source[{function.span.file.index, function.span.start}].push_back(function.id);
  std::erase_if(by_source, [](const auto& entry) { return entry.second.size() < 2; });
  // The library's own come first: what it shares is then the same in every program (object/units.h).
  auto rank = [&](FunctionId id) {
    const Function& function = program.functions[id.index];
    bool is_library = std::ranges::all_of(function.locals, [&](const Local& local) { return program.types->is_library(local.type); });
    return std::pair(!is_library, std::string_view(function.symbol));
  };
  for (auto& [source, instances] : by_source) std::ranges::sort(instances, {}, rank);
  std::vector<FunctionId> shared;
  for (uint32_t i = 0; i < program.functions.size(); ++i) shared.push_back(FunctionId(i));
  Writer writer(shared, erased);
  // What calls two that became one may now be the same itself.
  for (bool again = true; again;) {
    again = false;
    for (const auto& [source, instances] : by_source) {
      std::unordered_map<std::string, FunctionId> known;
      for (FunctionId id : instances) {
        if (shared[id.index] != id) continue;
        auto [entry, is_new] = known.emplace(writer.write(program.functions[id.index]), id);
        if (is_new) continue;
        shared[id.index] = entry->second;
        again = true;
      }
    }
    // One that gave its code away may itself share another's now.
    for (FunctionId& code : shared)
      while (shared[code.index] != code) code = shared[code.index];
  }
  return shared;
}

}  // namespace meteor::mir
