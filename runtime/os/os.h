// What std asks of the operating system, synchronously and without texts: clocks, random bytes, open files, the end.
// What takes or gives texts is runtime/system. Results of type int64_t are >= 0 when it went well, else -errno.
#ifndef METEOR_RUNTIME_OS_H
#define METEOR_RUNTIME_OS_H

#include "runtime/abi/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- stdout (runtime/os/streams.h) ----
void met_flush(void);
void met_write_last_output(void);  // before a forced end: what can be written without waiting; safe in a signal handler

// ---- process ----
void met_exit(int64_t code) __attribute__((noreturn));  // flushes; nothing is dropped
int64_t met_process_id(void);
int64_t met_cpu_count(void);
bool met_has_room(int64_t bytes);  // the system would give so much memory now
void met_leave_descriptors(
    void);  // this thread uses none: where it was the only other one, the system need not count who uses which

// ---- time, randomness ----
int64_t met_clock_monotonic_ns(void);
int64_t met_clock_wall_ns(void);  // since 1970, UTC
int64_t met_clock_cpu_ns(void);   // used by this process
int64_t met_local_offset(int64_t seconds);  // how far local time is ahead of UTC then, in seconds
void met_random_bytes(uint8_t* to, int64_t bytes);
int64_t met_random_seed_value(void);  // 64 bits from the system

// ---- open files ----
int64_t met_file_close(int64_t fd);
int64_t met_file_read(int64_t fd, uint8_t* to, int64_t bytes);           // how many, 0 at the end
int64_t met_file_write(int64_t fd, const uint8_t* from, int64_t bytes);  // writes all
void met_file_pending(int64_t fd, uint8_t* from, int64_t bytes);  // what met_exit writes; replaces what was said before
void met_write_pending_files(void);                               // safe in a signal handler
int64_t met_file_seek(int64_t fd, int64_t offset, int64_t whence);  // whence: an os::SeekFrom; the new position
int64_t met_file_truncate(int64_t fd, int64_t bytes);

// ---- errno ----
enum {
  MET_IO_OTHER = 0,
  MET_IO_NOT_FOUND,
  MET_IO_PERMISSION,
  MET_IO_EXISTS,
  MET_IO_IS_DIR,
  MET_IO_NOT_DIR,
  MET_IO_REFUSED,
  MET_IO_RESET,
  MET_IO_BROKEN_PIPE,
  MET_IO_ADDRESS_IN_USE,
  MET_IO_TIMED_OUT,
  MET_IO_NOT_EMPTY
};
int64_t met_errno_kind(int64_t error);  // MET_IO_…, the same on every system

#ifdef __cplusplus
}
#endif
#endif
