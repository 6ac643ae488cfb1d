#include "tools/cli/command_line.h"

#include <algorithm>
#include <cstdlib>

#include "compiler/mir/async_mode.h"

namespace meteor::cli {

namespace {

constexpr std::string_view COMMANDS[] = {"run", "build", "check", "test", "fmt", "explain", "trace", "ps", "version", "help"};
constexpr std::string_view PLANNED[] = {"repl", "new", "add", "doc", "lsp", "bench"};

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t above = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = above;
    }
  }
  return row[b.size()];
}

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value && *value && std::string_view(value) != "0";
}

// Which options a command takes.
bool takes(std::string_view command, std::string_view option) {
  bool compiles = command == "run" || command == "build" || command == "check" || command == "test" || command == "trace";
  if (option == "--json") return compiles || command == "explain";
  if (option == "--svg") return command == "explain";
  if (option == "--time" || option == "--dump" || option == "--counting" || option == "--async") return compiles;
  if (option == "--debug" || option.starts_with("-O")) return compiles;
  if (option == "-o") return command == "build" || command == "trace" || command == "explain";
  if (option == "--static") return command == "build";
  if (option == "--check-facts") return compiles;
  if (option == "--leaks") return command == "run";
  if (option == "--only") return command == "test";
  if (option == "--fix" || option == "--crossings") return command == "check";
  if (option == "--check" || option == "--stdin") return command == "fmt";
  return false;
}

}  // namespace

bool is_planned_command(std::string_view name) { return std::ranges::find(PLANNED, name) != std::end(PLANNED); }

std::string near_command(std::string_view name) {
  std::string best;
  size_t distance = 3;
  auto look = [&](std::string_view known) {
    size_t d = edit_distance(name, known);
    if (d < distance && d < known.size()) {
      distance = d;
      best = known;
    }
  };
  for (std::string_view known : COMMANDS) look(known);
  for (std::string_view known : PLANNED) look(known);
  return best;
}

std::string CommandLine::code_flags() const {
  std::string flags = "O" + std::to_string(opt_level);
  if (debug) flags += " debug";
  if (command == "build") flags += " build";   // takes more time over it
  if (is_static) flags += " static";
  if (leaks) flags += " leaks";
  if (check_facts) flags += " facts";
  if (naive_counting) flags += " naive";
  if (report_counting) flags += " report";
  if (mir::naive_async()) flags += " naive-async";
  return flags;
}

CommandLine parse_command_line(int argc, char** argv) {
  CommandLine line;
  line.check_facts = is_set("METEOR_CHECK_FACTS");
  if (argc < 2) return line;
  line.command = argv[1];
  if (line.command == "--help" || line.command == "-h") line.command = "help";
  if (line.command == "--version" || line.command == "-V") line.command = "version";
  for (int i = 2; i < argc; ++i) {
    std::string_view arg = argv[i];
    if (arg.size() < 2 || arg[0] != '-') {
      line.files.emplace_back(arg);
      if (line.command != "run" && line.command != "trace") continue;
      line.program_args.assign(argv + i + 1, argv + argc);
      break;
    }
    std::string_view name = arg.substr(0, arg.find('='));
    if (arg == "--help" || arg == "-h") {
      line.files.assign(1, line.command);
      line.command = "help";
      return line;
    }
    if (!takes(line.command, name)) {
      line.error = "'" + line.command + "' has no option " + std::string(arg);
      return line;
    }
    if (arg == "--json") line.json = true;
    else if (arg == "--svg") line.svg = true;
    else if (arg == "--time") line.time = true;
    else if (arg == "--debug") line.debug = true;
    else if (arg == "--static") line.is_static = true;
    else if (arg == "--leaks") line.leaks = true;
    else if (arg == "--check-facts") line.check_facts = true;
    else if (arg == "--fix") line.fix = true;
    else if (arg == "--crossings") line.crossings = true;
    else if (arg == "--check") line.only_check = true;
    else if (arg == "--stdin") line.from_stdin = true;
    else if (arg == "--counting=naive") line.naive_counting = true;
    else if (arg == "--counting=report") line.report_counting = true;
    else if (arg == "--counting=naive,report") line.naive_counting = line.report_counting = true;
    else if (arg == "--async=naive") mir::async_mode = mir::AsyncMode::Naive;
    else if (name == "--only" && arg.size() > 7) line.only = arg.substr(7);
    else if (name == "--dump" && arg.size() > 7) line.dump = arg.substr(7);
    else if (arg.size() == 3 && arg.starts_with("-O") && arg[2] >= '0' && arg[2] <= '3') line.opt_level = arg[2] - '0';
    else if (arg == "-o" && i + 1 < argc && argv[i + 1][0]) line.output = argv[++i];
    else {
      line.error = arg == "-o" ? "-o needs the name of the file to make" : "the option " + std::string(arg) + " is not complete or not known";
      return line;
    }
  }
  return line;
}

}  // namespace meteor::cli
