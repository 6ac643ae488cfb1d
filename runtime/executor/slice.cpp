#include "runtime/executor/slice.h"

namespace meteor::async {

uint32_t watch_tick;

}  // namespace meteor::async

extern "C" {

__thread volatile uint8_t met_slice_over __attribute__((tls_model("initial-exec")));

}  // extern "C"
