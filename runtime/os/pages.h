// Memory by the page.
#ifndef METEOR_RUNTIME_OS_PAGES_H
#define METEOR_RUNTIME_OS_PAGES_H

#include <stddef.h>

#include "runtime/os/linux/thin.h"

namespace meteor::os {

void* map_pages(size_t bytes);  // zeroed, and taken from the system as they are touched; null: there are none
void unmap_pages(void* pages, size_t bytes);
inline void wish_large_pages(void* memory, size_t bytes);

struct Mapped {
  const char* data;  // null: it can't be read
  size_t size;
};
Mapped map_own_executable();  // to read; safe in a signal handler

}  // namespace meteor::os

#endif
