// Libraries that are loaded when they are needed.
#ifndef METEOR_RUNTIME_OS_LIBRARY_H
#define METEOR_RUNTIME_OS_LIBRARY_H

namespace meteor::os {

bool can_load_libraries();                               // not in a program that is linked statically
void* load_library(const char* name);                    // null: library_problem() says why
void* find_in_library(void* library, const char* name);  // the same
const char* library_problem();

}  // namespace meteor::os

#endif
