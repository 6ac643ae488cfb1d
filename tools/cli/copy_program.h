// Puts a built program from the cache where the user wants it. A copy, not a link: whoever strips or patches it must not change the cache.
#pragma once

#include <string>

#include "compiler/base/result.h"

namespace meteor::cli {

struct CommandLine;

// dir/name.met makes ./name
std::string output_of(const CommandLine& line);
base::Result<base::Done> copy_program(const std::string& from, const std::string& to);

}  // namespace meteor::cli
