// Deadlocks are noticed by the last isolate that falls asleep. The isolate that reports asks all others, which do
// nothing else; each adds its own tasks and sends the question back.
#include "runtime/executor/deadlock.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/executor/interrupts.h"
#include "runtime/executor/sleeping.h"
#include "runtime/inspect/describe.h"
#include "runtime/loop/watched.h"
#include "runtime/os/os.h"
#include "runtime/os/threads.h"
#include "runtime/text/view.h"

namespace meteor::async {

namespace {

bool is_deadlocked;

struct Report {
  os::Mutex lock;
  Text text;         // of the others; in memory of the C library, since no isolate is its home
  uint32_t holders;  // atomic: who asks, and the questions under way
  int64_t wanted;    // answers that have not come; of the one who asks
};

struct Question {
  Message message;
  Report* report;
  Isolate* asker;
};

constexpr int64_t LONGEST_ANSWER_NS = 1'000'000'000;  // who sleeps for others answers at once

void let_go(Report* report) {
  if (__atomic_sub_fetch(&report->holders, 1, __ATOMIC_ACQ_REL) > 0) return;
  free(report->text.data);
  report->lock.close();
  free(report);
}

void take_answer(Message* message) {
  Report* report = reinterpret_cast<Question*>(message)->report;
  --report->wanted;
  let_go(report);
  free(message);
}

// A `def` that waits runs its own future, of the library, or is the code of a task that has its turn.
void add_isolate(Text& text, const Task* root) {
  bool has_tasks = root != nullptr;
  if (isolate.blocked.in != nullptr) {
    const char* awaits = awaited_by(info_of(isolate.blocked.in->frame.resume)->function);
    add(text, "  a `def` waits at %s:%u for %s\n", isolate.blocked.at->file, isolate.blocked.at->line, awaits);
    has_tasks = has_tasks && root != isolate.blocked.in;
  }
  if (!has_tasks) {
    if (isolate.blocked.in == nullptr) add(text, "  it waits for the isolates that it has started\n");
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
  add(own, "isolate %u:\n", isolate.life.number);
  add_isolate(own, isolate.root);
  report->lock.lock();
  if (char* grown = static_cast<char*>(realloc(report->text.data, report->text.size + own.size))) {
    memcpy(grown + report->text.size, own.data, own.size);
    report->text.data = grown;
    report->text.size += own.size;
  }
  report->lock.unlock();
  met_raw_free(own.data, int64_t(own.room));
  message->run = take_answer;
  post(question->asker->inbox, *message);
}

void ask_others(Report* report) {
  for_each_watched([report](Watched& one) {
    Isolate* other = one.isolate;
    if (other == &isolate) return;
    Question* question = static_cast<Question*>(calloc(1, sizeof(Question)));
    if (question == nullptr) return;
    *question = {{nullptr, answer}, report, &isolate};
    __atomic_add_fetch(&report->holders, 1, __ATOMIC_RELAXED);
    ++report->wanted;
    post(other->inbox, question->message);
  });
}

void wait_for_answers(const Report& report) {
  int64_t until = met_clock_monotonic_ns() + LONGEST_ANSWER_NS;
  while (report.wanted > 0) {
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

void report_deadlock() {
  __atomic_store_n(&is_deadlocked, true, __ATOMIC_SEQ_CST);
  if (Isolate* first = find_main()) ring(first->inbox);
}

void look_for_deadlock() {
  if (all_wait()) report_deadlock();
}

bool take_deadlock() { return is_main() && __atomic_exchange_n(&is_deadlocked, false, __ATOMIC_SEQ_CST); }

}  // namespace meteor::async

// For deadlock reports: what every task of every isolate waits for, this one's first.
extern "C" met_str met_describe_tasks(const meteor::async::Task* root) {
  using namespace meteor::async;
  Report* report = static_cast<Report*>(calloc(1, sizeof(Report)));
  if (report == nullptr) return meteor::text::EMPTY;
  report->lock.open();
  report->holders = 1;
  ask_others(report);
  bool has_others = report->wanted > 0;
  wait_for_answers(*report);
  Text text = {};
  if (has_others) add(text, "isolate %u:\n", isolate.life.number);
  add_isolate(text, root != nullptr ? root : isolate.root);
  report->lock.lock();
  add_others(text, *report);
  report->lock.unlock();
  let_go(report);
  met_str result = meteor::text::make(reinterpret_cast<const uint8_t*>(text.data), int64_t(text.size));
  met_raw_free(text.data, int64_t(text.room));
  return result;
}

extern "C" met_str met_describe_isolates(void) { return met_describe_tasks(nullptr); }
