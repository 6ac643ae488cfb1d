// Keeping track of every object, for METEOR_LEAKS=1: a tracked object has a prefix before its header that links it in a
// list.
#ifndef METEOR_RUNTIME_MEMORY_LEAKS_H
#define METEOR_RUNTIME_MEMORY_LEAKS_H

#include "runtime/memory/memory.h"

// Where this thread is in the user's code. Programs built with the leak check set it before whatever may make an object.
extern "C" __thread const met_site* met_allocation_site;

namespace meteor::memory {

constexpr uint64_t LEAK_PREFIX_BYTES = 32;

met_object* track_object(void* block);     // the object's place within the block
void* untrack_object(met_object* object);  // the block
void count_raw_bytes(int64_t change);

}  // namespace meteor::memory

#endif
