#include "runtime/loop/watched.h"

namespace meteor::async {

namespace {

Watched* first_watched;  // under list_lock
os::Mutex list_lock;

}  // namespace

Watched* lock_watched() {
  list_lock.lock();
  return first_watched;
}

void unlock_watched() { list_lock.unlock(); }

void add_watched(Watched& one) {
  one.next = lock_watched();
  first_watched = &one;
  unlock_watched();
}

void remove_watched(Watched& one) {
  lock_watched();
  Watched** at = &first_watched;
  while (*at != &one) at = &(*at)->next;
  *at = one.next;
  unlock_watched();
}

}  // namespace meteor::async
