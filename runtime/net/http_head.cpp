// Reads the head of an HTTP/1 message for std/http/head.met: the first line, and where each header stands. What is plain and
// common is understood here; what is odd is flagged, and std/http says what it means.
//
// Invariant: spots are offsets into the bytes the head was read from, four per header: name, its size, value, its size.
#include <string.h>
#include <strings.h>

#include "runtime/text/view.h"

using namespace meteor::text;

namespace {

enum Problem : int64_t {
  FINE, BAD_METHOD, BAD_LINE, BAD_TARGET, OTHER_VERSION, BAD_VERSION, FOLDED, BAD_NAME, BAD_VALUE, NO_HTTP, BAD_STATUS_LINE, BAD_STATUS, BARE_END
};
enum Flag : int64_t {
  CHUNKED = 1, CLOSE = 2, KEEP_ALIVE = 4, UPGRADE = 8, CONTINUE = 16,
  ODD_CODING = 32, ODD_LENGTH = 64, ODD_EXPECT = 128, ESCAPED = 256, ODD_TARGET = 512,
};

// std/http/head.met declares the same fields in the same order.
struct Head {
  met_str method, target, spots;
  int64_t status, version, length, hosts, flags, mark, problem;
};

struct Spot {
  uint32_t name, name_size, value, value_size;
};
constexpr int MOST_ON_STACK = 64;

struct Tables {
  bool token[256], value[256];
  constexpr Tables() : token(), value() {
    for (int c = 0; c < 256; c++) {
      bool is_sign = false;
      for (char sign : "!#$%&'*+-.^_`|~") is_sign |= sign != 0 && c == sign;
      token[c] = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || is_sign;
      value[c] = (c >= 32 && c != 127) || c == '\t';
    }
  }
};
constexpr Tables TABLES;

bool all_tokens(const uint8_t* from, const uint8_t* to) {
  if (from >= to) return false;
  for (; from < to; ++from)
    if (!TABLES.token[*from]) return false;
  return true;
}

bool is_word(const uint8_t* data, int64_t size, const char* word, int64_t word_size) {
  return size == word_size && strncasecmp(reinterpret_cast<const char*>(data), word, size_t(size)) == 0;
}
#define IS_WORD(data, size, word) is_word(data, size, word, sizeof(word) - 1)

// One of the parts between commas.
void note_connection(const uint8_t* at, const uint8_t* end, Head& head) {
  while (at < end) {
    const uint8_t* comma = static_cast<const uint8_t*>(memchr(at, ',', size_t(end - at)));
    const uint8_t* stop = comma != nullptr ? comma : end;
    const uint8_t* last = stop;
    while (at < last && (*at == ' ' || *at == '\t')) ++at;
    while (last > at && (last[-1] == ' ' || last[-1] == '\t')) --last;
    if (IS_WORD(at, last - at, "close")) head.flags |= CLOSE;
    else if (IS_WORD(at, last - at, "keep-alive")) head.flags |= KEEP_ALIVE;
    else if (IS_WORD(at, last - at, "upgrade")) head.flags |= UPGRADE;
    at = stop + 1;
  }
}

void note_length(const uint8_t* value, int64_t size, Head& head) {
  if (head.length >= 0 || size == 0 || size > 18) {
    head.flags |= ODD_LENGTH;
    return;
  }
  int64_t length = 0;
  for (int64_t i = 0; i < size; ++i) {
    if (value[i] < '0' || value[i] > '9') {
      head.flags |= ODD_LENGTH;
      return;
    }
    length = length * 10 + value[i] - '0';
  }
  head.length = length;
}

// Those that say how the message is framed.
void note(const uint8_t* name, int64_t name_size, const uint8_t* value, int64_t size, Head& head) {
  switch (name_size) {
    case 4:
      if (IS_WORD(name, name_size, "host")) ++head.hosts;
      return;
    case 6:
      if (IS_WORD(name, name_size, "expect")) head.flags |= IS_WORD(value, size, "100-continue") && !(head.flags & CONTINUE) ? CONTINUE : ODD_EXPECT;
      return;
    case 10:
      if (IS_WORD(name, name_size, "connection")) note_connection(value, value + size, head);
      return;
    case 14:
      if (IS_WORD(name, name_size, "content-length")) note_length(value, size, head);
      return;
    case 17:
      if (IS_WORD(name, name_size, "transfer-encoding"))
        head.flags |= IS_WORD(value, size, "chunked") && !(head.flags & CHUNKED) ? CHUNKED : ODD_CODING;
      return;
    default: return;
  }
}

int64_t read_request_line(const uint8_t* at, const uint8_t* end, Head& head) {
  auto find_space = [&](const uint8_t* from) { return from < end ? static_cast<const uint8_t*>(memchr(from, ' ', size_t(end - from))) : nullptr; };
  const uint8_t* first = find_space(at);
  if (first == nullptr || !all_tokens(at, first)) return BAD_METHOD;
  const uint8_t* target = first + 1;
  const uint8_t* second = find_space(target);
  if (second == nullptr || second == target) return BAD_LINE;
  head.mark = -1;
  for (const uint8_t* c = target; c < second; ++c) {
    if (*c <= 32 || *c >= 127) return BAD_TARGET;
    if (*c == '%') head.flags |= ESCAPED;
    else if (*c == '?' && head.mark < 0) head.mark = c - target;
    else if (*c == '#') return BAD_TARGET;
  }
  if (*target != '/') head.flags |= ODD_TARGET;
  const char* version = reinterpret_cast<const char*>(second + 1);
  int64_t version_size = end - second - 1;
  if (version_size == 8 && memcmp(version, "HTTP/1.", 7) == 0 && (version[7] == '1' || version[7] == '0')) head.version = version[7] - '0';
  else return version_size == 8 && memcmp(version, "HTTP/", 5) == 0 && version[6] == '.' ? OTHER_VERSION : BAD_VERSION;
  store(&head.method, make_known(at, first - at, true));
  store(&head.target, make_known(target, second - target, true));
  return FINE;
}

int64_t read_status_line(const uint8_t* at, const uint8_t* end, Head& head) {
  int64_t size = end - at;
  if (size < 9 || memcmp(at, "HTTP/1.", 7) != 0 || (at[7] != '1' && at[7] != '0') || at[8] != ' ') return NO_HTTP;
  if (size < 12 || (size > 12 && at[12] != ' ')) return BAD_STATUS_LINE;
  head.version = at[7] - '0';
  for (int i = 9; i < 12; ++i) {
    if (at[i] < '0' || at[i] > '9') return BAD_STATUS;
    head.status = head.status * 10 + at[i] - '0';
  }
  return head.status < 100 ? BAD_STATUS : FINE;
}

met_str text_of(const uint8_t* data, int64_t size) {
  if (all_ascii(data, size)) return make_known(data, size, true);
  int64_t more = 0;
  for (int64_t i = 0; i < size; ++i) more += data[i] >> 7;
  Writer writer(size + more);   // Latin-1, as RFC 9110 has it
  uint8_t* to = writer.data;
  for (int64_t i = 0; i < size; ++i) to += write_scalar(to, data[i]);
  return writer.finish(false);
}

Spot spot_at(View spots, int64_t i) {
  Spot spot;
  memcpy(&spot, spots.data + i * int64_t(sizeof(Spot)), sizeof(Spot));
  return spot;
}

}  // namespace

extern "C" {

// data[at .. end) is a whole head with its empty line.
void met_http_read_head(met_str data, int64_t at, int64_t end, bool is_request, Head* head) {
  const uint8_t* base = data_of(data);
  const uint8_t* line = base + at;
  const uint8_t* stop = base + end;
  Spot on_stack[MOST_ON_STACK];
  Spot* spots = on_stack;
  int64_t count = 0, capacity = MOST_ON_STACK;
  head->length = -1;
  bool is_first = true;
  while (head->problem == FINE) {
    const uint8_t* end_of_line = static_cast<const uint8_t*>(memchr(line, '\n', size_t(stop - line)));
    if (end_of_line == nullptr || end_of_line == line || end_of_line[-1] != '\r') {
      head->problem = BARE_END;
      break;
    }
    const uint8_t* last = end_of_line - 1;
    if (is_first) {
      head->problem = is_request ? read_request_line(line, last, *head) : read_status_line(line, last, *head);
      is_first = false;
    } else if (last == line) {
      break;
    } else if (*line == ' ' || *line == '\t') {
      head->problem = FOLDED;
    } else {
      const uint8_t* colon = line;
      while (colon < last && TABLES.token[*colon]) ++colon;
      if (colon == line || colon == last || *colon != ':') {
        head->problem = BAD_NAME;
        break;
      }
      const uint8_t* value = colon + 1;
      const uint8_t* value_end = last;
      while (value < value_end && (*value == ' ' || *value == '\t')) ++value;
      while (value_end > value && (value_end[-1] == ' ' || value_end[-1] == '\t')) --value_end;
      for (const uint8_t* c = value; c < value_end; ++c) {
        if (!TABLES.value[*c]) {
          head->problem = BAD_VALUE;
          break;
        }
      }
      if (count == capacity) {
        Spot* grown = static_cast<Spot*>(met_raw_realloc(spots == on_stack ? nullptr : spots, spots == on_stack ? 0 : capacity * int64_t(sizeof(Spot)), capacity * 2 * int64_t(sizeof(Spot))));
        if (spots == on_stack) memcpy(grown, on_stack, sizeof(on_stack));
        spots = grown;
        capacity *= 2;
      }
      spots[count++] = {uint32_t(line - base), uint32_t(colon - line), uint32_t(value - base), uint32_t(value_end - value)};
      note(line, colon - line, value, value_end - value, *head);
    }
    line = end_of_line + 1;
  }
  store(&head->spots, make_known(reinterpret_cast<uint8_t*>(spots), count * int64_t(sizeof(Spot)), false));
  if (spots != on_stack) met_raw_free(spots, capacity * int64_t(sizeof(Spot)));
}

// The first header of the name from the i-th on; -1.
int64_t met_http_find(met_str data, met_str spots, met_str name, int64_t i) {
  const uint8_t* base = data_of(data);
  View all = view(spots), wanted = view(name);
  int64_t count = all.size / int64_t(sizeof(Spot));
  for (; i < count; ++i) {
    Spot spot = spot_at(all, i);
    if (spot.name_size == uint64_t(wanted.size) && strncasecmp(reinterpret_cast<const char*>(base + spot.name), reinterpret_cast<const char*>(wanted.data), spot.name_size) == 0)
      return i;
  }
  return -1;
}

met_str met_http_name(met_str data, met_str spots, int64_t i) {
  Spot spot = spot_at(view(spots), i);
  return make_known(data_of(data) + spot.name, spot.name_size, true);
}

met_str met_http_value(met_str data, met_str spots, int64_t i) {
  Spot spot = spot_at(view(spots), i);
  return text_of(data_of(data) + spot.value, spot.value_size);
}

bool met_http_same_name(met_str a, met_str b) {
  View one = view(a), other = view(b);
  return one.size == other.size && strncasecmp(reinterpret_cast<const char*>(one.data), reinterpret_cast<const char*>(other.data), size_t(one.size)) == 0;
}

bool met_http_is_token(met_str text) {
  View v = view(text);
  return all_tokens(v.data, v.data + v.size);
}

bool met_http_is_value(met_str text) {
  View v = view(text);
  for (int64_t i = 0; i < v.size; ++i)
    if (!TABLES.value[v.data[i]]) return false;
  return true;
}

}  // extern "C"
