#include "runtime/task/line.h"

namespace meteor::async {

void append(WaitList& list, Waiter& waiter) {
  waiter.list = &list;
  waiter.next = nullptr;
  waiter.before = list.last;
  (list.last != nullptr ? list.last->next : list.first) = &waiter;
  list.last = &waiter;
}

void remove(Waiter& waiter) {
  WaitList* list = waiter.list;
  if (list == nullptr) return;
  (waiter.before != nullptr ? waiter.before->next : list->first) = waiter.next;
  (waiter.next != nullptr ? waiter.next->before : list->last) = waiter.before;
  waiter.list = nullptr;
}

}  // namespace meteor::async
