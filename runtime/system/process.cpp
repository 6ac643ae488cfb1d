// Arguments and environment as texts.
#include "runtime/os/process.h"

#include <errno.h>
#include <string.h>

#include "runtime/system/system.h"
#include "runtime/text/c_path.h"
#include "runtime/text/view.h"

using meteor::text::CPath;
namespace os = meteor::os;

namespace {

met_str make_part(const char* from, const char* to) {
  met_str raw = met_bytes_make(reinterpret_cast<const uint8_t*>(from), to - from);
  met_str text = met_bytes_decode_replace(raw);
  met_str_release(raw);
  return text;
}

const char* name_end(const char* entry) {
  const char* equals = strchr(entry, '=');
  return equals == nullptr ? entry + strlen(entry) : equals;
}

}  // namespace

extern "C" {

int64_t met_args_count(void) { return os::arguments.count > 0 ? os::arguments.count - 1 : 0; }

met_str met_arg(int64_t i) { return met_str_from_c(os::arguments.texts[i + 1]); }

met_str met_program_name(void) { return met_str_from_c(os::arguments.count > 0 ? os::arguments.texts[0] : ""); }

bool met_env_get(met_str name, met_str* value) {
  CPath c_name(name);
  const char* found = c_name.valid ? os::find_variable(c_name.c) : nullptr;
  if (found == nullptr) return false;
  meteor::text::store(value, met_str_from_c(found));
  return true;
}

int64_t met_env_set(met_str name, met_str value) {
  CPath c_name(name), c_value(value);
  return c_name.valid && c_value.valid ? os::set_variable(c_name.c, c_value.c) : -EINVAL;
}

int64_t met_env_unset(met_str name) {
  CPath c_name(name);
  return c_name.valid ? os::unset_variable(c_name.c) : -EINVAL;
}

int64_t met_env_count(void) {
  char** entries = os::variables();
  int64_t count = 0;
  while (entries != nullptr && entries[count] != nullptr) count++;
  return count;
}

met_str met_env_name(int64_t i) {
  const char* entry = os::variables()[i];
  return make_part(entry, name_end(entry));
}

met_str met_env_value(int64_t i) {
  const char* end = name_end(os::variables()[i]);
  return met_str_from_c(*end == '=' ? end + 1 : end);
}

}  // extern "C"
