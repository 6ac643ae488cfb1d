// What a program built with --check-facts needs of the runtime: objects and buffers that were freed stay recognisable
// for a while, and a fact that does not hold ends the program. Such a program tracks its objects as the leak check
// does.
#ifndef METEOR_RUNTIME_MEMORY_FACTS_H
#define METEOR_RUNTIME_MEMORY_FACTS_H

#include "runtime/abi/abi.h"

namespace meteor::memory {

extern bool checks_facts;  // set before the first allocation, or never

// `block` is the beginning of the memory, `object` what it holds. The memory is given back later.
void retire_object(void* block, met_object* object, uint64_t object_bytes);

// Buffers carry their size before them, so that an index can be compared with it.
void* allocate_measured(uint64_t bytes);
void* resize_measured(void* memory, uint64_t bytes);
void retire_measured(void* memory);

}  // namespace meteor::memory

#endif
