#include "runtime/executor/simulate.h"

#include <stdio.h>

#include "runtime/executor/interrupts.h"
#include "runtime/executor/slice.h"
#include "runtime/executor/watch.h"
#include "runtime/os/os.h"
#include "runtime/os/simulated/simulation.h"
#include "runtime/scope/cancellation.h"
#include "runtime/task/frame.h"

namespace meteor::async {

namespace {

// Every ready task runs once before any runs twice, as without a seed.
void draw_round() {
  int64_t count = 0;
  for (Task* task = isolate.ready.first; task != nullptr; task = task->next) ++count;
  isolate.round_left = count;
  if (count < 2) return;
  int64_t bytes = count * int64_t(sizeof(Task*));
  Task** order = static_cast<Task**>(met_raw_alloc(bytes));
  int64_t i = 0;
  for (Task* task = isolate.ready.first; task != nullptr; task = task->next) order[i++] = task;
  for (i = count - 1; i > 0; --i) {
    int64_t k = int64_t(os::draw(uint64_t(i) + 1));
    Task* other = order[k];
    order[k] = order[i];
    order[i] = other;
  }
  for (i = 0; i < count; ++i) order[i]->next = i + 1 < count ? order[i + 1] : nullptr;
  isolate.ready.first = order[0];
  isolate.ready.last = order[count - 1];
  met_raw_free(order, bytes);
}

}  // namespace

void begin_simulation() {
  if (!isolate.is_worker && isolate.life.parks_to_cancel == 0) isolate.life.parks_to_cancel = os::simulation.cancel_at;
  simulate_turn();
}

void end_simulation() {
  if (isolate.is_worker || os::simulation.cancel_at != os::CANCEL_NEVER) return;
  fprintf(stderr, "simulation: suspended %lld times\n", static_cast<long long>(os::CANCEL_NEVER - isolate.life.parks_to_cancel));
}

void simulate_turn() {
  isolate.tick = ticks() - 1;   // so the loop is back here after the next turn
  isolate.slice_at_start = os::simulation.yields_always;
  if (os::simulation.has_clock && os::simulation.turn_ns > 0) os::advance_clock(now_ns() + os::simulation.turn_ns);
  if (isolate.round_left > 0) --isolate.round_left;
  if (isolate.ready.first == nullptr) isolate.round_left = 0;
  if (os::simulation.has_seed && isolate.round_left == 0) draw_round();
}

void count_park() {
  if (isolate.life.parks_to_cancel == 0 || isolate.root == nullptr || --isolate.life.parks_to_cancel > 0) return;
  os::simulation.cancel_at = 0;
  fprintf(stderr, "simulation: cancelled where %s waits\n", isolate.running != nullptr ? info_of(isolate.running->frame.resume)->function : "nobody");
  interrupt_main();
  cancel_task(isolate.root);
}

bool let_time_pass() {
  bool is_alone = this_reactor().outside == 0 && isolate.others == 0 && this_reactor().waiting == 0;
  if (!is_alone) {
    if (!begin_sleep(isolate.inbox, SLEEP_EVENTS)) return true;
    set_busy(false);
    poll_kernel(this_reactor(), os::PATIENCE_NS);
    set_busy(true);
    end_sleep(isolate.inbox);
    if (isolate.ready.first != nullptr || has_messages(isolate.inbox) || root_is_to_stop()) return true;
  }
  isolate.timers.fire_earliest(os::advance_clock);
  return true;
}

}  // namespace meteor::async

using namespace meteor;

extern "C" {

// For std/test.met: from the next turn on. A negative seed: the usual order.
void met_simulate(bool virtual_clock, int64_t seed) {
  if (virtual_clock && !os::simulation.has_clock) os::begin_clock(met_clock_monotonic_ns());
  if (seed >= 0) os::begin_seed(uint64_t(seed));
  async::isolate.round_left = 0;
  --async::isolate.tick;
}

void met_simulate_end(void) { os::end_simulation(); }

}  // extern "C"
