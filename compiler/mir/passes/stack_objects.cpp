// A local can hold its object itself when every value it gets is a new object of its very class, or moved from another such local, and no use
// of it makes a second owner (escapes.h). A move copies the bytes: nobody else knows where they were. The class must not have an end that
// anybody could notice (`__del__`, a weak reference), since objects in a frame have no count that would say who is last.
#include "compiler/mir/passes/stack_objects.h"

#include <algorithm>

#include "compiler/mir/passes/escapes.h"
#include "compiler/mir/passes/recursion.h"
#include "compiler/mir/passes/splice.h"

namespace meteor::mir {

namespace {

using types::Kind;

constexpr uint32_t MOST_WORDS = 16;              // of one object
constexpr uint32_t MOST_WORDS_OF_A_FRAME = 96;
constexpr uint32_t MOST_WORDS_IN_RECURSION = 24; // it stays as deep as it was, or nearly
constexpr size_t MOST_INSTRUCTIONS = 24;         // of a body that takes the place of its call
constexpr int MOST_ROUNDS = 3;                   // a maker's result may come from another maker

class Placement {
 public:
  Placement(Program& program, const TypeFacts& facts) : program_(program), facts_(facts), escapes_(program), is_recursive_(find_recursive(program)) {
    for (const Function& function : program.functions) is_maker_.push_back(makes_object(function));
  }

  void run() {
    std::vector<Function> makers(program_.functions.size());   // as they were before anything took their place in them
    for (const Function& function : program_.functions)
      if (is_maker_[function.id.index]) makers[function.id.index] = function;
    for (Function& function : program_.functions) {
      if (function.blocks.empty() || function.has_frame()) continue;
      for (int round = 0; round < MOST_ROUNDS && take_makers(function, makers); ++round) {}
      find_candidates(function, false);
      limit(function);
      for (uint32_t i = 0; i < function.locals.size(); ++i) function.locals[i].on_stack = fits_[i];
    }
  }

 private:
  // ---- which functions only make an object ----

  bool makes_object(const Function& function) const {
    if (function.blocks.empty() || function.is_extern || function.frame != FrameKind::None || function.environment.valid() || function.is_cold) return false;
    if (!is_placeable(function.result)) return false;
    size_t insts = 0;
    bool returns = false;
    for (const Local& local : function.locals)
      if (local.by_reference) return false;
    for (const Block& block : function.blocks) {
      insts += block.insts.size();
      if (block.terminator.kind != TerminatorKind::Return) continue;
      const Operand& value = block.terminator.value;
      if (value.kind != OperandKind::Move || !value.place.is_local() || value.place.local.index < function.param_count) return false;
      returns = true;
    }
    return returns && insts <= MOST_INSTRUCTIONS && gives_only_new_objects(function);
  }

  bool gives_only_new_objects(const Function& function) const {
    return std::ranges::all_of(function.blocks, [&](const Block& block) {
      return block.terminator.kind != TerminatorKind::Return || is_made_here(function, block.terminator.value.place.local, 0);
    });
  }

  bool is_made_here(const Function& function, LocalId local, int depth) const {
    if (depth > 2) return false;
    bool any = false;
    for (const Block& block : function.blocks)
      for (const Inst& inst : block.insts) {
        if (!inst.dst.is_local() || inst.dst.local != local) continue;
        any = true;
        if (inst.op == Op::New && inst.type == function.result) continue;
        if (inst.op == Op::Call && inst.call == CallKind::Direct && inst.function != function.id && program_.functions[inst.function.index].result == function.result) continue;
        bool moves = inst.op == Op::Assign && inst.args[0].kind == OperandKind::Move && inst.args[0].place.is_local();
        if (!moves || !is_made_here(function, inst.args[0].place.local, depth + 1)) return false;
      }
    return any;
  }

  // ---- which types ----

  bool is_placeable(TypeId type) const {
    if (!type.valid() || program_.types->kind(type) != Kind::Class) return false;
    const typed::Nominal* nominal = find_nominal(type);
    return nominal && !nominal->has_frame && !nominal->is_pinned && !nominal->is_shareable && !facts_.drop_is_observable(type) && words(type) <= MOST_WORDS;
  }

  const typed::Nominal* find_nominal(TypeId type) const {
    auto found = program_.typed->nominals.find(type);
    return found == program_.typed->nominals.end() ? nullptr : &found->second;
  }

  uint32_t words(TypeId type) const {
    const typed::Nominal* nominal = find_nominal(type);
    uint32_t sum = 2;
    if (nominal)
      for (const typed::Field& field : nominal->fields) sum += words_inline(field.type, 0);
    return sum;
  }

  uint32_t words_inline(TypeId type, int depth) const {
    const types::Type& t = program_.types->get(type);
    uint32_t sum = 0;
    if (depth > 4) return MOST_WORDS;
    switch (t.kind) {
      case Kind::Optional: return 1 + words_inline(t.args[0], depth + 1);
      case Kind::Frozen: return words_inline(t.args[0], depth + 1);
      case Kind::Tuple:
        for (TypeId part : t.args) sum += words_inline(part, depth + 1);
        return sum;
      case Kind::Enum: return MOST_WORDS / 2;
      case Kind::Struct:
        if (const typed::Nominal* nominal = find_nominal(type))
          for (const typed::Field& field : nominal->fields) sum += words_inline(field.type, depth + 1);
        return sum;
      case Kind::Str: case Kind::Bytes: case Kind::Func: case Kind::Dyn: case Kind::Any: return 2;
      default: return 1;
    }
  }

  // ---- one function ----

  bool is_from_maker(const Inst& inst) const { return inst.op == Op::Call && inst.call == CallKind::Direct && is_maker_[inst.function.index]; }

  // Whether something was taken over, so that another look may find more.
  bool take_makers(Function& function, const std::vector<Function>& makers) {
    if (std::ranges::none_of(function.blocks, [&](const Block& block) { return std::ranges::any_of(block.insts, [&](const Inst& inst) { return is_from_maker(inst); }); })) return false;
    find_candidates(function, true);
    auto maker_of = [&](const Inst& inst) -> const Function* {
      bool is_wanted = inst.dst.is_local() && inst.dst.local.index < fits_.size() && fits_[inst.dst.local.index];
      return is_wanted && is_from_maker(inst) && inst.function != function.id ? &makers[inst.function.index] : nullptr;
    };
    return splice_calls(program_, facts_, function, maker_of, [](const Function&, Span called_at, Inst& taken) {
      if (taken.op != Op::Trace) taken.span = called_at;
    });
  }

  void find_candidates(const Function& function, bool makers_too) {
    fits_.assign(function.locals.size(), false);
    moves_.clear();
    for (uint32_t i = function.param_count; i < function.locals.size(); ++i) {
      const Local& local = function.locals[i];
      fits_[i] = local.ownership == Ownership::Owned && !local.by_reference && local.kind != LocalKind::Environment && is_placeable(local.type);
    }
    if (std::ranges::find(fits_, true) == fits_.end()) return;
    is_aliased_.assign(function.locals.size(), false);
    find_leaking_aliases(function);
    for (const Block& block : function.blocks) {
      for (const Inst& inst : block.insts) look_at(function, inst, makers_too);
      if (Escapes::leaves(block.terminator)) reject(block.terminator.value.place.local);
      reject(block.terminator.error);
    }
    for (auto [from, to] : moves_)
      if (is_aliased_[from.index]) reject(from);   // whoever borrowed it would look where it was
    settle_moves();
    drop_what_nothing_makes(function, makers_too);
  }

  // Borrowed locals that hand on what they borrow.
  void find_leaking_aliases(const Function& function) {
    leaks_.assign(function.locals.size(), false);
    std::vector<std::pair<LocalId, LocalId>> borrows;
    std::vector<LocalId> aliases;
    for (const Block& block : function.blocks) {
      for (const Inst& inst : block.insts)
        for (const Operand& arg : inst.args) {
          if (arg.kind == OperandKind::Const || !arg.place.local.valid() || function.local(arg.place.local).ownership != Ownership::Borrowed) continue;
          aliases.clear();
          if (escapes_.escapes(inst, arg, aliases)) leaks_[arg.place.local.index] = true;
          for (LocalId alias : aliases) borrows.push_back({arg.place.local, alias});
        }
      if (Escapes::leaves(block.terminator)) leaks_[block.terminator.value.place.local.index] = true;
    }
    for (bool again = true; again;) {
      again = false;
      for (auto [from, to] : borrows)
        if (leaks_[to.index] && !leaks_[from.index]) leaks_[from.index] = again = true;
    }
  }

  void look_at(const Function& function, const Inst& inst, bool makers_too) {
    reject(inst.error);
    for (const Operand& arg : inst.args) {
      if (arg.kind == OperandKind::Const || !arg.place.local.valid() || !fits_[arg.place.local.index]) continue;
      bool is_move = inst.op == Op::Assign && arg.kind == OperandKind::Move && arg.place.is_local() && inst.dst.is_local() && function.local(inst.dst.local).type == function.local(arg.place.local).type;
      if (is_move) {
        moves_.push_back({arg.place.local, inst.dst.local});
        continue;
      }
      std::vector<LocalId> aliases;
      bool leaks = escapes_.escapes(inst, arg, aliases) || std::ranges::any_of(aliases, [&](LocalId alias) { return leaks_[alias.index]; });
      if (leaks) reject(arg.place.local);
      if (!aliases.empty()) is_aliased_[arg.place.local.index] = true;
    }
    if (!inst.dst.is_local() || !fits_[inst.dst.local.index]) return;
    bool is_zero = inst.op == Op::Assign && inst.args[0].kind == OperandKind::Const && inst.args[0].constant.kind == ConstKind::Zero;
    bool is_move = inst.op == Op::Assign && inst.args[0].kind == OperandKind::Move && inst.args[0].place.is_local();
    bool is_new = inst.op == Op::New && inst.type == function.local(inst.dst.local).type;
    bool is_made = makers_too && is_from_maker(inst) && inst.function != function.id;
    bool comes_from_heap = is_move && !fits_[inst.args[0].place.local.index];   // settle_moves knows of moves between candidates only
    if ((!is_zero && !is_move && !is_new && !is_made) || comes_from_heap) reject(inst.dst.local);
  }

  // A local that is only ever zero needs no room.
  void drop_what_nothing_makes(const Function& function, bool makers_too) {
    std::vector<bool> made(fits_.size());
    for (const Block& block : function.blocks)
      for (const Inst& inst : block.insts)
        if (inst.dst.is_local() && (inst.op == Op::New || (makers_too && is_from_maker(inst)))) made[inst.dst.local.index] = true;
    for (bool again = true; again;) {
      again = false;
      for (auto [from, to] : moves_)
        if (made[from.index] && !made[to.index]) made[to.index] = again = true;
    }
    for (size_t i = 0; i < fits_.size(); ++i) fits_[i] = fits_[i] && made[i];
  }

  // What does not fit into the frame any more goes, and what is moved to it or from it.
  // What is moved from local to local is one object, and mostly one place by the time LLVM has seen it. In recursion every place counts.
  void limit(const Function& function) {
    bool is_recursive = is_recursive_[function.id.index];
    uint32_t used = 0, most = is_recursive ? MOST_WORDS_IN_RECURSION : MOST_WORDS_OF_A_FRAME;
    std::vector<uint32_t> first = first_of_moves();
    for (uint32_t i = 0; i < fits_.size(); ++i) {
      if (!fits_[i] || (first[i] != i && !is_recursive)) continue;
      used += words(function.locals[i].type);
      if (used > most) fits_[i] = false;
    }
    settle_moves();
  }

  // Of the locals that an object is moved between: the one with the least number.
  std::vector<uint32_t> first_of_moves() const {
    std::vector<uint32_t> first(fits_.size());
    for (uint32_t i = 0; i < first.size(); ++i) first[i] = i;
    auto find = [&](uint32_t i) {
      while (first[i] != i) i = first[i] = first[first[i]];
      return i;
    };
    for (auto [from, to] : moves_) {
      auto [least, other] = std::minmax({find(from.index), find(to.index)});
      first[other] = least;
    }
    for (uint32_t i = 0; i < first.size(); ++i) first[i] = find(i);
    return first;
  }

  // All that an object is moved between lie in the frame, or none.
  void settle_moves() {
    std::vector<uint32_t> first = first_of_moves();
    std::vector<bool> all_fit(fits_.size(), true);
    for (uint32_t i = 0; i < first.size(); ++i)
      if (!fits_[i]) all_fit[first[i]] = false;
    for (uint32_t i = 0; i < first.size(); ++i) fits_[i] = fits_[i] && all_fit[first[i]];
  }

  void reject(LocalId local) {
    if (local.valid() && local.index < fits_.size()) fits_[local.index] = false;
  }

  Program& program_;
  const TypeFacts& facts_;
  Escapes escapes_;
  std::vector<bool> is_recursive_, is_maker_;
  std::vector<bool> fits_, leaks_, is_aliased_;         // per local of the function at hand
  std::vector<std::pair<LocalId, LocalId>> moves_;
};

}  // namespace

void place_on_stack(Program& program, const TypeFacts& facts) { Placement(program, facts).run(); }

}  // namespace meteor::mir
