// A text as the C library wants it: ended by a NUL. Most heap texts are already; others are copied.
#ifndef METEOR_RUNTIME_TEXT_C_PATH_H
#define METEOR_RUNTIME_TEXT_C_PATH_H

#include <string.h>

#include "runtime/text/view.h"

namespace meteor::text {

class CPath {
 public:
  explicit CPath(const met_str& s) {
    View v = view(s);
    valid = memchr(v.data, 0, size_t(v.size)) == nullptr;
    if (v.size > MET_STR_SMALL_MAX && object_of(s)->size == uint64_t(v.size)) {
      c = reinterpret_cast<const char*>(v.data);
      return;
    }
    char* to = small_;
    if (v.size > MET_STR_SMALL_MAX) {
      copy_bytes_ = v.size + 1;
      to = copy_ = static_cast<char*>(met_raw_alloc(copy_bytes_));
    }
    memcpy(to, v.data, size_t(v.size));
    to[v.size] = 0;
    c = to;
  }
  ~CPath() { met_raw_free(copy_, copy_bytes_); }
  CPath(const CPath&) = delete;

  const char* c;
  bool valid;  // no NUL inside

 private:
  char small_[MET_STR_SMALL_MAX + 1];
  char* copy_ = nullptr;
  int64_t copy_bytes_ = 0;
};

}  // namespace meteor::text

#endif
