// Frozen objects that refer to each other in a circle: one count for all of them, of the references from outside. With the last of those
// all of them end together.
//
// Invariant: an object with MET_FLAG_CYCLIC has the number of its component in the place of its own count, with MET_IMMORTAL. A component is
// used again for others, but never freed: who follows a weak reference may look at its count when it has just ended.
#ifndef METEOR_RUNTIME_MEMORY_COMPONENTS_H
#define METEOR_RUNTIME_MEMORY_COMPONENTS_H

#include "runtime/abi/abi.h"

namespace meteor::memory {

struct Component {
  uint32_t count;        // as that of an object that several isolates hold: MET_IMMORTAL, and how many; atomic
  uint32_t number;
  uint64_t size;
  Component* next;       // waits for its end in this thread, or is unused
  met_object** members;
};

Component* component_of(const met_object* object);   // null: it has a count of its own
// Frozen a moment ago, and nobody else's yet: those that are in circles get a component.
void form_components(met_object* const* objects, uint64_t count);
void end_component(Component* component);             // nobody refers to it any more

}  // namespace meteor::memory

#endif
