// Names that every module knows although the library modules that have them are not part of core: such a module is loaded
// when a program uses the name.
#pragma once

#include <string_view>

namespace meteor::typed {

inline constexpr std::string_view KNOWN_NAMES[] = {"bigint", "decimal"};   // each in the module of its own name

}  // namespace meteor::typed
