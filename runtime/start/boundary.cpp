// Holds the runtime's structures and numbers to what std declares of them (`@native`). Nothing here is code: it
// compiles or it does not.
#include <errno.h>
#include <stddef.h>

#include "runtime/channel/shared_ring.h"
#include "runtime/compress/coder.h"
#include "runtime/db/postgres.h"
#include "runtime/executor/executor.h"
#include "runtime/fs/file_work.h"
#include "runtime/hash/hash.h"
#include "runtime/http/field.h"
#include "runtime/http/parts.h"
#include "runtime/inspect/snapshot.h"
#include "runtime/isolate/crossing.h"
#include "runtime/isolate/work.h"
#include "runtime/json/json.h"
#include "runtime/net/resolve.h"
#include "runtime/net/stream.h"
#include "runtime/numbers/numbers.h"
#include "runtime/numbers/random.h"
#include "runtime/os/addresses.h"
#include "runtime/os/files.h"
#include "runtime/os/os.h"
#include "runtime/os/sockets.h"
#include "runtime/process/spawn.h"
#include "runtime/reactor/reactor.h"
#include "runtime/scope/strands.h"
#include "runtime/scope/streams.h"
#include "runtime/task/task.h"
#include "runtime/tls/problems.h"
#include "runtime/waker/wakers.h"

namespace {

// A field of std is the field of the same name at the same place. One that the runtime does not have comes after all
// that it has.
#define SAME_FIELD(Mirror, own, Native, theirs, where)                            \
  static_assert(                                                                  \
      []<typename N>(N*) {                                                        \
        if constexpr (requires(N n) { n.theirs; })                                \
          return offsetof(N, theirs) == offsetof(Mirror, own) &&                  \
                 sizeof(static_cast<N*>(nullptr)->theirs) == sizeof(Mirror::own); \
        else                                                                      \
          return offsetof(Mirror, own) >= sizeof(N);                              \
      }(static_cast<Native*>(nullptr)),                                           \
      #own " of " where " is not as " #Native " has it")
#define SAME_END(Mirror, Native, where) \
  static_assert(sizeof(Native) <= sizeof(Mirror), where " lacks fields that " #Native " has")

#include "runtime/abi/std_layouts.inc"

}  // namespace
