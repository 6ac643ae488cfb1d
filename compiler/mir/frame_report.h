// What `meteor explain FILE` shows: the states of a function that suspends, what its frame keeps in each, and where errors go from there. Read
// off the same FrameLayout that code is emitted from.
#pragma once

#include <string>
#include <vector>

#include "compiler/mir/frames.h"
#include "compiler/source/sources.h"

namespace meteor::mir {

// A piece of the frame.
struct FrameField {
  std::string name;                // of the variable or the awaited function; empty for a temporary
  std::string type;
  uint64_t offset = 0, size = 0;
  bool is_callee = false;          // the frame of an awaited function; `boxed`: a pointer to it
  bool boxed = false;
  bool has_home = false;           // lives in the frame between suspensions too: its address is known elsewhere
  std::vector<uint32_t> states;    // those it is kept in; 0: holds an argument until the start
};

// Where an error that arrives in a state is taken, in the order in which it is tried.
struct ErrorStop {
  std::string caught;              // the type; empty: whatever it is (`finally`, `defer`, `with`)
  uint32_t line = 0;
};

struct FrameState {
  uint32_t number = 0;             // 0: the start
  uint32_t line = 0, column = 0;
  std::string what;                // `await read`, `yield`, `end of slice`
  std::string source;              // the line, without its indentation
  std::vector<uint32_t> next;      // the states that may follow
  bool may_end = false;            // it may run to its end from here
  std::vector<ErrorStop> on_error;
  bool error_leaves = false;       // one that nobody caught ends the function
  uint64_t kept = 0;               // bytes
};

struct FrameReport {
  std::string name, file, result;
  FrameKind kind{};
  uint32_t line = 0;
  bool suspends = false;           // false: it always runs through, so it is an ordinary function
  uint64_t size = 0, header_size = 0;
  uint64_t result_offset = 0, result_size = 0;
  std::vector<FrameState> states;  // the start first
  std::vector<FrameField> fields;  // by offset
};

FrameReport report_frame(const Program& program, FunctionId id, const source::Sources& sources, Frames& frames, const Frames::SizeOf& size_of);

}  // namespace meteor::mir
