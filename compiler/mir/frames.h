// The frame of a function that suspends: what it keeps while it does, and where.
//
// A frame starts with met_frame (runtime/abi/abi.h). After it lie the slots: one for each local that lives across a
// suspension, one for each callee frame that is part of this one. Two slots share space unless both are needed at one
// suspension. Between suspensions locals live in registers: they are stored when the function suspends and loaded when
// it goes on, except those with a `home` here, because others hold their address, or because too many suspensions would
// save them.
#pragma once

#include <functional>
#include <unordered_map>
#include <vector>

#include "compiler/mir/mir.h"

namespace meteor::mir {

struct SizeAndAlign { uint64_t size = 0, align = 1; };

struct Suspension {
  BlockId block;
  uint32_t inst = 0;                 // in the block
  Span span;
  std::vector<LocalId> saved;        // what is needed afterwards, by order of locals
  // Await: where the callee's frame lies. `boxed`: a pointer to it, because the callee is recursive.
  bool has_child = false, boxed = false;
  uint64_t child_offset = 0, child_size = 0;
};

struct FrameLayout {
  static constexpr uint64_t NONE = UINT64_MAX;
  std::vector<Suspension> suspensions;   // state k is suspensions[k - 1]; state 0 is the start
  std::vector<uint64_t> slot;            // per local: its offset, or NONE
  std::vector<bool> home;                // per local: lives in the frame all the time
  uint64_t result_offset = 0;
  uint64_t size = 0;                     // of the whole frame

  // The state in which control waits at this instruction.
  uint32_t state_of(BlockId block, uint32_t inst) const;
};

class Frames {
 public:
  using SizeOf = std::function<SizeAndAlign(TypeId)>;
  Frames(const Program& program, SizeOf size_of) : program_(program), size_of_(std::move(size_of)) {}

  // Of a function with FrameKind other than None. One that never suspends has room for its parameters and its result.
  const FrameLayout& layout(FunctionId id);

 private:
  void find_suspensions(const Function& function, FrameLayout& layout);
  void find_homes(const Function& function, FrameLayout& layout);
  void place(const Function& function, FrameLayout& layout);

  const Program& program_;
  SizeOf size_of_;
  std::unordered_map<FunctionId, FrameLayout> layouts_;
  std::unordered_map<FunctionId, bool> under_way_;
};

}  // namespace meteor::mir
