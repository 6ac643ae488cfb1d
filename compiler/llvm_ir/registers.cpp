#include "compiler/llvm_ir/registers.h"

#include "compiler/mir/flow.h"

namespace meteor::llvm_ir {

using mir::LocalKind;
using mir::Op;
using mir::OperandKind;
using mir::ProjectionKind;
using types::Kind;

namespace {

// One value in one or two registers, counted as a value.
bool has_simple_shape(const Rep& rep) {
  switch (rep.shape) {
    case Shape::Bool:
    case Shape::Int:
    case Shape::Float:
    case Shape::RawPtr:
    case Shape::Text:
    case Shape::Object:
    case Shape::BoxedEnum:
    case Shape::CaseNumber:
    case Shape::Func:
    case Shape::Dyn:
    case Shape::Weak: return true;
    case Shape::Nothing:
    case Shape::TaggedEnum:
    case Shape::Record:
    case Shape::TaggedOptional: return false;
  }
  return false;
}

class Finder {
 public:
  Finder(const mir::Function& function, Layout& layout, const RegisterRules& rules)
      : f_(function), layout_(layout), rules_(rules), written_in_(function.locals.size(), NONE), leaves_block_(function.locals.size()), fits_(function.locals.size()), writes_(function.locals.size(), 0) {}

  std::vector<bool> run() {
    for (uint32_t i = 0; i < f_.locals.size(); ++i) {
      fits_[i] = may_fit(i);
      if (i < f_.param_count) writes_[i] = 1;
    }
    if (rules_.frame)
      for (const mir::Suspension& at : rules_.frame->suspensions)
        for (mir::LocalId local : at.saved) fits_[local.index] = false;
    for (block_ = 0; block_ < f_.blocks.size(); ++block_) {
      const mir::Block& block = f_.blocks[block_];
      for (const mir::Inst& inst : block.insts) look_at(inst);
      use(block.terminator.value);
      if (block.terminator.error.valid()) fits_[block.terminator.error.index] = false;
    }
    for (uint32_t i = 0; i < f_.locals.size(); ++i) fits_[i] = fits_[i] && writes_[i] == 1;
    check_paths();
    return std::move(fits_);
  }

 private:
  bool may_fit(uint32_t i) {
    const mir::Local& local = f_.locals[i];
    if (local.by_reference || local.kind == LocalKind::Environment || (f_.environment.valid() && f_.environment.index == i)) return false;
    bool is_param = i < f_.param_count;
    if (is_param && rules_.frame) return false;
    if (rules_.frame && (rules_.frame->home[i])) return false;
    const Rep& rep = layout_.rep(local.type);
    if (!has_simple_shape(rep)) return false;
    if (local.kind == LocalKind::Temp && !is_param) return true;
    // Plain variables that only some paths assign are never read, but MIR does not say so.
    return !rules_.keep_variables && (is_param || !rep.plain);
  }

  void look_at(const mir::Inst& inst) {
    if (inst.error.valid()) fits_[inst.error.index] = false;
    for (const mir::Operand& arg : inst.args) use(arg);
    if (!inst.dst.local.valid()) return;
    uint32_t to = inst.dst.local.index;
    if (!inst.dst.path.empty()) return use(inst.dst);
    ++writes_[to];
    written_in_[to] = block_;
    if (inst.op == Op::Await) fits_[to] = false;   // its result comes from two places
    if (inst.op == Op::Assign && !inst.initializes && !layout_.is_plain(f_.locals[to].type)) fits_[to] = false;
  }

  void use(const mir::Operand& operand) {
    if (operand.kind == OperandKind::Const) return;
    if (operand.kind == OperandKind::Ref && operand.place.local.valid()) fits_[operand.place.local.index] = false;
    use(operand.place);
  }

  // A path must leave the local through a pointer before anything else of it is needed.
  void use(const mir::Place& place) {
    if (!place.local.valid()) return;
    if (place.local.index >= f_.param_count && written_in_[place.local.index] != block_) leaves_block_[place.local.index] = true;
    TypeId type = f_.local(place.local).type;
    for (const mir::Projection& step : place.path) {
      switch (step.kind) {
        case ProjectionKind::Field:
          if (layout_.kind(type) != Kind::Class && layout_.kind(type) != Kind::Cell) fits_[place.local.index] = false;
          return;
        case ProjectionKind::Case:
          if (layout_.rep(type).shape != Shape::BoxedEnum) fits_[place.local.index] = false;
          return;
        case ProjectionKind::Payload:
        case ProjectionKind::Cast: break;
      }
      type = step.type;
    }
  }

  // What is used in other blocks must have been written on every path there. A switch at the end of a clean-up joins paths that it takes
  // apart again: what one of them wrote is initialised where it is used, and yet not on every path of the graph.
  void check_paths() {
    constexpr size_t MOST_BITS = size_t(1) << 24;
    std::vector<uint32_t> number(f_.locals.size(), NONE);
    uint32_t count = 0;
    for (uint32_t i = f_.param_count; i < f_.locals.size(); ++i)
      if (fits_[i] && leaves_block_[i]) number[i] = count++;
    if (count == 0) return;
    bool too_many = size_t(count) * f_.blocks.size() > MOST_BITS;
    if (too_many) {
      for (uint32_t i = 0; i < f_.locals.size(); ++i)
        if (number[i] != NONE) fits_[i] = false;
      return;
    }
    using Set = std::vector<uint64_t>;
    size_t words = (count + 63) / 64;
    std::vector<Set> written(f_.blocks.size());   // at the start of each block; empty: not reached yet
    std::vector<mir::BlockId> order = mir::reachable_blocks(f_);
    written[0].assign(words, 0);
    bool again = true;
    auto flow = [&](mir::BlockId to, const Set& set) {
      Set& known = written[to.index];
      if (known.empty()) {
        known = set;
        again = true;
        return;
      }
      for (size_t i = 0; i < words; ++i) {
        uint64_t both = known[i] & set[i];
        again |= both != known[i];
        known[i] = both;
      }
    };
    auto walk = [&](mir::BlockId id, auto&& leave, auto&& look) {
      Set set = written[id.index];
      const mir::Block& block = f_.blocks[id.index];
      for (const mir::Inst& inst : block.insts) {
        for (const mir::Operand& arg : inst.args) look(arg.kind == OperandKind::Const ? mir::LocalId() : arg.place.local, set);
        if (!inst.dst.path.empty()) look(inst.dst.local, set);
        if (inst.on_error.valid()) leave(inst.on_error, set);
        if (inst.dst.is_local() && number[inst.dst.local.index] != NONE) {
          uint32_t bit = number[inst.dst.local.index];
          set[bit / 64] |= uint64_t(1) << bit % 64;
        }
      }
      if (block.terminator.value.kind != OperandKind::Const) look(block.terminator.value.place.local, set);
      mir::for_each_target(block.terminator, [&](mir::BlockId to) { leave(to, set); });
    };
    while (again) {
      again = false;
      for (mir::BlockId id : order) walk(id, flow, [](mir::LocalId, const Set&) {});
    }
    for (mir::BlockId id : order)
      walk(id, [](mir::BlockId, const Set&) {}, [&](mir::LocalId local, const Set& set) {
        if (!local.valid() || number[local.index] == NONE) return;
        uint32_t bit = number[local.index];
        if (!(set[bit / 64] >> bit % 64 & 1)) fits_[local.index] = false;
      });
  }

  static constexpr uint32_t NONE = UINT32_MAX;
  const mir::Function& f_;
  Layout& layout_;
  const RegisterRules& rules_;
  uint32_t block_ = 0;
  std::vector<uint32_t> written_in_;
  std::vector<bool> leaves_block_;   // used in a block other than the one that writes it, or before that
  std::vector<bool> fits_;
  std::vector<uint32_t> writes_;
};

}  // namespace

std::vector<bool> find_registers(const mir::Function& function, Layout& layout, const RegisterRules& rules) {
  return Finder(function, layout, rules).run();
}

}  // namespace meteor::llvm_ir
