// A text as the C library wants it: ended by a NUL. Heap texts are already; small ones are copied.
#ifndef METEOR_RUNTIME_OS_C_PATH_H
#define METEOR_RUNTIME_OS_C_PATH_H

#include <string.h>

#include "runtime/text/view.h"

namespace meteor::os {

class CPath {
 public:
  explicit CPath(const met_str& s) {
    text::View v = text::view(s);
    valid = memchr(v.data, 0, size_t(v.size)) == nullptr;
    if (v.size <= MET_STR_SMALL_MAX) {
      memcpy(small_, v.data, size_t(v.size));
      small_[v.size] = 0;
      c = small_;
    } else {
      c = reinterpret_cast<const char*>(v.data);
    }
  }
  CPath(const CPath&) = delete;

  const char* c;
  bool valid;  // no NUL inside

 private:
  char small_[MET_STR_SMALL_MAX + 1];
};

}  // namespace meteor::os

#endif
