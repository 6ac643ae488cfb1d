// Why an object and all that it reaches are walked through.
#ifndef METEOR_RUNTIME_ISOLATE_CROSSING_H
#define METEOR_RUNTIME_ISOLATE_CROSSING_H

#include <stdint.h>

namespace meteor::isolates {

enum class Purpose : uint8_t {
  Move,
  Freeze,
  Share,
  Mark
};  // Share: a function that several isolates call; Mark: frozen anyway, asks nothing

}  // namespace meteor::isolates

#endif
