// A snapshot as lines of text. Siblings that are alike share a line.
#ifndef METEOR_RUNTIME_INSPECT_DESCRIBE_H
#define METEOR_RUNTIME_INSPECT_DESCRIBE_H

#include "runtime/inspect/snapshot.h"

namespace meteor::async {

struct Text {
  char* data;  // by met_raw_alloc
  size_t size, room;
};

__attribute__((format(printf, 2, 3))) void add(Text& text, const char* format, ...);
void add_time(Text& text, int64_t ms);
void add_tree(Text& text, const Snapshot& snapshot, bool with_time);

}  // namespace meteor::async

#endif
