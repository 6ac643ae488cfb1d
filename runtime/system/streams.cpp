// stdout, stderr and stdin as texts.
#include "runtime/os/streams.h"

#include <errno.h>
#include <string.h>

#include "runtime/os/os.h"
#include "runtime/system/system.h"
#include "runtime/text/view.h"

using namespace meteor::text;
namespace os = meteor::os;

namespace {

met_str take_text(met_builder* bytes) {
  met_str raw = met_builder_take(bytes);
  if (find_bad_utf8(data_of(raw), size_of(raw)) < 0) return raw;
  met_str text = met_bytes_decode_replace(raw);
  met_str_release(raw);
  return text;
}

// Up to the end of a line, which is taken too; false: to the end of input.
bool take_line(met_builder* bytes) {
  bool ended = false;
  while (!ended) {
    os::Waiting input = os::waiting_input();
    if (input.size == 0) break;
    const void* newline = memchr(input.bytes, '\n', size_t(input.size));
    ended = newline != nullptr;
    int64_t size = ended ? static_cast<const uint8_t*>(newline) - input.bytes : input.size;
    met_builder_append_raw(bytes, input.bytes, size);
    os::take_input(size + ended);
  }
  return ended;
}

}  // namespace

extern "C" {

void met_print(met_str text) { os::print(data_of(text), size_of(text)); }

void met_print_error(met_str text) { os::print_error(data_of(text), size_of(text)); }

int64_t met_read_line(met_str* line) {
  met_flush();  // the prompt
  if (!os::begin_line()) return -EBUSY;
  met_builder bytes = {};
  bool ended = take_line(&bytes);
  os::end_line();
  if (!ended && bytes.size == 0) {
    met_builder_free(&bytes);
    return 0;
  }
  if (ended && bytes.size > 0 && bytes.data[bytes.size - 1] == '\r') bytes.size--;
  store(line, take_text(&bytes));
  return 1;
}

}  // extern "C"
