// Traces: the places an error passed through, oldest first. met_error_trace (abi.h) appends; here is how core reads
// them. Invariant: a trace keeps its first 64 and its last 64 places, and how many were left out between.
#ifndef METEOR_RUNTIME_ERRORS_H
#define METEOR_RUNTIME_ERRORS_H

#include "runtime/abi/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const met_type met_trace_type;

// With nothing in its trace, to be raised again. False: somebody holds it, or it is not as one that was just made with this message, which
// belongs to the program.
bool met_error_renew(met_object* error, met_str message);

// `trace` may be null. i counts the places that were kept: 0 <= i < met_trace_count.
int64_t met_trace_count(const met_object* trace);
int64_t met_trace_left_out(const met_object* trace);     // how many places are missing …
int64_t met_trace_left_out_at(const met_object* trace);  // … before this i
met_str met_trace_function(const met_object* trace, int64_t i);
met_str met_trace_file(const met_object* trace, int64_t i);
const char* met_trace_path(const met_object* trace, int64_t i);   // as met_trace_file
met_str met_trace_source(const met_object* trace, int64_t i);     // its line, if it can be read
int64_t met_trace_line(const met_object* trace, int64_t i);
bool met_trace_is_spawn(const met_object* trace, int64_t i);  // not a call: there the task was spawned
int64_t met_trace_column(const met_object* trace, int64_t i);

#ifdef __cplusplus
}
#endif
#endif
