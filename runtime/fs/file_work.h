// A piece of work on files, and the two ways it is done: by the calls of the system in a thread (file_calls.cpp), or by the isolate's ring (file_ring.cpp).
#ifndef METEOR_RUNTIME_FS_FILE_WORK_H
#define METEOR_RUNTIME_FS_FILE_WORK_H

#include "runtime/loop/isolate.h"
#include "runtime/os/files.h"
#include "runtime/os/ring.h"

namespace meteor::net {

struct Work {
  async::Message message;         // when it is done
  os::Operation operation;     // of the ring
  Work* next;
  async::Isolate* home;
  async::WaitList line;
  int64_t kind;
  char* path;
  char* other;
  met_str data;                   // what is written; counted
  int64_t number[8];              // arguments, then results
  uint8_t* result;                // malloc
  int64_t result_size;
  int64_t room;                   // of the result
  int64_t file_size;              // when the room was made; 0: not known
  int64_t status;
  int fd;                         // of the ring's own
  bool by_ring, is_done, is_abandoned;
  bool closes;                    // abandoned, and its descriptor, number[0], is closed behind it
};

using os::NO_PLACE;

enum : int64_t { READ_FILE, WRITE_FILE, STAT, LIST, MAKE_FOLDER, REMOVE, RENAME, COPY, TEMP, OPEN, READ_AT, WRITE_AT, CLOSE, SYNC, TRUNCATE, REAL_PATH };
enum : int64_t { WRITE_NEW, WRITE_APPEND, WRITE_ATOMIC };
// What STAT leaves in `number`.
enum : int64_t { STAT_SIZE, STAT_MODE, STAT_MODIFIED, STAT_CHANGED, STAT_INODE, STAT_LINKS, STAT_USER, STAT_GROUP };

int64_t run_work(Work& work);            // what it gives, or -errno; may take as long as a disk does
int flags_to_open(const Work& work);     // READ_FILE, WRITE_FILE and OPEN
int64_t make_room(int fd, Work& work);   // for all of a file; 0 or -errno

bool start_by_ring(Work& work);          // false: it has to be done in a thread
void work_is_done(Work& work);           // in the isolate's thread; whoever waits is woken

}  // namespace meteor::net

#endif
