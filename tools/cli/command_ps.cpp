// meteor ps PID: the scopes and tasks of a running program. It is asked by a signal; each of its isolates answers over a socket.
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <fstream>
#include <map>

#include "tools/cli/commands.h"

namespace meteor::cli {

namespace {

// runtime/inspect/dump.h has the same.
constexpr int ASKED_BY_PS = 0x6d74;
constexpr const char* SOCKET = "meteor-ps-%d";
constexpr auto PATIENCE = std::chrono::seconds(5);

// Whoever does not expect the signal would die of it: the mask of those that are caught tells.
bool catches_quit(int pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("SigCgt:")) return std::stoull(line.substr(7), nullptr, 16) >> (SIGQUIT - 1) & 1;
  return false;
}

int listen_for(int pid) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  int size = std::snprintf(address.sun_path + 1, sizeof address.sun_path - 1, SOCKET, pid);
  int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  auto length = socklen_t(offsetof(sockaddr_un, sun_path) + 1 + size_t(size));
  if (fd < 0 || ::bind(fd, reinterpret_cast<sockaddr*>(&address), length) < 0 || ::listen(fd, 1024) < 0) return -1;
  return fd;
}

std::string read_all(int fd) {
  std::string text;
  char part[4096];
  for (ssize_t got; (got = ::read(fd, part, sizeof part)) > 0;) text.append(part, size_t(got));
  ::close(fd);
  return text;
}

// "task dump of isolate 3: …" gives 3.
int isolate_of(const std::string& text) {
  size_t at = text.find("isolate ");
  int number = 0;
  if (at != std::string::npos) std::from_chars(text.data() + at + 8, text.data() + text.size(), number);
  return number;
}

}  // namespace

int ps_command(const CommandLine& line) {
  int pid = 0;
  const std::string text = line.files.empty() ? "" : line.files[0];
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), pid);
  if (line.files.size() != 1 || error != std::errc() || end != text.data() + text.size() || pid <= 0) return misuse("which process should be shown?", "meteor ps PID");
  if (::kill(pid, 0) < 0) return fail(errno == ESRCH ? "there is no process " + text : "process " + text + ": " + std::strerror(errno));
  if (!catches_quit(pid)) return fail("process " + text + " is no Meteor program with tasks");
  int socket = listen_for(pid);
  if (socket < 0) return fail(errno == EADDRINUSE ? "somebody else asks process " + text + " right now" : std::string("no socket to listen on: ") + std::strerror(errno));
  if (::sigqueue(pid, SIGQUIT, sigval{ASKED_BY_PS}) < 0) return fail("process " + text + ": " + std::strerror(errno));

  std::map<int, std::string> answers;
  int wanted = -1;   // until the first isolate has said how many others there are
  auto until = std::chrono::steady_clock::now() + PATIENCE;
  while (wanted < 0 || int(answers.size()) < wanted) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()).count();
    pollfd waits = {socket, POLLIN, 0};
    if (left <= 0 || ::poll(&waits, 1, int(left)) <= 0) break;
    std::string answer = read_all(::accept(socket, nullptr, nullptr));
    if (!answer.starts_with("task dump")) {
      wanted = std::atoi(answer.c_str()) + 1;
      answer.erase(0, answer.find('\n') + 1);
    }
    answers[isolate_of(answer)] = std::move(answer);
  }
  for (auto& [number, answer] : answers) std::fputs(answer.c_str(), stdout);
  if (answers.empty()) return fail("process " + text + " does not answer: its event loop is held up; 'kill -QUIT " + text + "' makes it say where");
  if (wanted < 0 || int(answers.size()) < wanted) std::fputs("meteor: some of its isolates do not answer: their event loops are held up\n", stderr);
  return 0;
}

}  // namespace meteor::cli
