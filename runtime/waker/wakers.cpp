// The life of a waker's remote: made at home, woken from anywhere, freed by whichever end goes last.
#include "runtime/waker/wakers.h"

#include "runtime/task/hold.h"
#include "runtime/threads/lock.h"

namespace meteor::async {

namespace {

void free_remote(Remote& remote) { met_raw_free(&remote, sizeof(Remote)); }

void let_go_of_task(Remote& remote) {
  Task* task = remote.task;
  remote.task = nullptr;
  if (task != nullptr) let_go_to_wake(task);
}

void unlink(Remote& remote) {
  (remote.before != nullptr ? remote.before->next : isolate.wakers) = remote.next;
  if (remote.next != nullptr) remote.next->before = remote.before;
  if (remote.is_shared) --isolate.others;
}

Remote& remote_of(Message* wake_up) { return *reinterpret_cast<Remote*>(wake_up); }

void arrive_wake(Message* message) {
  Remote& remote = remote_of(message);
  isolates::lock(remote.lock);   // who posted it has let go of it
  remote.posted = 0;
  bool is_closed = remote.is_closed, is_home = remote.home != nullptr;
  isolates::unlock(remote.lock);
  if (is_closed) free_remote(remote);
  else if (is_home && remote.task != nullptr) wake(remote.task);   // else whoever has the waker may free it at any time
}

void arrive_over(Message* message) {
  Remote& remote = *reinterpret_cast<Remote*>(reinterpret_cast<char*>(message) - offsetof(Remote, over));
  isolates::lock(remote.lock);
  bool has_left = remote.home == nullptr;
  isolates::unlock(remote.lock);
  if (!has_left) unlink(remote);
  let_go_of_task(remote);
  free_remote(remote);
}

}  // namespace

Remote* open_waker() {
  Remote* remote = static_cast<Remote*>(met_raw_alloc(sizeof(Remote)));
  *remote = {{nullptr, arrive_wake}, {nullptr, arrive_over}, &isolate, isolate.running, isolate.wakers, nullptr, 0, 0, false, false};
  if (remote->task != nullptr) hold_to_wake(remote->task);
  if (remote->next != nullptr) remote->next->before = remote;
  isolate.wakers = remote;
  return remote;
}

void wake_remote(Remote& remote) {
  if (atomic::load(remote.home, __ATOMIC_RELAXED) == &isolate) {
    if (remote.task != nullptr) wake(remote.task);
    return;
  }
  isolates::lock(remote.lock);
  Isolate* home = atomic::load(remote.home, __ATOMIC_RELAXED);
  if (home != nullptr && remote.posted == 0) {
    remote.posted = 1;
    post(home->inbox, remote.wake_up);
  }
  isolates::unlock(remote.lock);
}

void close_waker(Remote& remote) {
  isolates::lock(remote.lock);
  Isolate* home = atomic::load(remote.home, __ATOMIC_RELAXED);
  if (home != nullptr && home != &isolate) {
    post(home->inbox, remote.over);
    isolates::unlock(remote.lock);
    return;
  }
  bool is_under_way = remote.posted != 0;   // it goes when it has arrived
  remote.is_closed = is_under_way;
  isolates::unlock(remote.lock);
  if (home != nullptr) {
    unlink(remote);
    let_go_of_task(remote);
  }
  if (!is_under_way) free_remote(remote);
}

bool is_waker(const met_shared& object) { return reinterpret_cast<uint64_t>(object.lines[0].last) == WAKER_MARK; }

void share_waker(met_shared& object) {
  Remote& remote = *static_cast<Remote*>(object.lines[0].first);
  if (remote.is_shared) return;
  remote.is_shared = true;
  ++isolate.others;
}

void leave_wakers() {
  while (isolate.wakers != nullptr) {
    Remote& remote = *isolate.wakers;
    unlink(remote);
    let_go_of_task(remote);
    isolates::lock(remote.lock);
    atomic::store(remote.home, static_cast<Isolate*>(nullptr), __ATOMIC_RELAXED);
    isolates::unlock(remote.lock);
  }
}

}  // namespace meteor::async
