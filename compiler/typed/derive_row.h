// The source of `_from_row`, by which a row of std's module db becomes an object.
#pragma once

#include "compiler/typed/checker.h"

namespace meteor::typed {

std::string row_source(Checker& c, NominalInfo* info, bool has_own_json);

}  // namespace meteor::typed
