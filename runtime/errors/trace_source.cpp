// The source line of a place in a trace, read when an uncaught error is shown.
// Invariant: whatever the file is by then, gone, changed or no text at all, the answer is a short line or nothing.

#include "runtime/errors/errors.h"
#include "runtime/os/descriptors.h"
#include "runtime/text/text.h"

namespace {

constexpr size_t LONGEST_LINE = 200;
constexpr int64_t LAST_LINE = 1'000'000;

// Copies line `wanted` (from 1) to `line`; empty when there is none or it is too long to show.
void read_line(int fd, int64_t wanted, char (&line)[LONGEST_LINE + 1]) {
  char buffer[4096];
  int64_t number = 1;
  size_t size = 0;
  line[0] = 0;
  for (int64_t n; (n = meteor::os::read_descriptor(fd, buffer, sizeof buffer)) > 0;) {
    for (int64_t i = 0; i < n; i++) {
      if (buffer[i] == '\n') {
        if (number++ == wanted) return;
        continue;
      }
      if (number != wanted || buffer[i] == '\r') continue;
      if (size == LONGEST_LINE || buffer[i] == 0) {
        line[0] = 0;
        return;
      }
      line[size++] = buffer[i] == '\t' ? ' ' : buffer[i];
      line[size] = 0;
    }
  }
}

}  // namespace

extern "C" met_str met_trace_source(const met_object* trace, int64_t i) {
  char line[LONGEST_LINE + 1] = "";
  int64_t wanted = met_trace_line(trace, i);
  int fd = wanted > 0 && wanted <= LAST_LINE ? meteor::os::open_to_read(met_trace_path(trace, i)) : -1;
  if (fd >= 0) {
    read_line(fd, wanted, line);
    meteor::os::close_descriptor(fd);
  }
  return met_str_from_c(line);
}
