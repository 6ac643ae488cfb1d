#include "runtime/executor/slice.h"

#include "runtime/loop/isolate.h"
#include "runtime/scope/contenders.h"
#include "runtime/scope/streams.h"

namespace meteor::async {

uint32_t watch_tick;

}  // namespace meteor::async

using namespace meteor::async;

extern "C" {

__thread volatile uint8_t met_slice_over __attribute__((tls_model("initial-exec")));

// The slice of the running task is over: it goes to the end of the queue.
met_object* met_give_up_turn(met_frame* frame) {
  __atomic_store_n(&met_slice_over, uint8_t(0), __ATOMIC_RELAXED);
  if (isolate.running == nullptr || isolate.strand == nullptr || isolate.closing > 0 || isolate.blocked > 0)
    return nullptr;
  if (isolate.slice_at_start && asker_of(isolate.strand) != isolate.running)
    return nullptr;  // its poller would poll it for ever
  if (is_bound(isolate.strand))
    return nullptr;  // what it waited for has happened: a cancellation found here would come too early
  Task* strand = asker_of(isolate.strand);
  uint32_t since = strand->since;
  met_object* status = met_park(frame);
  if (status != MET_PENDING) return status;
  strand->since = since & SINCE_WAKES_ITSELF ? since : isolate.clock | SINCE_WAKES_ITSELF;
  wake(isolate.running);
  return status;
}

}  // extern "C"
