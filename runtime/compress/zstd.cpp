// Zstandard for std/compress.met, on libzstd.
#include <zstd.h>
#include <zstd_errors.h>

#include "runtime/compress/coder.h"

namespace meteor::compress {

struct Zstd {
  ZSTD_CCtx* encoder;
  ZSTD_DCtx* decoder;
  size_t problem;
};

}  // namespace meteor::compress

using namespace meteor::compress;
using namespace meteor::text;

extern "C" {

Zstd* met_zstd_new(bool decodes, int64_t level) {
  Zstd* coder = static_cast<Zstd*>(calloc(1, sizeof(Zstd)));
  if (coder == nullptr) met_out_of_memory(sizeof(Zstd));
  if (decodes) coder->decoder = ZSTD_createDCtx();
  else coder->encoder = ZSTD_createCCtx();
  if (coder->decoder == nullptr && coder->encoder == nullptr) met_out_of_memory(256 * 1024);
  // A frame may ask for 128 MiB of window, as the zstd tool has it; one that asks for more is refused.
  if (decodes) ZSTD_DCtx_setParameter(coder->decoder, ZSTD_d_windowLogMax, 27);
  else {
    ZSTD_CCtx_setParameter(coder->encoder, ZSTD_c_compressionLevel, int(level));
    ZSTD_CCtx_setParameter(coder->encoder, ZSTD_c_checksumFlag, 1);
  }
  return coder;
}

void met_zstd_free(Zstd* coder) {
  if (coder == nullptr) return;
  ZSTD_freeCCtx(coder->encoder);
  ZSTD_freeDCtx(coder->decoder);
  free(coder);
}

// Takes data[at ..] and gives at most `most` bytes; `at` becomes where the rest begins.
int64_t met_zstd_run(Zstd* coder, met_str data, int64_t* at, int64_t mode, int64_t most, met_str* into) {
  View view_of_data = view(data);
  ZSTD_inBuffer in = {view_of_data.data, size_t(view_of_data.size), size_t(*at)};
  Output out(most);
  int64_t result = MORE;
  for (;;) {
    if (!out.reserve()) {
      result = out.full();
      break;
    }
    ZSTD_outBuffer to = {out.room(), size_t(out.left()), 0};
    ZSTD_EndDirective end = mode == RUN ? ZSTD_e_continue : mode == FLUSH ? ZSTD_e_flush : ZSTD_e_end;
    size_t status = coder->decoder != nullptr ? ZSTD_decompressStream(coder->decoder, &to, &in) : ZSTD_compressStream2(coder->encoder, &to, &in, end);
    out.add(int64_t(to.pos));
    if (ZSTD_isError(status)) {
      coder->problem = status;
      result = BAD;
      break;
    }
    if (coder->decoder != nullptr) {
      if (status == 0) {
        result = ENDED;
        break;
      }
      if (in.pos == in.size && to.pos < to.size) break;
    } else {
      if (status == 0 && in.pos == in.size && mode != RUN) {
        result = mode == FINISH ? ENDED : MORE;
        break;
      }
      if (mode == RUN && in.pos == in.size && to.pos < to.size) break;
    }
  }
  *at = int64_t(in.pos);
  out.store(into);
  return result;
}

met_str met_zstd_problem(Zstd* coder) { return make_c(ZSTD_getErrorName(coder->problem)); }

}  // extern "C"
