// SourceLines → text.
#pragma once

#include <string>

#include "compiler/format/source_lines.h"

namespace meteor::format {

std::string print_lines(const SourceLines& lines);

}  // namespace meteor::format
