// Replaces this process by a built program, so that its signals and its exit code are exactly its own.
#pragma once

#include <string>

#include "tools/cli/command_line.h"

namespace meteor::cli {

// Returns only on failure, with errno set.
void start_program(const std::string& path, const CommandLine& line);
void start_program(int fd, const CommandLine& line);

std::string absolute_path(const std::string& path);

}  // namespace meteor::cli
