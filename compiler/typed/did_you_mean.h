// The known name nearest in spelling to a misspelt one.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace meteor::typed {

// Empty when nothing is near enough to be worth saying.
// A name that does not fit its use counts as one letter further away.
std::string did_you_mean(std::string_view wanted, const std::vector<std::string>& known, const std::function<bool(const std::string&)>& fits = {});

}  // namespace meteor::typed
