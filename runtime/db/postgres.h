// What std/db/postgres.met is told of a connection that is being made, or of a result that is waited for.
#ifndef METEOR_RUNTIME_DB_POSTGRES_H
#define METEOR_RUNTIME_DB_POSTGRES_H

#include <stdint.h>

namespace meteor::db {

// FULL_LINE: of those who wait for the server at its Unix socket.
enum : int64_t { FULL_LINE = -2, FAILED_CONNECTION = -1, READY, WAITS_TO_READ, WAITS_TO_WRITE };

}  // namespace meteor::db

#endif
