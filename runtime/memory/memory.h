// Objects and raw memory: what emitted code calls is in abi.h; here is what std/core and the rest of the runtime use
// besides. Invariant: memory goes back to the thread that frees it, so an object may die in another thread than it was
// made in.
#ifndef METEOR_RUNTIME_MEMORY_H
#define METEOR_RUNTIME_MEMORY_H

#include "runtime/abi/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

// Objects are kept in a list so that the end of the program can name those that live on (METEOR_LEAKS=1).
// Set once by met_runtime_start, before the first allocation.
extern bool met_leak_tracking;

met_object* met_object_new_sized(const met_type* type, int64_t bytes);  // payload not zeroed; for text, traces
void met_object_free_sized(met_object* object, int64_t bytes);          // its memory alone, nothing is dropped
int64_t met_live_objects(void);                       // tracked objects alive now; 0 when not tracking
int64_t met_live_raw_bytes(void);                     // bytes of raw buffers alive now; 0 when not tracking
void met_leak_reset(void);                            // forgets what is alive (tests)
__attribute__((weak)) void met_finish_workers(void);  // where there are pools
bool met_leak_report(void);                           // writes survivors to stderr; true when there are any
void met_out_of_memory(int64_t bytes) __attribute__((noreturn));

#ifdef __cplusplus
}
#endif
#endif
