// What can be done with any descriptor.
#ifndef METEOR_RUNTIME_OS_DESCRIPTORS_H
#define METEOR_RUNTIME_OS_DESCRIPTORS_H

#include <stdint.h>

#include "runtime/os/linux/thin.h"

namespace meteor::os {

int open_to_read(const char* path);  // a file that never makes anybody wait, or -errno
void close_descriptor(int fd);
int64_t read_descriptor(int fd, void* to, int64_t most);                   // how many, 0 at the end, -errno
inline int64_t write_descriptor(int fd, const void* from, int64_t bytes);  // how many, -errno; safe in a signal handler
int64_t copy_descriptor(int fd);                                           // another one for the same file, or -errno
bool is_folder(int fd);

constexpr int STDIN = 0, STDOUT = 1, STDERR = 2;

}  // namespace meteor::os

#endif
