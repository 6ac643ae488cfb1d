// Waiting for the events of a set: the class PollEvents of the system that the runtime is built for.
#ifndef METEOR_RUNTIME_OS_POLL_EVENTS_H
#define METEOR_RUNTIME_OS_POLL_EVENTS_H

#include "runtime/os/linux/poll_events.h"

#endif
