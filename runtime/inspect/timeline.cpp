// Records as JSON, with the names of functions and of what they wait for.
#include "runtime/inspect/timeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/inspect/snapshot.h"
#include "runtime/os/os.h"
#include "runtime/trace/records.h"

namespace meteor::async {

namespace {

const char* file_name;

class Writer {
 public:
  explicit Writer(FILE* to) : to_(to) {
    int64_t ns = met_clock_monotonic_ns() - trace_began_ns;
    uint64_t counted = processor_count() - trace_began_count;
    us_per_count_ = counted > 0 ? double(ns) / double(counted) / 1000 : 0;
  }

  void write() {
    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", to_);
    fputs("{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":\"Meteor\"}}", to_);
    for (const TraceRing* at = first_trace_ring(); at != nullptr; at = at->next) write_ring(*at);
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
    fprintf(to_, ",\n{\"ph\":\"%s\",\"cat\":\"%s\",\"pid\":1,\"tid\":%u,\"ts\":%.3f", phase, category, number_,
            us(time));
  }

  void name(const char* text) {
    fputs(",\"name\":", to_);
    write_text(text);
  }

  void write_ring(const TraceRing& of) {
    number_ = of.number;
    const TraceRecord* run = nullptr;  // the turn that is under way
    const TraceRecord* sleep = nullptr;
    const TraceRecord* work = nullptr;
    fprintf(to_, ",\n{\"ph\":\"M\",\"pid\":1,\"tid\":%u,\"name\":\"thread_name\",\"args\":{\"name\":\"", number_);
    fprintf(to_, number_ == 0 ? "other threads\"}}" : "isolate %u\"}}", number_);
    for (uint64_t i = of.count > MOST_RECORDS ? of.count - MOST_RECORDS : 0; i < of.count; ++i) {
      const TraceRecord& record = of.records[i % MOST_RECORDS];
      switch (record.kind()) {
        case TraceKind::Spawn: {
          const TraceRecord* by = i + 1 < of.count ? &of.records[(i + 1) % MOST_RECORDS] : nullptr;
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

  void write_spawn(const TraceRecord& record, const void* parent) {
    begin("b", "task", record.time());
    fprintf(to_, ",\"id\":\"0x%llx\"", id(record.what()));
    name(static_cast<const met_frame_info*>(record.other())->function);
    fprintf(to_, ",\"args\":{\"parent\":\"0x%llx\"}}", id(parent));
  }

  void write_name(const TraceRecord& record) {
    begin("n", "task", record.time());
    fprintf(to_, ",\"id\":\"0x%llx\"", id(record.what()));
    name(static_cast<const char*>(record.other()));
    fputs("}", to_);
  }

  void write_turn(const TraceRecord& run, const TraceRecord& end) {
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

  void write_span(const TraceRecord& from, const TraceRecord& until, const char* category, const char* name) {
    begin("X", category, from.time());
    fprintf(to_, ",\"dur\":%.3f,\"name\":\"%s\"}", us(until.time()) - us(from.time()), name);
  }

  void write_bytes(const TraceRecord& record, const char* what) {
    begin("i", "io", record.time());
    fprintf(to_, ",\"s\":\"t\",\"name\":\"%s\",\"args\":{\"bytes\":%u,\"descriptor\":%llu,\"task\":\"0x%llx\"}}", what,
            record.detail(), id(record.other()), id(record.what()));
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
  if (atexit(write_trace) == 0) start_recording();
}

void trace_suspension(const Task* task) {
  const char* waits_in = nullptr;
  const met_frame* frame = program_frame(task, waits_in);
  const met_frame_info* info = info_of(frame->resume);
  uint32_t line = frame->state < info->states ? info->lines[frame->state] : info->lines[0];
  trace_event(TraceKind::Suspend, info, waits_in, line);
}

}  // namespace meteor::async
