// What std/net.met is told of a name that was looked up.
#ifndef METEOR_RUNTIME_NET_RESOLVE_H
#define METEOR_RUNTIME_NET_RESOLVE_H

#include <stdint.h>

namespace meteor::net {

enum : int64_t { RESOLVED, NO_ADDRESS, NOT_RESOLVED };  // beside WAIT

}  // namespace meteor::net

#endif
