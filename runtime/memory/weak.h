// The word of weak references and flags in an object's header, of an object that several isolates may have.
#ifndef METEOR_RUNTIME_MEMORY_WEAK_H
#define METEOR_RUNTIME_MEMORY_WEAK_H

#include "runtime/memory/memory.h"
#include "runtime/os/threads.h"

namespace meteor::memory {

inline uint32_t weak_word(const met_object* object) { return __atomic_load_n(&object->weak, __ATOMIC_RELAXED); }

// Others may be counting weak references to it just now; where there are none, nobody can.
inline bool others_may_watch(const met_object* object) {
  return (weak_word(object) & MET_WEAK_COUNT_MASK) != 0 && met_multi_isolate;
}

inline void set_flags(met_object* object, uint32_t flags) {
  if (others_may_watch(object)) [[unlikely]]
    __atomic_or_fetch(&object->weak, flags, __ATOMIC_ACQ_REL);
  else
    object->weak |= flags;
}

void free_unless_watched(
    met_object* object);  // its payload is gone: the memory goes too, or with its last weak reference

}  // namespace meteor::memory

#endif
