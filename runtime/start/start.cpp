// met_runtime_start and met_runtime_finish: what happens before the first and after the last statement.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/memory/facts.h"
#include "runtime/memory/memory.h"
#include "runtime/numbers/hash.h"
#include "runtime/os/descriptors.h"
#include "runtime/os/os.h"
#include "runtime/os/process.h"
#include "runtime/os/signals.h"
#include "runtime/os/simulated/simulation.h"
#include "runtime/os/stack.h"
#include "runtime/os/streams.h"

namespace meteor::start {

namespace {

bool reports_leaks;

uint64_t choose_hash_seed() {
  const char* fixed = getenv("METEOR_HASH_SEED");
  return fixed != nullptr ? strtoull(fixed, nullptr, 0) : uint64_t(met_random_seed_value());
}

bool is_set(const char* name) {
  const char* value = getenv(name);
  return value != nullptr && *value != 0 && strcmp(value, "0") != 0;
}

}  // namespace
}  // namespace meteor::start

using namespace meteor::os;
using namespace meteor::start;

extern "C" {

void met_runtime_start(int argc, char** argv) {
  guard_stack(argv);
  arguments = {argc, argv};
  reports_leaks = is_set("METEOR_LEAKS");
  met_leak_tracking = reports_leaks || meteor::memory::checks_facts;
  meteor::numbers::set_hash_key(choose_hash_seed());
  let_writes_fail();
  hold_standard_places();
  meteor::os::read_simulation();
}

int64_t met_interrupted(void) { return interrupts; }   // the signal, 0: none

static int later_exit_code;
void met_exit_later(int64_t code) { later_exit_code = int(code); }   // when the program has ended as it does

int met_runtime_finish(int exit_code) {
  if (later_exit_code != 0) exit_code = later_exit_code;
  met_flush();
  if (runs_on) reports_leaks = false;   // what it has is no leak, and nobody waits for it
  if (reports_leaks && met_finish_workers != nullptr) met_finish_workers();
  if (reports_leaks && met_leak_report() && exit_code == 0) return 1;
  return exit_code;
}

void met_report_retains(int64_t retains) {
  met_flush();
  fprintf(stderr, "retains: %lld\n", static_cast<long long>(retains));
}

void met_panic(const char* message) {
  met_flush();
  write_descriptor(STDERR, "error: ", 7);
  write_descriptor(STDERR, message, int64_t(strlen(message)));
  write_descriptor(STDERR, "\n", 1);
  end_at_once(1);
}

}  // extern "C"
