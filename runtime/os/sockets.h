// Sockets beyond receiving and sending (socket_calls.h).
#ifndef METEOR_RUNTIME_OS_SOCKETS_H
#define METEOR_RUNTIME_OS_SOCKETS_H

#include <stddef.h>
#include <stdint.h>

namespace meteor::os {

int64_t end_sending(int fd);  // the peer sees the end; 0 or -errno

// A connection to a socket of this machine that has a name but no file. -1: nobody is there, or it is neither this
// user's nor root's.
int connect_to_own(const char* name);

const char* show_ip(const uint8_t* address, size_t bytes, char* into, size_t room);  // of four bytes or sixteen

bool is_ready(int fd, uint32_t wanted);  // now: READY_READ, READY_WRITE of poll.h; or it has failed

}  // namespace meteor::os

#endif
