// Whether a short wait can be worth anything on this machine.
#include "runtime/threads/brief_wait.h"

#include "runtime/os/os.h"
#include "runtime/os/simulated/simulation.h"

namespace meteor::atomic {

bool can_wait_briefly() {
  static int can;  // 0: not known yet; several threads may find out
  int known = __atomic_load_n(&can, __ATOMIC_RELAXED);
  if (known == 0) {
    known = met_cpu_count() > 1 && !os::simulation.is_on ? 1 : 2;
    __atomic_store_n(&can, known, __ATOMIC_RELAXED);
  }
  return known == 1;
}

}  // namespace meteor::atomic
