// lib/meteor/meteor-compiler: carries out every command that bin/meteor does not answer from the cache.
#include <malloc.h>
#include <pthread.h>
#include <signal.h>

#include <cstdlib>

#include "tools/cli/commands.h"

using namespace meteor;

namespace {

struct Call {
  cli::CommandLine line;
  int code = 2;
};

int dispatch(const cli::CommandLine& line) {
  if (!line.error.empty()) return cli::misuse(line.error, "meteor COMMAND [OPTIONS] FILE; 'meteor help' lists them");
  if (line.command == "run") return cli::run_command(line);
  if (line.command == "build") return cli::build_command(line);
  if (line.command == "test") return cli::test_command(line);
  if (line.command == "check") return cli::check_command(line);
  if (line.command == "fmt") return cli::fmt_command(line);
  if (line.command == "trace") return cli::trace_command(line);
  if (line.command == "ps") return cli::ps_command(line);
  if (line.command == "explain") return cli::explain_command(line);
  if (line.command == "version") return cli::version_command();
  if (line.command == "help") return cli::help_command(line);
  return cli::unknown_command(line);
}

[[noreturn]] void* carry_out(void* context) {
  auto* call = static_cast<Call*>(context);
  call->code = dispatch(call->line);
  std::fflush(nullptr);
  std::_Exit(call->code);   // nothing is worth taking apart
}

}  // namespace

int main(int argc, char** argv) {
  static Call call;
  call.line = cli::parse_command_line(argc, argv);
  ::signal(SIGXFSZ, SIG_IGN);   // a program larger than the limit of a file is an error with a message
  // Compiling allocates much and ends soon: memory that was had is kept, and grows in large steps.
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 64 << 20);
  // Trees of the depth that the parser allows need more stack than a process gets by default.
  constexpr size_t STACK_BYTES = size_t(512) << 20;
  pthread_attr_t attributes;
  pthread_t thread{};
  pthread_attr_init(&attributes);
  if (pthread_attr_setstacksize(&attributes, STACK_BYTES) != 0 || pthread_create(&thread, &attributes, carry_out, &call) != 0) carry_out(&call);
  pthread_join(thread, nullptr);
  return call.code;
}
