// Streams of bytes over a descriptor: what std/io.met is made of. Reading takes from the kernel into a buffer and out of it;
// writing gives to the kernel as much as it takes. Nothing here waits: a call that would have to says WAIT, and the task
// goes into the stream's line.
//
// Invariant: a read that has not ended has taken nothing out of the stream. Whoever came first is served first.
#ifndef METEOR_RUNTIME_NET_STREAM_H
#define METEOR_RUNTIME_NET_STREAM_H

#include "runtime/net/parting.h"
#include "runtime/reactor/reactor.h"

namespace meteor::net {

struct Stream;

// What calls say besides a count (>= 0) and -errno.
enum : int64_t { WAIT = -10'000, END = -10'001, TOO_LONG = -10'002, NOT_TEXT = -10'003, CLOSED = -10'004, ABANDONED = -10'005, FAILED_TLS = -10'006 };

// How bytes come and go over a layer above the socket: TLS is one.
struct Transport {
  int64_t (*receive)(Stream& stream, uint8_t* to, int64_t most);            // how many, 0 at the end, WAIT, -errno
  int64_t (*send)(Stream& stream, const uint8_t* from, int64_t count);      // how many, WAIT, -errno
  void (*close)(Stream& stream, LastWords& words);
  bool (*is_half_sent)(Stream& stream);   // of what send was given and answered WAIT to, part is on its way
};

struct Layer {
  const Transport* transport;
};

// What has been received and nobody has taken: data[at .. size). Never empty.
struct Unread {
  int64_t at;
  int64_t size;
  int64_t capacity;
  uint8_t data[];
};
void drop_unread(Unread* unread);   // may be null

// std/io.met declares the same fields in the same order. Thousands of them wait at the same time: it is kept small.
struct Stream {
  async::Source source;
  Unread* unread;      // null: none
  Layer* layer;        // null: bytes come and go as those of a socket do
  met_str found;       // by met_stream_read_some, owned until met_stream_found takes it in the same turn: so a frame needs no place for it
};

// One read; lives in the frame of the one who reads.
struct Read {
  int64_t kind;
  int64_t count;       // SOME: at most; EXACT: just so many; UNTIL, LINE, ALL: no more than
  int64_t looked;      // how much of what is buffered has been searched
};
enum : int64_t { SOME, EXACT, UNTIL, LINE, ALL };

void open_stream(Stream& stream, int fd, uint32_t flags);
int64_t receive_plain(Stream& stream, uint8_t* to, int64_t most);
int64_t send_plain(Stream& stream, const uint8_t* from, int64_t count);

}  // namespace meteor::net

#endif
