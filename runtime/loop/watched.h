// All threads whose loops run or sleep, as the watch and task dumps see them.
#ifndef METEOR_RUNTIME_LOOP_WATCHED_H
#define METEOR_RUNTIME_LOOP_WATCHED_H

#include <stdint.h>

#include "runtime/os/threads.h"

namespace meteor::async {

struct Isolate;

struct Watched {
  Watched* next;
  bool in_list;
  os::Thread thread;
  Isolate* isolate;
  volatile uint8_t* over;
  const uint64_t* turn;  // which it is; written by the isolate, read by the watch; so is busy
  bool busy;
  const uint64_t* outside;  // how often it has looked there; as `turn`
  uint64_t seen;            // the watch's own
  uint64_t seen_outside;
  uint32_t looks;
  bool warned;
};

void add_watched(Watched& one);
void remove_watched(Watched& one);
Watched* lock_watched();  // the first; none comes or goes until they are unlocked
void unlock_watched();

template <typename Visit>
void for_each_watched(Visit visit) {
  for (Watched* at = lock_watched(); at != nullptr; at = at->next) visit(*at);
  unlock_watched();
}

}  // namespace meteor::async

#endif
