// How those who send on a Channel(0) and those who receive from it find each other, and those who meet at a Barrier.
// Each sender stands in line with its value laid out; a receiver takes that of the first one that it can meet, and this
// is the step in which both have happened. The lock of the channel is held.
//
// Invariant: two arms of one select never meet. Nobody overtakes a receiver that came before and could meet the same
// sender.
#ifndef METEOR_RUNTIME_CHANNEL_MEETING_H
#define METEOR_RUNTIME_CHANNEL_MEETING_H

#include "runtime/task/task.h"

namespace meteor::async {

// Completes what somebody waits for, before that one runs. False: it will not take part, because it is cancelled or its
// select goes on with another arm.
[[nodiscard]] bool claim(const Waiter& waiter);

// Takes the first sender that this receiver can meet out of its line and wakes it: its number in the line, -1 when
// there is none. The receiver may be in no line.
[[nodiscard]] int64_t meet_sender(WaitList& senders, const WaitList& receivers, const Waiter& receiver);

// For a Barrier: takes the first `count` others in the line that would take part out of it and wakes them. False: there
// are not so many, and nobody has moved. `own` may be in the line or not.
[[nodiscard]] bool meet_others(const WaitList& line, const Waiter& own, int64_t count);

// Wakes the receivers that could meet one of the senders.
void call_receivers(const WaitList& senders, const WaitList& receivers);

}  // namespace meteor::async

#endif
