// Child processes and signals: starting a program with pipes, waiting for its end through a descriptor, signals as bytes in a pipe.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/loop/isolate.h"
#include "runtime/net/stream.h"
#include "runtime/os/child.h"
#include "runtime/os/descriptors.h"
#include "runtime/process/spawn.h"
#include "runtime/text/view.h"

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

// ---- Signals ----

constexpr int MOST_LISTENERS = 16;
struct SignalListener {
  uint64_t signals;   // 0: free
  int to;
};
SignalListener listeners[MOST_LISTENERS];
int users[65];

void on_signal(int signal) {
  int error = errno;
  uint8_t byte = uint8_t(signal);
  for (SignalListener& listener : listeners)
    if (__atomic_load_n(&listener.signals, __ATOMIC_ACQUIRE) >> signal & 1) {
      os::write_descriptor(listener.to, &byte, 1);   // a full pipe: nobody has looked for a long time
    }
  errno = error;
}

static_assert(INHERIT == int64_t(os::ChildStream::Inherit) && PIPE == int64_t(os::ChildStream::Pipe) && NOTHING == int64_t(os::ChildStream::Nothing) &&
              TO_STDOUT == int64_t(os::ChildStream::ToStdout));

}  // namespace

}  // namespace meteor::net

using namespace meteor::async;
using namespace meteor::net;
using namespace meteor::os;

extern "C" {

// `args`, `env`: each text followed by a NUL; an empty `env` is this process's own. Opens the streams that are pipes, and
// `ended`, which is readable when the child has ended. Its process number, or -errno.
int64_t met_process_start(met_str args, met_str env, met_str cwd, bool own_env, int64_t in, int64_t out, int64_t err, Stream* to_child, Stream* from_child, Stream* errors, Source* ended) {
  const ChildStream how[3] = {ChildStream(in), ChildStream(out), ChildStream(err)};
  char** arguments = split(args);
  char** environment = own_env ? nullptr : split(env);
  meteor::text::View folder = meteor::text::view(cwd);
  char* path = strndup(reinterpret_cast<const char*>(folder.data), size_t(folder.size));
  Child child = start_child(arguments, environment, path, how);
  free(path);
  free(environment);
  free(arguments);
  if (child.id < 0) return child.id;
  Stream* streams[3] = {to_child, from_child, errors};
  for (int i = 0; i < 3; ++i)
    if (child.pipes[i] >= 0) open_stream(*streams[i], child.pipes[i], SOURCE_FILE);
  open_source(*ended, child.ended, 0);
  return child.id;
}

// WAIT, the exit code, or 1000 + the signal that ended it.
int64_t met_process_ended(Source* ended, int64_t pid) {
  int64_t end = end_of_child(pid);
  if (end != CHILD_RUNS) return end;
  ended->ready &= ~uint32_t(READY_READ);
  int64_t status = watch_source(*ended, READY_READ);
  return status < 0 ? status : int64_t(WAIT);
}

int64_t met_process_kill(int64_t pid, int64_t signal) { return send_signal(pid, int(signal)); }

// Ends a child that nobody waits for any more.
void met_process_reap(int64_t pid) { end_child(pid); }

// From now on the signals of the set come as bytes out of *stream. A slot, or -errno.
int64_t met_signals_open(Stream* stream, int64_t signals) {
  int slot = 0;
  while (slot < MOST_LISTENERS && listeners[slot].signals != 0) ++slot;
  if (slot == MOST_LISTENERS) return -EMFILE;
  Pipe pipe = open_pipe();
  if (pipe.reads < 0) return pipe.reads;
  listeners[slot].to = int(pipe.writes);
  __atomic_store_n(&listeners[slot].signals, uint64_t(signals), __ATOMIC_RELEASE);
  for (int signal = 1; signal < 64; ++signal) {
    if (!(uint64_t(signals) >> signal & 1) || users[signal]++ > 0) continue;
    hear_signal(signal, on_signal);
  }
  open_stream(*stream, int(pipe.reads), SOURCE_FILE);
  return slot;
}

void met_signals_close(int64_t slot) {
  uint64_t signals = __atomic_exchange_n(&listeners[slot].signals, 0, __ATOMIC_ACQ_REL);
  for (int signal = 1; signal < 64; ++signal)
    if ((signals >> signal & 1) && --users[signal] == 0) unhear_signal(signal);
  close_descriptor(listeners[slot].to);
}

}  // extern "C"
