// What programs ask of the operating system, synchronously: output, input, arguments, environment, clocks, files.
// Results of type int64_t are >= 0 when it went well, else -errno; met_errno_text(-result) says why.
#ifndef METEOR_RUNTIME_OS_H
#define METEOR_RUNTIME_OS_H

#include "runtime/abi/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- standard streams ----
void met_print(met_str text);        // to stdout, whole; buffered
void met_print_error(met_str text);  // to stderr at once, after what stdout holds
void met_flush(void);
void met_write_last_output(void);  // before a forced end: what can be written without waiting; safe in a signal handler
bool met_read_line(met_str* line);  // from stdin, without its line end; false at the end of input
met_str met_read_rest(void);        // all that stdin still has; invalid UTF-8 is replaced

// ---- process ----
int64_t met_args_count(void);  // without the program's name
met_str met_arg(int64_t i);
met_str met_program_name(void);
bool met_env_get(met_str name, met_str* value);  // false: not set
int64_t met_env_set(met_str name, met_str value);
int64_t met_env_unset(met_str name);
int64_t met_env_count(void);
met_str met_env_name(int64_t i);
met_str met_env_value(int64_t i);
void met_exit(int64_t code) __attribute__((noreturn));  // flushes; nothing is dropped
int64_t met_process_id(void);
int64_t met_cpu_count(void);
bool met_has_room(int64_t bytes);  // the system would give so much memory now
void met_leave_descriptors(void);  // this thread uses none: where it was the only other one, the system need not count who uses which

// ---- time, randomness ----
int64_t met_clock_monotonic_ns(void);
int64_t met_clock_wall_ns(void);  // since 1970, UTC
int64_t met_clock_cpu_ns(void);   // used by this process
void met_sleep_ns(int64_t ns);
int64_t met_local_offset(int64_t seconds);  // how far local time is ahead of UTC then, in seconds
void met_random_bytes(uint8_t* to, int64_t bytes);
int64_t met_random_seed_value(void);  // 64 bits from the system

// ---- files ----
enum {
  MET_OPEN_READ = 0,
  MET_OPEN_WRITE,
  MET_OPEN_APPEND,
  MET_OPEN_CREATE,
  MET_OPEN_UPDATE,
  MET_OPEN_WRITE_READ,
  MET_OPEN_APPEND_READ
};                                                  // r w a x r+ w+ a+
int64_t met_file_open(met_str path, int64_t mode);  // a descriptor
int64_t met_file_close(int64_t fd);
int64_t met_file_read(int64_t fd, uint8_t* to, int64_t bytes);           // how many, 0 at the end
int64_t met_file_write(int64_t fd, const uint8_t* from, int64_t bytes);  // writes all
void met_file_pending(int64_t fd, uint8_t* from, int64_t bytes);   // what met_exit writes; replaces what was said before
void met_write_pending_files(void);                                      // safe in a signal handler
int64_t met_file_write_text(int64_t fd, met_str text);
int64_t met_file_seek(int64_t fd, int64_t offset, int64_t whence);  // whence: 0 start, 1 here, 2 end; the new position
int64_t met_file_truncate(int64_t fd, int64_t bytes);
int64_t met_file_sync(int64_t fd);
met_str met_file_read_all(met_str path, int64_t* status);  // bytes; *status 0 or -errno
met_str met_file_read_rest(int64_t fd, int64_t* status);   // bytes from the position to the end
bool met_path_exists(met_str path);
bool met_path_is_file(met_str path);
bool met_path_is_dir(met_str path);
int64_t met_path_size(met_str path);
int64_t met_path_modified_ns(met_str path, int64_t* status);  // wall clock
int64_t met_path_remove(met_str path);                        // a file
int64_t met_path_rename(met_str from, met_str to);
int64_t met_dir_make(met_str path);
int64_t met_dir_remove(met_str path);               // an empty one
void* met_dir_open(met_str path, int64_t* status);  // null: *status is -errno
bool met_dir_next(void* dir, met_str* name);        // without . and ..; false at the end
void met_dir_close(void* dir);
met_str met_getcwd(int64_t* status);
int64_t met_chdir(met_str path);

// ---- errno ----
met_str met_errno_text(int64_t error);  // "No such file or directory"
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
