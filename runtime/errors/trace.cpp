// Traces of errors: addresses of met_site constants, in the object itself at first, then in memory beside it.
#include <string.h>

#include "runtime/errors/errors.h"
#include "runtime/memory/memory.h"
#include "runtime/text/view.h"

namespace {

constexpr uint64_t KEPT_FIRST = 64, KEPT_LAST = 64, KEPT = KEPT_FIRST + KEPT_LAST;
constexpr uint64_t INLINE_SITES = 7;

struct Trace {
  met_object header;
  uint64_t total;          // appended so far
  uint64_t capacity;       // of `sites`
  const met_site** sites;  // `own`, or raw memory
  const met_site* own[INLINE_SITES];
};

void drop_trace(met_object* object) {
  Trace* trace = reinterpret_cast<Trace*>(object);
  if (trace->sites != trace->own) met_raw_free(trace->sites, int64_t(trace->capacity * sizeof(met_site*)));
}

__attribute__((noinline)) void grow(Trace* trace) {
  uint64_t capacity = trace->capacity < KEPT / 4 ? KEPT / 4 : KEPT;
  const met_site** sites = static_cast<const met_site**>(met_raw_alloc(int64_t(capacity * sizeof(met_site*))));
  memcpy(sites, trace->sites, trace->capacity * sizeof(met_site*));
  drop_trace(&trace->header);
  trace->sites = sites;
  trace->capacity = capacity;
}

// Where the n-th place appended is: the last ones take turns in the second half.
uint64_t slot_of(uint64_t n) { return n < KEPT ? n : KEPT_FIRST + (n - KEPT_FIRST) % KEPT_LAST; }

const met_site* site_at(const met_object* object, int64_t i) {
  const Trace* trace = reinterpret_cast<const Trace*>(object);
  uint64_t n = uint64_t(i);
  if (trace->total > KEPT && n >= KEPT_FIRST) n += trace->total - KEPT;
  return trace->sites[slot_of(n)];
}

// Where a task or an isolate was spawned: the address has its lowest bit set. Before that of an isolate stands a mark, no address: the
// number of the isolate that the error left, that of the one that had started it, and the second bit.
constexpr uintptr_t SPAWN = 1, CROSSING = 2, NUMBER_BITS = 31;
constexpr met_site NOWHERE = {"", "", 0, 0};

uintptr_t bits_of(const met_site* site) { return reinterpret_cast<uintptr_t>(site); }
bool is_crossing(const met_site* site) { return bits_of(site) & CROSSING; }
bool is_spawn(const met_site* site) { return (bits_of(site) & (SPAWN | CROSSING)) == SPAWN; }
const met_site* plain(const met_site* site) { return is_crossing(site) ? &NOWHERE : reinterpret_cast<const met_site*>(bits_of(site) & ~SPAWN); }

}  // namespace

extern "C" {

const met_type met_trace_type = {"_Trace", sizeof(Trace), drop_trace, nullptr,       nullptr,
                                 nullptr,  nullptr,       0,          MET_KIND_TRACE};

// The first one, or one for which there is no room.
__attribute__((noinline)) static void trace_slowly(met_error* error, const met_site* site) {
  Trace* trace = reinterpret_cast<Trace*>(error->trace);
  if (trace == nullptr) {
    trace = reinterpret_cast<Trace*>(met_object_new_sized(&met_trace_type, sizeof(Trace)));
    trace->total = 0;
    trace->capacity = INLINE_SITES;
    trace->sites = trace->own;
    error->trace = &trace->header;
  }
  uint64_t slot = slot_of(trace->total);
  if (slot >= trace->capacity) grow(trace);
  trace->sites[slot] = site;
  trace->total++;
}

void met_error_trace(met_object* object, const met_site* site) {
  met_error* error = reinterpret_cast<met_error*>(object);
  Trace* trace = reinterpret_cast<Trace*>(error->trace);
  if (trace == nullptr || trace->total >= trace->capacity) return trace_slowly(error, site);
  trace->sites[trace->total++] = site;
}

bool met_error_renew(met_object* object, met_str message) {
  met_error* error = reinterpret_cast<met_error*>(object);
  Trace* trace = reinterpret_cast<Trace*>(error->trace);
  auto is_held = [](const met_object& header) { return header.strong != 1 || (header.weak & MET_WEAK_COUNT_MASK) != 0; };
  if (is_held(*object) || error->cause != nullptr || error->suppressed != nullptr || (trace != nullptr && is_held(trace->header))) return false;
  if (memcmp(&error->message, &message, sizeof message) != 0) return false;
  if (trace != nullptr) trace->total = 0;
  return true;
}

int64_t met_trace_count(const met_object* trace) {
  if (trace == nullptr) return 0;
  uint64_t total = reinterpret_cast<const Trace*>(trace)->total;
  return int64_t(total < KEPT ? total : KEPT);
}

int64_t met_trace_left_out(const met_object* trace) {
  if (trace == nullptr) return 0;
  uint64_t total = reinterpret_cast<const Trace*>(trace)->total;
  return total > KEPT ? int64_t(total - KEPT) : 0;
}

int64_t met_trace_left_out_at(const met_object*) { return int64_t(KEPT_FIRST); }

met_str met_trace_function(const met_object* trace, int64_t i) { return met_str_from_c(plain(site_at(trace, i))->function); }
met_str met_trace_file(const met_object* trace, int64_t i) { return met_str_from_c(plain(site_at(trace, i))->file); }
const char* met_trace_path(const met_object* trace, int64_t i) { return plain(site_at(trace, i))->file; }
int64_t met_trace_line(const met_object* trace, int64_t i) { return plain(site_at(trace, i))->line; }
int64_t met_trace_column(const met_object* trace, int64_t i) { return plain(site_at(trace, i))->column; }
int64_t met_trace_isolate(const met_object* trace, int64_t i) {   // that the error left there; 0: it is a place
  const met_site* site = site_at(trace, i);
  return is_crossing(site) ? int64_t(bits_of(site) >> (2 + NUMBER_BITS)) : 0;
}
int64_t met_trace_starter(const met_object* trace, int64_t i) { return int64_t(bits_of(site_at(trace, i)) >> 2 & ((uintptr_t(1) << NUMBER_BITS) - 1)); }

// The error leaves the isolate with the first number, which the other one has started at this place.
// `to` goes in the place of `from`, with its trace.
void met_error_take_trace(met_object* to, met_object* from) {
  met_object*& own = reinterpret_cast<met_error*>(to)->trace;
  met_object*& other = reinterpret_cast<met_error*>(from)->trace;
  met_object* taken = other;
  other = own;
  own = taken;
}

void met_error_crosses(met_object* error, int64_t isolate, int64_t starter, void* place) {
  auto* site = static_cast<const met_site*>(place);
  uintptr_t most = (uintptr_t(1) << NUMBER_BITS) - 1;
  met_error_trace(error, reinterpret_cast<const met_site*>((uintptr_t(isolate) & most) << (2 + NUMBER_BITS) | (uintptr_t(starter) & most) << 2 | CROSSING));
  met_error_trace(error, reinterpret_cast<const met_site*>(bits_of(site) | SPAWN));
}

bool met_trace_is_spawn(const met_object* trace, int64_t i) { return is_spawn(site_at(trace, i)); }

}  // extern "C"
