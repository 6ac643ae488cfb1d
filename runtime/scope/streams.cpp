#include "runtime/scope/streams.h"

#include "runtime/scope/cancellation.h"
#include "runtime/scope/scopes.h"
#include "runtime/scope/strands.h"
#include "runtime/task/count.h"
#include "runtime/task/frame.h"
#include "runtime/task/hold.h"
#include "runtime/task/hooks.h"

using namespace meteor::async;

namespace meteor::async {

namespace {

// The outermost one that is to get Cancelled, from this stream outwards; null: none.
Task* find_interrupted(Task* innermost, const Task* outermost) {
  Task* found = nullptr;
  for (Task* at = innermost;; at = outer_of(at)) {
    if (at->flags & TASK_INTERRUPTED) found = at;
    if (at == outermost) return found;
  }
}

Task* asked_by(Task* innermost, const Task* asker) {
  Task* stream = innermost;
  while (outer_of(stream) != asker) stream = outer_of(stream);
  return stream;
}

// Its `next` goes on with Cancelled: the frame to resume.
met_frame* leave(Task* stream, Task* innermost) {
  if (stream != innermost) set_asks(stream, innermost);
  stream->flags.leave();
  return parent_of(&stream->frame);
}

void link_loose(Task* stream) {
  stream->siblings = {nullptr, isolate.loose};
  if (isolate.loose != nullptr) isolate.loose->siblings.before = stream;
  isolate.loose = stream;
}

void unlink_loose(Task* stream) {
  auto [before, after] = stream->siblings;
  (before != nullptr ? before->siblings.after : isolate.loose) = after;
  if (after != nullptr) after->siblings.before = before;
  stream->siblings = {};
}

void set_locals(Task* stream, met_object* locals) {
  if (locals == locals_of(stream)) return;
  More& more = need_more(stream);
  met_object* old = more.locals;
  retain(locals);
  more.locals = locals;
  release(old);
}

// left -> at rest, or closed: no task of its own any more.
void end_left(Task* stream) {
  if (stream->flags & TASK_SERVICE) {
    Scope* scope = scope_of(stream);
    child_ended(scope, stream, nullptr);
    stream->place.set_scope(scope);
  } else {
    unlink_loose(stream);
  }
  stream->flags.rest();
  if (stream->flags & TASK_QUEUED) hold_to_wake(stream);
  set_locals(stream, nullptr);
}

void keep_error(Task* stream, met_object* error) {
  if (met_hook_is_error(error))
    need_more(stream).error = error;
  else
    let_go_of_cancelled(error);
}

// A stream that yields again and again instead of ending is given up at a `yield`: its scopes end without it.
void abandon_scopes(Task* stream) {
  for (Region* region = regions_of(stream); region != nullptr; region = region->outer) {
    if (!(region->flags & REGION_SCOPE)) continue;
    Scope* scope = scope_of(region);
    cancel_scope(scope);
    close_scope(scope);
  }
}

// A stream that another one makes belongs where that one was made, not to whoever asks just then.
Scope* scope_to_be_made_in() {
  for (Task* strand = isolate.strand; strand != nullptr; strand = outer_of(strand)) {
    for (Region* region = regions_of(strand); region != nullptr; region = region->outer)
      if (region->flags & REGION_SCOPE) return scope_of(region);
    if (strand->flags & (TASK_SPAWNED | TASK_STREAM)) return scope_of(strand);
  }
  return nullptr;
}

}  // namespace

met_object* run_inside(Task* task, met_object* error) {
  Isolate& own = isolate;
  own.strand = task;
  if (!(task->flags & TASK_ASKS)) return run_frames(task, task->leaf, error != nullptr ? error : interruption(task));
  Task* innermost = stream_in(task);
  task->flags.end_ask();
  Task* told = error != nullptr ? task : find_interrupted(innermost, task);
  if (error == nullptr && told != nullptr) error = interruption(told);
  bool is_left = told != nullptr && told != innermost;
  Task* stream = is_left ? asked_by(innermost, told) : innermost;
  own.strand = stream;
  return run_frames(task, is_left ? leave(stream, innermost) : stream->leaf, error);
}

void run_stream(Task* stream) {
  Isolate& own = isolate;
  if (!(stream->flags & TASK_SPAWNED)) {
    own.running = own.strand = nullptr;
    return let_go_to_wake(stream);
  }
  retain(&stream->header);
  own.running = stream;
  met_object* status = run_inside(stream, nullptr);
  own.running = own.strand = nullptr;
  if (status != MET_PENDING) {
    if (status != nullptr) keep_error(stream, status);
    stream->flags.keep();
    stream->leaf = nullptr;
    end_left(stream);
    if (More* more = more_of(stream)) wake_all(more->waiters);
  }
  release(&stream->header);
}

}  // namespace meteor::async

extern "C" {

void met_stream_made(met_object* object) {
  Task* stream = reinterpret_cast<Task*>(object);
  stream->flags.become_stream();
  stream->frame.up = MET_FRAME_OF_STREAM;
  Scope* scope = scope_to_be_made_in();
  if (scope == nullptr) return;
  retain(&scope->header);
  stream->place.set_scope(scope);
}

void met_stream_forget(met_object* object) {
  Task* stream = reinterpret_cast<Task*>(object);
  Scope* scope = scope_of(stream);
  if (More* more = more_of(stream)) {
    abandon_scopes(stream);
    if (more->error != nullptr) met_hook_report(more->error);  // nobody has asked any more
    met_task_forget(stream);
  }
  stream->part.of = nullptr;   // what it has polled may look for it here
  stream->place.clear();
  if (scope != nullptr) release(&scope->header);
}

// Its asker has got Cancelled: whether the body still waits for what it waited for.
bool met_stream_was_left(const Task* stream) { return (stream->flags & TASK_LEFT) != 0; }

// asked -> left. It has its turn soon: what it waits for may have been refused to it because its asker was about to go.
void met_stream_go_on(Task* stream) {
  Scope* scope = scope_of(stream);
  stream->part = {};
  bool is_service = scope != nullptr && !(scope->flags & SCOPE_CLOSED);
  stream->flags.go_on_alone(is_service);
  if (stream->flags & TASK_QUEUED) let_go_to_wake(stream);
  stream->since = isolate.clock;
  set_locals(stream, isolate.running != nullptr ? locals_of(isolate.running) : nullptr);
  if (!is_service) {
    link_loose(stream);
  } else {
    link_child(scope, stream);
    ++scope->services;
    ++scope->running;
    bool is_ending = (scope->flags & SCOPE_CLOSING) && scope->open == 0;
    if (is_ending || (scope->region.flags & REGION_CANCELLED)) cancel_task(stream);
  }
  wake(stream);
}

// left -> closed: it ends where it waits. As met_strand_cancel.
int64_t met_stream_cancel(Task* stream, met_object** error) {
  end_left(stream);
  stream->flags.close();
  return met_strand_cancel(stream, error);
}

// closed -> left: whoever closed it has no more time for it.
void met_stream_let_go(Task* stream) {
  set_poller(stream, nullptr);
  met_stream_go_on(stream);
}

// Whoever closes it has no more time for that, and so has its body.
void met_stream_expire(Task* stream) { stream->flags.expire_stream(); }

bool met_stream_is_awaited(const Task* stream) {
  const More* more = more_of(stream);
  for (const Waiter* at = more != nullptr ? more->waiters.first : nullptr; at != nullptr; at = at->next)
    if (mark_of(at->task) != MARK_EXPIRY) return true;
  return false;
}

// It has gone on by itself since it was left: what it gave is for the one who asks now.
bool met_stream_take_kept(Task* stream) { return stream->flags.take_kept(); }

// What it ended with while nobody asked, owned; null: nothing.
met_object* met_stream_take_error(Task* stream) {
  More* more = more_of(stream);
  met_object* error = more != nullptr ? more->error : nullptr;
  if (error != nullptr) more->error = nullptr;
  return error;
}

}  // extern "C"
