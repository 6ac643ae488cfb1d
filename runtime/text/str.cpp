// What emitted code needs of text: counts, equality, order, concatenation.
#include <stddef.h>
#if defined(__linux__)
#include <malloc.h>
#endif

#include "runtime/memory/heap.h"
#include "runtime/os/threads.h"
#include "runtime/text/view.h"

namespace meteor::text {
namespace {

void free_text(met_str_object* object) { met_object_free_sized(&object->header, object_bytes(int64_t(object->size))); }

// The order of two small texts: their bytes as big-endian numbers, then the lengths.
int32_t compare_small(met_str a, met_str b) {
  uint64_t a0 = __builtin_bswap64(a.word0), b0 = __builtin_bswap64(b.word0);
  if (a0 != b0) return a0 < b0 ? -1 : 1;
  uint64_t a1 = __builtin_bswap64(a.word1), b1 = __builtin_bswap64(b.word1);  // the length comes last
  return a1 < b1 ? -1 : a1 > b1;
}

// How many bytes of text the object's block can hold.
int64_t capacity_of(const met_str_object* object) {
  if (met_leak_tracking) return int64_t(object->size);
  uint64_t bytes = uint64_t(object_bytes(int64_t(object->size)));
  uint64_t room = bytes <= memory::SMALL_BLOCK_MAX ? memory::block_class_of(bytes) * memory::BLOCK_STEP
                                                   : malloc_usable_size(const_cast<met_str_object*>(object));
  return int64_t(room - sizeof(met_str_object) - 1);
}

// Whether `s` may be continued to `size` bytes where it is: it reaches to the end of what its object holds, and there
// is room. Other holders see no change, as each knows its own length; only another isolate could be writing there too.
bool can_extend(const met_str& s, int64_t size) {
  if (is_small(s)) return false;
  met_str_object* object = object_of(s);
  if ((object->header.strong & MET_IMMORTAL) || (met_multi_isolate && object->header.strong != 1)) return false;
  return size_of(s) == int64_t(object->size) && size <= capacity_of(object);
}

uint8_t* write_parts(uint8_t* to, const met_str* parts, int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    View part = view(parts[i]);
    memcpy(to, part.data, size_t(part.size));
    to += part.size;
  }
  return to;
}

// Continues the first part with the others, in its own memory.
met_str extend(const met_str* parts, int64_t count, int64_t size, bool ascii) {
  met_str_object* object = object_of(parts[0]);
  uint8_t* tail = reinterpret_cast<uint8_t*>(object->text) + object->size;
  *write_parts(tail, parts + 1, count - 1) = 0;
  if (object->scalars != 0) object->scalars += uint64_t(count_scalars(tail, size - int64_t(object->size)));
  object->size = uint64_t(size);
  met_str_retain(parts[0]);
  return {reinterpret_cast<uint64_t>(object), uint64_t(size) | (ascii ? MET_STR_ASCII : 0)};
}

// A new text; when it looks like one that is built piece by piece, with room for more, so that a loop of += is linear.
constexpr int64_t GROWING_MIN = 1024;

met_str concat_new(const met_str* parts, int64_t count, int64_t size, bool ascii) {
  int64_t first_size = size_of(parts[0]);
  if (first_size < GROWING_MIN || size - first_size > first_size || met_leak_tracking) {
    if (!has_room_for(size)) return NO_ROOM;
    Writer writer(size);
    write_parts(writer.data, parts, count);
    return writer.finish(ascii);
  }
  if (!has_room_for(size + size / 2)) return NO_ROOM;
  met_str_object* object = new_text_object(size + size / 2);
  *write_parts(reinterpret_cast<uint8_t*>(object->text), parts, count) = 0;
  object->size = uint64_t(size);
  return {reinterpret_cast<uint64_t>(object), uint64_t(size) | (ascii ? MET_STR_ASCII : 0)};
}

}  // namespace
}  // namespace meteor::text

using namespace meteor::text;

extern "C" {

const met_type met_str_type = {"str",       sizeof(met_str_object), nullptr, nullptr, nullptr, nullptr, nullptr, 0,
                               MET_KIND_STR};

void met_text_retain(met_str_object* object) {
  if (object->header.strong & MET_IMMORTAL) return;
  if (met_multi_isolate) [[unlikely]]
    __atomic_fetch_add(&object->header.strong, 1, __ATOMIC_RELAXED);
  else
    object->header.strong++;
}

void met_text_release(met_str_object* object) {
  if (object->header.strong & MET_IMMORTAL) return;
  if (met_multi_isolate) [[unlikely]] {
    // Ordering: what other holders read comes before the end; the release here pairs with the acquire of the last
    // holder.
    if (__atomic_sub_fetch(&object->header.strong, 1, __ATOMIC_ACQ_REL) == 0) free_text(object);
    return;
  }
  if (--object->header.strong == 0) free_text(object);
}

void met_str_retain(met_str s) {
  if (!is_small(s) && object_of(s) != nullptr) met_text_retain(object_of(s));
}

void met_str_release(met_str s) {
  if (!is_small(s) && object_of(s) != nullptr) met_text_release(object_of(s));
}

bool met_str_equal(met_str a, met_str b) {
  if (a.word0 == b.word0 && a.word1 == b.word1) return true;
  if (is_small(a) != is_small(b)) return size_of(a) == 0 && size_of(b) == 0;  // one may be all zero bits
  if (is_small(a)) return false;
  View x = view(a), y = view(b);
  return x.size == y.size && memcmp(x.data, y.data, size_t(x.size)) == 0;
}

int32_t met_str_compare(met_str a, met_str b) {
  if (is_small(a) && is_small(b)) return compare_small(a, b);
  View x = view(a), y = view(b);
  int64_t shared = x.size < y.size ? x.size : y.size;
  int order = memcmp(x.data, y.data, size_t(shared));
  if (order != 0) return order < 0 ? -1 : 1;
  return x.size < y.size ? -1 : x.size > y.size;
}

met_str met_str_concat(const met_str* parts, int64_t count) {
  int64_t size = 0, filled = 0, first = 0;
  bool ascii = true;
  for (int64_t i = 0; i < count; i++) {
    int64_t part_size = size_of(parts[i]);
    if (part_size == 0) continue;
    size += part_size;
    ascii = ascii && is_ascii(parts[i]);
    if (filled++ == 0) first = i;
  }
  if (filled == 0) return EMPTY;
  if (filled == 1) return kept(parts[first]);
  parts += first;
  count -= first;
  return can_extend(parts[0], size) ? extend(parts, count, size, ascii) : concat_new(parts, count, size, ascii);
}

met_str met_str_make(const uint8_t* data, int64_t bytes) { return make(data, bytes); }

int64_t met_str_len(met_str s) {
  if (is_ascii(s)) return size_of(s);
  if (is_small(s)) return count_scalars(data_of(s), size_of(s));
  met_str_object* object = object_of(s);
  if (object->size != uint64_t(size_of(s)))
    return count_scalars(data_of(s), size_of(s));  // the object went on without us
  uint64_t scalars = __atomic_load_n(&object->scalars, __ATOMIC_RELAXED);
  if (scalars != 0) return int64_t(scalars);
  scalars = uint64_t(count_scalars(data_of(s), size_of(s)));
  if (!(object->header.strong & MET_IMMORTAL))
    __atomic_store_n(&object->scalars, scalars, __ATOMIC_RELAXED);  // literals may be read-only
  return int64_t(scalars);
}

int64_t met_str_size(met_str s) { return size_of(s); }

bool met_str_is_ascii(met_str s) { return is_ascii(s) || all_ascii(data_of(s), size_of(s)); }

int64_t met_str_byte_at(met_str s, int64_t byte) { return data_of(s)[byte]; }

void met_str_copy_to(met_str s, uint8_t* to) {
  View v = view(s);
  if (v.size != 0) memcpy(to, v.data, size_t(v.size));
}

met_str met_type_name(const met_object* object) {
  return object == nullptr ? make_c("null") : make_c(object->type->name);
}

}  // extern "C"
