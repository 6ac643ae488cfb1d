// What the compiler emits in programs that have frames, for the runtime to call.
#ifndef METEOR_RUNTIME_TASK_HOOKS_H
#define METEOR_RUNTIME_TASK_HOOKS_H

#include "runtime/abi/abi.h"

extern "C" {
__attribute__((weak)) met_object* met_hook_cancelled(void);  // an owned Cancelled
__attribute__((weak)) void met_hook_suppress(met_object* error, met_object* other);
__attribute__((weak)) bool met_hook_is_error(met_object* error);  // an Error, not Cancelled
__attribute__((weak)) void met_hook_report(met_object* error);
}

#endif
