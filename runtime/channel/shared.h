// Objects that several isolates use at the same time: counted atomically, and locked while one of them changes something.
#ifndef METEOR_RUNTIME_CHANNEL_SHARED_H
#define METEOR_RUNTIME_CHANNEL_SHARED_H

#include "runtime/abi/abi.h"

namespace meteor::isolates {

void share(met_object* object);   // from now on; by the isolate that had it to itself

// Others may count at this moment what they share with this isolate; of what is its own the numbers hold.
inline uint32_t strong_count(const met_object* object) { return __atomic_load_n(&object->strong, __ATOMIC_RELAXED); }
inline uint32_t weak_count(const met_object* object) { return __atomic_load_n(&object->weak, __ATOMIC_RELAXED) & MET_WEAK_COUNT_MASK; }
inline bool is_shared(const met_object* object) { return (strong_count(object) & MET_IMMORTAL) != 0; }   // the mark never goes away

}  // namespace meteor::isolates

#endif
