// Sockets beyond receiving and sending (socket_calls.h).
#ifndef METEOR_RUNTIME_OS_SOCKETS_H
#define METEOR_RUNTIME_OS_SOCKETS_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/os/addresses.h"

namespace meteor::os {

enum class SocketOption : int64_t {
  NoDelay,
  KeepAlive,
  ReceiveBuffer,
  SendBuffer,
  Broadcast,
  KeepAliveIdle,   // seconds without traffic before it asks
  KeepAliveEvery,  // seconds between two questions
};

// What gives a descriptor gives one that never waits, or -errno; what does something gives 0 or a count, or -errno.
int64_t open_listener(const Address& address, int64_t backlog, bool reuse_port);
int64_t accept_connection(int listener, Address& peer);     // -EINTR: ask again; one may have gone before it was accepted
int64_t open_connecting(const Address& address);            // for connect_socket
int64_t connect_socket(int fd, const Address& address);     // -EINPROGRESS: on its way
int64_t problem_of_socket(int fd);                          // what has happened to it since it was asked
int64_t read_name(int fd, bool of_peer, Address& into);
int64_t set_option(int fd, SocketOption option, int value);
int64_t set_linger(int fd, int64_t seconds);                // of what is left when it is closed; < 0: the system sends it
bool has_linger(int fd);                                    // somebody has said how it is to be closed
int64_t count_unacknowledged(int fd);                       // bytes, the end of the stream included; 0 of a Unix socket
int64_t open_for_datagrams(const Address& address, bool reuse_port);
int64_t send_datagram(int fd, const void* from, int64_t bytes, const Address& to);
int64_t receive_datagram(int fd, void* to, int64_t most, Address& from);

int64_t end_sending(int fd);  // the peer sees the end; 0 or -errno

// A connection to a socket of this machine that has a name but no file. -1: nobody is there, or it is neither this
// user's nor root's.
int connect_to_own(const char* name);

const char* show_ip(const uint8_t* address, size_t bytes, char* into, size_t room);  // of four bytes or sixteen

bool is_ready(int fd, uint32_t wanted);  // now: READY_READ, READY_WRITE of poll.h; or it has failed

}  // namespace meteor::os

#endif
