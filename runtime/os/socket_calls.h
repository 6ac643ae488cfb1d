// recv and send without what the C library puts around them so that a thread can be cancelled in them: two atomic operations each, in every program with more
// than one thread. No thread of ours is ever cancelled that way.
#ifndef METEOR_RUNTIME_OS_SOCKET_CALLS_H
#define METEOR_RUNTIME_OS_SOCKET_CALLS_H

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

// As the calls of the system: how many, or -1 and errno.
inline int64_t receive_now(int fd, void* to, int64_t most, int flags) {
#if defined(SYS_recvfrom) && !defined(METEOR_PLAIN_SOCKET_CALLS)
  return syscall(SYS_recvfrom, fd, to, size_t(most), flags, nullptr, nullptr);
#else
  return recv(fd, to, size_t(most), flags);
#endif
}

inline int64_t send_now(int fd, const void* from, int64_t count, int flags) {
#if defined(SYS_sendto) && !defined(METEOR_PLAIN_SOCKET_CALLS)
  return syscall(SYS_sendto, fd, from, size_t(count), flags, nullptr, 0);
#else
  return send(fd, from, size_t(count), flags);
#endif
}

}  // namespace meteor::os

#endif
