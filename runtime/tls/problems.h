// What std/tls.met is told: what is wrong with the other side's certificate, and with the files of a context.
#ifndef METEOR_RUNTIME_TLS_PROBLEMS_H
#define METEOR_RUNTIME_TLS_PROBLEMS_H

#include <stdint.h>

namespace meteor::net {

enum : int64_t {
  NOT_THE_CERTIFICATE,  // something else failed
  EXPIRED,
  NOT_YET_VALID,
  WRONG_HOST,
  SELF_SIGNED,
  UNKNOWN_AUTHORITY,
  MISSING,
  REFUSED,
};

enum : int64_t { LOADED, BAD_CERTIFICATE, BAD_KEY, BAD_AUTHORITY, NO_MEMORY };

}  // namespace meteor::net

#endif
