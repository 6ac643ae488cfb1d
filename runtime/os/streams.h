// stdout, stderr and stdin, as bytes. met_flush and met_write_last_output are in os.h.
#ifndef METEOR_RUNTIME_OS_STREAMS_H
#define METEOR_RUNTIME_OS_STREAMS_H

#include <stdint.h>

namespace meteor::os {

void hold_standard_places();  // where a stream is closed, none of the runtime's own descriptors may get its number

void print(const uint8_t* text, int64_t size);        // to stdout, whole; buffered
void print_error(const uint8_t* text, int64_t size);  // to stderr at once, after what stdout holds

// The same without waiting: as many bytes as there was room for, all of them unless there are more than fit into an empty
// buffer; -EAGAIN: when stdout can be written again.
int64_t offer_output(const uint8_t* bytes, int64_t size);
bool drain_output();  // without waiting: nothing is left to be written
extern bool (*is_output_awaited)();  // by a task of this isolate, which goes on when stdout can be written; may be null
void flush_before_sleep();           // waits unless it is

// stdin is read by whoever asks for a line, or by the loop of the isolate that has claimed it.
bool begin_line();  // false: a loop has it, and does not give it back
void end_line();
bool claim_input(const void* owner);  // false: another one has it, or waits for a line
void leave_input(const void* owner);
extern bool (*give_back_input)(const void* owner);  // of a loop: puts back what it has not given out; false: it waits for more

// What was read of stdin and nobody has taken; when that is nothing, more is read. No bytes: the end.
struct Waiting {
  const uint8_t* bytes;
  int64_t size;
};
Waiting waiting_input();
void take_input(int64_t bytes);

int64_t read_input(uint8_t* to, int64_t most);  // without waiting: how many, 0 at the end, -EAGAIN, -errno
void put_back_input(const uint8_t* bytes, int64_t size);

}  // namespace meteor::os

#endif
