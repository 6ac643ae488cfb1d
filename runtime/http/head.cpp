// Reads the head of an HTTP/1 message for std/http/head.met, in one pass: the first line, and where each header stands. What is plain and
// common is understood here; what is odd is flagged, and std/http says what it means.
//
// Invariant: of a head that is not whole yet nothing is kept, and only what is wrong whatever follows is called a problem.
#include <string.h>
#include <strings.h>

#include "runtime/http/field.h"
#include "runtime/http/parts.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

using namespace meteor::net;
using namespace meteor::text;

namespace {

constexpr int MOST_ON_STACK = 64;

struct Tables {
  bool token[256], value[256], host[256];
  constexpr Tables() : token(), value(), host() {
    for (int c = 0; c < 256; c++) {
      bool is_sign = false;
      for (char sign : "!#$%&'*+-.^_`|~") is_sign |= sign != 0 && c == sign;
      token[c] = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || is_sign;
      value[c] = (c >= 32 && c != 127) || c == '\t';
      bool is_host_sign = false;
      for (char sign : "-._~%!$&'()*+,;=") is_host_sign |= sign != 0 && c == sign;
      host[c] = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || is_host_sign;
    }
  }
};
constexpr Tables TABLES;

bool is_hex(uint8_t c) { return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'f'); }

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

// A name or an address and perhaps a port (RFC 3986, 3.2.2); none at all is allowed too.
bool is_host(View text) {
  const uint8_t* at = text.data;
  const uint8_t* end = text.end();
  if (at < end && *at == '[') {
    const uint8_t* first = ++at;
    while (at < end && (is_hex(*at) || *at == ':' || *at == '.')) ++at;
    if (at == first || at == end || *at++ != ']') return false;
  } else {
    while (at < end && TABLES.host[*at]) ++at;
  }
  if (at == end) return true;
  if (*at++ != ':') return false;
  while (at < end && *at >= '0' && *at <= '9') ++at;
  return at == end;
}

// One of the parts between commas.
void note_connection(const uint8_t* at, const uint8_t* end, Head& head) {
  while (at < end) {
    const uint8_t* comma = static_cast<const uint8_t*>(memchr(at, ',', size_t(end - at)));
    const uint8_t* stop = comma != nullptr ? comma : end;
    const uint8_t* last = stop;
    while (at < last && (*at == ' ' || *at == '\t')) ++at;
    while (last > at && (last[-1] == ' ' || last[-1] == '\t')) --last;
    if (IS_WORD(at, last - at, "close")) head.flags |= Head::CLOSE;
    else if (IS_WORD(at, last - at, "keep-alive")) head.flags |= Head::KEEP_ALIVE;
    else if (IS_WORD(at, last - at, "upgrade")) head.flags |= Head::UPGRADE;
    at = stop + 1;
  }
}

void note_length(const uint8_t* value, int64_t size, Head& head) {
  if (head.length >= 0 || size == 0 || size > 18) {
    head.flags |= Head::ODD_LENGTH;
    return;
  }
  int64_t length = 0;
  for (int64_t i = 0; i < size; ++i) {
    if (value[i] < '0' || value[i] > '9') {
      head.flags |= Head::ODD_LENGTH;
      return;
    }
    length = length * 10 + value[i] - '0';
  }
  head.length = length;
}

uint32_t load_four(const void* from) {
  uint32_t word;
  memcpy(&word, from, 4);
  return word;
}

// Those that say how the message is framed, and for whom it is.
void note(const uint8_t* name, int64_t name_size, const uint8_t* value, int64_t size, Head& head) {
  switch (name_size) {
    case 4:
      if ((load_four(name) | 0x20202020) != load_four("host"))
        return;  // nothing else that a name may hold becomes these letters
      ++head.hosts;
      if (!is_host({value, size})) head.flags |= Head::ODD_HOST;
      return;
    case 6:
      if (IS_WORD(name, name_size, "expect")) head.flags |= IS_WORD(value, size, "100-continue") && !(head.flags & Head::CONTINUE) ? Head::CONTINUE : Head::ODD_EXPECT;
      return;
    case 10:
      if (IS_WORD(name, name_size, "connection")) note_connection(value, value + size, head);
      return;
    case 14:
      if (IS_WORD(name, name_size, "content-length")) note_length(value, size, head);
      return;
    case 17:
      if (IS_WORD(name, name_size, "transfer-encoding"))
        head.flags |= IS_WORD(value, size, "chunked") && !(head.flags & Head::CHUNKED) ? Head::CHUNKED : Head::ODD_CODING;
      return;
    default: return;
  }
}

// The first byte that no value may hold.
const uint8_t* end_of_value(const uint8_t* at, const uint8_t* end) {
#if defined(__SSE2__)
  for (; end - at >= 16; at += 16) {
    __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    __m128i is_control = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(31)), bytes);
    __m128i is_bad = _mm_or_si128(_mm_andnot_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\t')), is_control), _mm_cmpeq_epi8(bytes, _mm_set1_epi8(127)));
    if (int mask = _mm_movemask_epi8(is_bad)) return at + __builtin_ctz(unsigned(mask));
  }
#endif
  while (at < end && TABLES.value[*at]) ++at;
  return at;
}

// Of the first bytes of a text; nothing behind `end` is read.
met_str make_short(const uint8_t* from, int64_t size, const uint8_t* end) {
  if (size > MET_STR_SMALL_MAX || end - from < 16) return make_known(from, size, true);
  met_str s;
  memcpy(&s, from, 16);
  if (size < 8) {
    s.word0 &= (uint64_t(1) << size * 8) - 1;
    s.word1 = 0;
  } else {
    s.word1 &= (uint64_t(1) << (size - 8) * 8) - 1;
  }
  s.word1 |= MET_STR_SMALL | uint64_t(size) << 56;
  return s;
}

// What reading a line says besides where the next one begins.
struct Line {
  const uint8_t* next;   // null: it is not whole, or there is a problem
  int64_t problem;
};
constexpr Line NOT_WHOLE = {nullptr, Head::FINE};

// A line with a mistake, which may be that it has no CR.
Line wrong_line(const uint8_t* at, const uint8_t* end, int64_t problem) {
  const uint8_t* end_of_line = static_cast<const uint8_t*>(memchr(at, '\n', size_t(end - at)));
  if (end_of_line == nullptr) return NOT_WHOLE;
  return {nullptr, end_of_line == at || end_of_line[-1] != '\r' ? int64_t(Head::BARE_END) : problem};
}

Line read_request_line(const uint8_t* at, const uint8_t* end, Head& head) {
  const uint8_t* space = at;
  while (space < end && TABLES.token[*space]) ++space;
  if (space == end) return NOT_WHOLE;
  if (*space != ' ' || space == at) return {nullptr, Head::BAD_METHOD};
  const uint8_t* target = space + 1;
  const uint8_t* c = target;
  head.mark = -1;
  for (; c < end; ++c) {
    if (*c <= 32 || *c >= 127 || *c == '#') break;
    if (*c == '?' && head.mark < 0) head.mark = c - target;
    else if (*c == '%') head.flags |= Head::ESCAPED;
  }
  if (c == end) return NOT_WHOLE;
  if (*c == '\r' || *c == '\n' || c == target) return wrong_line(c, end, Head::BAD_LINE);
  if (*c != ' ') return {nullptr, Head::BAD_TARGET};
  if (*target != '/') head.flags |= Head::ODD_TARGET;
  const uint8_t* version = c + 1;
  if (end - version < 10 || memcmp(version, "HTTP/1.", 7) != 0 || (version[7] & 0xfe) != '0' || version[8] != '\r' || version[9] != '\n') {
    Line wrong = wrong_line(version, end, Head::BAD_VERSION);
    bool is_other = wrong.problem == Head::BAD_VERSION && end - version >= 10 && memcmp(version, "HTTP/", 5) == 0 && version[6] == '.' && version[8] == '\r' && version[9] == '\n';
    return {nullptr, is_other ? int64_t(Head::OTHER_VERSION) : wrong.problem};
  }
  head.version = version[7] - '0';
  store(&head.method, make_short(at, space - at, end));
  store(&head.target, make_short(target, c - target, end));
  return {version + 10, Head::FINE};
}

Line read_status_line(const uint8_t* at, const uint8_t* end, Head& head) {
  const uint8_t* end_of_line = static_cast<const uint8_t*>(memchr(at, '\n', size_t(end - at)));
  if (end_of_line == nullptr) return NOT_WHOLE;
  if (end_of_line == at || end_of_line[-1] != '\r') return {nullptr, Head::BARE_END};
  int64_t size = end_of_line - 1 - at;
  if (size < 9 || memcmp(at, "HTTP/1.", 7) != 0 || (at[7] != '1' && at[7] != '0') || at[8] != ' ') return {nullptr, Head::NO_HTTP};
  if (size < 12 || (size > 12 && at[12] != ' ')) return {nullptr, Head::BAD_STATUS_LINE};
  head.version = at[7] - '0';
  for (int i = 9; i < 12; ++i) {
    if (at[i] < '0' || at[i] > '9') return {nullptr, Head::BAD_STATUS};
    head.status = head.status * 10 + at[i] - '0';
  }
  if (head.status < 100) return {nullptr, Head::BAD_STATUS};
  return {end_of_line + 1, Head::FINE};
}

Line read_field(const uint8_t* line, const uint8_t* end, Head& head) {
  if (*line == ' ' || *line == '\t') return {nullptr, Head::FOLDED};
  const uint8_t* colon = line;
  while (colon < end && TABLES.token[*colon]) ++colon;
  if (colon == end) return NOT_WHOLE;
  if (colon == line || *colon != ':') return wrong_line(colon, end, Head::BAD_NAME);
  const uint8_t* value = colon + 1;
  while (value < end && (*value == ' ' || *value == '\t')) ++value;
  const uint8_t* stop = end_of_value(value, end);
  if (end - stop < 2) return stop == end || *stop == '\r' ? NOT_WHOLE : Line{nullptr, *stop == '\n' ? int64_t(Head::BARE_END) : int64_t(Head::BAD_VALUE)};
  if (stop[0] != '\r' || stop[1] != '\n') return {nullptr, *stop == '\n' ? int64_t(Head::BARE_END) : int64_t(Head::BAD_VALUE)};
  const uint8_t* last = stop;
  while (last > value && (last[-1] == ' ' || last[-1] == '\t')) --last;
  note(line, colon - line, value, last - value, head);
  return {stop + 2, Head::FINE};
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

}  // namespace

extern "C" {

// The size of the head at data[at .. end) with its empty line; 0: it is not whole yet, or head->problem says what is wrong.
int64_t met_http_read_head(met_str data, int64_t at, int64_t end, bool is_request, Head* head) {
  const uint8_t* base = data_of(data);
  const uint8_t* stop = base + end;
  uint32_t on_stack[MOST_ON_STACK];
  uint32_t* spots = on_stack;
  int64_t count = 0, capacity = MOST_ON_STACK, size = 0;
  head->length = -1;
  Line line = is_request ? read_request_line(base + at, stop, *head) : read_status_line(base + at, stop, *head);
  while (line.next != nullptr) {
    const uint8_t* from = line.next;
    if (stop - from >= 2 && from[0] == '\r' && from[1] == '\n') {
      size = from + 2 - (base + at);
      break;
    }
    if (from == stop || (*from == '\r' && stop - from == 1)) break;
    if (count == capacity) {
      uint32_t* grown = static_cast<uint32_t*>(met_raw_realloc(spots == on_stack ? nullptr : spots, spots == on_stack ? 0 : capacity * SPOT_SIZE, capacity * 2 * SPOT_SIZE));
      if (spots == on_stack) memcpy(grown, on_stack, sizeof(on_stack));
      spots = grown;
      capacity *= 2;
    }
    spots[count++] = uint32_t(from - base);
    line = read_field(from, stop, *head);
  }
  head->problem = line.problem;
  if (size > 0) store(&head->spots, make_known(reinterpret_cast<uint8_t*>(spots), count * SPOT_SIZE, false));
  if (spots != on_stack) met_raw_free(spots, capacity * SPOT_SIZE);
  return size;
}

// The first header of the name from the i-th on; -1.
int64_t met_http_find(met_str data, met_str spots, met_str name, int64_t i) {
  const char* base = reinterpret_cast<const char*>(data_of(data));
  const uint8_t* all = data_of(spots);
  View wanted = view(name);
  if (wanted.size == 0 || memchr(wanted.data, ':', size_t(wanted.size)) != nullptr) return -1;
  int64_t count = spot_count(spots), left = size_of(data);
  for (; i < count; ++i) {
    uint32_t spot = spot_at(all, i);
    if (spot + wanted.size < left && base[spot + wanted.size] == ':' && strncasecmp(base + spot, reinterpret_cast<const char*>(wanted.data), size_t(wanted.size)) == 0) return i;
  }
  return -1;
}

met_str met_http_name(met_str data, met_str spots, int64_t i) {
  View name = field_at(view(data), spot_at(data_of(spots), i)).name;
  return make_known(name.data, name.size, true);
}

met_str met_http_value(met_str data, met_str spots, int64_t i) {
  View value = field_at(view(data), spot_at(data_of(spots), i)).value;
  return text_of(value.data, value.size);
}

bool met_http_same_name(met_str a, met_str b) {
  View one = view(a), other = view(b);
  return one.size == other.size && strncasecmp(reinterpret_cast<const char*>(one.data), reinterpret_cast<const char*>(other.data), size_t(one.size)) == 0;
}

bool met_http_is_token(met_str text) {
  View v = view(text);
  return all_tokens(v.data, v.data + v.size);
}

bool met_http_is_host(met_str text) { return is_host(view(text)); }

bool met_http_is_value(met_str text) {
  View v = view(text);
  for (int64_t i = 0; i < v.size; ++i)
    if (!TABLES.value[v.data[i]]) return false;
  return true;
}

}  // extern "C"
