// recv and send without what the C library puts around them so that a thread can be cancelled in them: two atomic
// operations each, in every program with more than one thread. No thread of ours is ever cancelled that way.
#ifndef METEOR_RUNTIME_OS_SOCKET_CALLS_H
#define METEOR_RUNTIME_OS_SOCKET_CALLS_H

#include <errno.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define METEOR_PLAIN_SOCKET_CALLS 1  // the sanitizer has to see them
#endif
#endif

namespace meteor::os {

// How many, or -errno.
inline int64_t receive_now(int fd, void* to, int64_t most) {
#if defined(SYS_recvfrom) && !defined(METEOR_PLAIN_SOCKET_CALLS)
  int64_t got = syscall(SYS_recvfrom, fd, to, size_t(most), 0, nullptr, nullptr);
#else
  int64_t got = recv(fd, to, size_t(most), 0);
#endif
  return got < 0 ? -int64_t(errno) : got;
}

// The same of a descriptor that would wait.
inline int64_t receive_without_waiting(int fd, void* to, int64_t most) {
  int64_t got = recv(fd, to, size_t(most), MSG_DONTWAIT);
  return got < 0 ? -int64_t(errno) : got;
}

// To a peer that is gone: -EPIPE, without a signal.
inline int64_t send_now(int fd, const void* from, int64_t count) {
#if defined(SYS_sendto) && !defined(METEOR_PLAIN_SOCKET_CALLS)
  int64_t sent = syscall(SYS_sendto, fd, from, size_t(count), MSG_NOSIGNAL, nullptr, 0);
#else
  int64_t sent = send(fd, from, size_t(count), MSG_NOSIGNAL);
#endif
  return sent < 0 ? -int64_t(errno) : sent;
}

// The same of a descriptor that would wait.
inline int64_t send_without_waiting(int fd, const void* from, int64_t count) {
  int64_t sent = send(fd, from, size_t(count), MSG_NOSIGNAL | MSG_DONTWAIT);
  return sent < 0 ? -int64_t(errno) : sent;
}

}  // namespace meteor::os

#endif
