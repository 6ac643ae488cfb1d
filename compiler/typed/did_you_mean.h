// The known name nearest in spelling to a misspelt one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace meteor::typed {

// Empty when nothing is near enough to be worth saying.
std::string did_you_mean(std::string_view wanted, const std::vector<std::string>& known);

}  // namespace meteor::typed
