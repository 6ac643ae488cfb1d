// Makes and ends objects: counts of 1 to begin with, type->del and type->drop at the end, weak references in between.
// Drops nest on the stack only DROP_DEPTH_MAX deep. Deeper ones wait in a list that the drop at that depth works off,
// children before what came after their parent, so that the order is that of plain recursion and a long chain needs no
// stack.
#include "runtime/memory/components.h"
#include "runtime/memory/facts.h"
#include "runtime/memory/heap.h"
#include "runtime/memory/leaks.h"
#include "runtime/memory/weak.h"

namespace meteor::memory {
namespace {

constexpr uint32_t DROP_DEPTH_MAX = 48;
constexpr uint32_t DEL_DEPTH_MAX = 100;  // a `__del__` below this depth drops at once what its own code lets go

uint64_t size_of_object(const met_object* object) {
  const met_type* type = object->type;
  if (type->kind == MET_KIND_STR || type->kind == MET_KIND_BYTES) [[unlikely]]
    return sizeof(met_str_object) + reinterpret_cast<const met_str_object*>(object)->size + 1;
  return type->size;
}

void free_object(met_object* object, uint64_t bytes) {
  if (met_leak_tracking) [[unlikely]] {
    void* block = untrack_object(object);
    if (checks_facts) retire_object(block, object, bytes);
    else free(block);
    return;
  }
  deallocate(object, bytes);
}

met_object* new_object(const met_type* type, uint64_t bytes) {
  met_object* object;
  if (met_leak_tracking) [[unlikely]]
    object = track_object(allocate_tracked(bytes + LEAK_PREFIX_BYTES));
  else
    object = static_cast<met_object*>(allocate(bytes));
  object->strong = 1;
  object->weak = 0;
  object->type = type;
  return object;
}

// ---- The list of waiting objects ----
// The link to the next one is in the header: the counts are free once nothing refers to the object. One that weak
// references still count in is kept in a node of its own.
struct WaitingNode {
  met_object* object;
  DropLink next;
};

constexpr DropLink NODE_TAG = 1;
constexpr int LINK_SHIFT = 3;  // blocks are aligned to 16: bit 3 is free for the tag, and 45 bits remain

DropLink link_to(const void* block, DropLink tag) { return reinterpret_cast<uint64_t>(block) >> LINK_SHIFT | tag; }
void* block_of(DropLink link) { return reinterpret_cast<void*>((link & ~NODE_TAG) << LINK_SHIFT); }

void set_next(DropLink link, DropLink next) {
  if (link & NODE_TAG) {
    static_cast<WaitingNode*>(block_of(link))->next = next;
    return;
  }
  met_object* object = static_cast<met_object*>(block_of(link));
  object->strong = uint32_t(next);
  object->weak = (object->weak & ~MET_WEAK_COUNT_MASK) | uint32_t(next >> 32);
}

void defer(Heap& heap, met_object* object) {
  DropLink link;
  if (weak_word(object) & MET_WEAK_COUNT_MASK) {
    WaitingNode* node = static_cast<WaitingNode*>(allocate_tracked(sizeof(WaitingNode)));
    node->object = object;
    set_flags(object, MET_FLAG_DYING);
    link = link_to(node, NODE_TAG);
  } else {
    link = link_to(object, 0);
  }
  set_next(link, 0);
  if (heap.deferred_first == 0)
    heap.deferred_first = link;
  else
    set_next(heap.deferred_last, link);
  heap.deferred_last = link;
}

met_object* take_first(DropLink& list) {
  DropLink link = list;
  if (link & NODE_TAG) {
    WaitingNode* node = static_cast<WaitingNode*>(block_of(link));
    met_object* object = node->object;
    list = node->next;
    free(node);
    return object;
  }
  met_object* object = static_cast<met_object*>(block_of(link));
  list = object->strong | uint64_t(object->weak & MET_WEAK_COUNT_MASK) << 32;
  object->strong = 0;
  object->weak &= ~MET_WEAK_COUNT_MASK;
  return object;
}

// ---- The end of one object ----

// Gives false when `__del__` stored the object somewhere: then it lives on.
__attribute__((noinline)) bool run_del(Heap& heap, met_object* object) {
  object->strong = 1;  // its own, so that the method may pass self around
  set_flags(object, MET_FLAG_DYING | MET_FLAG_NO_DEL);
  Heap saved;
  bool at_once = heap.del_depth < DEL_DEPTH_MAX;
  if (at_once) {
    saved.drop_depth = heap.drop_depth;
    saved.deferred_first = heap.deferred_first;
    saved.deferred_last = heap.deferred_last;
    heap.drop_depth = 0;
    heap.deferred_first = 0;
  }
  heap.del_depth++;
  object->type->del(object);
  heap.del_depth--;
  if (at_once) {
    heap.drop_depth = saved.drop_depth;
    heap.deferred_first = saved.deferred_first;
    heap.deferred_last = saved.deferred_last;
  }
  if (--object->strong == 0) return true;
  object->weak &= ~MET_FLAG_DYING;
  return false;
}

void end_object(Heap& heap, met_object* object) {
  const met_type* type = object->type;
  if (type->del != nullptr && !(weak_word(object) & MET_FLAG_NO_DEL) && !run_del(heap, object)) return;
  set_flags(object, MET_FLAG_DYING);
  if (type->drop != nullptr) type->drop(object);
  free_unless_watched(object);
}

// Ends the object and everything that goes with it, in the order of plain recursion.
__attribute__((noinline)) void end_deep(Heap& heap, met_object* object) {
  DropLink rest = 0;
  for (;;) {
    heap.deferred_first = 0;
    end_object(heap, object);
    if (heap.deferred_first != 0) {
      set_next(heap.deferred_last, rest);
      rest = heap.deferred_first;
    }
    if (rest == 0) break;
    object = take_first(rest);
  }
  heap.deferred_first = 0;
}

}  // namespace

void free_unless_watched(met_object* object) {
  if (weak_word(object) & MET_WEAK_COUNT_MASK) [[unlikely]] {
    uint32_t before = __atomic_fetch_or(&object->weak, MET_FLAG_DEAD, __ATOMIC_ACQ_REL);
    if (before & MET_WEAK_COUNT_MASK) return;   // the last weak reference frees it
  }
  free_object(object, size_of_object(object));
}

}  // namespace meteor::memory

using namespace meteor::memory;

extern "C" {

met_object* met_object_new(const met_type* type) {
  uint64_t bytes = type->size;
  met_object* object = new_object(type, bytes);
  uint64_t payload = bytes - sizeof(met_object);
  char* at = reinterpret_cast<char*>(object + 1);
  if (payload <= 64) [[likely]] {
    for (; payload >= 8; payload -= 8, at += 8) memset(at, 0, 8);
    for (; payload > 0; payload--, at++) *at = 0;
  } else {
    memset(at, 0, payload);
  }
  return object;
}

met_object* met_object_new_sized(const met_type* type, int64_t bytes) { return new_object(type, uint64_t(bytes)); }

void met_object_free_sized(met_object* object, int64_t bytes) { free_object(object, uint64_t(bytes)); }

void met_object_drop(met_object* object) {
  Heap& own = met_heap;
  uint32_t depth = own.drop_depth;
  if (depth > DROP_DEPTH_MAX) [[unlikely]] {
    defer(own, object);
    return;
  }
  own.drop_depth = depth + 1;
  if (depth < DROP_DEPTH_MAX) [[likely]]
    end_object(own, object);
  else
    end_deep(own, object);
  own.drop_depth = depth;
}

// Where an object that several isolates may hold is counted.
static inline uint32_t& shared_count(met_object* object, Component* component) { return component != nullptr ? component->count : object->strong; }

void met_shared_retain(met_object* object) { __atomic_fetch_add(&shared_count(object, component_of(object)), 1, __ATOMIC_RELAXED); }

void met_shared_release(met_object* object) {
  Component* component = component_of(object);
  // Ordering: what other holders did comes before the end; the release here pairs with the acquire of the last holder.
  if (__atomic_sub_fetch(&shared_count(object, component), 1, __ATOMIC_ACQ_REL) != MET_IMMORTAL) return;
  if (component != nullptr) return end_component(component);
  set_flags(object, MET_FLAG_DYING);   // before the mark goes: who looks by a weak reference sees one of the two
  if (others_may_watch(object)) __atomic_store_n(&object->strong, 0, __ATOMIC_RELEASE);
  else object->strong = 0;
  met_object_drop(object);
}

void met_weak_release(met_object* object) {
  if (object == nullptr) return;
  uint32_t weak = met_multi_isolate ? __atomic_sub_fetch(&object->weak, 1, __ATOMIC_ACQ_REL) : --object->weak;
  if ((weak & MET_FLAG_DEAD) && (weak & MET_WEAK_COUNT_MASK) == 0) free_object(object, size_of_object(object));
}

// One that others may let go of at this moment: it is had only while somebody still has it.
static met_object* get_shared(met_object* object) {
  Component* component = component_of(object);
  uint32_t& count = shared_count(object, component);
  uint32_t now = __atomic_load_n(&count, __ATOMIC_ACQUIRE);
  do {
    if (now == MET_IMMORTAL || (__atomic_load_n(&object->weak, __ATOMIC_ACQUIRE) & (MET_FLAG_DEAD | MET_FLAG_DYING))) return nullptr;
  } while (!__atomic_compare_exchange_n(&count, &now, now + 1, true, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
  bool has_ended = component != nullptr && (__atomic_load_n(&object->weak, __ATOMIC_ACQUIRE) & (MET_FLAG_DEAD | MET_FLAG_DYING));
  if (!has_ended) return object;
  if (__atomic_sub_fetch(&count, 1, __ATOMIC_ACQ_REL) == MET_IMMORTAL) end_component(component);   // it counts for others by now
  return nullptr;
}

met_object* met_weak_get(met_object* object) {
  if (object == nullptr || (__atomic_load_n(&object->weak, __ATOMIC_ACQUIRE) & (MET_FLAG_DEAD | MET_FLAG_DYING))) return nullptr;
  uint32_t count = __atomic_load_n(&object->strong, __ATOMIC_RELAXED);
  if (count & MET_IMMORTAL) return get_shared(object);
  if (count == 0) return nullptr;   // another isolate ends it
  object->strong = count + 1;
  return object;
}

bool met_is_instance(const met_object* object, const met_type* type) {
  if (object == nullptr) return false;
  const met_type* own = object->type;
  if (own == type) return true;
  return own->ancestors != nullptr && own->depth > type->depth && own->ancestors[type->depth] == type;
}

}  // extern "C"
