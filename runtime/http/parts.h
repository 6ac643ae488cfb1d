// What std/http hands over for a head to be read or written. Lives in the frame of whoever asks.
#ifndef METEOR_RUNTIME_HTTP_PARTS_H
#define METEOR_RUNTIME_HTTP_PARTS_H

#include "runtime/abi/abi.h"

namespace meteor::net {

// A head that was read.
struct Head {
  enum Flag : int64_t {
    CHUNKED = 1,
    CLOSE = 2,
    KEEP_ALIVE = 4,
    UPGRADE = 8,
    CONTINUE = 16,
    ODD_CODING = 32,
    ODD_LENGTH = 64,
    ODD_EXPECT = 128,
    ESCAPED = 256,
    ODD_TARGET = 512,
    ODD_HOST = 1024,
  };
  enum Problem : int64_t {
    FINE,
    BAD_METHOD,
    BAD_LINE,
    BAD_TARGET,
    OTHER_VERSION,
    BAD_VERSION,
    FOLDED,
    BAD_NAME,
    BAD_VALUE,
    NO_HTTP,
    BAD_STATUS_LINE,
    BAD_STATUS,
    BARE_END
  };

  met_str method, target, spots;
  int64_t status, version, length, hosts, flags, mark, problem;
};

// The head of an answer that is to be written.
struct Answer {
  enum Flag : int64_t { CLOSE = 1, CHUNKED = 2, KEEP = 4 };  // KEEP: the client speaks HTTP/1.0 and has to be told

  int64_t status;
  int64_t length;  // below 0: it is not written
  int64_t flags;   // CLOSE is added when the headers say so
  met_str reason;
  met_str name, value;  // of the last header; none when the name is empty
  met_str raw, spots;
  met_str* items;
  int64_t count;  // of items
};

// The head of a request that a proxy sends on.
struct Forwarded {
  met_str method, prefix, target;
  met_str raw, spots;  // end to end only
  met_str host;        // of the server behind; empty: the client's is kept
  met_str peer, scheme;
  int64_t length;  // below 0: it is not written
};

constexpr int64_t MOST_INTERIM = 64;  // answers that say that another one follows

// What has come on a stream of HTTP/2. CLOSED: with the code as text. ENDLESS: interim answers, and no other.
enum : int64_t { HTTP2_NOTHING, HTTP2_HEAD, HTTP2_DATA, HTTP2_END, HTTP2_CLOSED, HTTP2_ENDLESS };

}  // namespace meteor::net

#endif
