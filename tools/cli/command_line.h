// The arguments of `meteor` as data. Shared by the launcher, which only needs to know how a `run` was meant, and the
// compiler, which carries everything out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace meteor::cli {

struct CommandLine {
  std::string command;                  // "run", "build", …; empty when none was given
  std::vector<std::string> files;       // run, build: one
  std::vector<std::string> program_args;// run: what follows the file
  std::string output;                   // build -o
  std::string dump;                     // --dump=
  int opt_level = -1;                   // -O0 … -O3; -1: not given
  bool naive_counting = false, report_counting = false;   // --counting=naive,report
  bool debug = false, is_static = false, json = false, time = false, leaks = false;
  bool check_facts = false;             // --check-facts, or METEOR_CHECK_FACTS is set
  bool svg = false;                     // explain
  bool fix = false, crossings = false;  // check
  bool only_check = false, from_stdin = false;   // fmt
  std::string only;                     // test: part of a name
  std::string error;                    // not empty: what is wrong with the call

  // The options that change the code, as the cache tells programs apart.
  std::string code_flags() const;
};

CommandLine parse_command_line(int argc, char** argv);

// The commands there are or will be.
bool is_planned_command(std::string_view name);
std::string near_command(std::string_view name);   // a known one that looks like it, or empty

}  // namespace meteor::cli
