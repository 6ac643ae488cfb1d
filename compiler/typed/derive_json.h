// The source of the methods that `@derive(Json)` gives, and the names it uses for types.
#pragma once

#include "compiler/typed/checker.h"

namespace meteor::typed {

std::string json_source(Checker& c, NominalInfo* info, std::string_view method);
std::vector<TypeParamInfo> json_type_names(Checker& c, NominalInfo* info);

// The key type of a dict in the type that can't be the name of a member of a JSON object; invalid: there is none.
TypeId find_json_key_error(Checker& c, TypeId type);
// What to write instead of such a key.
std::string json_key_help(Checker& c, TypeId key);

}  // namespace meteor::typed
