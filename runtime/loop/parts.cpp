#include "runtime/loop/parts.h"

#include "runtime/errors/errors.h"
#include "runtime/task/count.h"
#include "runtime/task/hooks.h"
#include "runtime/trace/trace.h"

namespace meteor::async {

void Life::begin() {
  static uint32_t numbers;
  if (number != 0) return;
  number = __atomic_add_fetch(&numbers, 1, __ATOMIC_RELAXED);
  trace_as(number);
}

void Life::end() {
  *this = {};
  trace_as(0);
}

// Cancelling a scope of a million children takes one object, not a million.
met_object* SpareCancelled::take() {
  met_object* spare = error;
  error = nullptr;
  if (spare != nullptr) return spare;
  met_object* made = met_hook_cancelled();
  type = made->type;
  message = reinterpret_cast<met_error*>(made)->message;
  return made;
}

// A program may make its own, and change those it catches.
void SpareCancelled::keep(met_object* cancelled) {
  bool is_spare = error == nullptr && cancelled->type == type && met_error_renew(cancelled, message);
  if (is_spare)
    error = cancelled;
  else
    release(cancelled);
}

void SpareCancelled::drop() {
  met_object* spare = error;
  error = nullptr;
  if (spare != nullptr) release(spare);
}

}  // namespace meteor::async
