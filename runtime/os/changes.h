// Changes of files and folders, as events that come out of a descriptor.
#ifndef METEOR_RUNTIME_OS_CHANGES_H
#define METEOR_RUNTIME_OS_CHANGES_H

#include <stdint.h>

namespace meteor::os {

int64_t open_changes();                          // a descriptor, or -errno
int64_t hear_changes(int fd, const char* path);  // the number that its events carry, or -errno

}  // namespace meteor::os

#endif
