// What every task of an isolate does at one moment, as a list in the order of the tree of scopes: for task dumps, deadlock
// reports and std/runtime.met. Taken by the isolate's own thread, between two turns or inside one.
#ifndef METEOR_RUNTIME_INSPECT_SNAPSHOT_H
#define METEOR_RUNTIME_INSPECT_SNAPSHOT_H

#include "runtime/loop/isolate.h"
#include "runtime/task/frame.h"

namespace meteor::async {

enum class TaskState : uint8_t { NotStarted, WaitsTurn, Running, Ready, Waiting };

// Lints: what a reader of a dump should look at.
enum : uint8_t {
  LINT_WAKES_ITSELF = 1,    // ready again and again without ever waiting for anything
  LINT_LARGE_FRAME = 2,
};
constexpr uint32_t SELF_WAKING_MS = 500;
constexpr uint32_t LARGE_FRAME = 4096;
constexpr uint32_t LONG_TURN_MS = 100;

struct TaskRecord {
  const Task* task;
  const Scope* scope;       // whose child it is; null for the first
  int64_t parent;           // its index; -1: none
  int32_t depth;
  TaskState state;
  uint8_t lints;
  const char* function;     // it began with, or the name that it was given
  const char* file;         // the innermost line of the program's own code; empty where it has not started
  uint32_t line;
  const char* awaits;       // what that line waits for; null: not known
  const Held* holder;       // of the lock that it wants; null: it wants none, or nobody is known to hold it
  const char* holder_name;  // of that one, where it still lives; null: the function it began with has to do
  uint32_t since_ms;        // how long it has waited; of one that is ready: since it last waited
  uint32_t frame_size;
};

// What std/runtime.met can ask for: of a task in a snapshot, and of the loop.
enum class TaskText : int64_t { Name, File, WaitsFor };
enum class TaskNumber : int64_t { Id, Parent, Depth, State, Line, WaitingMs, FrameSize, Lints, Flags };
enum class LoopNumber : int64_t { Turns, Ready, Timers, WaitingForIo, Outside, LongestTurnMs, Isolates, OwnIsolate };

struct Snapshot {
  TaskRecord* records;
  int64_t count, room;
};

void take_snapshot(Snapshot& snapshot, const Task* root);   // of a zeroed one: appends
void free_snapshot(Snapshot& snapshot);
// The innermost frame of the program's own code, and the one of the library that it waits in, if any.
const met_frame* program_frame(const Task* task, const char*& waits_in);
const char* awaited_by(const char* function);         // what somebody waits for in that function of the library

}  // namespace meteor::async

#endif
