// A descriptor by which a thread is called out of its sleep in the kernel.
#ifndef METEOR_RUNTIME_OS_BELL_H
#define METEOR_RUNTIME_OS_BELL_H

namespace meteor::os {

int open_bell();         // or -errno
bool ring_bell(int fd);  // false: it is broken; safe in a signal handler

}  // namespace meteor::os

#endif
