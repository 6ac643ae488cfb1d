// What a scope or a shield is and what is to become of it: the flags of Region and Scope, and the only functions that
// change them. Everybody may look.
//
// clang-format off
// | flag              | who sets it, from where                                   | who clears it | what is true while it is set |
// |-------------------|-----------------------------------------------------------|---------------|-----------------------------------------------------------------|
// |                   | **a region: a part of a task's body**                     |               | |
// | REGION_SCOPE      | its opening                                               | nobody        | it is the `region` of a Scope                                   |
// | REGION_SHIELD     | its entering, instead of SCOPE                            | nobody        | keeps out what is cancelled outside it, until that has EXPIRED  |
// | REGION_FIRM       | its entering, with SHIELD                                 | nobody        | not even an expired clean-up gets through                       |
// | REGION_CANCELLED  | whoever cancels the scope, once                           | nobody        | children and body were asked to stop, new children begin so     |
// | REGION_EXPIRED    | the timer of CLEANUP_BOUND                                | nobody        | the clean-up of the scope's body took too long: shields no longer help |
// |                   | **a scope: its life**                                     |               | |
// | SCOPE_KEEPS_GOING | its opening                                               | nobody        | a child that fails does not cancel the others                   |
// | SCOPE_INSIDE      | its opening                                               | nobody        | its owner takes part in a race, or is in a case of a select     |
// | SCOPE_CLOSING     | its owner, when the body has ended                        | nobody        | the last child that ends wakes the owner                        |
// | SCOPE_CLOSED      | its owner, leaving it                                     | nobody        | it has no children and no owner, and takes no more children     |
// |                   | **a scope: its deadline and its clean-up**                |               | |
// | SCOPE_TIMED_OUT   | the timer of its deadline                                 | nobody        | the deadline has come                                           |
// | SCOPE_TIMED_OUT_FIRST | that timer, with TIMED_OUT                            | nobody        | no child had failed before                                      |
// | SCOPE_ENDED_BY_DEADLINE | that timer, with TIMED_OUT                          | nobody        | nothing had cancelled it before: `cut_short` counts, and the loop counts it in `overdue` |
// | SCOPE_CANCELLED_ITSELF | whoever cancels it, when nothing outside wants it to stop | nobody   | its body, a child or its deadline has ended it                  |
// | SCOPE_CUT         | a child, no service, that gets Cancelled, unless CANCELLED_ITSELF | nobody | when it was cancelled from outside, a child that was no service had not ended |
// | SCOPE_CLEANUP_BOUND | the first wait behind a shield, or the owner, once      | nobody        | a timer bounds its clean-up                                     |
// clang-format on
//
// All of this belongs to one isolate: the flags are plain bits, and only its thread looks at them.
#ifndef METEOR_RUNTIME_TASK_SCOPE_FLAGS_H
#define METEOR_RUNTIME_TASK_SCOPE_FLAGS_H

#include <stdint.h>

#include "runtime/task/expect.h"

namespace meteor::async {

enum : uint32_t {
  REGION_CANCELLED = 1 << 0,
  REGION_SHIELD = 1 << 1,
  REGION_SCOPE = 1 << 2,
  REGION_FIRM = 1 << 3,
  REGION_EXPIRED = 1 << 4,
};

enum : uint32_t {
  SCOPE_CLOSED = 1 << 0,
  SCOPE_TIMED_OUT = 1 << 1,
  SCOPE_CLOSING = 1 << 2,
  SCOPE_TIMED_OUT_FIRST = 1 << 3,
  SCOPE_CLEANUP_BOUND = 1 << 4,
  SCOPE_ENDED_BY_DEADLINE = 1 << 5,
  SCOPE_KEEPS_GOING = 1 << 6,
  SCOPE_CUT = 1 << 7,
  SCOPE_INSIDE = 1 << 8,
  SCOPE_CANCELLED_ITSELF = 1 << 9,
};

class RegionFlags {
 public:
  uint32_t operator&(uint32_t mask) const { return bits_ & mask; }

  void become_scope() {
    expect(bits_ == 0);
    bits_ = REGION_SCOPE;
  }
  void become_shield(bool is_firm) { bits_ = REGION_SHIELD | (is_firm ? REGION_FIRM : 0); }
  // False: it was cancelled before.
  [[nodiscard]] bool try_cancel() {
    expect(bits_ & REGION_SCOPE);
    if (bits_ & REGION_CANCELLED) return false;
    bits_ |= REGION_CANCELLED;
    return true;
  }
  void expire() {
    expect(bits_ & REGION_SCOPE);
    bits_ |= REGION_EXPIRED;
  }

 private:
  uint32_t bits_;
};

class ScopeFlags {
 public:
  uint32_t operator&(uint32_t mask) const { return bits_ & mask; }

  void open(bool keeps_going, bool is_inside) {
    expect(bits_ == 0);
    bits_ = (keeps_going ? SCOPE_KEEPS_GOING : 0) | (is_inside ? SCOPE_INSIDE : 0);
  }
  void begin_closing() {
    expect(!(bits_ & SCOPE_CLOSED));
    bits_ |= SCOPE_CLOSING;
  }
  void close() {
    expect(!(bits_ & SCOPE_CLOSED));
    bits_ |= SCOPE_CLOSED;
  }
  void time_out(bool is_first, bool is_cause) {
    expect(!(bits_ & (SCOPE_CLOSED | SCOPE_TIMED_OUT)));
    bits_ |= SCOPE_TIMED_OUT | (is_first ? SCOPE_TIMED_OUT_FIRST : 0) | (is_cause ? SCOPE_ENDED_BY_DEADLINE : 0);
  }
  void cancel_itself() { bits_ |= SCOPE_CANCELLED_ITSELF; }
  void cut() { bits_ |= SCOPE_CUT; }
  // False: its clean-up is bound already.
  [[nodiscard]] bool try_bound_cleanup() {
    if (bits_ & SCOPE_CLEANUP_BOUND) return false;
    bits_ |= SCOPE_CLEANUP_BOUND;
    return true;
  }

 private:
  uint32_t bits_;
};

}  // namespace meteor::async

#endif
