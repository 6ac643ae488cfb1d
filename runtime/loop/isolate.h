// The loop of one isolate, put together from its parts: who runs, the queue of those who are ready, the wheel of timers,
// the inbox. Its reactor is this_reactor().
#ifndef METEOR_RUNTIME_LOOP_ISOLATE_H
#define METEOR_RUNTIME_LOOP_ISOLATE_H

#include "runtime/queue/inbox.h"
#include "runtime/queue/ready.h"
#include "runtime/queue/timers.h"
#include "runtime/reactor/reactor.h"
#include "runtime/task/held.h"
#include "runtime/task/nest.h"
#include "runtime/task/task.h"
#include "runtime/task/wake.h"
#include "runtime/threads/brief_wait.h"

namespace meteor::async {

struct Isolate {
  Task* strand;          // whose code runs: the running task, or a future that it polls
  Task* running;         // the task of the executor
  ReadyQueue ready;
  uint64_t turns;
  uint64_t look_at;      // the turn after which the loop looks outside
  uint64_t looks;        // how often it did
  int64_t closing;       // frames being ended at once: nothing in them may wait
  int64_t blocked;       // calls in which the whole isolate waits: who gives up its turn there would be slept over
  const met_site* blocked_at;  // the innermost of these calls
  const Task* blocked_in;      // and the future that it runs; null: none
  int64_t parks_to_cancel;   // simulated: the main task is cancelled at that one; 0: never
  uint32_t clock;        // for Task::since; as exact as the watch's ticks
  uint32_t tick;         // of the watch, when the loop looked outside
  uint8_t slice_at_start;   // of met_slice_over: 1 where each checkpoint gives up the turn
  Task* root;            // what the loop runs for
  met_object* locals;    // TaskLocal values outside any task, counted
  met_object* spare_cancelled;   // a Cancelled that has done its work, owned; null: the next one is made
  const met_type* cancelled_type;
  met_str cancelled_message;     // as they are made
  Wheel timers;
  int64_t others;        // what waits for other isolates: shared objects, those it has started
  Held* held;            // locks, the last one first
  struct Remote* wakers; // those of its tasks (runtime/waker/wakers.h)
  int64_t children;      // isolates that this one has started and that have not ended
  int64_t orphans;       // futures that clean up in no scope
  Task* loose;           // streams that go on by themselves in no scope, by `after`
  int64_t overdue;       // scopes that their deadline has ended and that have not been left
  int64_t round_left;    // simulated: how many of the ready ones are in their drawn order
  Inbox inbox;
  Rings rings;
  isolates::Luck luck;   // with short waits for others
  uint32_t number;       // 1 is the program's first
  uint64_t draws;        // the state of a generator, for choices that no program should rely on
  uint32_t longest_turn_ms;
  met_resume longest_turn_of;   // the frame of the task whose turn it was
  bool is_running;       // a loop is under way in this thread
  bool is_worker;        // not the program's first
  bool is_cancelled;     // asked to stop by the one who started it
  Nests nests;           // of its tasks that wait for something shared inside races and selects
  Task* held_back;       // contenders that had no turn because another one is chosen, by `next`; TASK_QUEUED is set
};

extern __thread Isolate isolate __asm__("met_isolate") __attribute__((tls_model("initial-exec")));
static_assert(offsetof(Isolate, strand) == 0);   // which emitted code changes where a stream is asked

inline void append_ready(Isolate& own, Task* task) { append(own.ready, task); }
inline void push_ready(Task* task) {
  task->flags |= TASK_QUEUED;
  append_ready(isolate, task);
}

int64_t now_ns();                          // of the isolate's clock
void open_parts();                         // of the isolate that runs: its number, its inbox, its reactor
void empty_parts();                        // it has ended: what the thread's next isolate can use stays, an empty timer wheel and the kernel's objects to sleep on
void close_parts();                        // the thread ends

}  // namespace meteor::async

#endif
