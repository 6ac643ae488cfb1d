// stdout, stderr and stdin, as bytes. met_flush and met_write_last_output are in os.h.
#ifndef METEOR_RUNTIME_OS_STREAMS_H
#define METEOR_RUNTIME_OS_STREAMS_H

#include <stdint.h>

namespace meteor::os {

void print(const uint8_t* text, int64_t size);        // to stdout, whole; buffered
void print_error(const uint8_t* text, int64_t size);  // to stderr at once, after what stdout holds

// What was read of stdin and nobody has taken; when that is nothing, more is read. No bytes: the end.
struct Waiting {
  const uint8_t* bytes;
  int64_t size;
};
Waiting waiting_input();
void take_input(int64_t bytes);

}  // namespace meteor::os

#endif
