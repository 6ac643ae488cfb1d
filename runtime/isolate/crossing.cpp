// The check before a graph of objects leaves its isolate: nothing outside may refer to anything in it. Every object's count
// must come out as the number of references found inside. An object with one reference and no weak ones can only be reached
// by the one that led to it, so most need no bookkeeping.
// Invariant: nothing is changed until the whole graph has passed.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/abi/abi.h"
#include "runtime/channel/shared.h"
#include "runtime/isolate/crossing.h"
#include "runtime/isolate/work.h"
#include "runtime/memory/components.h"
#include "runtime/memory/memory.h"
#include "runtime/os/threads.h"
#include "runtime/text/view.h"

namespace meteor::isolates {
namespace {

struct Step {              // how the walk came to an object
  met_object* object;
  const char* field;
  uint64_t from;           // index of the step before, or NONE
};
constexpr uint64_t NONE = ~uint64_t(0);

struct Tally {
  met_object* object;
  uint32_t strong, weak;   // references found
  bool is_holder;          // it may have others
};

template <typename T> struct Array {
  T* items = nullptr;
  uint64_t size = 0, room = 0;
  void add(T item) {
    if (size == room) {
      room = room == 0 ? 64 : room * 2;
      items = static_cast<T*>(realloc(items, room * sizeof(T)));
      if (items == nullptr) met_out_of_memory(int64_t(room * sizeof(T)));
    }
    items[size++] = item;
  }
};

enum class Fault : uint8_t { None, Shared, WeaklyShared, WeakLeaves, Pinned, Changeable, Written };

struct Walk {
  Array<met_object*> open;     // still to be looked into
  Array<met_object*> holders;  // shareable and not shared so far: what they hold goes with them
  Array<met_object*> marked;   // to be shared in the end
  Tally* tallies = nullptr;    // a hash table by address
  uint64_t tally_count = 0, tally_room = 0;
  met_object* culprit = nullptr;
  Fault fault = Fault::None;
  Purpose purpose = Purpose::Move;
  const met_site* proven_at = nullptr;   // the compiler has proven that this goes well
  Array<Step> roots;           // the first references, from the one who moves
  // While a path to the culprit is looked for:
  Array<Step> steps;
  uint64_t current = NONE;
};

uint64_t slot_of(const Walk& walk, const met_object* object) {
  uint64_t hash = (reinterpret_cast<uint64_t>(object) >> 4) * 0x9e3779b97f4a7c15ull;
  uint64_t at = hash >> 32 & (walk.tally_room - 1);
  while (walk.tallies[at].object != nullptr && walk.tallies[at].object != object) at = (at + 1) & (walk.tally_room - 1);
  return at;
}

void grow(Walk& walk) {
  Tally* old = walk.tallies;
  uint64_t old_room = walk.tally_room;
  walk.tally_room = old_room == 0 ? 64 : old_room * 2;
  walk.tallies = static_cast<Tally*>(calloc(walk.tally_room, sizeof(Tally)));
  if (walk.tallies == nullptr) met_out_of_memory(int64_t(walk.tally_room * sizeof(Tally)));
  for (uint64_t i = 0; i < old_room; i++)
    if (old[i].object != nullptr) walk.tallies[slot_of(walk, old[i].object)] = old[i];
  free(old);
}

Tally& tally_of(Walk& walk, met_object* object) {
  if (walk.tally_count * 2 >= walk.tally_room) grow(walk);
  Tally& tally = walk.tallies[slot_of(walk, object)];
  if (tally.object == nullptr) {
    tally.object = object;
    walk.tally_count++;
  }
  return tally;
}

void fail(Walk& walk, met_object* object, Fault fault) {
  if (walk.fault != Fault::None) return;
  walk.culprit = object;
  walk.fault = fault;
}

bool is_immutable(const met_object* object) {
  uint32_t kind = object->type->kind & MET_KIND_MASK;
  return kind == MET_KIND_STR || kind == MET_KIND_BYTES || is_shared(object);
}

// A weak reference to it reads as null, wherever it goes; its count is atomic where there are several isolates.
bool is_gone(const met_object* object) {
  return (__atomic_load_n(&object->weak, __ATOMIC_ACQUIRE) & MET_FLAG_DEAD) != 0;
}

void add_child(void* context, met_object* child, const char*) {
  if (reinterpret_cast<uint64_t>(child) >= MET_ENUM_UNIT_LIMIT) static_cast<Walk*>(context)->open.add(child);
}

void look_into(Walk& walk, met_object* object) {
  if (object->type->visit != nullptr) object->type->visit(object, &walk, add_child);
}

// Whether a closure with this among its captures may be called by several isolates, whatever it does.
bool may_be_captured_by_writer(met_object* child) {
  if (reinterpret_cast<uint64_t>(child) < MET_ENUM_UNIT_LIMIT) return true;
  if (reinterpret_cast<uint64_t>(child) & MET_VISIT_WEAK) return false;
  uint32_t traits = child->type->kind;
  return is_immutable(child) || (traits & MET_TYPE_SHAREABLE) || (traits & MET_KIND_MASK) == MET_KIND_CLOSURE;   // that one is looked at by itself
}

bool may_write_captures(const met_object* object) {
  uint32_t traits = object->type->kind;
  return (traits & MET_KIND_MASK) == MET_KIND_CLOSURE && !(traits & MET_TYPE_READS);
}

void add_capture(void* context, met_object* child, const char* field) {
  met_object* object = reinterpret_cast<met_object*>(reinterpret_cast<uint64_t>(child) & ~MET_VISIT_WEAK);
  if (!may_be_captured_by_writer(child)) fail(*static_cast<Walk*>(context), object, Fault::Written);
  add_child(context, child, field);
}

// What is not simply one more object that moves.
__attribute__((noinline)) void look_closely(Walk& walk, met_object* child) {
  if (reinterpret_cast<uint64_t>(child) & MET_VISIT_WEAK) {
    met_object* object = reinterpret_cast<met_object*>(reinterpret_cast<uint64_t>(child) & ~MET_VISIT_WEAK);
    if (!is_immutable(object) && !is_gone(object)) tally_of(walk, object).weak++;
    return;
  }
  if (is_immutable(child)) return;
  uint32_t traits = child->type->kind;
  if (traits & MET_TYPE_PINNED) return fail(walk, child, Fault::Pinned);
  if (traits & MET_TYPE_SHAREABLE) {
    Tally& tally = tally_of(walk, child);
    if (tally.is_holder) return;
    tally.is_holder = true;
    walk.marked.add(child);
    if (child->type->visit != nullptr) walk.holders.add(child);
    return;
  }
  if (walk.purpose == Purpose::Share) {
    if ((traits & MET_KIND_MASK) != MET_KIND_CLOSURE) return fail(walk, child, Fault::Changeable);
    walk.marked.add(child);
    return look_into(walk, child);
  }
  if (strong_count(child) != 1 || weak_count(child) != 0) {
    Tally& tally = tally_of(walk, child);
    if (tally.strong++ != 0) return;
  }
  if (walk.purpose == Purpose::Freeze) {
    walk.marked.add(child);
    if (may_write_captures(child)) {
      if (child->type->visit != nullptr) child->type->visit(child, &walk, add_capture);
      return;
    }
  }
  look_into(walk, child);
}

void look_at(Walk& walk, met_object* child) {
  if (!(reinterpret_cast<uint64_t>(child) & MET_VISIT_WEAK)) {
    uint32_t traits = child->type->kind, kind = traits & MET_KIND_MASK;
    bool is_plain = !(traits & (MET_TYPE_PINNED | MET_TYPE_SHAREABLE)) && kind != MET_KIND_STR && kind != MET_KIND_BYTES;
    if (is_plain && walk.purpose == Purpose::Move && strong_count(child) == 1 && weak_count(child) == 0) return look_into(walk, child);
  }
  look_closely(walk, child);
}

// Where the objects lie is asked for some steps before they are looked at: else each one would be waited for.
class Ahead {
 public:
  bool is_empty() const { return first_ == end_; }
  bool has_room() const { return end_ - first_ < ROOM; }
  void add(met_object* object) {
    __builtin_prefetch(object);   // an odd address, of a weak reference, is in the same line
    objects_[end_++ % ROOM] = object;
  }
  met_object* take() { return objects_[first_++ % ROOM]; }

 private:
  static constexpr uint32_t ROOM = 8;
  met_object* objects_[ROOM];
  uint32_t first_ = 0, end_ = 0;
};

void run(Walk& walk) {
  Ahead ahead;
  while (walk.fault == Fault::None) {
    while (walk.open.size > 0 && ahead.has_room()) ahead.add(walk.open.items[--walk.open.size]);
    if (!ahead.is_empty()) {
      look_at(walk, ahead.take());
      continue;
    }
    if (walk.holders.size == 0) break;
    walk.purpose = Purpose::Move;   // all else has been looked at
    look_into(walk, walk.holders.items[--walk.holders.size]);
  }
  for (uint64_t i = 0; i < walk.tally_room && walk.fault == Fault::None; i++) {
    const Tally& tally = walk.tallies[i];
    if (tally.object == nullptr || tally.is_holder) continue;
    if (tally.strong == 0) fail(walk, tally.object, Fault::WeakLeaves);
    else if (tally.strong != tally.object->strong) fail(walk, tally.object, Fault::Shared);
    else if (tally.weak != weak_count(tally.object)) fail(walk, tally.object, Fault::WeaklyShared);
  }
}

void share_marked(Walk& walk) {
  for (uint64_t i = 0; i < walk.marked.size; i++) share(walk.marked.items[i]);
}

void share_consts();

// Before a second isolate starts, consts are counted as everything else is, so one that goes looks as if it were held
// here. They are marked only when a walk has failed: most programs with one isolate need no atomic counts.
void run_with_consts(Walk& walk) {
  Purpose purpose = walk.purpose;
  run(walk);
  if (walk.fault == Fault::None || met_multi_isolate || met_hook_share_consts == nullptr) return;
  share_consts();
  walk.open.size = walk.holders.size = walk.marked.size = walk.tally_count = 0;
  if (walk.tallies != nullptr) memset(walk.tallies, 0, walk.tally_room * sizeof(Tally));
  walk.culprit = nullptr;
  walk.fault = Fault::None;
  walk.purpose = purpose;
  for (uint64_t i = 0; i < walk.roots.size; i++) walk.open.add(walk.roots.items[i].object);
  run(walk);
}

// ---- What is wrong, in words ----

void trace_step(void* context, met_object* child, const char* field) {
  Walk& walk = *static_cast<Walk*>(context);
  uint64_t word = reinterpret_cast<uint64_t>(child);
  if (word < MET_ENUM_UNIT_LIMIT) return;
  met_object* object = reinterpret_cast<met_object*>(word & ~MET_VISIT_WEAK);
  if (is_immutable(object) && object != walk.culprit) return;
  for (uint64_t i = 0; i < walk.steps.size; i++)
    if (walk.steps.items[i].object == object) return;
  walk.steps.add({object, field, walk.current});
}

// Breadth first from the roots: the shortest way to the culprit. Big graphs are searched only so far.
uint64_t find_culprit(Walk& walk) {
  constexpr uint64_t STEPS_MAX = 4000;
  walk.steps.size = 0;
  for (uint64_t i = 0; i < walk.roots.size; i++) trace_step(&walk, walk.roots.items[i].object, walk.roots.items[i].field);
  for (uint64_t i = 0; i < walk.steps.size && walk.steps.size < STEPS_MAX; i++) {
    met_object* object = walk.steps.items[i].object;
    if (object == walk.culprit) return i;
    walk.current = i;
    if (object->type->visit != nullptr && !(object->type->kind & MET_TYPE_PINNED)) object->type->visit(object, &walk, trace_step);
  }
  for (uint64_t i = 0; i < walk.steps.size; i++)
    if (walk.steps.items[i].object == walk.culprit) return i;
  return NONE;
}

void write_path(Walk& walk, uint64_t step, char* to, size_t room) {
  constexpr int FIELDS_MAX = 24;
  const char* fields[FIELDS_MAX];
  int count = 0;
  for (uint64_t at = step; at != NONE && count < FIELDS_MAX; at = walk.steps.items[at].from) fields[count++] = walk.steps.items[at].field;
  size_t used = 0;
  to[0] = 0;
  for (int i = count; i-- > 0;) {
    const char* field = fields[i];
    if (field == nullptr || *field == 0) continue;
    bool is_element = field[0] == '_' && i != count - 1;   // the library's own field: what a collection holds
    int wrote = is_element ? snprintf(to + used, room - used, "[]") : snprintf(to + used, room - used, "%s%s", used > 0 ? "." : "", field);
    if (wrote < 0 || size_t(wrote) >= room - used) break;
    used += size_t(wrote);
  }
}

// How many references to the culprit come from outside: those inside have all been counted.
void write_outside(Walk& walk, char* to, size_t room) {
  uint32_t outside = walk.culprit->strong - tally_of(walk, walk.culprit).strong;
  snprintf(to, room, "is also referred to from elsewhere in this isolate (%u reference%s)", outside, outside == 1 ? "" : "s");
}

met_str describe(Walk& walk) {
  uint64_t step = find_culprit(walk);
  char path[512] = "", line[1024], outside[128] = "";
  if (step != NONE) write_path(walk, step, path, sizeof path);
  const char* reason = "";
  switch (walk.fault) {
    case Fault::Shared:
      write_outside(walk, outside, sizeof outside);
      reason = outside;
      break;
    case Fault::WeaklyShared: reason = "has a weak reference from elsewhere in this isolate"; break;
    case Fault::WeakLeaves: reason = "stays here, and what moves has a weak reference to it"; break;
    case Fault::Pinned: reason = "belongs to this isolate and can't leave it"; break;
    case Fault::Changeable: reason = "is captured by the function and can change, so several isolates can't use it"; break;
    case Fault::Written: reason = "is captured by a function that may change it or give it away"; break;
    case Fault::None: break;
  }
  const char* type = walk.culprit->type->name;
  const char* verb = walk.purpose == Purpose::Freeze ? "can't freeze" : "can't move";
  const char* article = strchr("AEIOaeio", *type) != nullptr ? "an" : "a";
  int size = *path != 0 ? snprintf(line, sizeof line, "%s: `%s` (%s) %s", verb, path, type, reason)
                        : snprintf(line, sizeof line, "%s: %s %s in it %s", verb, article, type, reason);
  return text::make(reinterpret_cast<const uint8_t*>(line), size < int(sizeof line) ? size : int(sizeof line) - 1);
}

// ---- Consts ----

constexpr size_t CONST_PROBLEM_MAX = 1400;
char const_problem[CONST_PROBLEM_MAX];  // why no other isolate may see them; empty: they may
Array<met_object*> held_by_consts;      // found in them, and not to be marked unseen: what is shareable, and functions

void note_const_problem(const char* text, size_t size) {
  if (const_problem[0] != 0) return;
  snprintf(const_problem, sizeof const_problem, "%.*s", int(size), text);
}

void note_const_fault(Walk& walk) {
  char line[CONST_PROBLEM_MAX];
  if (walk.fault == Fault::Written) {
    snprintf(
        line, sizeof line,
        "a const holds a function that captured a %s and may change it or give it away, so other isolates can't see it",
        walk.culprit->type->name);
  } else {
    met_str problem = describe(walk);
    snprintf(line, sizeof line, "other isolates can't see a const: %.*s", int(text::size_of(problem)),
             reinterpret_cast<const char*>(text::data_of(problem)));
    met_str_release(problem);
  }
  note_const_problem(line, strlen(line));
}

void free_walk(Walk& walk) {
  free(walk.open.items);
  free(walk.holders.items);
  free(walk.marked.items);
  free(walk.tallies);
  free(walk.steps.items);
  free(walk.roots.items);
}

void settle_const(Walk& walk) {
  if (walk.fault == Fault::None) {
    share_marked(walk);
    if (walk.tally_count > 0) memory::form_components(walk.marked.items, walk.marked.size);
  } else {
    note_const_fault(walk);
    if (met_multi_isolate) met_panic(const_problem);  // an initialiser has started one
  }
  free_walk(walk);
}

// What is in a channel is not frozen with it: it moves to whoever receives it.
void share_held_by_consts() {
  if (held_by_consts.size == 0) return;
  Walk walk{};
  walk.purpose = Purpose::Freeze;
  walk.current = NONE;
  for (uint64_t i = 0; i < held_by_consts.size; i++) {
    walk.roots.add({held_by_consts.items[i], "", NONE});
    walk.open.add(held_by_consts.items[i]);
  }
  held_by_consts.size = 0;
  run(walk);
  settle_const(walk);
}

void share_consts() {
  met_hook_share_consts();
  share_held_by_consts();
}

// A proof that does not hold: what would follow is a data race.
void refuted(const met_site* at, const met_str& problem) {
  char line[1400];
  snprintf(line, sizeof line, "internal error of the compiler: the crossing at %s:%u:%u was proven, and fails its check: %.*s", at->file, at->line, at->column,
           int(text::size_of(problem)), reinterpret_cast<const char*>(text::data_of(problem)));
  met_panic(line);
}

}  // namespace
}  // namespace meteor::isolates

using namespace meteor::isolates;

extern "C" {

static void note_pinned(const met_object* object) {
  char line[512];
  int size =
      snprintf(line, sizeof line, "a const holds a %s, which belongs to this isolate, so other isolates can't see it",
               object->type->name);
  note_const_problem(line, size_t(size));
}

// Consts: whatever they reach is shared from now on, but for channels and functions, which are looked at first
// (share_held_by_consts).
void met_share_visit(void* context, met_object* child, const char* field) {
  (void)field;
  uint64_t word = reinterpret_cast<uint64_t>(child);
  if (word < MET_ENUM_UNIT_LIMIT || (word & MET_VISIT_WEAK) || is_immutable(child)) return;
  uint32_t traits = child->type->kind;
  if ((traits & MET_TYPE_SHAREABLE) || (traits & MET_KIND_MASK) == MET_KIND_CLOSURE) return held_by_consts.add(child);
  if (traits & MET_TYPE_PINNED) return note_pinned(child);
  share(child);
  Array<met_object*> own;
  auto* open = context != nullptr ? static_cast<Array<met_object*>*>(context) : &own;
  if (child->type->visit != nullptr) open->add(child);
  if (context != nullptr) return;   // the one who began goes on
  while (open->size > 0) {
    met_object* object = open->items[--open->size];
    object->type->visit(object, open, met_share_visit);
  }
  free(own.items);
}

// Before a second isolate starts. False: *problem says which const can't be seen by it.
bool met_share_consts(met_str* problem) {
  if (!met_multi_isolate) {
    share_consts();
    met_multi_isolate = true;
  }
  if (const_problem[0] == 0) return true;
  *problem = meteor::text::make(reinterpret_cast<const uint8_t*>(const_problem), int64_t(strlen(const_problem)));
  return false;
}

void* met_walk_begin(int64_t purpose, void* proven_at) {
  Walk* walk = static_cast<Walk*>(calloc(1, sizeof(Walk)));
  if (walk == nullptr) met_out_of_memory(int64_t(sizeof(Walk)));
  walk->purpose = Purpose(purpose);
  walk->proven_at = static_cast<const met_site*>(proven_at);
  walk->current = NONE;
  return walk;
}

// A const that may hold a channel or a function, when it has its value: every isolate can see it from now on. Where
// others can't, the first isolate that is started says so. Null: the program starts none.
void* met_const_begin(void) {
  return met_hook_share_consts != nullptr ? met_walk_begin(int64_t(Purpose::Freeze), nullptr) : nullptr;
}

void met_const_end(void* context) {
  Walk& walk = *static_cast<Walk*>(context);
  run_with_consts(walk);
  settle_const(walk);
  free(&walk);
}

void* met_mark_begin(void) { return met_walk_begin(int64_t(Purpose::Mark), nullptr); }

// What is frozen may hold parts of consts, which are frozen already: they are marked by then.
void* met_freeze_begin(void) {
  if (!met_multi_isolate) share_consts();
  return met_walk_begin(int64_t(Purpose::Freeze), nullptr);
}

// The first references, from the one who moves.
void met_walk_visit(void* context, met_object* child, const char* field) {
  Walk& walk = *static_cast<Walk*>(context);
  if (reinterpret_cast<uint64_t>(child) < MET_ENUM_UNIT_LIMIT) return;
  if (walk.purpose == Purpose::Mark) return met_share_visit(nullptr, child, field);
  walk.roots.add({child, field, NONE});
  walk.open.add(child);
}

// All roots have been visited: true when the graph may go; else *problem says why not, and nothing has changed.
bool met_walk_end(void* context, met_str* problem) {
  Walk& walk = *static_cast<Walk*>(context);
  if (walk.purpose == Purpose::Mark) share_held_by_consts();
  run_with_consts(walk);
  bool fine = walk.fault == Fault::None;
  if (fine) {
    share_marked(walk);
    if (walk.purpose == Purpose::Freeze && walk.tally_count > 0) meteor::memory::form_components(walk.marked.items, walk.marked.size);   // a circle has one that is reached twice
  } else {
    *problem = describe(walk);
  }
  if (!fine && walk.proven_at != nullptr) refuted(walk.proven_at, *problem);
  free_walk(walk);
  free(&walk);
  return fine;
}

}  // extern "C"
