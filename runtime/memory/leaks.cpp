// The list of live objects under METEOR_LEAKS=1, and the report of those that the end of the program finds alive:
// counts by type and by the place that made them, and the shortest cycle that their type->visit functions lead through.
#include "runtime/memory/leaks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/os/threads.h"

namespace meteor::memory {
namespace {

struct Tracked {
  Tracked* previous;
  Tracked* next;
  uint64_t number;  // while reporting: its place in Survivors
  const met_site* site;  // where the program was when it was made; null: nobody said
};
static_assert(sizeof(Tracked) == LEAK_PREFIX_BYTES);

os::Mutex list_lock;
Tracked* first_tracked;
int64_t tracked_count;
int64_t raw_bytes;

constexpr uint64_t CYCLE_STARTS_MAX = 2000;  // a report is no place to spend minutes
constexpr uint64_t CYCLE_VISITS_MAX = 2'000'000;
constexpr uint64_t NONE = ~uint64_t(0);

Tracked* tracked_of(met_object* object) { return reinterpret_cast<Tracked*>(object) - 1; }
met_object* object_of(Tracked* tracked) { return reinterpret_cast<met_object*>(tracked + 1); }
const char* name_of(const met_object* object) { return object->type->name; }
bool is_dead(const met_object* object) { return (object->weak & MET_FLAG_DEAD) != 0; }

struct Edge {
  uint64_t from;
  const char* field;
};

struct Survivors {
  met_object** objects;
  uint64_t count;
  // breadth-first search from `start`
  Edge* reached_by;     // per object
  uint32_t* search_of;  // the search that reached it
  uint64_t* queue;
  uint64_t queue_size;
  uint32_t search;
  uint64_t start;
  uint64_t current;
  uint64_t visits;
  Edge closing;  // the edge back to the start
};

void visit_child(void* context, met_object* child, const char* field) {
  Survivors& all = *static_cast<Survivors*>(context);
  if (reinterpret_cast<uint64_t>(child) < MET_ENUM_UNIT_LIMIT || (reinterpret_cast<uint64_t>(child) & MET_VISIT_WEAK)) return;
  if (child->strong == MET_IMMORTAL) return;
  all.visits++;
  uint64_t number = tracked_of(child)->number;
  if (number >= all.count || all.objects[number] != child) return;
  if (number == all.start && all.closing.from == NONE) all.closing = {all.current, field};
  if (all.search_of[number] == all.search) return;
  all.search_of[number] = all.search;
  all.reached_by[number] = {all.current, field};
  all.queue[all.queue_size++] = number;
}

// The length of the shortest cycle through `start` that is shorter than `limit`, else 0; reached_by and closing
// describe it.
uint64_t find_cycle(Survivors& all, uint64_t start, uint64_t limit) {
  all.search++;
  all.start = start;
  all.closing = {NONE, nullptr};
  all.queue_size = 0;
  all.queue[all.queue_size++] = start;
  all.search_of[start] = all.search;
  all.reached_by[start] = {NONE, nullptr};
  for (uint64_t i = 0; i < all.queue_size && all.visits < CYCLE_VISITS_MAX; i++) {
    all.current = all.queue[i];
    met_object* object = all.objects[all.current];
    if (object->type->visit == nullptr || is_dead(object)) continue;
    object->type->visit(object, &all, visit_child);
    if (all.closing.from == NONE) continue;
    uint64_t length = 1;
    for (uint64_t at = all.closing.from; at != start; at = all.reached_by[at].from) length++;
    return length < limit ? length : 0;
  }
  return 0;
}

void print_shortest_cycle(Survivors& all) {
  uint64_t best = NONE, best_start = 0;
  for (uint64_t start = 0; start < all.count && start < CYCLE_STARTS_MAX && best > 1; start++) {
    uint64_t length = find_cycle(all, start, best);
    if (length == 0) continue;
    best = length;
    best_start = start;
  }
  if (best == NONE) return;
  all.visits = 0;
  find_cycle(all, best_start, NONE);
  Edge* path = static_cast<Edge*>(malloc(best * sizeof(Edge)));
  if (path == nullptr) return;
  Edge edge = all.closing;
  for (uint64_t i = best; i-- > 0; edge = all.reached_by[edge.from]) path[i] = edge;
  fputs("  a cycle keeps them: ", stderr);
  for (uint64_t i = 0; i < best; i++)
    fprintf(stderr, "%s.%s -> ", name_of(all.objects[path[i].from]), path[i].field == nullptr ? "?" : path[i].field);
  fprintf(stderr, "%s\n", name_of(all.objects[best_start]));
  free(path);
}

struct Kind {
  const char* name;
  const met_site* site;
  uint64_t count;
};

int compare_sites(const met_site* x, const met_site* y) {
  if (x == y) return 0;
  if (x == nullptr || y == nullptr) return x == nullptr ? -1 : 1;
  int files = strcmp(x->file, y->file);
  if (files != 0) return files;
  return x->line != y->line ? (x->line < y->line ? -1 : 1) : 0;
}

int compare_kinds(const Kind& x, const Kind& y) {
  int names = strcmp(x.name, y.name);
  return names != 0 ? names : compare_sites(x.site, y.site);
}

int by_kind(const void* a, const void* b) { return compare_kinds(*static_cast<const Kind*>(a), *static_cast<const Kind*>(b)); }

int by_count(const void* a, const void* b) {
  const Kind& x = *static_cast<const Kind*>(a);
  const Kind& y = *static_cast<const Kind*>(b);
  if (x.count != y.count) return x.count < y.count ? 1 : -1;
  return compare_kinds(x, y);
}

void print_counts(Survivors& all) {
  Kind* kinds = static_cast<Kind*>(malloc(all.count * sizeof(Kind)));
  if (kinds == nullptr) return;
  for (uint64_t i = 0; i < all.count; i++) kinds[i] = {name_of(all.objects[i]), tracked_of(all.objects[i])->site, 1};
  qsort(kinds, all.count, sizeof(Kind), by_kind);
  uint64_t kind_count = 0;
  for (uint64_t i = 0; i < all.count; i++) {
    if (kind_count > 0 && compare_kinds(kinds[kind_count - 1], kinds[i]) == 0)
      kinds[kind_count - 1].count++;
    else
      kinds[kind_count++] = kinds[i];
  }
  qsort(kinds, kind_count, sizeof(Kind), by_count);
  for (uint64_t i = 0; i < kind_count; i++) {
    fprintf(stderr, "  %llu %s", static_cast<unsigned long long>(kinds[i].count), kinds[i].name);
    if (kinds[i].site != nullptr) fprintf(stderr, ", made at %s:%u", kinds[i].site->file, kinds[i].site->line);
    fputc('\n', stderr);
  }
  free(kinds);
}

void report_objects() {
  Survivors all = {};
  for (Tracked* tracked = first_tracked; tracked != nullptr; tracked = tracked->next) all.count++;
  all.objects = static_cast<met_object**>(malloc(all.count * sizeof(met_object*)));
  all.reached_by = static_cast<Edge*>(malloc(all.count * sizeof(Edge)));
  all.search_of = static_cast<uint32_t*>(calloc(all.count, sizeof(uint32_t)));
  all.queue = static_cast<uint64_t*>(malloc(all.count * sizeof(uint64_t)));
  if (all.objects != nullptr && all.reached_by != nullptr && all.search_of != nullptr && all.queue != nullptr) {
    uint64_t number = 0;
    for (Tracked* tracked = first_tracked; tracked != nullptr; tracked = tracked->next) {
      tracked->number = number;
      all.objects[number++] = object_of(tracked);
    }
    fprintf(stderr, "leak: %llu %s still alive\n", static_cast<unsigned long long>(all.count),
            all.count == 1 ? "object" : "objects");
    print_counts(all);
    print_shortest_cycle(all);
  }
  free(all.objects);
  free(all.reached_by);
  free(all.search_of);
  free(all.queue);
}

}  // namespace

met_object* track_object(void* block) {
  Tracked* tracked = static_cast<Tracked*>(block);
  tracked->previous = nullptr;
  tracked->site = met_allocation_site;
  list_lock.lock();
  tracked->next = first_tracked;
  if (first_tracked != nullptr) first_tracked->previous = tracked;
  first_tracked = tracked;
  tracked_count++;
  list_lock.unlock();
  return object_of(tracked);
}

void* untrack_object(met_object* object) {
  Tracked* tracked = tracked_of(object);
  list_lock.lock();
  if (tracked->next != nullptr) tracked->next->previous = tracked->previous;
  if (tracked->previous != nullptr)
    tracked->previous->next = tracked->next;
  else
    first_tracked = tracked->next;
  tracked_count--;
  list_lock.unlock();
  return tracked;
}

void count_raw_bytes(int64_t change) { __atomic_fetch_add(&raw_bytes, change, __ATOMIC_RELAXED); }

}  // namespace meteor::memory

using namespace meteor::memory;

extern "C" {

bool met_leak_tracking;

__thread const met_site* met_allocation_site;

int64_t met_live_objects(void) { return tracked_count; }

int64_t met_live_raw_bytes(void) { return __atomic_load_n(&raw_bytes, __ATOMIC_RELAXED); }

void met_leak_reset(void) {
  first_tracked = nullptr;
  tracked_count = 0;
  raw_bytes = 0;
}

bool met_leak_report(void) {
  int64_t bytes = met_live_raw_bytes();
  if (first_tracked == nullptr && bytes == 0) return false;
  if (first_tracked != nullptr) report_objects();
  if (bytes != 0) fprintf(stderr, "leak: %lld bytes of buffers still allocated\n", static_cast<long long>(bytes));
  fflush(stderr);
  return true;
}

}  // extern "C"
