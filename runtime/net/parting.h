// Closes a socket so that what was written arrives. A system that closes a socket with bytes unread, or gets bytes for
// one that is closed, answers with a reset, and what the peer has not got yet is thrown away. So what has come is read
// and dropped first; where that is not enough, a thread of its own keeps the socket until the peer's system has
// everything.
//
// Invariant: a socket is kept for a bounded time, whatever its peer does.
#ifndef METEOR_RUNTIME_NET_PARTING_H
#define METEOR_RUNTIME_NET_PARTING_H

#include <stdint.h>

namespace meteor::net {

// How a layer ends.
struct LastWords {
  static constexpr int64_t ROOM = 256;
  uint8_t data[ROOM];  // what the system did not take: it is sent when it does
  int64_t size;
  bool more_comes;  // the peer may still send by itself, as a TLS server does with the tickets of its sessions
};

// Takes the descriptor of a stream over; nothing waits.
void part_with(int fd, const LastWords& words);

}  // namespace meteor::net

#endif
