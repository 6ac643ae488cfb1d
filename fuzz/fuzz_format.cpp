// Bytes → formatter: what parses is formatted without a change of meaning, and formatting the result changes nothing.
#include <cstdio>
#include <cstdlib>

#include "compiler/format/format.h"

using namespace meteor;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  source::Sources sources;
  diagnostics::Sink sink;
  source::FileId file = sources.add("a.met", std::string(reinterpret_cast<const char*>(data), size));
  format::Formatted once = format::format(file, sources, sink);
  if (once.outcome == format::Outcome::HasErrors) return 0;
  if (once.outcome == format::Outcome::WouldChange) {
    std::fputs("formatting would change the meaning\n", stderr);
    std::abort();
  }
  format::Formatted twice = format::format(sources.add("a.met", once.text), sources, sink);
  if (twice.outcome != format::Outcome::Formatted || twice.text != once.text) {
    std::fprintf(stderr, "formatting again changes it\n---- once\n%s\n---- twice\n%s\n", once.text.c_str(), twice.text.c_str());
    std::abort();
  }
  return 0;
}
