#include "runtime/async/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/async/snapshot.h"
#include "runtime/os/os.h"

namespace meteor::async {

bool is_tracing;

namespace {

// Three words, since what a record costs is mostly the memory it is written to: a pointer has its upper 16 bits free, for half of the detail.
class Record {
 public:
  Record(TraceKind kind, uint64_t time, const void* what, const void* other, uint32_t detail)
      : when_(time << 8 | uint64_t(kind)), what_(bits_of(what) | uint64_t(detail >> 16) << 48), other_(bits_of(other) | uint64_t(detail) << 48) {}

  TraceKind kind() const { return TraceKind(uint8_t(when_)); }
  uint64_t time() const { return when_ >> 8; }   // of the processor's counter, since the trace began
  const void* what() const { return pointer_of(what_); }
  const void* other() const { return pointer_of(other_); }
  uint32_t detail() const { return uint32_t(what_ >> 48 << 16 | other_ >> 48); }

 private:
  static constexpr uint64_t POINTER_MASK = (uint64_t(1) << 48) - 1;
  static uint64_t bits_of(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer) & POINTER_MASK; }
  static const void* pointer_of(uint64_t bits) { return reinterpret_cast<const void*>(bits & POINTER_MASK); }

  uint64_t when_, what_, other_;
};
static_assert(sizeof(Record) == 24);

constexpr uint64_t MOST_RECORDS = 1 << 17;   // of an isolate; a power of two

struct Ring {
  Ring* next;
  uint32_t number;     // of the isolate
  uint64_t count;      // ever written
  Record records[MOST_RECORDS];
};

Ring* first_ring;      // of all threads that were ever traced; atomic
__thread Ring* own_ring;
__thread bool has_no_ring;
const char* file_name;
uint64_t began_count;
int64_t began_ns;

uint64_t processor_count() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return uint64_t(met_clock_monotonic_ns());
#endif
}

Ring* make_ring() {
  void* memory = has_no_ring ? MAP_FAILED : mmap(nullptr, sizeof(Ring), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  has_no_ring = memory == MAP_FAILED;
  if (has_no_ring) return nullptr;
  own_ring = static_cast<Ring*>(memory);
  own_ring->number = isolate.number;
  Ring* first = __atomic_load_n(&first_ring, __ATOMIC_RELAXED);
  do own_ring->next = first;
  while (!__atomic_compare_exchange_n(&first_ring, &first, own_ring, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
  return own_ring;
}

// ---- Writing it down ----

class Writer {
 public:
  explicit Writer(FILE* to) : to_(to) {
    int64_t ns = met_clock_monotonic_ns() - began_ns;
    uint64_t counted = processor_count() - began_count;
    us_per_count_ = counted > 0 ? double(ns) / double(counted) / 1000 : 0;
  }

  void write() {
    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", to_);
    fputs("{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":\"Meteor\"}}", to_);
    for (Ring* at = __atomic_load_n(&first_ring, __ATOMIC_ACQUIRE); at != nullptr; at = at->next) write_ring(*at);
    fputs("\n]}\n", to_);
  }

 private:
  double us(uint64_t time) const { return double(int64_t(time << 8) >> 8) * us_per_count_; }

  static unsigned long long id(const void* of) { return reinterpret_cast<uintptr_t>(of); }

  void write_text(const char* text) {
    fputc('"', to_);
    for (; *text != 0; ++text) {
      if (*text == '"' || *text == '\\') fputc('\\', to_);
      if (uint8_t(*text) >= 0x20) fputc(*text, to_);
    }
    fputc('"', to_);
  }

  void begin(const char* phase, const char* category, uint64_t time) {
    fprintf(to_, ",\n{\"ph\":\"%s\",\"cat\":\"%s\",\"pid\":1,\"tid\":%u,\"ts\":%.3f", phase, category, number_, us(time));
  }

  void name(const char* text) {
    fputs(",\"name\":", to_);
    write_text(text);
  }

  void write_ring(const Ring& of) {
    number_ = of.number;
    const Record* run = nullptr;      // the turn that is under way
    const Record* sleep = nullptr;
    const Record* work = nullptr;
    fprintf(to_, ",\n{\"ph\":\"M\",\"pid\":1,\"tid\":%u,\"name\":\"thread_name\",\"args\":{\"name\":\"", number_);
    fprintf(to_, number_ == 0 ? "other threads\"}}" : "isolate %u\"}}", number_);
    for (uint64_t i = of.count > MOST_RECORDS ? of.count - MOST_RECORDS : 0; i < of.count; ++i) {
      const Record& record = of.records[i % MOST_RECORDS];
      switch (record.kind()) {
        case TraceKind::Spawn: {
          const Record* by = i + 1 < of.count ? &of.records[(i + 1) % MOST_RECORDS] : nullptr;
          write_spawn(record, by != nullptr && by->kind() == TraceKind::SpawnedBy ? by->what() : nullptr);
          break;
        }
        case TraceKind::SpawnedBy: break;
        case TraceKind::Name: write_name(record); break;
        case TraceKind::Run:
          run = &record;
          write_flow("f", "wake", record.time(), record.what());
          break;
        case TraceKind::Suspend:
        case TraceKind::End:
          if (run != nullptr) write_turn(*run, record);
          run = nullptr;
          break;
        case TraceKind::Wake: write_flow("s", "wake", record.time(), record.what()); break;
        case TraceKind::Sleep: sleep = &record; break;
        case TraceKind::Awake:
          if (sleep != nullptr) write_span(*sleep, record, "sleep", "asleep");
          sleep = nullptr;
          break;
        case TraceKind::Work: work = &record; break;
        case TraceKind::WorkEnd:
          if (work != nullptr) write_span(*work, record, "work", "works");
          work = nullptr;
          break;
        case TraceKind::Receive: write_bytes(record, "receive"); break;
        case TraceKind::Send: write_bytes(record, "send"); break;
        case TraceKind::Post: write_flow("s", "hop", record.time(), record.what()); break;
        case TraceKind::Arrive: write_flow("f", "hop", record.time(), record.what()); break;
      }
    }
  }

  void write_spawn(const Record& record, const void* parent) {
    begin("b", "task", record.time());
    fprintf(to_, ",\"id\":\"0x%llx\"", id(record.what()));
    name(static_cast<const met_frame_info*>(record.other())->function);
    fprintf(to_, ",\"args\":{\"parent\":\"0x%llx\"}}", id(parent));
  }

  void write_name(const Record& record) {
    begin("n", "task", record.time());
    fprintf(to_, ",\"id\":\"0x%llx\"", id(record.what()));
    name(static_cast<const char*>(record.other()));
    fputs("}", to_);
  }

  void write_turn(const Record& run, const Record& end) {
    const char* function = static_cast<const met_frame_info*>(run.other())->function;
    begin("X", "turn", run.time());
    fprintf(to_, ",\"dur\":%.3f", us(end.time()) - us(run.time()));
    name(function);
    fprintf(to_, ",\"args\":{\"task\":\"0x%llx\"", id(run.what()));
    if (end.kind() == TraceKind::Suspend) {
      const met_frame_info* place = static_cast<const met_frame_info*>(end.what());
      fputs(",\"at\":", to_);
      write_text(place->file);
      fprintf(to_, ",\"line\":%u", end.detail());
      if (end.other() != nullptr) {
        fputs(",\"waits for\":", to_);
        write_text(awaited_by(static_cast<const char*>(end.other())));
      }
    }
    fputs("}}", to_);
    if (end.kind() != TraceKind::End) return;
    begin("e", "task", end.time());
    fprintf(to_, ",\"id\":\"0x%llx\"", id(run.what()));
    name(function);
    fputs("}", to_);
  }

  void write_span(const Record& from, const Record& until, const char* category, const char* name) {
    begin("X", category, from.time());
    fprintf(to_, ",\"dur\":%.3f,\"name\":\"%s\"}", us(until.time()) - us(from.time()), name);
  }

  void write_bytes(const Record& record, const char* what) {
    begin("i", "io", record.time());
    fprintf(to_, ",\"s\":\"t\",\"name\":\"%s\",\"args\":{\"bytes\":%u,\"descriptor\":%llu,\"task\":\"0x%llx\"}}", what, record.detail(), id(record.other()), id(record.what()));
  }

  void write_flow(const char* phase, const char* category, uint64_t time, const void* of) {
    begin(phase, category, time);
    fprintf(to_, ",\"id\":\"0x%llx\",\"name\":\"%s\"%s}", id(of), category, phase[0] == 'f' ? ",\"bp\":\"e\"" : "");
  }

  FILE* to_;
  double us_per_count_;
  uint32_t number_ = 0;
};

void write_trace() {
  is_tracing = false;
  FILE* file = fopen(file_name, "w");
  if (file == nullptr) {
    fprintf(stderr, "warning: the trace can't be written to %s: %m\n", file_name);
    return;
  }
  Writer(file).write();
  fclose(file);
}

}  // namespace

void begin_tracing() {
  file_name = getenv("METEOR_TRACE");
  if (file_name == nullptr || *file_name == 0) return;
  began_ns = met_clock_monotonic_ns();
  began_count = processor_count();
  if (atexit(write_trace) == 0) is_tracing = true;
}

void trace_event(TraceKind kind, const void* what, const void* other, uint32_t detail) {
  Ring* into = own_ring != nullptr ? own_ring : make_ring();
  if (into == nullptr) return;
  if (into->number == 0) into->number = isolate.number;
  into->records[into->count++ % MOST_RECORDS] = Record(kind, processor_count() - began_count, what, other, detail);
}

void trace_suspension(const Task* task) {
  const char* waits_in = nullptr;
  const met_frame* frame = program_frame(task, waits_in);
  const met_frame_info* info = info_of(frame->resume);
  uint32_t line = frame->state < info->states ? info->lines[frame->state] : info->lines[0];
  trace_event(TraceKind::Suspend, info, waits_in, line);
}

}  // namespace meteor::async
