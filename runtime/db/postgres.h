// What std/db/postgres.met is told of a connection that is being made, or of a result that is waited for.
#ifndef METEOR_RUNTIME_DB_POSTGRES_H
#define METEOR_RUNTIME_DB_POSTGRES_H

#include <stdint.h>

namespace meteor::db {

enum : int64_t { FAILED_CONNECTION = -1, READY, WAITS_TO_READ, WAITS_TO_WRITE };

}  // namespace meteor::db

#endif
