// A header of an HTTP/1 message where it was read: its line begins at an offset of four bytes, a spot. The rest is found again when somebody asks.
//
// Invariant: the head has been read by head.cpp without a problem, so each line has a colon and ends in CR LF.
#ifndef METEOR_RUNTIME_HTTP_FIELD_H
#define METEOR_RUNTIME_HTTP_FIELD_H

#include <string.h>
#include <strings.h>

#include "runtime/text/view.h"

namespace meteor::net {

constexpr int64_t SPOT_SIZE = 4;

struct Field {
  text::View name, value;
};

inline int64_t spot_count(const met_str& spots) { return text::size_of(spots) / SPOT_SIZE; }

inline uint32_t spot_at(const uint8_t* spots, int64_t i) {
  uint32_t spot;
  memcpy(&spot, spots + i * SPOT_SIZE, sizeof spot);
  return spot;
}

inline Field field_at(text::View raw, uint32_t spot) {
  const uint8_t* line = raw.data + spot;
  const uint8_t* colon = static_cast<const uint8_t*>(memchr(line, ':', size_t(raw.end() - line)));
  const uint8_t* value = colon + 1;
  const uint8_t* end = static_cast<const uint8_t*>(memchr(value, '\r', size_t(raw.end() - value)));
  while (value < end && (*value == ' ' || *value == '\t')) ++value;
  while (end > value && (end[-1] == ' ' || end[-1] == '\t')) --end;
  return {{line, colon - line}, {value, end - value}};
}

// Whether one of the parts between commas is the word, in letters of either case.
inline bool has_part(text::View list, text::View word) {
  for (const uint8_t* at = list.data; at < list.end();) {
    const uint8_t* comma = static_cast<const uint8_t*>(memchr(at, ',', size_t(list.end() - at)));
    const uint8_t* stop = comma != nullptr ? comma : list.end();
    const uint8_t* last = stop;
    while (at < last && (*at == ' ' || *at == '\t')) ++at;
    while (last > at && (last[-1] == ' ' || last[-1] == '\t')) --last;
    if (last - at == word.size && strncasecmp(reinterpret_cast<const char*>(at), reinterpret_cast<const char*>(word.data), size_t(word.size)) == 0) return true;
    at = stop + 1;
  }
  return false;
}

}  // namespace meteor::net

#endif
