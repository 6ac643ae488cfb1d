// What a proxy does to headers, for std/http/proxy.met: those of one connection are left out, and the head of a request is written for the server behind
// from where it was read (field.h), with what that server has to know of the client.
#include <string.h>
#include <strings.h>

#include "runtime/http/field.h"
#include "runtime/http/parts.h"
#include "runtime/numbers/digits.h"

using namespace meteor::net;
using namespace meteor::text;

namespace {

constexpr int64_t ROOM_FOR_THE_REST = 512;

bool is(View v, const char* word) { return strncasecmp(reinterpret_cast<const char*>(v.data), word, size_t(v.size)) == 0 && word[v.size] == 0; }

bool is_hop(View name) {
  switch (name.size) {
    case 2: return is(name, "te");
    case 7: return is(name, "trailer") || is(name, "upgrade");
    case 10: return is(name, "connection") || is(name, "keep-alive");
    case 16: return is(name, "proxy-connection");
    case 17: return is(name, "transfer-encoding");
    case 18: return is(name, "proxy-authenticate");
    case 19: return is(name, "proxy-authorization");
    default: return false;
  }
}

uint8_t* put(uint8_t* to, View v) {
  memcpy(to, v.data, size_t(v.size));
  return to + v.size;
}
template <size_t N>
uint8_t* put(uint8_t* to, const char (&text)[N]) {
  memcpy(to, text, N - 1);
  return to + N - 1;
}
uint8_t* put_field(uint8_t* to, View name, View value) {
  to = put(to, name);
  to = put(to, ": ");
  to = put(to, value);
  return put(to, "\r\n");
}
template <size_t N>
uint8_t* put_line(uint8_t* to, const char (&name)[N], View value) {
  to = put(to, name);
  to = put(to, value);
  return put(to, "\r\n");
}

// What the request says itself of those before this proxy.
struct Seen {
  View host;
  bool has_scheme, has_host, has_peers;
};

// False: it is left out, since it is written elsewhere.
bool is_kept(const Field& field, bool keeps_host, Seen& seen) {
  switch (field.name.size) {
    case 4:
      if (!is(field.name, "host")) return true;
      seen.host = field.value;
      return keeps_host;
    case 6: return !is(field.name, "expect");
    case 14: return !is(field.name, "content-length");
    case 15:
      if (!is(field.name, "x-forwarded-for")) return true;
      seen.has_peers = true;
      return false;
    case 16: seen.has_host |= is(field.name, "x-forwarded-host"); return true;
    case 17: seen.has_scheme |= is(field.name, "x-forwarded-proto"); return true;
    default: return true;
  }
}

uint8_t* put_kept(uint8_t* to, const Forwarded& f, int64_t count, Seen& seen) {
  View raw = view(f.raw);
  const uint8_t* spots = data_of(f.spots);
  bool keeps_host = size_of(f.host) == 0;
  for (int64_t i = 0; i < count; ++i) {
    Field field = field_at(raw, spot_at(spots, i));
    if (is_kept(field, keeps_host, seen)) to = put_field(to, field.name, field.value);
  }
  return to;
}

// Those that the request has come by, and the one that it came from.
uint8_t* put_peers(uint8_t* to, const Forwarded& f, int64_t count) {
  View raw = view(f.raw);
  const uint8_t* spots = data_of(f.spots);
  to = put(to, "x-forwarded-for: ");
  for (int64_t i = 0; i < count; ++i) {
    Field field = field_at(raw, spot_at(spots, i));
    if (field.name.size != 15 || !is(field.name, "x-forwarded-for")) continue;
    to = put(to, field.value);
    to = put(to, ", ");
  }
  to = put(to, view(f.peer));
  return put(to, "\r\n");
}

}  // namespace

extern "C" {

bool met_http_is_hop(met_str name) { return is_hop(view(name)); }

// The spots without the headers of one connection, and those that `Connection` names. `Host` says whom the request is
// for: no list takes that away.
met_str met_http_end_to_end(met_str raw, met_str spots) {
  View text = view(raw);
  const uint8_t* all = data_of(spots);
  int64_t count = spot_count(spots), kept = 0, lists = 0;
  Writer writer(count * SPOT_SIZE);
  for (int64_t i = 0; i < count; ++i) {
    uint32_t spot = spot_at(all, i);
    View name = field_at(text, spot).name;
    lists += name.size == 10 && is(name, "connection");
    if (is_hop(name)) continue;
    memcpy(writer.data + kept++ * SPOT_SIZE, &spot, SPOT_SIZE);
  }
  if (kept == count) {
    met_str dropped = writer.finish(false);
    met_str_release(dropped);
    met_str_retain(spots);
    return spots;
  }
  for (int64_t i = 0; lists > 0 && i < count; ++i) {
    Field list = field_at(text, spot_at(all, i));
    if (list.name.size != 10 || !is(list.name, "connection")) continue;
    --lists;
    int64_t left = 0;
    for (int64_t k = 0; k < kept; ++k) {
      uint32_t spot = spot_at(writer.data, k);
      View name = field_at(text, spot).name;
      if (is(name, "host") || !has_part(list.value, name)) memcpy(writer.data + left++ * SPOT_SIZE, &spot, SPOT_SIZE);
    }
    kept = left;
  }
  met_str made = make_known(writer.data, kept * SPOT_SIZE, false);
  met_str_release(writer.finish(false));
  return made;
}

// How much has been written to data[at ..]; below 0: so much room is needed.
int64_t met_http_put_forwarded(Forwarded* f, uint8_t* data, int64_t at, int64_t capacity) {
  View raw = view(f->raw);
  int64_t count = spot_count(f->spots);
  int64_t room = ROOM_FOR_THE_REST + size_of(f->method) + size_of(f->prefix) + size_of(f->target) + raw.size * 2 + count * 4 + size_of(f->host) + size_of(f->peer) + size_of(f->scheme);
  if (room > capacity - at) return -room;
  uint8_t* to = data + at;
  to = put(to, view(f->method));
  *to++ = ' ';
  to = put(to, view(f->prefix));
  to = put(to, view(f->target));
  to = put(to, " HTTP/1.1\r\n");
  if (size_of(f->host) > 0) to = put_line(to, "host: ", view(f->host));
  Seen seen = {{raw.data, 0}, false, false, false};
  to = put_kept(to, *f, count, seen);
  to = put_peers(to, *f, seen.has_peers ? count : 0);
  if (!seen.has_scheme) to = put_line(to, "x-forwarded-proto: ", view(f->scheme));
  if (!seen.has_host && seen.host.size > 0) to = put_line(to, "x-forwarded-host: ", seen.host);
  to = put(to, "via: 1.1 meteor\r\n");
  if (f->length >= 0) {
    to = put(to, "content-length: ");
    to += meteor::numbers::write_digits(reinterpret_cast<char*>(to), uint64_t(f->length));
    to = put(to, "\r\n");
  }
  to = put(to, "\r\n");
  return to - (data + at);
}

}  // extern "C"
