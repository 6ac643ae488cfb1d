// Child processes and signals: starting a program with pipes, waiting for its end through a pidfd, signals as bytes in a pipe.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/loop/isolate.h"
#include "runtime/net/stream.h"
#include "runtime/process/spawn.h"
#include "runtime/text/view.h"

extern char** environ;

namespace meteor::net {

using namespace meteor::async;
using namespace meteor::text;

namespace {

// Texts that each end in a NUL, one after the other, as a null-ended array of pointers into them.
char** split(const met_str& joined) {
  View v = view(joined);
  size_t count = 0;
  for (int64_t i = 0; i < v.size; ++i) count += v.data[i] == 0;
  char** parts = static_cast<char**>(malloc((count + 1) * sizeof(char*) + size_t(v.size) + 1));
  if (parts == nullptr) met_out_of_memory(v.size);
  char* text = reinterpret_cast<char*>(parts + count + 1);
  memcpy(text, v.data, size_t(v.size));
  text[v.size] = 0;
  for (size_t i = 0; i < count; ++i) {
    parts[i] = text;
    text += strlen(text) + 1;
  }
  parts[count] = nullptr;
  return parts;
}

struct Ends {
  int own = -1, childs = -1;
};

// The parent's end does not block; the child's is an ordinary one.
int64_t open_ends(int64_t how, bool child_reads, Ends& ends) {
  if (how == NOTHING) {
    ends.childs = open("/dev/null", (child_reads ? O_RDONLY : O_WRONLY) | O_CLOEXEC);
    return ends.childs < 0 ? -int64_t(errno) : 0;
  }
  if (how != PIPE) return 0;
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

int64_t spawn_child(char** args, char** env, const char* cwd, const int64_t* how, Ends (&ends)[3], pid_t* pid) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  for (int i = 0; i < 3; ++i)
    if (ends[i].childs >= 0) posix_spawn_file_actions_adddup2(&actions, ends[i].childs, i);
  if (how[2] == TO_STDOUT) posix_spawn_file_actions_adddup2(&actions, 1, 2);
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

// ---- Signals ----

constexpr int MOST_LISTENERS = 16;
struct SignalListener {
  uint64_t signals;   // 0: free
  int to;
};
SignalListener listeners[MOST_LISTENERS];
struct sigaction before[65];
int users[65];

void on_signal(int signal) {
  int error = errno;
  uint8_t byte = uint8_t(signal);
  for (SignalListener& listener : listeners)
    if (__atomic_load_n(&listener.signals, __ATOMIC_ACQUIRE) >> signal & 1) {
      ssize_t written = write(listener.to, &byte, 1);
      (void)written;   // a full pipe: nobody has looked for a long time
    }
  errno = error;
}

}  // namespace

}  // namespace meteor::net

using namespace meteor::async;
using namespace meteor::net;

extern "C" {

// `args`, `env`: each text followed by a NUL; an empty `env` is this process's own. Opens the streams that are pipes, and
// `ended`, which is readable when the child has ended. Its process number, or -errno.
int64_t met_process_start(met_str args, met_str env, met_str cwd, bool own_env, int64_t in, int64_t out, int64_t err, Stream* to_child, Stream* from_child, Stream* errors, Source* ended) {
  int64_t how[3] = {in, out, err};
  Ends ends[3];
  int64_t status = 0;
  for (int i = 0; i < 3 && status == 0; ++i) status = open_ends(how[i], i == 0, ends[i]);
  pid_t pid = 0;
  if (status == 0) {
    char** arguments = split(args);
    char** environment = own_env ? nullptr : split(env);
    meteor::text::View folder = meteor::text::view(cwd);
    char* path = strndup(reinterpret_cast<const char*>(folder.data), size_t(folder.size));
    status = spawn_child(arguments, own_env ? environ : environment, path, how, ends, &pid);
    free(path);
    free(environment);
    free(arguments);
  }
  int pidfd = status == 0 ? int(syscall(SYS_pidfd_open, pid, 0)) : -1;
  if (status == 0 && pidfd < 0) {
    status = -errno;
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
  close_all(ends, status < 0);
  if (status < 0) return status;
  Stream* streams[3] = {to_child, from_child, errors};
  for (int i = 0; i < 3; ++i)
    if (ends[i].own >= 0) open_stream(*streams[i], ends[i].own, SOURCE_FILE);
  fcntl(pidfd, F_SETFD, FD_CLOEXEC);
  open_source(*ended, pidfd, 0);
  return pid;
}

// WAIT, the exit code, or 1000 + the signal that ended it.
int64_t met_process_ended(Source* ended, int64_t pid) {
  siginfo_t info = {};
  if (waitid(P_PID, id_t(pid), &info, WEXITED | WNOHANG) < 0) return -errno;
  if (info.si_pid == 0) {
    ended->ready &= ~uint32_t(READY_READ);
    int64_t status = watch_source(*ended, READY_READ);
    return status < 0 ? status : int64_t(WAIT);
  }
  return info.si_code == CLD_EXITED ? info.si_status : 1000 + info.si_status;
}

int64_t met_process_kill(int64_t pid, int64_t signal) { return kill(pid_t(pid), int(signal)) < 0 ? -int64_t(errno) : 0; }

// Ends a child that nobody waits for any more.
void met_process_reap(int64_t pid) {
  kill(pid_t(pid), SIGKILL);
  while (waitpid(pid_t(pid), nullptr, 0) < 0 && errno == EINTR) {
  }
}

// From now on the signals of the set come as bytes out of *stream. A slot, or -errno.
int64_t met_signals_open(Stream* stream, int64_t signals) {
  int slot = 0;
  while (slot < MOST_LISTENERS && listeners[slot].signals != 0) ++slot;
  if (slot == MOST_LISTENERS) return -EMFILE;
  int pipe[2];
  if (pipe2(pipe, O_CLOEXEC | O_NONBLOCK) < 0) return -errno;
  listeners[slot].to = pipe[1];
  __atomic_store_n(&listeners[slot].signals, uint64_t(signals), __ATOMIC_RELEASE);
  for (int signal = 1; signal < 64; ++signal) {
    if (!(uint64_t(signals) >> signal & 1) || users[signal]++ > 0) continue;
    struct sigaction action = {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigaction(signal, &action, &before[signal]);
  }
  open_stream(*stream, pipe[0], SOURCE_FILE);
  return slot;
}

void met_signals_close(int64_t slot) {
  uint64_t signals = __atomic_exchange_n(&listeners[slot].signals, 0, __ATOMIC_ACQ_REL);
  for (int signal = 1; signal < 64; ++signal)
    if ((signals >> signal & 1) && --users[signal] == 0) sigaction(signal, &before[signal], nullptr);
  close(listeners[slot].to);
}

}  // extern "C"
