// The contract between emitted code and the runtime: object layouts and the
// representation of every type. Plain C so that both sides include it.
//
// | type             | representation                                                                    |
// |------------------|-----------------------------------------------------------------------------------|
// | int…, float…     | machine integer, double, float                                                    |
// | bool             | i1 in registers, one byte 0/1 in memory                                            |
// | str, bytes       | met_str, two words by value                                                       |
// | class            | pointer to met_object + fields, in order, naturally aligned                       |
// | struct, tuple    | the fields by value                                                               |
// | enum             | no payloads: i32 case number. Payloads, not recursive: { i32 case, payload bytes } by value. Recursive: pointer to a boxed enum object, or case number + 1 (< MET_ENUM_UNIT_LIMIT) for cases without payload |
// | T?               | class, recursive enum, Cell: null pointer. str, bytes: tag MET_STR_NULL. func, dyn: first word null. Else { i8 present, T } |
// | func             | { code, environment object or null }; code takes the environment first            |
// | dyn Trait        | { object, trait table }; values that are not class instances are boxed             |
// | any              | pointer to an object; values that are not class instances are boxed; null is null   |
// | weak T           | pointer to the object (counted in `weak`), or null                                 |
// | Cell<T>          | pointer to met_object + T                                                          |
//
// A function that may raise returns { result, error }: error is null or an owned Raisable. One that can't returns the result.
// All-zero bits are a droppable value of every type (a constructor may fail half-way).
#ifndef METEOR_RUNTIME_ABI_H
#define METEOR_RUNTIME_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct met_type met_type;

typedef struct met_object {
  uint32_t strong;        // MET_IMMORTAL: never counted (literals)
  uint32_t weak;          // number of weak references; the top bits are flags
  const met_type* type;
} met_object;

#define MET_IMMORTAL 0x80000000u          // strong has this bit: static data (count 0), or counted by several threads (see below)
#define MET_WEAK_COUNT_MASK 0x07ffffffu
#define MET_FLAG_DEAD 0x80000000u         // payload dropped; only weak references keep the memory
#define MET_FLAG_NO_DEL 0x40000000u       // `__del__` must not run (constructor failed, or it already ran)
#define MET_FLAG_DYING 0x20000000u        // being dropped: weak references read null
#define MET_FLAG_CYCLIC 0x10000000u       // frozen, and in a circle: `strong` is the number of what counts for all of it (runtime/memory/components.h)

#define MET_FLAG_OVER 0x08000000u         // a future that somebody wrote has given its value or its error: it is not to be polled again

// An object that several isolates may hold (`frozen` values, consts, channels that were handed over) has MET_IMMORTAL and its
// count in the bits below, which change atomically. Emitted code tests for it where the static type may be such a one; texts
// have no mark: all of them are counted atomically once a second isolate exists.

// A weak reference is reported as its object with the lowest bit set.
#define MET_VISIT_WEAK 1ull
typedef void (*met_visit)(void* context, met_object* child, const char* field);

struct met_type {
  const char* name;                       // `Stack<int>`
  uint64_t size;                          // of the whole object, header included
  void (*drop)(met_object*);              // runs nothing but the drops of the payload, fields in order; null: nothing to drop
  void (*del)(met_object*);               // `__del__`, or null; never raises out
  void (*visit)(met_object*, void* context, met_visit);   // calls back for each counted reference in the payload; for the leak check; may be null
  const met_type* base;                   // base class, or null
  const met_type* const* ancestors;       // ancestors[depth] == this; ancestors[0] is the root
  uint32_t depth;
  uint32_t kind;                          // MET_KIND_…
  // followed by the class's virtual functions
};

// Of met_type.kind, besides the kind: what becomes of an instance that goes to another isolate.
#define MET_KIND_MASK 0xffu
#define MET_TYPE_PINNED 0x100u            // it can't
#define MET_TYPE_SHAREABLE 0x200u         // both may use it: begins with a met_shared
#define MET_TYPE_READS 0x400u             // a closure that only reads what it captured (compiler/mir/captures.h): that may be frozen with it

enum { MET_KIND_CLASS = 0, MET_KIND_STR, MET_KIND_BYTES, MET_KIND_CLOSURE, MET_KIND_CELL, MET_KIND_BOX, MET_KIND_ENUM, MET_KIND_TRACE };

// ---- Text ------------------------------------------------------------------
// Sixteen bytes. Small (up to 15 bytes): the text itself, and in the last byte 0x80 | length. Else `word0` points to a
// met_str_object and `word1` is the length in bytes, plus MET_STR_ASCII when all are ASCII.
// Invariant: texts of up to 15 bytes are always small, unused bytes zero, so equal small texts are equal words.
typedef struct met_str {
  uint64_t word0;
  uint64_t word1;
} met_str;

typedef struct met_str_object {
  met_object header;
  uint64_t size;           // bytes of text; a met_str may be a beginning of it
  uint64_t scalars;        // Unicode scalars of it all, 0 when not counted yet
  uint64_t crumb;          // the last scalar looked up: its index << 32 | its byte. Any value that was true once stays so
  char text[];             // followed by a NUL
} met_str_object;

#define MET_STR_SMALL (1ull << 63)
#define MET_STR_ASCII (1ull << 62)
#define MET_STR_SIZE_MASK ((1ull << 56) - 1)
#define MET_STR_NULL_WORD1 0xff00000000000000ull    // word1 of a null `str?`
#define MET_STR_SMALL_MAX 15

#define MET_ENUM_UNIT_LIMIT 4096

// ---- Allocation ------------------------------------------------------------
// `met_heap` is thread-local and begins with the free lists: met_heap[size class] is the first free block of that class or null,
// a free block's first word the next one. The class of a size is the number of MET_BLOCK_STEPs it takes. Emitted code
// takes blocks from the lists itself; when a list is empty, or the size is above MET_SMALL_BLOCK_MAX, it calls.
// Invariant: the lists stay empty while objects are tracked (leak check) or a sanitizer watches them.
#define MET_BLOCK_STEP 16
#define MET_SMALL_BLOCK_MAX 1024

typedef struct met_func { void* code; met_object* environment; } met_func;
typedef struct met_dyn { met_object* object; const void* table; } met_dyn;

// ---- Errors ----------------------------------------------------------------
typedef struct met_site {           // a place in the source, emitted as constant data
  const char* function;
  const char* file;
  uint32_t line;
  uint32_t column;
} met_site;

// The fields that std/core/error.met declares for Raisable, in that order. The compiler checks the offsets.
typedef struct met_error {
  met_object header;
  met_str message;
  met_object* cause;
  met_object* suppressed;           // list<Error> or null until needed
  met_object* trace;                // runtime-made, or null
} met_error;

// ---- Frames ----------------------------------------------------------------
// What an `async def` or a generator keeps while it is suspended; slots follow (compiler/mir/frames.h). The frame of a
// callee that is awaited directly lies inside its caller's. A frame is entered by `resume`: with an error or null, it runs on from
// where it was and gives null (done: the result is in the frame), MET_PENDING (suspended again) or an owned error.
typedef struct met_frame met_frame;
typedef met_object* (*met_resume)(met_frame* frame, met_object* error);

struct met_frame {
  met_resume resume;        // its word before the code points to the met_frame_info
  uint32_t state;           // 0: not started; k: at its k-th suspension; or one of the below
  uint32_t up;              // how many bytes before this frame the frame lies that awaits it; or one of the two below. The root of a task has none
};

#define MET_FRAME_SLOTS 16  // where slots begin
#define MET_FRAME_APART 0xffffffffu      // not inside the frame that awaits it, whose address is in the word before this one
#define MET_FRAME_OF_STREAM 0xfffffffeu  // the address of the frame that awaits it is in the stream (runtime/scope/streams.h)
#define MET_TASK_HAS_MORE 1              // in the word before a task's frame: the runtime keeps more for it (met_task_forget)
#define MET_PENDING ((met_object*)1)
#define MET_STATE_DONE 0xffffffffu       // the result is there
#define MET_STATE_EMPTY 0xfffffffeu      // ended with an error, or the result was taken
#define MET_STATE_RUNNING 0xfffffffdu    // a generator that is on the stack
#define MET_STATE_LAST 0xffff0000u       // states of suspensions are smaller

typedef struct met_frame_info {
  const char* function;
  const char* file;
  uint32_t size;            // of the frame
  uint32_t states;          // number of entries in `lines`
  const uint32_t* lines;    // [k]: where state k waits; [0]: the function itself
  const char* const* awaits;   // [k]: the function whose code waits there as a part of this one, or null; null: there are none
} met_frame_info;

// ---- Crossing isolates -------------------------------------------------------
// What a class that is MET_TYPE_SHAREABLE begins with; std/core declares the same fields as `_Shared`.
typedef struct met_shared {
  met_object header;
  uint64_t lock;                    // taken only once the object is shared
  struct { void* first; void* last; } lines[2];   // of tasks that wait (runtime/task/line.h)
} met_shared;

// ---- Checked facts -----------------------------------------------------------
// In a program built with --check-facts a freed object has the type met_freed_type for a while, and a buffer of elements its
// size and a mark before it; the size is 0 once the buffer was freed.
extern const met_type met_freed_type;
#define MET_MEASURE_BYTES 16
#define MET_MEASURE_MARK 0x6d65746d65617375ull
#define MET_EXIT_BROKEN_FACT 70

// ---- Functions that emitted code calls -------------------------------------
#define RUNTIME_FUNCTION(result, name, params) result name params;
#include "runtime/abi/runtime_functions.def"
#undef RUNTIME_FUNCTION

#ifdef __cplusplus
}
#endif
#endif
