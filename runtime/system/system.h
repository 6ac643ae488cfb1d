// What programs ask of the operating system, synchronously and in texts: output, input, arguments, environment, files.
// Results of type int64_t are >= 0 when it went well, else -errno; met_errno_text(-result) says why.
#ifndef METEOR_RUNTIME_SYSTEM_H
#define METEOR_RUNTIME_SYSTEM_H

#include "runtime/abi/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- standard streams ----
void met_print(met_str text);        // to stdout, whole; buffered
void met_print_error(met_str text);  // to stderr at once, after what stdout holds
int64_t met_read_line(met_str* line);  // from stdin, without its line end: 1; 0 at the end of input; -EBUSY: a loop waits for it

// ---- arguments and environment ----
int64_t met_args_count(void);  // without the program's name
met_str met_arg(int64_t i);
met_str met_program_name(void);
bool met_env_get(met_str name, met_str* value);  // false: not set
int64_t met_env_set(met_str name, met_str value);
int64_t met_env_unset(met_str name);
int64_t met_env_count(void);
met_str met_env_name(int64_t i);
met_str met_env_value(int64_t i);

// ---- files ----
int64_t met_file_open(met_str path, int64_t mode);  // an os::OpenTo; a descriptor
bool met_path_exists(met_str path);
bool met_path_is_file(met_str path);
bool met_path_is_dir(met_str path);
int64_t met_path_size(met_str path);
int64_t met_path_remove(met_str path);  // a file
int64_t met_path_rename(met_str from, met_str to);
int64_t met_dir_make(met_str path);
int64_t met_dir_remove(met_str path);               // an empty one
void* met_dir_open(met_str path, int64_t* status);  // null: *status is -errno
bool met_dir_next(void* dir, met_str* name);        // without . and ..; false at the end
void met_dir_close(void* dir);
met_str met_getcwd(int64_t* status);
int64_t met_chdir(met_str path);

met_str met_errno_text(int64_t error);  // "No such file or directory"

#ifdef __cplusplus
}
#endif
#endif
