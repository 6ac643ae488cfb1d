// The bytes inside a met_str, and how to make one: inline, because nearly every function of text/ begins and ends with
// these.
#ifndef METEOR_RUNTIME_TEXT_VIEW_H
#define METEOR_RUNTIME_TEXT_VIEW_H

#include <string.h>

#include "runtime/memory/memory.h"
#include "runtime/os/os.h"
#include "runtime/text/text.h"

namespace meteor::text {

constexpr uint64_t HIGH_BITS = 0x8080808080808080ull;
constexpr uint64_t LOW_BITS = 0x0101010101010101ull;
constexpr met_str EMPTY = {0, MET_STR_SMALL};

inline bool is_small(const met_str& s) { return (s.word1 & MET_STR_SMALL) != 0; }
inline met_str_object* object_of(const met_str& s) { return reinterpret_cast<met_str_object*>(s.word0); }

inline int64_t size_of(const met_str& s) {
  return is_small(s) ? int64_t(s.word1 >> 56 & 0x7f) : int64_t(s.word1 & MET_STR_SIZE_MASK);
}

// Borrows from `s` itself when it is small.
inline const uint8_t* data_of(const met_str& s) {
  if (is_small(s)) return reinterpret_cast<const uint8_t*>(&s);
  if (s.word0 == 0) [[unlikely]]
    return reinterpret_cast<const uint8_t*>("");  // the all-zero value of a field not set yet
  return reinterpret_cast<const uint8_t*>(object_of(s)->text);
}

// For bytes, false may also mean that nobody looked.
inline bool is_ascii(const met_str& s) {
  if (is_small(s)) return ((s.word0 | (s.word1 & ~(0xffull << 56))) & HIGH_BITS) == 0;
  return (s.word1 & MET_STR_ASCII) != 0 || s.word0 == 0;
}

struct View {
  const uint8_t* data;
  int64_t size;
  const uint8_t* end() const { return data + size; }
};

inline View view(const met_str& s) { return {data_of(s), size_of(s)}; }
View view(met_str&&) = delete;  // a small text would be gone

inline uint64_t load_word(const uint8_t* from) {
  uint64_t word;
  memcpy(&word, from, 8);
  return word;
}

inline bool all_ascii(const uint8_t* data, int64_t size) {
  uint64_t seen = 0;
  int64_t i = 0;
  for (; i + 32 <= size; i += 32) {
    seen |= load_word(data + i) | load_word(data + i + 8) | load_word(data + i + 16) | load_word(data + i + 24);
    if (seen & HIGH_BITS) return false;
  }
  for (; i + 8 <= size; i += 8) seen |= load_word(data + i);
  for (; i < size; i++) seen |= data[i];
  return (seen & HIGH_BITS) == 0;
}

inline bool is_continuation(uint8_t byte) { return (byte & 0xc0) == 0x80; }

// How many bytes of the word begin a scalar.
inline int64_t scalar_starts(uint64_t word) {
  uint64_t continuation = (word >> 7) & (~word >> 6) & LOW_BITS;
  return 8 - int64_t(continuation * LOW_BITS >> 56);
}

int64_t count_scalars(const uint8_t* data, int64_t size);
int64_t skip_scalars(const uint8_t* data, int64_t size,
                     int64_t scalars);  // the byte where that scalar begins; size past the last

int64_t byte_of(const met_str& s, int64_t index);         // where that scalar begins

inline int64_t scalar_bytes(uint8_t first) { return first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4; }

// The scalar at `at`, which moves past it. Requires valid UTF-8.
inline uint32_t next_scalar(const uint8_t*& at) {
  uint32_t first = *at++;
  if (first < 0x80) return first;
  uint32_t second = *at++ & 0x3f;
  if (first < 0xe0) return (first & 0x1f) << 6 | second;
  uint32_t third = *at++ & 0x3f;
  if (first < 0xf0) return (first & 0x0f) << 12 | second << 6 | third;
  return (first & 0x07) << 18 | second << 12 | third << 6 | (*at++ & 0x3f);
}

// The scalar before `at`, which moves to its beginning.
inline uint32_t previous_scalar(const uint8_t*& at) {
  do at--;
  while (is_continuation(*at));
  const uint8_t* from = at;
  return next_scalar(from);
}

inline int64_t write_scalar(uint8_t* to, uint32_t scalar) {
  if (scalar < 0x80) {
    to[0] = uint8_t(scalar);
    return 1;
  }
  if (scalar < 0x800) {
    to[0] = uint8_t(0xc0 | scalar >> 6);
    to[1] = uint8_t(0x80 | (scalar & 0x3f));
    return 2;
  }
  if (scalar < 0x10000) {
    to[0] = uint8_t(0xe0 | scalar >> 12);
    to[1] = uint8_t(0x80 | (scalar >> 6 & 0x3f));
    to[2] = uint8_t(0x80 | (scalar & 0x3f));
    return 3;
  }
  to[0] = uint8_t(0xf0 | scalar >> 18);
  to[1] = uint8_t(0x80 | (scalar >> 12 & 0x3f));
  to[2] = uint8_t(0x80 | (scalar >> 6 & 0x3f));
  to[3] = uint8_t(0x80 | (scalar & 0x3f));
  return 4;
}

// ---- making ----

inline met_str make_small(const uint8_t* data, int64_t size) {
  met_str s = EMPTY;
  if (size > 0) memcpy(&s, data, size_t(size));   // nothing may come from nowhere
  s.word1 |= uint64_t(size) << 56;
  return s;
}

inline met_str make_ascii_char(uint8_t byte) { return {byte, MET_STR_SMALL | 1ull << 56}; }

inline int64_t object_bytes(int64_t size) { return int64_t(sizeof(met_str_object)) + size + 1; }

// Whether there is memory for a text of that size; asked only where it is large. Else NO_ROOM is made, and std raises.
constexpr int64_t LARGE_TEXT = int64_t(64) << 20;
constexpr met_str NO_ROOM = {0, MET_STR_NULL_WORD1};
inline bool has_room_for(int64_t size) {
  return size <= LARGE_TEXT || (uint64_t(size) < MET_STR_SIZE_MASK && met_has_room(size));
}

inline met_str_object* new_text_object(int64_t size) {
  if (uint64_t(size) >= MET_STR_SIZE_MASK) met_out_of_memory(size);
  met_str_object* object = reinterpret_cast<met_str_object*>(met_object_new_sized(&met_str_type, object_bytes(size)));
  object->size = uint64_t(size);
  object->scalars = 0;
  object->crumb = 0;
  object->text[size] = 0;
  return object;
}

// A text of a size known beforehand, whose bytes are written by the caller through `data`; `finish` gives the text.
class Writer {
 public:
  explicit Writer(int64_t size) : size_(size) {
    if (size > MET_STR_SMALL_MAX) {
      object_ = new_text_object(size);
      data = reinterpret_cast<uint8_t*>(object_->text);
    } else {
      data = reinterpret_cast<uint8_t*>(&small_);
    }
  }
  Writer(const Writer&) = delete;
  met_str finish(bool ascii) {
    if (object_ != nullptr) return {reinterpret_cast<uint64_t>(object_), uint64_t(size_) | (ascii ? MET_STR_ASCII : 0)};
    small_.word1 |= uint64_t(size_) << 56;
    return small_;
  }
  met_str finish() { return finish(object_ != nullptr && all_ascii(data, size_)); }

  uint8_t* data;

 private:
  met_str small_ = EMPTY;
  met_str_object* object_ = nullptr;
  int64_t size_;
};

inline met_str make_known(const uint8_t* data, int64_t size, bool ascii) {
  if (size <= MET_STR_SMALL_MAX) return make_small(data, size);
  Writer writer(size);
  memcpy(writer.data, data, size_t(size));
  return writer.finish(ascii);
}

inline met_str make(const uint8_t* data, int64_t size) {
  if (size <= MET_STR_SMALL_MAX) return make_small(data, size);
  Writer writer(size);
  memcpy(writer.data, data, size_t(size));
  return writer.finish();
}

// The part [from, to) of s, by bytes.
inline met_str make_part(const met_str& s, int64_t from, int64_t to) {
  View v = view(s);
  if (from == 0 && to == v.size) {
    met_str_retain(s);
    return s;
  }
  return is_ascii(s) ? make_known(v.data + from, to - from, true) : make(v.data + from, to - from);
}

inline met_str make_c(const char* text) { return make(reinterpret_cast<const uint8_t*>(text), int64_t(strlen(text))); }

inline met_str kept(const met_str& s) {
  met_str_retain(s);
  return s;
}

inline void store(met_str* to, met_str value) {
  met_str old = *to;
  *to = value;
  met_str_release(old);
}

// The first occurrence at or after `from`; -1. An empty needle is found at once.
int64_t find_bytes(View text, View needle, int64_t from);
int64_t rfind_bytes(View text, View needle);  // the last occurrence
int64_t count_bytes(View text, View needle);  // not overlapping; the needle is not empty

// Well-formed UTF-8 (no overlong forms, no surrogates): -1, else where the first bad sequence begins.
int64_t find_bad_utf8(const uint8_t* data, int64_t size);

bool is_space(uint32_t scalar);

}  // namespace meteor::text

#endif
