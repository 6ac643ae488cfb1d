#include "compiler/mir/captures.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace meteor::mir {

using types::Kind;

namespace {

// How a local is related to what was captured.
enum Level : uint8_t {
  Apart,
  Holds,  // an object made on the way, which refers to it
  Part,   // it, or something in it
  Lent,   // of a `ref` argument: a variable of the caller's own, with a part of it inside
};

constexpr uint32_t CAPTURES = UINT32_MAX;  // in place of a parameter's number: everything in the environment

struct Key {
  uint32_t function, param;
  Level level;
  friend auto operator<=>(const Key&, const Key&) = default;
};
struct Summary {
  bool reads = true;    // does nothing else with it
  Level gives = Apart;  // what its result is then
};

class Types {
 public:
  explicit Types(const Program& program) : program_(program) {}

  // Can something be changed through a value of this type?
  bool leads_to_change(TypeId type) {
    auto [known, is_new] = known_.try_emplace(type, false);  // false while it is asked: the least fixpoint
    if (!is_new) return known->second;
    bool answer = compute(type);
    known_[type] = answer;
    return answer;
  }

 private:
  bool compute(TypeId type) {
    const types::Type& t = program_.types->get(type);
    auto found = program_.typed->nominals.find(type);
    const typed::Nominal* nominal = found == program_.typed->nominals.end() ? nullptr : &found->second;
    switch (t.kind) {
      case Kind::Any:
      case Kind::Dyn:
      case Kind::Weak:
      case Kind::Cell:
      case Kind::RawPtr: return true;
      case Kind::Class: return !nominal || !nominal->is_shareable;
      case Kind::Optional:
      case Kind::Tuple: return std::ranges::any_of(t.args, [&](TypeId arg) { return leads_to_change(arg); });
      case Kind::Struct:
      case Kind::Enum: {
        if (!nominal) return true;
        auto leads = [&](const typed::Field& field) { return leads_to_change(field.type); };
        return std::ranges::any_of(nominal->fields, leads) ||
               std::ranges::any_of(nominal->cases,
                                   [&](const typed::EnumCase& one) { return std::ranges::any_of(one.fields, leads); });
      }
      default: return false;
    }
  }

  const Program& program_;
  std::unordered_map<TypeId, bool> known_;
};

class Captures {
 public:
  explicit Captures(Program& program) : program_(program), types_(program) {
    for (const auto& [type, nominal] : program_.typed->nominals)
      if (nominal.base.valid()) subclasses_[nominal.base].push_back(type);
  }

  void run() {
    std::vector<uint32_t> closures;
    for (const Function& function : program_.functions)
      if (function.environment.valid() &&
          std::ranges::any_of(function.captures, [&](TypeId type) { return types_.leads_to_change(type); })) {
        closures.push_back(function.id.index);
        ask({function.id.index, CAPTURES, Part});
      }
    // Assumed to be fine at first; what is not makes others fail.
    bool changed = true;
    while (changed) {
      changed = false;
      for (size_t i = 0; i < order_.size(); ++i) changed |= look_at(order_[i]);
    }
    for (uint32_t closure : closures) {
      const Summary& found = summaries_.at({closure, CAPTURES, Part});
      program_.functions[closure].only_reads_captures = found.reads && found.gives == Apart;
    }
  }

 private:
  Summary ask(Key key) {
    auto [at, is_new] = summaries_.try_emplace(key);
    if (is_new) order_.push_back(key);
    return at->second;
  }

  // True: the answer is another one than before, or there are new questions.
  bool look_at(Key key) {
    size_t questions = order_.size();
    if (!summaries_.at(key).reads) return false;
    function_ = &program_.functions[key.function];
    level_.assign(function_->locals.size(), Apart);
    result_ = {};
    key_ = key;
    if (function_->blocks.empty())
      result_.reads = function_->is_extern && program_.typed->functions[key.function].only_reads;
    else if (key.param == CAPTURES)
      level_[function_->environment.index] = Part;
    else
      level_[key.param] = std::min(key.level, Part);
    lent_ = key.level == Lent ? LocalId(key.param) : LocalId();
    find_fresh();
    grew_ = true;
    while (grew_ && result_.reads) {
      grew_ = false;
      for (const Block& block : function_->blocks) {
        for (const Inst& inst : block.insts) visit(inst);
        visit(block.terminator);
      }
    }
    Summary& known = summaries_.at(key);
    bool changed = known.reads != result_.reads || known.gives != result_.gives || order_.size() != questions;
    known = result_;
    return changed;
  }

  // Locals that only ever hold objects made in this function.
  void find_fresh() {
    fresh_.assign(function_->locals.size(), true);
    for (uint32_t i = 0; i < function_->param_count; ++i) fresh_[i] = false;
    if (function_->environment.valid()) fresh_[function_->environment.index] = false;
    auto copies = [&](const Inst& inst) {
      bool hands_on = inst.op == Op::Assign || inst.op == Op::Reinterpret;
      return hands_on && inst.args[0].kind != OperandKind::Const && inst.args[0].place.is_local()
                 ? inst.args[0].place.local
                 : LocalId();
    };
    bool changed = true;
    while (changed) {
      changed = false;
      for (const Block& block : function_->blocks)
        for (const Inst& inst : block.insts) {
          if (!inst.dst.is_local() || !fresh_[inst.dst.local.index]) continue;
          LocalId from = copies(inst);
          bool makes =
              inst.op == Op::New || inst.op == Op::MakeCell || inst.op == Op::MakeStruct || inst.op == Op::MakeTuple;
          if (makes || (from.valid() && fresh_[from.index])) continue;
          fresh_[inst.dst.local.index] = false;
          changed = true;
        }
    }
  }

  void fail() { result_.reads = false; }

  void raise_level(LocalId local, Level level, TypeId type) {
    if (level == Apart || !types_.leads_to_change(type) || level_[local.index] >= level) return;
    level_[local.index] = level;
    grew_ = true;
  }

  // What gives nothing has no destination: a call without a result, a read of a `void`.
  void raise_result(const Inst& inst, Level level) {
    if (inst.dst.local.valid()) raise_level(inst.dst.local, level, function_->local(inst.dst.local).type);
  }

  struct Walked {
    bool crosses = false;
    TypeId type;
  };  // crosses: follows a reference
  Walked walk(const Place& place) const {
    Walked at;
    if (!place.local.valid()) return at;
    at.type = function_->local(place.local).type;
    size_t from = 0;
    if (place.local == function_->environment && !place.path.empty()) {
      at.type = place.path[0].type;
      from = 1;
    }
    for (size_t i = from; i < place.path.size(); ++i) {
      Kind kind = program_.types->kind(bare(at.type));
      bool refers = kind != Kind::Struct && kind != Kind::Tuple && kind != Kind::Optional;
      if (place.path[i].kind == ProjectionKind::Field && refers) at.crosses = true;
      if (place.path[i].kind == ProjectionKind::Case) at.crosses = true;  // it may lie in a box
      at.type = place.path[i].type;
    }
    return at;
  }

  TypeId bare(TypeId type) const {
    while (program_.types->kind(type) == Kind::Frozen) type = program_.types->arg(type);
    return type;
  }

  Level level(const Operand& operand) {
    if (operand.kind == OperandKind::Const || !operand.place.local.valid()) return Apart;
    Level base = level_[operand.place.local.index];
    if (base == Apart) return Apart;
    if (operand.kind != OperandKind::Ref && !types_.leads_to_change(operand.type)) return Apart;
    bool crosses = walk(operand.place).crosses;
    if (operand.kind == OperandKind::Ref && !crosses && is_own_variable(operand.place.local)) return Lent;
    return crosses ? Part : base;
  }

  bool is_own_variable(LocalId local) const {
    return local == lent_ || (local != function_->environment && !function_->local(local).by_reference);
  }

  void visit(const Inst& inst) {
    Level most = Apart;
    for (const Operand& arg : inst.args) most = std::max(most, level(arg));
    switch (inst.op) {
      case Op::Assign: return assign(inst.dst, inst.args[0], most);
      case Op::Call:
        if (inst.call == CallKind::Intrinsic) return intrinsic(inst, most);
        if (most != Apart) call(inst);
        return;
      case Op::Await:
      case Op::MakeFuture:
        if (most != Apart) call(inst);
        return;
      case Op::MakeClosure:
        if (most == Apart) return;
        if (Summary inner = ask({inst.function.index, CAPTURES, Part});
            !inner.reads || inner.gives != Apart || !program_.functions[inst.function.index].environment.valid())
          fail();
        return;
      case Op::MakeCell:
        if (most != Apart) raise_result(inst, Holds);
        return;
      case Op::MakeStruct:
      case Op::MakeTuple:
      case Op::MakeEnum:
      case Op::MakeSome:
      case Op::TakeSome:
      case Op::Reinterpret:
      case Op::MakeAny:
      case Op::MakeDyn:
      case Op::MakeWeak: return raise_result(inst, most);
      case Op::Unbox:
      case Op::WeakGet:
        if (most != Apart) raise_result(inst, Part);
        return;
      case Op::Yield: result_.gives = std::max(result_.gives, most); return;
      case Op::RunFrame:
      case Op::ResumeGenerator:
        if (most != Apart) fail();
        return;
      default: return;  // they only look at their arguments
    }
  }

  void visit(const Terminator& end) {
    if (end.kind == TerminatorKind::Return) result_.gives = std::max(result_.gives, level(end.value));
    if (end.kind == TerminatorKind::Raise && end.error.valid() && level_[end.error.index] != Apart) fail();
  }

  void assign(const Place& to, const Operand& value, Level given) {
    if (to.global.valid()) {
      if (given != Apart) fail();
      return;
    }
    const Local& base = function_->local(to.local);
    Level level = level_[to.local.index];
    if (to.path.empty() || !walk(to).crosses) {
      if (!is_own_variable(to.local) && (level != Apart || given != Apart)) return fail();
      raise_level(to.local, given, base.type);
      // Who copied an object that refers to it later refers to it too.
      bool is_copy =
          value.kind != OperandKind::Const && value.place.is_local() && value.place.local != function_->environment;
      if (to.path.empty() && is_copy && level_[to.local.index] == Holds)
        raise_level(value.place.local, Holds, value.type);
      return;
    }
    if (level == Part) return fail();
    if (given == Apart) return;
    if (level == Apart && !fresh_[to.local.index]) return fail();  // something that others may know
    raise_level(to.local, Holds, base.type);
  }

  void call(const Inst& inst) {
    bool is_future = inst.op == Op::MakeFuture;
    if (inst.op != Op::Call || inst.call == CallKind::Direct) return call_one(inst, inst.function, is_future);
    if (inst.call == CallKind::Value) {
      for (size_t i = 1; i < inst.args.size(); ++i)
        if (level(inst.args[i]) != Apart) fail();
      return;
    }
    if (inst.call == CallKind::Dyn) {
      TypeId dyn = bare(inst.args[0].type);
      if (program_.types->kind(dyn) != Kind::Dyn) return fail();
      for (const typed::TraitTable& table : program_.typed->trait_tables)
        if (bare(table.trait) == bare(program_.types->arg(dyn)))
          call_one(inst, inst.index < table.slots.size() ? table.slots[inst.index] : FunctionId(), false);
      return;
    }
    std::vector<TypeId> classes{bare(inst.args[0].type)};
    while (!classes.empty()) {
      TypeId type = classes.back();
      classes.pop_back();
      auto found = program_.typed->nominals.find(type);
      bool has_slot = found != program_.typed->nominals.end() && inst.index < found->second.vtable.size();
      call_one(inst, has_slot ? found->second.vtable[inst.index] : FunctionId(), false);
      if (auto below = subclasses_.find(type); below != subclasses_.end())
        classes.insert(classes.end(), below->second.begin(), below->second.end());
    }
  }

  void call_one(const Inst& inst, FunctionId callee, bool is_future) {
    if (!callee.valid()) return fail();
    for (uint32_t i = 0; i < inst.args.size(); ++i) {
      Level given = level(inst.args[i]);
      if (given == Apart) continue;
      Summary summary = ask({callee.index, i, given});
      if (!summary.reads || (is_future && summary.gives != Apart)) return fail();
      if (!is_future) raise_result(inst, summary.gives);
    }
  }

  void intrinsic(const Inst& inst, Level most) {
    if (most == Apart) return;
    switch (inst.intrinsic) {
      case Intrinsic::RawGet:
      case Intrinsic::RawPeek: return raise_result(inst, Part);
      case Intrinsic::RawCopyTo:  // (q, to, p, from, n)
        if (level(inst.args[0]) != Apart || (inst.type.valid() && types_.leads_to_change(inst.type))) fail();
        return;
      case Intrinsic::RawEqualBytes:
      case Intrinsic::SizeOf:
      case Intrinsic::IsPlain:
      case Intrinsic::CanChange:
      case Intrinsic::TypeName:
      case Intrinsic::DynTypeName:
      case Intrinsic::Address:
      case Intrinsic::RefCount:
      case Intrinsic::EnumTag:
      case Intrinsic::Likely: return;
      default: return fail();
    }
  }

  Program& program_;
  Types types_;
  std::unordered_map<TypeId, std::vector<TypeId>> subclasses_;
  std::map<Key, Summary> summaries_;
  std::vector<Key> order_;
  // Of the function under way:
  const Function* function_ = nullptr;
  Key key_{};
  LocalId lent_;
  std::vector<Level> level_;
  std::vector<bool> fresh_;
  Summary result_;
  bool grew_ = false;
};

bool holds_functions(const Program& program, TypeId root) {
  std::unordered_set<TypeId> seen;
  std::vector<TypeId> open{root};
  while (!open.empty()) {
    TypeId type = open.back();
    open.pop_back();
    if (!seen.insert(type).second) continue;
    const types::Type& t = program.types->get(type);
    if (t.kind == Kind::Func || t.kind == Kind::Any || t.kind == Kind::Dyn) return true;
    open.insert(open.end(), t.args.begin(), t.args.end());
    auto found = program.typed->nominals.find(type);
    if (found == program.typed->nominals.end()) continue;
    for (const typed::Field& field : found->second.fields) open.push_back(field.type);
    for (const typed::EnumCase& one : found->second.cases)
      for (const typed::Field& field : one.fields) open.push_back(field.type);
    if (found->second.has_subclasses) return true;  // who knows what those hold
  }
  return false;
}

}  // namespace

void find_reading_closures(Program& program) {
  if (!program.typed->starts_isolates()) return;
  auto freezes = [](const typed::Function& f) { return f.is_extern && f.symbol == "met_freeze_begin"; };
  bool is_needed = std::ranges::any_of(program.typed->functions, freezes) ||
                   std::ranges::any_of(program.typed->globals, [&](const typed::Global& global) {
                     return global.is_const && holds_functions(program, global.type);
                   });
  if (is_needed) Captures(program).run();
}

}  // namespace meteor::mir
