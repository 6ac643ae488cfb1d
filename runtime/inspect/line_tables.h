// Which functions and lines an address of the program belongs to, from the DWARF that the compiler writes (version 4):
// several where calls were inlined. Usable in a signal handler: no allocation, no locks.
#ifndef METEOR_RUNTIME_INSPECT_LINE_TABLES_H
#define METEOR_RUNTIME_INSPECT_LINE_TABLES_H

#include <stddef.h>
#include <stdint.h>

namespace meteor::async {

struct Section {
  const uint8_t* data = nullptr;
  size_t size = 0;
};

// The sections of the executable that the tables lie in; empty where it has none.
struct LineTables {
  Section info, abbreviations, lines, texts, ranges;
};

struct CodePlace {
  const char* function = nullptr;  // null: that whose symbol is there
  const char* directory = "";
  const char* file = "";
  uint32_t line = 0;
};

// Innermost first; how many there are, at most `room`. 0: nothing is known of the address.
int find_places(const LineTables& tables, uint64_t address, CodePlace* places, int room);

}  // namespace meteor::async

#endif
