// What a task is and what is to become of it: its flags, and the only functions that change them. Everybody may look.
//
// clang-format off
// | flag            | who sets it, from where                                | who clears it                      | what is true while it is set |
// |-----------------|--------------------------------------------------------|------------------------------------|--------------------------------------------------------------------------|
// |                 | **where it is**                                        |                                    | |
// | QUEUED          | who wakes, spawns, gives way or holds back, from none  | the loop, at its turn              | in the ready queue, or held back as a contender: `next` is that line's   |
// | WAITS_TURN      | spawn, when the scope's limit is reached               | its scope; cancellation            | in its scope's line, not QUEUED, not started: `next` is that line's      |
// | SPAWNED         | spawn, the loop's root; a strand or stream that is let go of | a stream that rests or is closed | runs by itself; else it is a part of whoever awaits, polls or asks it    |
// | SERVICE         | spawn, with SPAWNED; a stream that is left in a scope  | with SPAWNED                       | does not keep its scope open                                             |
// | INSIDE          | spawn, in a scope with SCOPE_INSIDE                    | nobody                             | its turn may be that of the scope's owner (runtime/scope/contenders.h)   |
// | ORPHAN          | a strand that is let go of where no scope is           | nobody                             | SPAWNED, in no scope, and the loop waits for it                          |
// | ADOPTED         | a strand that is let go of                             | nobody                             | SPAWNED, and only cleans up: that it is cut cuts nothing off             |
// | DONE            | the executor, once                                     | nobody                             | its frame has ended: result or error are there, nothing wakes it         |
// | ENDED_CANCELLED | the executor, with DONE                                | nobody                             | it ended with the Cancelled that it got                                  |
// | SEEN            | who asks for its error                                 | nobody                             | somebody has looked at the error that it ended with                      |
// |                 | **who wants it to stop**                               |                                    | |
// | CANCELLED       | whoever cancels it, before DONE                        | nobody                             | asked to stop: every wait gives Cancelled, unless a shield keeps it out  |
// | INTERRUPTED     | cancellation, of one that is suspended                 | its turn; a stream that rests      | goes on with Cancelled, whatever it was woken for                        |
// | CUT             | cancellation of a scope, for the owner                 | the owner, leaving the last such one | a scope that its body is in may have been cancelled                    |
// | EXPIRY_SET      | the first wait behind a shield once it is CANCELLED    | nobody                             | a timer bounds its clean-up, or its time is over                         |
// | EXPIRED         | that timer; who closes a stream and has no more time   | nobody                             | its clean-up took too long: shields no longer help                       |
// | STOPS           | cancellation, of one that is CANCELLED; the end of a scope that was cut off | CANCELLED; the task, that got Cancelled too late | it goes up with Cancelled: whoever was cancelled with it and awaits it stops, too |
// |                 | **select and race**                                    |                                    | |
// | ARM             | a select, of what it polls                             | the select                         | a case of the select that its poller waits in                            |
// | CONTENDS        | a race, of its children                                | nobody                             | takes part in the race that its scope is for                             |
// | WON             | whoever decides a race, a select or what can't be undone | the task itself, when it goes on | what it waits for has happened: it only waits for losers to clean up     |
// |                 | **streams** (runtime/scope/streams.h has their states)  |                                    | |
// | STREAM          | the stream's maker, as the first of all                | nobody                             | the body of a stream                                                     |
// | ASKS            | who asks a stream that waits; of any task              | its turn                           | it waits inside a stream: `asks_in` is the innermost one                 |
// | LEFT            | the turn in which its asker gets Cancelled             | the asker, letting it go on        | its asker goes without it                                                |
// | KEEPS           | its own turn, when it has gone on by itself            | the next who asks                  | what it gave, or how it ended, is there for the next who asks            |
// | POLLED          | who closes it                                          | its end, or who lets go of it      | whoever closes it polls it as a strand                                   |
// clang-format on
//
// All of this belongs to one isolate: the flags are plain bits, and only its thread looks at them.
#ifndef METEOR_RUNTIME_TASK_FLAGS_H
#define METEOR_RUNTIME_TASK_FLAGS_H

#include <stdint.h>

#include "runtime/task/expect.h"

namespace meteor::async {

enum : uint32_t {
  TASK_QUEUED = 1 << 0,
  TASK_SPAWNED = 1 << 1,
  TASK_DONE = 1 << 2,
  TASK_CANCELLED = 1 << 3,
  TASK_SERVICE = 1 << 4,
  TASK_EXPIRED = 1 << 5,
  TASK_WAITS_TURN = 1 << 6,
  TASK_EXPIRY_SET = 1 << 7,
  TASK_ENDED_CANCELLED = 1 << 8,
  TASK_ORPHAN = 1 << 9,
  TASK_INTERRUPTED = 1 << 10,
  TASK_ARM = 1 << 11,
  TASK_CUT = 1 << 12,
  TASK_CONTENDS = 1 << 13,
  TASK_SEEN = 1 << 14,
  TASK_STREAM = 1 << 15,
  TASK_ASKS = 1 << 16,
  TASK_LEFT = 1 << 17,
  TASK_KEEPS = 1 << 18,
  TASK_POLLED = 1 << 19,
  TASK_WON = 1 << 20,
  TASK_INSIDE = 1 << 21,
  TASK_STOPS = 1 << 22,
  TASK_ADOPTED = 1 << 23,
};

class TaskFlags {
 public:
  uint32_t operator&(uint32_t mask) const { return bits_ & mask; }
  bool are(uint32_t these, uint32_t among) const { return (bits_ & among) == these; }
  uint32_t all() const { return bits_; }

  // ---- the ready queue ----

  // Not for one that is there, that waits for its turn in its scope or that has ended. True: the caller puts it there.
  [[nodiscard]] bool try_queue() {
    if (bits_ & NOT_TO_QUEUE) return false;
    bits_ |= TASK_QUEUED;
    return true;
  }
  // The same for one that is known to be in no line.
  void queue() {
    expect(!(bits_ & NOT_TO_QUEUE));
    bits_ |= TASK_QUEUED;
  }
  // It is out of the queue and has its turn. Gives the flags that say what to do with it.
  [[nodiscard]] uint32_t take_turn() {
    expect(bits_ & TASK_QUEUED);
    return bits_ &= ~TASK_QUEUED;
  }

  // ---- who runs it ----

  // A future becomes a task. `as`: any of SERVICE, INSIDE, CANCELLED.
  void spawn(uint32_t as = 0) {
    expect(!(bits_ & (TASK_SPAWNED | TASK_DONE)) && !(as & ~uint32_t(TASK_SERVICE | TASK_INSIDE | TASK_CANCELLED)));
    bits_ |= TASK_SPAWNED | as;
  }
  void wait_for_turn() {
    expect(are(TASK_SPAWNED, TASK_SPAWNED | TASK_QUEUED | TASK_DONE | TASK_WAITS_TURN));
    bits_ |= TASK_WAITS_TURN;
  }
  // Its scope has room for it, or it is cancelled. True: it was in the line; the caller takes it out and starts it.
  [[nodiscard]] bool try_leave_line() {
    if (!(bits_ & TASK_WAITS_TURN)) return false;
    bits_ &= ~TASK_WAITS_TURN;
    return true;
  }
  // A strand that its poller lets go of.
  void adopt(bool is_orphan) {
    expect(!(bits_ & (TASK_SPAWNED | TASK_DONE)));
    bits_ |= TASK_SPAWNED | TASK_ADOPTED | (is_orphan ? TASK_ORPHAN : 0);
  }
  void end() {
    expect(are(TASK_SPAWNED, TASK_SPAWNED | TASK_DONE | TASK_WAITS_TURN));
    bits_ |= TASK_DONE;
  }
  void end_cancelled() {
    expect(bits_ & TASK_DONE);
    bits_ |= TASK_ENDED_CANCELLED;
  }
  void see_error() {
    expect(bits_ & TASK_DONE);
    bits_ |= TASK_SEEN;
  }

  // ---- who wants it to stop ----

  // False: it has ended, or was asked before.
  [[nodiscard]] bool try_cancel() {
    if (bits_ & (TASK_DONE | TASK_CANCELLED)) return false;
    bits_ = (bits_ & ~TASK_STOPS) | TASK_CANCELLED;  // an earlier Cancelled was for a scope inside of it
    return true;
  }
  // The same for a strand, whose poller tells it so itself.
  void cancel_strand() {
    expect(!(bits_ & TASK_SPAWNED));
    bits_ |= TASK_CANCELLED;
  }
  void interrupt() {
    expect(!(bits_ & TASK_DONE));
    bits_ |= TASK_INTERRUPTED;
  }
  // In its turn. True: it goes on with Cancelled.
  [[nodiscard]] bool take_interruption() {
    if (!(bits_ & TASK_INTERRUPTED)) return false;
    bits_ &= ~TASK_INTERRUPTED;
    return true;
  }
  void cut() { bits_ |= TASK_CUT; }
  void end_cut() { bits_ &= ~TASK_CUT; }
  // False: its clean-up is bound already.
  [[nodiscard]] bool try_bound_cleanup() {
    if (bits_ & TASK_EXPIRY_SET) return false;
    bits_ |= TASK_EXPIRY_SET;
    return true;
  }
  void expire() {
    expect(bits_ & TASK_EXPIRY_SET);
    bits_ |= TASK_EXPIRED;
  }

  // Of a stream whose closing took too long.
  void expire_stream() {
    expect(bits_ & TASK_STREAM);
    bits_ |= TASK_CANCELLED | TASK_EXPIRY_SET | TASK_EXPIRED;
  }

  void stop() { bits_ |= TASK_STOPS; }
  // What it waited for had happened before it was told, or may have.
  void go_on_cancelled() { bits_ &= ~TASK_STOPS; }

  // ---- select and race ----

  void begin_arm() { bits_ |= TASK_ARM; }
  void end_arm() { bits_ &= ~TASK_ARM; }
  void contend() {
    expect(bits_ & TASK_SPAWNED);
    bits_ |= TASK_CONTENDS;
  }
  void win() { bits_ |= TASK_WON; }
  void end_win() { bits_ &= ~TASK_WON; }

  // ---- streams ----

  void become_stream() {
    expect(bits_ == 0);
    bits_ = TASK_STREAM;
  }
  void ask() { bits_ |= TASK_ASKS; }  // of any task: by set_asks, which says whom
  void end_ask() { bits_ &= ~TASK_ASKS; }
  void leave() {
    expect(bits_ & TASK_STREAM);
    bits_ |= TASK_LEFT;
  }
  // asked or closed -> left.
  void go_on_alone(bool is_service) {
    expect(are(TASK_STREAM, TASK_STREAM | TASK_SPAWNED));
    bits_ = (bits_ & ~uint32_t(TASK_LEFT | TASK_POLLED)) | TASK_SPAWNED | (is_service ? TASK_SERVICE : 0);
  }
  // left -> at rest or closed.
  void rest() {
    expect(are(TASK_STREAM | TASK_SPAWNED, TASK_STREAM | TASK_SPAWNED));
    bits_ &= ~uint32_t(TASK_SPAWNED | TASK_SERVICE | TASK_INTERRUPTED);
  }
  void keep() {
    expect(bits_ & TASK_STREAM);
    bits_ |= TASK_KEEPS;
  }
  // True: something is there for whoever asks, who takes it.
  [[nodiscard]] bool take_kept() {
    if (!(bits_ & TASK_KEEPS)) return false;
    bits_ &= ~TASK_KEEPS;
    return true;
  }
  void close() {
    expect(are(TASK_STREAM, TASK_STREAM | TASK_SPAWNED));
    bits_ |= TASK_POLLED;
  }
  void end_close() { bits_ &= ~TASK_POLLED; }

 private:
  static constexpr uint32_t NOT_TO_QUEUE = TASK_QUEUED | TASK_DONE | TASK_WAITS_TURN;

  uint32_t bits_;
};

}  // namespace meteor::async

#endif
