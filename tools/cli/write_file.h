// Replaces a source file in one step: whoever reads it sees the old text or the new one.
#pragma once

#include <string>
#include <string_view>

#include "compiler/base/result.h"

namespace meteor::cli {

base::Result<base::Done> write_file(const std::string& path, std::string_view text);

}  // namespace meteor::cli
