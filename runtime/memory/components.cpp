// Finds the circles of a frozen graph (Tarjan's strongly connected components, without recursion) and ends them.
#include "runtime/memory/components.h"

#include <stdlib.h>

#include "runtime/memory/heap.h"
#include "runtime/memory/memory.h"
#include "runtime/memory/weak.h"
#include "runtime/os/threads.h"

namespace meteor::memory {
namespace {

// ---- numbers ----

constexpr uint32_t PER_CHUNK = 4096, CHUNKS = 4096;
Component* chunks[CHUNKS];    // found without a lock: they stay where they are
os::Mutex numbers_lock;
uint32_t numbers_used = 1;    // 0 is nobody
Component* unused;

Component* with_number(uint32_t number) { return __atomic_load_n(&chunks[number / PER_CHUNK], __ATOMIC_ACQUIRE) + number % PER_CHUNK; }

void* need(void* block, uint64_t bytes) {
  if (block == nullptr) met_out_of_memory(int64_t(bytes));
  return block;
}

// Null: there are too many.
Component* take_component() {
  numbers_lock.lock();
  Component* found = unused;
  if (found != nullptr) {
    unused = found->next;
  } else if (numbers_used < PER_CHUNK * CHUNKS) {
    uint32_t number = numbers_used++;
    Component*& chunk = chunks[number / PER_CHUNK];
    if (chunk == nullptr) __atomic_store_n(&chunk, static_cast<Component*>(need(calloc(PER_CHUNK, sizeof(Component)), PER_CHUNK * sizeof(Component))), __ATOMIC_RELEASE);
    found = with_number(number);
    found->number = number;
    found->count = MET_IMMORTAL;
  }
  numbers_lock.unlock();
  return found;
}

void give_back(Component& component) {
  free(component.members);
  component.members = nullptr;
  __atomic_store_n(&component.count, MET_IMMORTAL, __ATOMIC_RELEASE);
  numbers_lock.lock();
  component.next = unused;
  unused = &component;
  numbers_lock.unlock();
}

// ---- finding them ----

constexpr uint64_t NONE = ~uint64_t(0);

struct Graph {
  met_object* const* objects;
  uint64_t count;
  uint64_t* slots;         // a hash table of indices
  uint64_t room;
  uint64_t* first_edge;    // of each object, and one more
  uint64_t* edges;
  uint64_t edge_count, edge_room;

  uint64_t slot_of(const met_object* object) const {
    uint64_t at = (reinterpret_cast<uint64_t>(object) >> 4) * 0x9e3779b97f4a7c15ull >> 32 & (room - 1);
    while (slots[at] != NONE && objects[slots[at]] != object) at = (at + 1) & (room - 1);
    return at;
  }
  uint64_t index_of(const met_object* object) const { return slots[slot_of(object)]; }
};

template <typename T> T* make_array(uint64_t count) { return static_cast<T*>(need(malloc(count * sizeof(T) + 1), count * sizeof(T))); }

void add_edge(void* context, met_object* child, const char*) {
  Graph& graph = *static_cast<Graph*>(context);
  uint64_t word = reinterpret_cast<uint64_t>(child);
  if (word < MET_ENUM_UNIT_LIMIT || (word & MET_VISIT_WEAK)) return;
  uint64_t index = graph.index_of(child);
  if (index == NONE) return;
  if (graph.edge_count == graph.edge_room) {
    graph.edge_room = graph.edge_room == 0 ? 256 : graph.edge_room * 2;
    graph.edges = static_cast<uint64_t*>(need(realloc(graph.edges, graph.edge_room * sizeof(uint64_t)), graph.edge_room * sizeof(uint64_t)));
  }
  graph.edges[graph.edge_count++] = index;
}

void read_graph(Graph& graph) {
  graph.room = 64;
  while (graph.room < graph.count * 2) graph.room *= 2;
  graph.slots = make_array<uint64_t>(graph.room);
  for (uint64_t i = 0; i < graph.room; i++) graph.slots[i] = NONE;
  for (uint64_t i = 0; i < graph.count; i++) graph.slots[graph.slot_of(graph.objects[i])] = i;
  graph.first_edge = make_array<uint64_t>(graph.count + 1);
  for (uint64_t i = 0; i < graph.count; i++) {
    graph.first_edge[i] = graph.edge_count;
    met_object* object = graph.objects[i];
    if (object->type->visit != nullptr && !(object->type->kind & MET_TYPE_SHAREABLE)) object->type->visit(object, &graph, add_edge);   // what is in a channel is not frozen
  }
  graph.first_edge[graph.count] = graph.edge_count;
}

// These objects have a way from each to each; `of` says which component each object of the graph is in.
void form(const Graph& graph, const uint64_t* members, uint64_t size, const uint64_t* of) {
  uint64_t own = of[members[0]], inner = 0, all = 0;
  for (uint64_t i = 0; i < size; i++) {
    all += graph.objects[members[i]]->strong & ~MET_IMMORTAL;
    for (uint64_t e = graph.first_edge[members[i]]; e < graph.first_edge[members[i] + 1]; e++) inner += of[graph.edges[e]] == own;
  }
  if (inner == 0) return;   // one object, and no circle
  Component* component = take_component();
  if (component == nullptr) return;   // they stay
  component->size = size;
  component->members = make_array<met_object*>(size);
  __atomic_store_n(&component->count, MET_IMMORTAL | uint32_t(all - inner), __ATOMIC_RELEASE);
  for (uint64_t i = 0; i < size; i++) {
    met_object* object = component->members[i] = graph.objects[members[i]];
    object->strong = MET_IMMORTAL | component->number;
    object->weak |= MET_FLAG_CYCLIC;
  }
}

void find_components(const Graph& graph) {
  uint64_t n = graph.count;
  uint64_t* order = make_array<uint64_t>(6 * n);
  uint64_t *low = order + n, *next = low + n, *of = next + n, *path = of + n, *open = path + n;
  uint64_t depth = 0, open_count = 0, seen = 0;
  for (uint64_t i = 0; i < n; i++) order[i] = of[i] = NONE;
  auto enter = [&](uint64_t at) {
    order[at] = low[at] = seen++;
    next[at] = graph.first_edge[at];
    path[depth++] = at;
    open[open_count++] = at;
  };
  for (uint64_t start = 0; start < n; start++) {
    if (order[start] != NONE) continue;
    enter(start);
    while (depth > 0) {
      uint64_t at = path[depth - 1];
      if (next[at] < graph.first_edge[at + 1]) {
        uint64_t child = graph.edges[next[at]++];
        if (order[child] == NONE) enter(child);
        else if (of[child] == NONE && order[child] < low[at]) low[at] = order[child];
        continue;
      }
      --depth;
      if (depth > 0 && low[at] < low[path[depth - 1]]) low[path[depth - 1]] = low[at];
      if (low[at] != order[at]) continue;
      uint64_t first = open_count;
      do of[open[--first]] = at;
      while (open[first] != at);
      form(graph, open + first, open_count - first, of);
      open_count = first;
    }
  }
  free(order);
}

// ---- the end ----

constexpr uint32_t ENDING = 1u << 30;   // in the count: what they let go of each other ends nothing

__thread Component* waiting;
__thread bool is_ending;

bool keeps_itself(Component& component) {   // a `__del__` has stored one of them
  for (uint64_t i = 0; i < component.size; i++) {
    met_object* object = component.members[i];
    if (object->type->del == nullptr || (weak_word(object) & MET_FLAG_NO_DEL)) continue;
    set_flags(object, MET_FLAG_NO_DEL);
    object->type->del(object);
  }
  return __atomic_load_n(&component.count, __ATOMIC_ACQUIRE) != (MET_IMMORTAL | ENDING);
}

void end_one(Component& component) {
  __atomic_store_n(&component.count, MET_IMMORTAL | ENDING, __ATOMIC_RELAXED);
  if (keeps_itself(component)) {
    if (__atomic_sub_fetch(&component.count, ENDING, __ATOMIC_ACQ_REL) == MET_IMMORTAL) end_component(&component);
    return;
  }
  for (uint64_t i = 0; i < component.size; i++) set_flags(component.members[i], MET_FLAG_DYING);
  for (uint64_t i = 0; i < component.size; i++)
    if (auto* drop = component.members[i]->type->drop) drop(component.members[i]);
  for (uint64_t i = 0; i < component.size; i++) free_unless_watched(component.members[i]);
  give_back(component);
}

}  // namespace

Component* component_of(const met_object* object) {
  if (!(__atomic_load_n(&object->weak, __ATOMIC_RELAXED) & MET_FLAG_CYCLIC)) return nullptr;
  return with_number(__atomic_load_n(&object->strong, __ATOMIC_RELAXED) & ~MET_IMMORTAL);
}

void form_components(met_object* const* objects, uint64_t count) {
  Graph graph = {objects, count, nullptr, 0, nullptr, nullptr, 0, 0};
  read_graph(graph);
  find_components(graph);
  free(graph.slots);
  free(graph.first_edge);
  free(graph.edges);
}

// One that ends while another one does waits for it: a chain of them needs no stack.
void end_component(Component* component) {
  component->next = waiting;
  waiting = component;
  if (is_ending) return;
  is_ending = true;
  while (Component* first = waiting) {
    waiting = first->next;
    end_one(*first);
  }
  is_ending = false;
}

}  // namespace meteor::memory
