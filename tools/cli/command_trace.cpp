// meteor trace FILE ARGS…: runs the program with recording on, then makes a page of what it wrote down.
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "tools/cli/commands.h"
#include "tools/cli/trace_page.h"
#include "tools/cli/write_file.h"

namespace meteor::cli {

namespace {

constexpr const char* USAGE = "meteor trace [-o NAME] [--debug] [-O0|-O1|-O2|-O3] FILE [ARGUMENTS…]";

// A script ends at the first "</", wherever that stands.
std::string inside_script(const std::string& json) {
  std::string text;
  text.reserve(json.size());
  for (size_t i = 0; i < json.size(); ++i) {
    text += json[i];
    if (json[i] == '<' && i + 1 < json.size() && json[i + 1] == '/') text += '\\';
  }
  return text;
}

// What the program ended with, as a shell tells it.
int wait_for(pid_t program) {
  int status = 0;
  while (::waitpid(program, &status, 0) < 0 && errno == EINTR) {}
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

int trace_command(const CommandLine& line) {
  if (line.files.empty()) return misuse("which program should be traced?", USAGE);
  std::string stem = line.output.empty() ? std::filesystem::path(line.files[0]).stem().string() : line.output;
  std::string json = stem + ".trace.json", page = stem + ".trace.html";
  std::error_code ignored;
  std::filesystem::remove(json, ignored);
  std::filesystem::remove(page, ignored);
  std::string full = std::filesystem::absolute(json, ignored).string();   // the program may go elsewhere

  std::fflush(nullptr);
  pid_t program = ::fork();
  if (program < 0) return fail(std::string("the program can't be started: ") + std::strerror(errno));
  if (program == 0) {
    ::setenv("METEOR_TRACE", full.c_str(), 1);
    int code = run_command(line);
    std::fflush(nullptr);
    ::_exit(code);
  }
  ::signal(SIGINT, SIG_IGN);   // it ends the program; the page is made then
  int code = wait_for(program);
  source::DiskFileSystem files;
  base::Result<std::string> events = files.read(full);
  if (!events) {
    if (code != 2) std::fputs("meteor: nothing was recorded: the program has no tasks, or did not end by itself\n", stderr);
    return code;
  }
  base::Result<base::Done> written = write_file(page, TRACE_PAGE_HEAD + inside_script(events.value()) + TRACE_PAGE_TAIL);
  if (!written) return fail(written.failure().text());
  std::fprintf(stderr, "%s: open it in a browser; %s is for ui.perfetto.dev\n", page.c_str(), json.c_str());
  return code;
}

}  // namespace meteor::cli
