// The local time zone, by the system's tables and TZ.
#include <time.h>

#include "runtime/abi/abi.h"
#include "runtime/os/os.h"

extern "C" int64_t met_local_offset(int64_t seconds) {
  tzset();
  time_t at = time_t(seconds);
  tm parts;
  return localtime_r(&at, &parts) != nullptr ? int64_t(parts.tm_gmtoff) : 0;
}
