// A lambda given to a function whose parameters have no types gets its own from that function's body, which knows
// nothing of the bounds where the lambda stands. So the lambda remembers what else the function was given (bounds.cpp).
#pragma once

#include <string>
#include <vector>

#include "compiler/typed/flow.h"

namespace meteor::typed {

inline constexpr std::string_view GIVEN_BESIDES = "=given";  // no place begins so

inline void note_given(Flow& flow, const std::vector<TypeId>& given) {
  for (TypeId type : given) flow.know(std::string(GIVEN_BESIDES) + std::to_string(type.index), type);
}

inline std::vector<TypeId> given_besides(const Flow& flow) {
  std::vector<TypeId> out;
  for (auto& [key, known] : flow.narrowed)
    if (key.starts_with(GIVEN_BESIDES)) out.push_back(known.type);
  return out;
}

}  // namespace meteor::typed
