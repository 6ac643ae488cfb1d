// By posix_spawn, a pidfd, and pipes.
#include "runtime/os/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace meteor::os {

namespace {

struct Ends {
  int own = -1, childs = -1;
};

// The parent's end does not block; the child's is an ordinary one.
int64_t open_ends(ChildStream how, bool child_reads, Ends& ends) {
  if (how == ChildStream::Nothing) {
    ends.childs = open("/dev/null", (child_reads ? O_RDONLY : O_WRONLY) | O_CLOEXEC);
    return ends.childs < 0 ? -int64_t(errno) : 0;
  }
  if (how != ChildStream::Pipe) return 0;
  int pipe[2];
  if (pipe2(pipe, O_CLOEXEC) < 0) return -errno;
  ends.own = pipe[child_reads ? 1 : 0];
  ends.childs = pipe[child_reads ? 0 : 1];
  fcntl(ends.own, F_SETFL, O_NONBLOCK);
  return 0;
}

void close_all(Ends (&ends)[3], bool own_too) {
  for (Ends& one : ends) {
    if (one.childs >= 0) close(one.childs);
    if (own_too && one.own >= 0) close(one.own);
  }
}

int64_t spawn_child(char** args, char** env, const char* cwd, const ChildStream (&how)[3], Ends (&ends)[3],
                    pid_t* pid) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  for (int i = 0; i < 3; ++i)
    if (ends[i].childs >= 0) posix_spawn_file_actions_adddup2(&actions, ends[i].childs, i);
  if (how[2] == ChildStream::ToStdout) posix_spawn_file_actions_adddup2(&actions, 1, 2);
  if (cwd[0] != 0) posix_spawn_file_actions_addchdir_np(&actions, cwd);
  sigset_t none, defaults;
  sigemptyset(&none);
  sigemptyset(&defaults);
  const int reset[] = {SIGPIPE, SIGXFSZ, SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGCHLD};
  for (int signal : reset) sigaddset(&defaults, signal);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  int error = posix_spawnp(pid, args[0], &actions, &attributes, args, env);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return -int64_t(error);
}

struct sigaction before[65];

}  // namespace

Child start_child(char** arguments, char** environment, const char* folder, const ChildStream (&streams)[3]) {
  Ends ends[3];
  int64_t status = 0;
  for (int i = 0; i < 3 && status == 0; ++i) status = open_ends(streams[i], i == 0, ends[i]);
  pid_t pid = 0;
  if (status == 0)
    status = spawn_child(arguments, environment != nullptr ? environment : environ, folder, streams, ends, &pid);
  int pidfd = status == 0 ? int(syscall(SYS_pidfd_open, pid, 0)) : -1;
  if (status == 0 && pidfd < 0) {
    status = -errno;
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
  close_all(ends, status < 0);
  if (status < 0) return {status, -1, {-1, -1, -1}};
  fcntl(pidfd, F_SETFD, FD_CLOEXEC);
  return {pid, pidfd, {ends[0].own, ends[1].own, ends[2].own}};
}

int64_t end_of_child(int64_t id) {
  siginfo_t info = {};
  if (waitid(P_PID, id_t(id), &info, WEXITED | WNOHANG) < 0) return -errno;
  if (info.si_pid == 0) return CHILD_RUNS;
  return info.si_code == CLD_EXITED ? info.si_status : BY_SIGNAL + info.si_status;
}

int64_t send_signal(int64_t id, int signal) { return kill(pid_t(id), signal) < 0 ? -int64_t(errno) : 0; }

void end_child(int64_t id) {
  kill(pid_t(id), SIGKILL);
  while (waitpid(pid_t(id), nullptr, 0) < 0 && errno == EINTR) {
  }
}

Pipe open_pipe() {
  int pipe[2];
  if (pipe2(pipe, O_CLOEXEC | O_NONBLOCK) < 0) return {-errno, -1};
  return {pipe[0], pipe[1]};
}

void hear_signal(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, &before[signal]);
}

void unhear_signal(int signal) { sigaction(signal, &before[signal], nullptr); }

}  // namespace meteor::os
