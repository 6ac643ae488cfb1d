#include "runtime/os/library.h"

#include <dlfcn.h>
#include <sys/auxv.h>

namespace meteor::os {

bool can_load_libraries() { return getauxval(AT_BASE) != 0; }
void* load_library(const char* name) { return dlopen(name, RTLD_NOW | RTLD_LOCAL); }
void* find_in_library(void* library, const char* name) { return dlsym(library, name); }
const char* library_problem() { return dlerror(); }

}  // namespace meteor::os
