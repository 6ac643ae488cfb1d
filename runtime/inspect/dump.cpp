// Task dumps and deadlock reports: a snapshot as lines of text. Siblings that are alike share a line.
#include "runtime/inspect/dump.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "runtime/executor/executor.h"
#include "runtime/executor/watch.h"
#include "runtime/inspect/snapshot.h"
#include "runtime/os/os.h"
#include "runtime/text/view.h"

namespace meteor::async {

namespace {

constexpr size_t LONGEST = 256 * 1024;

struct Text {
  char* data;
  size_t size, room;
};

__attribute__((format(printf, 2, 3))) void add(Text& text, const char* format, ...) {
  char part[1024];
  va_list arguments;
  va_start(arguments, format);
  int printed = vsnprintf(part, sizeof part, format, arguments);
  va_end(arguments);
  size_t more = printed < 0 ? 0 : size_t(printed) < sizeof part ? size_t(printed) : sizeof part - 1;
  if (text.size + more > text.room) {
    size_t room = (text.size + more) * 2;
    text.data = static_cast<char*>(met_raw_realloc(text.data, int64_t(text.room), int64_t(room)));
    text.room = room;
  }
  memcpy(text.data + text.size, part, more);
  text.size += more;
}

void add_time(Text& text, int64_t ms) {
  if (ms < 1000) add(text, "%lld ms", static_cast<long long>(ms));
  else if (ms < 120'000) add(text, "%.1f s", double(ms) / 1000);
  else add(text, "%lld min", static_cast<long long>(ms / 60'000));
}

bool is_alike(const TaskRecord& a, const TaskRecord& b) {
  return a.parent == b.parent && a.scope == b.scope && a.function == b.function && a.file == b.file && a.line == b.line && a.awaits == b.awaits && a.holder == b.holder &&
         a.state == b.state && a.lints == b.lints && ((a.task->flags ^ b.task->flags) & (TASK_SERVICE | TASK_CANCELLED)) == 0;
}

bool has_children(const Snapshot& snapshot, int64_t i) { return i + 1 < snapshot.count && snapshot.records[i + 1].parent == i; }

void add_scope(Text& text, const Scope* scope, int32_t depth) {
  add(text, "%*sscope: %lld open", 4 * depth, "", static_cast<long long>(scope->open + scope->services));
  if (scope->services > 0) add(text, ", of them %lld %s", static_cast<long long>(scope->services), scope->services == 1 ? "a service" : "services");
  if (scope->limit > 0) add(text, ", limit %lld", static_cast<long long>(scope->limit));
  if (scope->region.flags & REGION_CANCELLED) add(text, ", cancelled");
  if (scope->timer.next != nullptr) {
    int64_t left = (scope->timer.due - now_ns()) / 1'000'000;
    add(text, ", ends in ");
    add_time(text, left > 0 ? left : 0);
  }
  add(text, "\n");
}

void add_holder(Text& text, const Held& held) {
  add(text, " that %s", info_of(held.resume)->function);
  if (held.site != nullptr) add(text, " (spawned at %s:%u)", held.site->file, held.site->line);
  add(text, " holds");
}

void add_task(Text& text, const TaskRecord& record, bool with_time, int64_t more) {
  add(text, "%*s%s", 2 + 4 * record.depth, "", record.function);
  bool waits = false;
  switch (record.state) {
    case TaskState::NotStarted: add(text, " has not started"); break;
    case TaskState::WaitsTurn: add(text, " waits for its turn"); break;
    case TaskState::Running: add(text, isolate.blocked_in != nullptr ? " runs the `def`" : " runs"); break;
    case TaskState::Ready: add(text, " is ready to go on"); break;
    case TaskState::Waiting:
      add(text, " waits");
      waits = true;
      break;
  }
  if (record.file[0] != '\0' && record.state != TaskState::Running) add(text, " at %s:%u", record.file, record.line);
  if (record.awaits != nullptr && waits) add(text, " for %s", record.awaits);
  if (record.holder != nullptr && waits) add_holder(text, *record.holder);
  if (with_time && waits) {
    add(text, ", ");
    add_time(text, record.since_ms);
    add(text, " so far");
  }
  if (record.task->flags & TASK_SERVICE) add(text, " (a service)");
  if (record.task->flags & TASK_CANCELLED) add(text, " (cancelled)");
  if (more > 0) add(text, " (and %lld more like it)", static_cast<long long>(more));
  add(text, "\n");
  if (record.lints & LINT_WAKES_ITSELF) {
    add(text, "%*slint: it wakes itself and has waited for nothing in the last ", 6 + 4 * record.depth, "");
    add_time(text, record.since_ms);
    add(text, "\n");
  }
  if (record.lints & LINT_LARGE_FRAME)
    add(text, "%*slint: its frame takes %u bytes; `meteor explain` shows what for\n", 6 + 4 * record.depth, "", record.frame_size);
}

void add_tree(Text& text, const Snapshot& snapshot, bool with_time) {
  for (int64_t i = 0; i < snapshot.count; ++i) {
    if (text.size > LONGEST) {
      add(text, "  … %lld more tasks\n", static_cast<long long>(snapshot.count - i));
      return;
    }
    const TaskRecord& record = snapshot.records[i];
    if (record.scope != nullptr && record.scope->first == record.task) add_scope(text, record.scope, record.depth);
    int64_t next = i;
    while (!has_children(snapshot, next) && next + 1 < snapshot.count && is_alike(record, snapshot.records[next + 1])) ++next;
    if (has_children(snapshot, next) && next > i) --next;
    int64_t more = next - i >= 2 ? next - i : 0;
    add_task(text, record, with_time, more);
    i += more;
  }
}

struct Request {
  Message message;
  DumpTo to;
};

void dump_here(Message* message) {
  DumpTo to = reinterpret_cast<Request*>(message)->to;
  free(message);
  write_dump(to, -1);
}

// Who asks is this user or root: nobody else is told. -1: nobody is there any more.
int connect_to_asker() {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  int size = snprintf(address.sun_path + 1, sizeof address.sun_path - 1, METEOR_PS_SOCKET, int(getpid()));
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  ucred who = {};
  socklen_t who_size = sizeof who;
  bool good = connect(fd, reinterpret_cast<sockaddr*>(&address), socklen_t(offsetof(sockaddr_un, sun_path) + 1 + size_t(size))) == 0 &&
              getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &who_size) == 0 && (who.uid == geteuid() || who.uid == 0);
  if (good) return fd;
  close(fd);
  return -1;
}

void write_all(int fd, bool is_socket, const Text& text) {
  for (size_t at = 0; at < text.size;) {
    ssize_t written = is_socket ? send(fd, text.data + at, text.size - at, MSG_NOSIGNAL) : write(fd, text.data + at, text.size - at);
    if (written <= 0) return;
    at += size_t(written);
  }
}

}  // namespace

void write_dump(DumpTo to, int64_t others) {
  Snapshot snapshot = {};
  if (isolate.root != nullptr) take_snapshot(snapshot, isolate.root);
  int64_t ready = 0;
  for (int64_t i = 0; i < snapshot.count; ++i) ready += snapshot.records[i].state == TaskState::Ready;
  Text text = {};
  if (to == DumpTo::Asker && others >= 0) add(text, "%lld\n", static_cast<long long>(others));
  add(text, "task dump of isolate %u: %lld tasks, %lld of them ready; %lld timers; %lld wait for the kernel; %llu turns\n", isolate.number,
      static_cast<long long>(snapshot.count), static_cast<long long>(ready), static_cast<long long>(isolate.timers.count()),
      static_cast<long long>(isolate.reactor.waiting), static_cast<unsigned long long>(isolate.turns));
  add_tree(text, snapshot, true);
  if (isolate.longest_turn_ms >= LONG_TURN_MS) {
    add(text, "  lint: %s held the loop for ", info_of(isolate.longest_turn_of)->function);
    add_time(text, isolate.longest_turn_ms);
    add(text, " in one turn; nobody else ran meanwhile\n");
  }
  free_snapshot(snapshot);
  int fd = to == DumpTo::Asker ? connect_to_asker() : STDERR_FILENO;
  if (fd >= 0) write_all(fd, to == DumpTo::Asker, text);
  if (fd >= 0 && to == DumpTo::Asker) close(fd);
  met_raw_free(text.data, int64_t(text.room));
}

int64_t ask_others_to_dump(DumpTo to) {
  static DumpTo wanted;      // the main isolate alone asks
  static int64_t asked;
  wanted = to;
  asked = 0;
  for_each_watched([](Isolate* other) {
    if (other == &isolate || !__atomic_load_n(&other->is_running, __ATOMIC_RELAXED)) return;
    Request* request = static_cast<Request*>(calloc(1, sizeof(Request)));   // its home is no isolate
    if (request == nullptr) return;
    request->message.run = dump_here;
    request->to = wanted;
    ++asked;
    post(other->inbox, request->message);
  });
  return asked;
}

namespace {

// ---- deadlock reports ----
// The isolate that reports asks all others, which do nothing else; each adds its own tasks and sends the question back.

struct Report {
  pthread_mutex_t lock;
  Text text;         // of the others; in memory of the C library, since no isolate is its home
  uint32_t holders;  // atomic: who asks, and the questions under way
};

struct Question {
  Message message;
  Report* report;
  Isolate* asker;
};

__thread int64_t answers_wanted;
constexpr int64_t LONGEST_ANSWER_NS = 1'000'000'000;  // who sleeps for others answers at once

void let_go(Report* report) {
  if (__atomic_sub_fetch(&report->holders, 1, __ATOMIC_ACQ_REL) > 0) return;
  free(report->text.data);
  pthread_mutex_destroy(&report->lock);
  free(report);
}

void take_answer(Message* message) {
  --answers_wanted;
  let_go(reinterpret_cast<Question*>(message)->report);
  free(message);
}

// A `def` that waits runs its own future, of the library, or is the code of a task that has its turn.
void add_isolate(Text& text, const Task* root) {
  bool has_tasks = root != nullptr;
  if (isolate.blocked_in != nullptr) {
    const char* awaits = awaited_by(info_of(isolate.blocked_in->frame.resume)->function);
    add(text, "  a `def` waits at %s:%u for %s\n", isolate.blocked_at->file, isolate.blocked_at->line, awaits);
    has_tasks = has_tasks && root != isolate.blocked_in;
  }
  if (!has_tasks) {
    if (isolate.blocked_in == nullptr) add(text, "  it waits for the isolates that it has started\n");
    return;
  }
  Snapshot snapshot = {};
  take_snapshot(snapshot, root);
  add_tree(text, snapshot, false);
  free_snapshot(snapshot);
}

void answer(Message* message) {
  Question* question = reinterpret_cast<Question*>(message);
  Report* report = question->report;
  Text own = {};
  add(own, "isolate %u:\n", isolate.number);
  add_isolate(own, isolate.root);
  pthread_mutex_lock(&report->lock);
  if (char* grown = static_cast<char*>(realloc(report->text.data, report->text.size + own.size))) {
    memcpy(grown + report->text.size, own.data, own.size);
    report->text.data = grown;
    report->text.size += own.size;
  }
  pthread_mutex_unlock(&report->lock);
  met_raw_free(own.data, int64_t(own.room));
  message->run = take_answer;
  post(question->asker->inbox, *message);
}

void ask_others(Report* report) {
  static __thread Report* asked_for;
  asked_for = report;
  for_each_watched([](Isolate* other) {
    if (other == &isolate) return;
    Question* question = static_cast<Question*>(calloc(1, sizeof(Question)));
    if (question == nullptr) return;
    *question = {{nullptr, answer}, asked_for, &isolate};
    __atomic_add_fetch(&asked_for->holders, 1, __ATOMIC_RELAXED);
    ++answers_wanted;
    post(other->inbox, question->message);
  });
}

void wait_for_answers() {
  int64_t until = met_clock_monotonic_ns() + LONGEST_ANSWER_NS;
  while (answers_wanted > 0) {
    int64_t left = until - met_clock_monotonic_ns();
    if (left <= 0) return;
    if (!run_messages(isolate.inbox)) sleep_for_others(left);
  }
}

// In the order of their numbers: an isolate's part begins with its line, the lines of its tasks are indented.
void add_others(Text& text, const Report& report) {
  for (uint32_t last = 0;;) {
    const char* found = nullptr;
    uint32_t number = UINT32_MAX;
    const char* end = report.text.data + report.text.size;
    for (const char* line = report.text.data; line != nullptr && line < end;
         line = static_cast<const char*>(memchr(line, '\n', size_t(end - line))) + 1) {
      if (*line == ' ') continue;
      auto own = uint32_t(strtoul(line + strlen("isolate "), nullptr, 10));
      if (own > last && own < number) number = own, found = line;
    }
    if (found == nullptr) return;
    last = number;
    for (bool is_first = true; found < end && (is_first || *found == ' '); is_first = false) {
      auto size = int(static_cast<const char*>(memchr(found, '\n', size_t(end - found))) + 1 - found);
      add(text, "%.*s", size, found);
      found += size;
    }
  }
}

}  // namespace
}  // namespace meteor::async

// For deadlock reports: what every task of every isolate waits for, this one's first.
extern "C" met_str met_describe_tasks(const meteor::async::Task* root) {
  using namespace meteor::async;
  Report* report = static_cast<Report*>(calloc(1, sizeof(Report)));
  if (report == nullptr) return meteor::text::EMPTY;
  pthread_mutex_init(&report->lock, nullptr);
  report->holders = 1;
  answers_wanted = 0;
  ask_others(report);
  bool has_others = answers_wanted > 0;
  wait_for_answers();
  Text text = {};
  if (has_others) add(text, "isolate %u:\n", isolate.number);
  add_isolate(text, root != nullptr ? root : isolate.root);
  pthread_mutex_lock(&report->lock);
  add_others(text, *report);
  pthread_mutex_unlock(&report->lock);
  let_go(report);
  met_str result = meteor::text::make(reinterpret_cast<const uint8_t*>(text.data), int64_t(text.size));
  met_raw_free(text.data, int64_t(text.room));
  return result;
}

extern "C" met_str met_describe_isolates(void) { return met_describe_tasks(nullptr); }
