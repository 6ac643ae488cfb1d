// What the coders of std/compress.met have in common: bytes go in piece by piece, and come out in one piece per call, which
// is never longer than the caller allows.
//
// Invariant: what was taken from the input is gone from it; a call that stopped for want of room is made again with the rest.
#ifndef METEOR_RUNTIME_COMPRESS_CODER_H
#define METEOR_RUNTIME_COMPRESS_CODER_H

#include <stdlib.h>

#include "runtime/text/view.h"

namespace meteor::compress {

enum Format : int64_t { GZIP, ZLIB, DEFLATE };
enum Mode : int64_t { RUN, FLUSH, FINISH };
enum Status : int64_t { MORE = 0, ENDED = 1, FULL = 2, BAD = -1, NO_MEMORY = -2 };   // FULL: more would come out

// What came out so far.
class Output {
 public:
  explicit Output(int64_t most) : most_(most) {}
  Output(const Output&) = delete;
  ~Output() { free(data_); }

  // Room for more; false: the limit is reached, or there is no memory.
  bool reserve() {
    if (size_ < capacity_) return true;
    if (size_ >= most_) return false;
    int64_t wanted = capacity_ == 0 ? 16 * 1024 : capacity_ * 2;
    if (wanted > most_) wanted = most_;
    bool has_room = wanted <= text::LARGE_TEXT / 2 || met_has_room(2 * wanted);  // what comes out is copied in the end
    void* grown = has_room ? realloc(data_, size_t(wanted)) : nullptr;
    if (grown == nullptr) {
      lacks_memory_ = true;
      return false;
    }
    data_ = static_cast<uint8_t*>(grown);
    capacity_ = wanted;
    return true;
  }
  Status full() const { return lacks_memory_ ? NO_MEMORY : FULL; }  // why there is no room for more
  uint8_t* room() { return data_ + size_; }
  int64_t left() const { return capacity_ - size_; }
  void add(int64_t count) { size_ += count; }
  void store(met_str* into) const { text::store(into, text::make_known(data_, size_, false)); }

 private:
  uint8_t* data_ = nullptr;
  int64_t size_ = 0, capacity_ = 0, most_;
  bool lacks_memory_ = false;
};

}  // namespace meteor::compress

#endif
