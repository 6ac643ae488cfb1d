// The source of the methods that `@derive(Json)` gives, and the names it uses for types.
#pragma once

#include "compiler/typed/checker.h"

namespace meteor::typed {

std::string json_source(Checker& c, NominalInfo* info, std::string_view method);
std::vector<TypeParamInfo> json_type_names(Checker& c, NominalInfo* info);

}  // namespace meteor::typed
