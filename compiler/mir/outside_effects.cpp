#include "compiler/mir/outside_effects.h"

#include <algorithm>

namespace meteor::mir {

bool writes_elements(Intrinsic intrinsic) {
  switch (intrinsic) {
    case Intrinsic::RawRealloc:
    case Intrinsic::RawFree:
    case Intrinsic::RawTake:
    case Intrinsic::RawInit:
    case Intrinsic::RawSet:
    case Intrinsic::RawSwap:
    case Intrinsic::RawMove:
    case Intrinsic::RawCopyTo:
    case Intrinsic::RawDropAll:
    case Intrinsic::RawZero: return true;
    default: return false;
  }
}

bool reads_elements(Intrinsic intrinsic) {
  switch (intrinsic) {
    case Intrinsic::RawGet:
    case Intrinsic::RawPeek:
    case Intrinsic::RawTake:
    case Intrinsic::RawEqualBytes:
    case Intrinsic::RawCopyTo:
    case Intrinsic::RawMove:
    case Intrinsic::RawSwap:
    case Intrinsic::RawRealloc: return true;
    default: return false;
  }
}

bool runs_other_code(Intrinsic intrinsic) {
  switch (intrinsic) {
    case Intrinsic::JsonOfAny:
    case Intrinsic::VisitParts:
    case Intrinsic::VisitPlace:
    case Intrinsic::FrameYield:
    case Intrinsic::FrameTake: return true;
    default: return false;
  }
}

bool works_on_values(std::string_view symbol) {
  constexpr std::string_view AREAS[] = {"met_str_",  "met_bytes_",  "met_int_",  "met_uint_",
                                        "met_float", "met_format_", "met_hash_", "met_round_"};
  return std::ranges::any_of(AREAS, [&](std::string_view area) { return symbol.starts_with(area); });
}

bool only_locks(std::string_view symbol) {
  return symbol == "met_lock" || symbol == "met_unlock" || symbol == "met_channel_enter" ||
         symbol == "met_channel_leave";
}

}  // namespace meteor::mir
