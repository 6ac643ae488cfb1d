// gzip, zlib and bare deflate for std/compress.met, on zlib.
#include <zlib.h>

#include "runtime/compress/coder.h"

namespace meteor::compress {

struct Deflate {
  z_stream stream;
  bool decodes;
};

}  // namespace meteor::compress

using namespace meteor::compress;
using namespace meteor::text;

namespace {

int window_of(int64_t format) { return format == GZIP ? 15 + 16 : format == ZLIB ? 15 : -15; }

}  // namespace

extern "C" {

Deflate* met_deflate_new(int64_t format, bool decodes, int64_t level) {
  Deflate* coder = static_cast<Deflate*>(calloc(1, sizeof(Deflate)));
  if (coder == nullptr) met_out_of_memory(sizeof(Deflate));
  coder->decodes = decodes;
  int status = decodes ? inflateInit2(&coder->stream, window_of(format))
                       : deflateInit2(&coder->stream, int(level), Z_DEFLATED, window_of(format), 8, Z_DEFAULT_STRATEGY);
  if (status != Z_OK) met_out_of_memory(256 * 1024);   // the arguments are checked before
  return coder;
}

void met_deflate_free(Deflate* coder) {
  if (coder == nullptr) return;
  if (coder->decodes) inflateEnd(&coder->stream);
  else deflateEnd(&coder->stream);
  free(coder);
}

// Takes data[at ..] and gives at most `most` bytes; `at` becomes where the rest begins.
int64_t met_deflate_run(Deflate* coder, met_str data, int64_t* at, int64_t mode, int64_t most, met_str* into) {
  z_stream& stream = coder->stream;
  Output out(most);
  View view_of_data = view(data);
  int64_t result = MORE;
  for (;;) {
    int64_t left = view_of_data.size - *at;
    int64_t given = left < 1 << 30 ? left : 1 << 30;
    if (!out.reserve()) {
      result = out.full();
      break;
    }
    stream.next_in = const_cast<uint8_t*>(view_of_data.data) + *at;
    stream.avail_in = uInt(given);
    int64_t room = out.left() < 1 << 30 ? out.left() : 1 << 30;
    stream.next_out = out.room();
    stream.avail_out = uInt(room);
    bool is_last = given == left;
    int flush = !is_last || mode == RUN ? Z_NO_FLUSH : mode == FLUSH ? Z_SYNC_FLUSH : Z_FINISH;
    int status = coder->decodes ? inflate(&stream, Z_NO_FLUSH) : deflate(&stream, flush);
    *at += given - stream.avail_in;
    out.add(room - stream.avail_out);
    if (status == Z_STREAM_END) {
      result = ENDED;
      break;
    }
    if (status == Z_NEED_DICT || status == Z_DATA_ERROR || status == Z_STREAM_ERROR) {
      result = BAD;
      break;
    }
    if (status == Z_MEM_ERROR) met_out_of_memory(256 * 1024);
    if (stream.avail_out > 0 && *at == view_of_data.size) break;   // all is taken, and all that it gives was given
    if (status == Z_BUF_ERROR && stream.avail_out > 0) break;
  }
  out.store(into);
  return result;
}

// Begins again with the next member of a gzip file.
void met_inflate_again(Deflate* coder) { inflateReset(&coder->stream); }

met_str met_deflate_problem(Deflate* coder) { return make_c(coder->stream.msg != nullptr ? coder->stream.msg : "a dictionary is needed"); }

}  // extern "C"
