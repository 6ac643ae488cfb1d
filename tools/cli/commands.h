// The commands. Each returns the exit code: 0 fine, 1 the program failed, 2 it did not compile or was called wrongly.
#pragma once

#include <string>

#include "compiler/pipeline/compile.h"
#include "tools/cli/command_line.h"

namespace meteor::cli {

int run_command(const CommandLine& line);
int build_command(const CommandLine& line);
int test_command(const CommandLine& line);
int check_command(const CommandLine& line);
int fmt_command(const CommandLine& line);
int trace_command(const CommandLine& line);
int ps_command(const CommandLine& line);
int explain_command(const CommandLine& line);
int version_command();
int help_command(const CommandLine& line);
int unknown_command(const CommandLine& line);

// ---- Shared
int fail(const std::string& message);                  // "meteor: message" on stderr; gives 2
int misuse(const std::string& message, const char* usage);
pipeline::CompileOptions compile_options(const CommandLine& line, object::OptLevel otherwise);
bool check_dump_option(const CommandLine& line);
void print_diagnostics(const diagnostics::Sink& sink, const source::Sources& sources);   // as text to stderr
void list_crossings(const pipeline::Compilation& compilation, const CommandLine& line);   // to stdout
// Diagnostics to stderr (as JSON to stdout with --json), the dump to stdout, times to stderr.
void print_findings(const pipeline::Compilation& compilation, const CommandLine& line);

}  // namespace meteor::cli
