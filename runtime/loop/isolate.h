// The loop of one isolate, put together from its parts: who runs, the queue of those who are ready, the wheel of timers,
// the inbox. Its reactor is this_reactor().
#ifndef METEOR_RUNTIME_LOOP_ISOLATE_H
#define METEOR_RUNTIME_LOOP_ISOLATE_H

#include "runtime/loop/parts.h"
#include "runtime/queue/inbox.h"
#include "runtime/queue/ready.h"
#include "runtime/queue/timers.h"
#include "runtime/reactor/reactor.h"
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
  Blocked blocked;
  Life life;
  uint32_t clock;        // for Task::since; as exact as the watch's ticks
  uint32_t tick;         // of the watch, when the loop looked outside
  uint8_t slice_at_start;   // of met_slice_over: 1 where each checkpoint gives up the turn
  Task* root;            // what the loop runs for
  met_object* locals;    // TaskLocal values outside any task, counted
  SpareCancelled spare_cancelled;
  Wheel timers;
  int64_t others;        // what waits for other isolates: shared objects, those it has started
  struct Remote* wakers; // those of its tasks (runtime/waker/wakers.h)
  int64_t children;      // isolates that this one has started and that have not ended
  int64_t orphans;       // futures that clean up in no scope
  Task* loose;           // streams that go on by themselves in no scope, by their siblings
  int64_t overdue;       // scopes that their deadline has ended and that have not been left
  int64_t round_left;    // simulated: how many of the ready ones are in their drawn order
  Inbox inbox;
  Rings rings;
  isolates::Luck luck;   // with short waits for others
  uint64_t draws;        // the state of a generator, for choices that no program should rely on
  bool is_running;       // a loop is under way in this thread
  bool is_worker;        // not the program's first
  Nests nests;           // of its tasks that wait for something shared inside races and selects
  Task* held_back;       // contenders that had no turn because another one is chosen, by `next`; TASK_QUEUED is set
};

extern __thread Isolate isolate __asm__("met_isolate") __attribute__((tls_model("initial-exec")));
static_assert(offsetof(Isolate, strand) == 0);   // which emitted code changes where a stream is asked

inline void append_ready(Isolate& own, Task* task) { append(own.ready, task); }
inline void push_ready(Task* task) {
  task->flags.queue();
  append_ready(isolate, task);
}

int64_t now_ns();                          // of the isolate's clock
void open_parts();                         // of the isolate that runs: its number, its inbox, its reactor
void empty_parts();                        // it has ended: what the thread's next isolate can use stays, an empty timer wheel and the kernel's objects to sleep on
void close_parts();                        // the thread ends

}  // namespace meteor::async

#endif
