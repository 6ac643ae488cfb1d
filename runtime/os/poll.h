// A set of descriptors that the kernel tells events of.
#ifndef METEOR_RUNTIME_OS_POLL_H
#define METEOR_RUNTIME_OS_POLL_H

#include <stdint.h>

namespace meteor::os {

constexpr int64_t FOR_EVER = INT64_MAX;

// What can be done with a descriptor without waiting. The last two stay so.
enum : uint32_t { READY_READ = 1, READY_WRITE = 2, READ_ENDED = 4, FAILED = 8 };

enum class Tells : uint8_t { Edges, Levels };

int open_poll();  // a descriptor, or -errno

// Wanted: READY_READ, READY_WRITE, and with the first READ_ENDED. 0 or -errno.
int64_t add_to_poll(int poll, int fd, uint32_t wanted, uint64_t key, Tells tells);
int64_t change_in_poll(int poll, int fd, uint32_t wanted, uint64_t key, Tells tells);
void remove_from_poll(int poll, int fd);  // closing the last descriptor of a file does it too

class PollEvents;  // of a wait; runtime/os/poll_events.h

}  // namespace meteor::os

#endif
