#include "runtime/scope/strands.h"

#include "runtime/loop/isolate.h"
#include "runtime/memory/memory.h"
#include "runtime/memory/weak.h"
#include "runtime/scope/cancellation.h"
#include "runtime/scope/contenders.h"
#include "runtime/scope/scopes.h"
#include "runtime/scope/streams.h"
#include "runtime/task/count.h"
#include "runtime/task/hold.h"
#include "runtime/task/hooks.h"

namespace meteor::async {

void set_poller(Task* strand, Task* poller) {
  Task* earlier = outer_of(strand);
  if (earlier == poller) return;
  if (poller != nullptr) hold_to_wake(poller);
  strand->part.of = poller;
  if (earlier != nullptr) let_go_to_wake(earlier);
}

met_object* step_strand(Task* strand, met_object* error) {
  Task* outer = isolate.strand;
  set_poller(strand, outer);
  if (strand->leaf == nullptr) strand->leaf = &strand->frame;
  if (strand->flags & (TASK_CANCELLED | TASK_CUT)) look_before_awaits();
  met_object* status = run_inside(strand, error);
  isolate.strand = outer;
  if (status != MET_PENDING) {
    strand->leaf = nullptr;
    strand->flags.end_close();
    if (More* more = more_of(strand)) wake_all(more->waiters);
    set_poller(strand, nullptr);
  }
  return status;
}

met_object* step_cancelled(Task* strand) {
  strand->flags.cancel_strand();
  bool stops = wanted_now(strand).cancel == Cancel::Yes;
  // A deadline inside of it may have interrupted it before: it gets one Cancelled, not another one behind the shields of its clean-up.
  if (stops && strand->flags.take_interruption()) call_held_back();
  return step_strand(strand, stops ? make_cancelled() : nullptr);
}

Scope* scope_around(Task* strand) {
  for (; strand != nullptr; strand = outer_of(strand)) {
    for (Region* region = regions_of(strand); region != nullptr; region = region->outer)
      if (region->flags & REGION_SCOPE) return scope_of(region);
    if (strand->flags & TASK_SPAWNED) return scope_of(strand);
  }
  return nullptr;
}

// It gets a turn of its own soon: what has woken it so far went to its poller.
void adopt_strand(Task* strand, Scope* scope) {
  set_poller(strand, nullptr);
  retain(&strand->header);
  strand->flags.adopt(scope == nullptr);
  if (scope == nullptr) {
    ++isolate.orphans;
  } else {
    link_child(scope, strand);
    ++scope->open;
    ++scope->running;
    if (scope->region.flags & REGION_CANCELLED) cancel_task(strand);  // its clean-up has the time of the other children
  }
  wake(strand);
}

}  // namespace meteor::async

using namespace meteor::async;

extern "C" {

// STRAND_FAILED: *error is set.
static int64_t outcome(met_object* status, met_object** error) {
  if (status == MET_PENDING) return STRAND_PENDING;
  if (status == nullptr) return STRAND_DONE;
  release(*error);
  *error = status;
  return STRAND_FAILED;
}

// Of one that somebody wrote: a task knows its own state.
bool met_future_is_over(int64_t address) {
  return (meteor::memory::weak_word(reinterpret_cast<const met_object*>(address)) & MET_FLAG_OVER) != 0;
}
void met_future_end(int64_t address) {
  meteor::memory::set_flags(reinterpret_cast<met_object*>(address), MET_FLAG_OVER);
}

bool met_is_polled(const Task* strand) { return strand->leaf != nullptr; }

int64_t met_strand_poll(Task* strand, met_object** error) { return outcome(step_strand(strand, nullptr), error); }

int64_t met_strand_cancel(Task* strand, met_object** error) {
  met_object* status = step_cancelled(strand);
  if (status == MET_PENDING || status == nullptr || met_hook_is_error(status)) return outcome(status, error);
  let_go_of_cancelled(status);
  return STRAND_CANCELLED;
}

// Its poller lets go of it while it cleans up: it goes on as a task of the scope that it was polled in.
void met_strand_adopt(Task* strand) {
  strand->flags.cancel_strand();
  adopt_strand(strand, scope_around(isolate.strand));
}

}  // extern "C"