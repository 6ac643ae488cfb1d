// Objects that several isolates use at the same time: counted atomically, and locked while one of them changes something.
#ifndef METEOR_RUNTIME_CHANNEL_SHARED_H
#define METEOR_RUNTIME_CHANNEL_SHARED_H

#include "runtime/abi/abi.h"

namespace meteor::isolates {

void share(met_object* object);   // from now on; by the isolate that had it to itself

// Others may be counting it just now; the mark never goes away.
inline bool is_shared(const met_object* object) { return (__atomic_load_n(&object->strong, __ATOMIC_RELAXED) & MET_IMMORTAL) != 0; }

}  // namespace meteor::isolates

#endif
