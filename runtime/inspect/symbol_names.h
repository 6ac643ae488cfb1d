// Names of the program's functions on the stack, from the symbol table of the running executable. Usable in a signal handler: no
// allocation, no locks.
#ifndef METEOR_RUNTIME_INSPECT_SYMBOL_NAMES_H
#define METEOR_RUNTIME_INSPECT_SYMBOL_NAMES_H

namespace meteor::async {

// Writes one line per function of the program that one of these addresses lies in; what belongs to the runtime is left out.
void write_function_names(int fd, void* const* addresses, int count);

}  // namespace meteor::async

#endif
