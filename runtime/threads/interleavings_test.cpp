// Inboxes, sleep, locks, tickets, wakers and a channel on them in every order of their atomic steps: the runtime's own files, compiled
// on a machine that chooses who goes on (interleavings.h). What a memory order may let another thread see is the thread sanitizer's affair.
// Long: each part is a model of a few lines, and all of them share the machine and the isolates on it.
#include <errno.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <deque>

#define METEOR_MODEL 1
#define meteor meteor_model   // beside the runtime that the other tests use
#define met_raw_alloc met_model_alloc
#define met_raw_free met_model_free

#include "runtime/threads/interleavings.h"

#include "runtime/loop/isolate.h"
#include "runtime/os/bell.h"
#include "runtime/os/descriptors.h"
#include "runtime/trace/trace.h"

using meteor::model::Machine;

extern "C" {
void* met_model_alloc(int64_t size) { return Machine::get().allocate(size_t(size)); }
void met_model_free(void* block, int64_t) { Machine::get().release(block); }
}

namespace meteor::async {

bool is_tracing;
void trace_event(TraceKind, const void*, const void*, uint32_t) {}

static std::vector<Isolate*> isolates_by_thread;
static Isolate& own_isolate() { return *isolates_by_thread.at(Machine::get().index()); }

Rings& this_rings() { return own_isolate().rings; }
void wake(Task* task) { (void)task->flags.try_queue(); }
More& need_more(Task* task) { return *more_of(task); }

static int next_fd;

}  // namespace meteor::async

namespace meteor::os {

int open_bell() { return ++async::next_fd; }
bool ring_bell(int fd) {
  Machine::get().signal(fd);
  return true;
}
void close_descriptor(int) {}

}  // namespace meteor::os

#define isolate own_isolate()
#include "runtime/channel/meeting.cpp"
#include "runtime/channel/shared_ring.cpp"
#include "runtime/queue/inbox.cpp"
#include "runtime/scope/contenders.cpp"
#include "runtime/task/decision.cpp"
#include "runtime/task/line.cpp"
#include "runtime/task/nest.cpp"
#include "runtime/waker/tickets.cpp"
#include "runtime/waker/wakers.cpp"

namespace {

using namespace meteor::async;
namespace isolates = meteor::isolates;

Machine& machine() { return Machine::get(); }

// A few isolates, each with a task; they are the threads of the run, in this order.
struct World {
  std::vector<Isolate*> list;
  std::vector<Task> tasks;
  std::vector<bool> hears_others;   // than isolates, each of them
  int deadlocks = 0;

  void set_up(size_t count) {
    list.clear();
    deadlocks = 0;
    tasks.assign(count, Task{});
    hears_others.assign(count, false);
    next_fd = 0;
    census = NOBODY_SLEEPS;
    for (size_t i = 0; i < count; i++) {
      list.push_back(static_cast<Isolate*>(machine().allocate(sizeof(Isolate))));
      tasks[i].header.strong = 1;
      list[i]->running = list[i]->strand = &tasks[i];
      open_inbox(list[i]->inbox);
      isolate_begins();
    }
    isolates_by_thread = list;
  }

  // As the loops of runtime/executor/sleeping.cpp do it.
  void sleep_once() {
    Isolate& own = isolate;
    bool for_others = !hears_others[machine().index()];
    if (!begin_sleep(own.inbox, for_others ? SLEEP_OTHERS : SLEEP_EVENTS)) return;
    if (for_others && all_wait()) {
      ++deadlocks;
      machine().fail("a deadlock is reported");
    }
    machine().wait_for_signal(own.inbox.wake_fd);
    end_sleep(own.inbox);
  }

  void run_until(const std::function<bool()>& done) {
    while (!done())
      if (!run_messages(isolate.inbox)) sleep_once();
  }

  void park() {
    Task& own = tasks[machine().index()];
    run_until([&] { return (own.flags & TASK_QUEUED) != 0; });
    (void)own.flags.take_turn();
  }

  // After a run: what was posted after an isolate had looked for the last time arrives at its end.
  void release_all() {
    for (Isolate* one : list) {
      for (Message *message = one->inbox.newest, *next; message != nullptr; message = next) {
        next = message->next;
        message->run(message);
      }
      machine().release(one);
    }
  }

  // As leave_isolate does it.
  void end() {
    Isolate* own = &isolate;
    leave_wakers();
    run_messages(own->inbox);
    close_inbox(own->inbox);
    isolate_ends();
    if (own->others != 0) machine().fail("somebody is still waited for");
    machine().release(own);
  }
};

World world;

void expect_fine(const char* what) {
  EXPECT_EQ(machine().failure(), "") << what;
  EXPECT_GT(machine().runs(), 1u) << what;
  testing::Test::RecordProperty(what, int(machine().runs()));
}

struct Note : Message {
  int from, number;
};

void explore_inbox(int posters, int each, bool ends, int most_switches) {
  static std::vector<std::pair<int, int>> got;
  static std::vector<Note> notes;
  machine().explore(
      [&] {
        world.set_up(size_t(posters) + 1);
        got.clear();
        notes.assign(size_t(posters * each), Note{});
        int wanted = posters * each;
        machine().start([wanted, ends] {
          world.hears_others[machine().index()] = true;   // others than isolates post
          world.run_until([wanted] { return int(got.size()) == wanted; });
          world.hears_others[machine().index()] = false;
          if (ends) world.end();
        });
        for (int p = 0; p < posters; p++)
          machine().start([p, each] {
            for (int i = 0; i < each; i++) {
              Note& note = notes[size_t(p * each + i)];
              note.run = [](Message* message) { got.emplace_back(static_cast<Note*>(message)->from, static_cast<Note*>(message)->number); };
              note.from = p;
              note.number = i;
              post(world.list[0]->inbox, note);
            }
          });
      },
      [&] {
        if (ends) world.list.erase(world.list.begin());
        world.release_all();
        std::vector<int> next(size_t(posters), 0);
        for (auto [from, number] : got)
          if (number != next[size_t(from)]++) machine().fail("a poster's messages came out of order");
      },
      most_switches);
}

TEST(Interleavings, EveryMessageArrivesInOrderAndNoSleepIsSleptOver) {
  explore_inbox(1, 1, true, -1);
  expect_fine("one_message_and_the_end");
  explore_inbox(1, 2, false, -1);
  expect_fine("two_messages");
  explore_inbox(2, 1, false, 3);
  expect_fine("two_posters");
}

TEST(Interleavings, OneHasTheLockAndNobodyIsForgotten) {
  static uint32_t word;
  static int inside, turns;
  for (int threads = 2; threads <= 3; threads++) {
    machine().explore(
        [&] {
          word = 0;
          inside = turns = 0;
          for (int t = 0; t < threads; t++)
            machine().start([] {
              for (int i = 0; i < 2; i++) {
                isolates::lock(word);
                if (++inside != 1) machine().fail("two have the lock");
                machine().step(&inside);
                --inside;
                ++turns;
                isolates::unlock(word);
              }
            });
        },
        [&] {
          if (turns != 2 * threads || word != 0) machine().fail("a turn is missing");
        },
        threads == 2 ? -1 : 3);
    expect_fine(threads == 2 ? "two_threads" : "three_threads");
  }
}

// Two isolates, each of which can be woken by the other alone.
void explore_two_sleepers(bool first_tells) {
  static Note notes[2];
  static int got[2];
  machine().explore(
      [&] {
        world.set_up(2);
        got[0] = got[1] = 0;
        for (int t = 0; t < 2; t++)
          machine().start([t, first_tells] {
            auto tell = [t] {
              notes[t].run = [](Message* message) { ++got[static_cast<Note*>(message)->from]; };
              notes[t].from = 1 - t;
              post(world.list[size_t(1 - t)]->inbox, notes[t]);
            };
            if (t == 0 && first_tells) tell();
            world.run_until([t] { return got[t] == 1; });
            if (t == 1) tell();
          });
      },
      [] { world.release_all(); });
}

TEST(Interleavings, ADeadlockIsReportedWhereThereIsOneAndNowhereElse) {
  explore_two_sleepers(true);
  expect_fine("they_wake_each_other");
  explore_two_sleepers(false);
  EXPECT_EQ(machine().failure(), "a deadlock is reported");
}

// ---- what is shared ----

// Something that isolates wait for, as std/core/shared.met has it.
struct Shared {
  uint32_t lock;
  WaitList line;
  int ready;
};
Shared shared;

// As `_line_up`, `await _intrinsic.park()` and `_unwait` do it; with the lock held.
void wait_shared(Waiter& waiter, WaitList& line) {
  waiter.task = isolate.strand;
  append(line, waiter);
  issue_ticket(waiter);
}
void unwait(Waiter& waiter) {
  remove(waiter);
  withdraw_ticket(waiter);
}
void wake_first(WaitList& line) {
  if (line.first != nullptr) wake_waiter(*line.first);
}

void wait_for_one() {
  Waiter waiter{};
  isolates::lock(shared.lock);
  wait_shared(waiter, shared.line);
  while (shared.ready == 0) {
    isolates::unlock(shared.lock);
    world.park();
    isolates::lock(shared.lock);
  }
  --shared.ready;
  unwait(waiter);
  if (shared.ready > 0) wake_first(shared.line);
  isolates::unlock(shared.lock);
}

void give_one() {
  isolates::lock(shared.lock);
  ++shared.ready;
  wake_first(shared.line);
  isolates::unlock(shared.lock);
}

void explore_tickets(int waiters, int most_switches) {
  machine().explore(
      [&] {
        world.set_up(size_t(waiters) + 1);
        shared = {};
        for (int i = 0; i < waiters; i++)
          machine().start(wait_for_one);
        machine().start([waiters] {
          for (int i = 0; i < waiters; i++) give_one();
        });
      },
      [] { world.release_all(); }, most_switches);
}

TEST(Interleavings, WhoWaitsForSomethingSharedIsWoken) {
  explore_tickets(1, 4);
  expect_fine("one_waiter");
  explore_tickets(2, 2);
  expect_fine("two_waiters");
}

// A wait that is given up while it is being woken: the ticket goes exactly once.
TEST(Interleavings, AWaitThatIsGivenUpLeavesNothingBehind) {
  machine().explore(
      [] {
        world.set_up(2);
        shared = {};
        machine().start([] {
          Waiter waiter{};
          isolates::lock(shared.lock);
          wait_shared(waiter, shared.line);
          isolates::unlock(shared.lock);
          run_messages(isolate.inbox);   // as far as they have come
          isolates::lock(shared.lock);
          unwait(waiter);
          isolates::unlock(shared.lock);
          run_messages(isolate.inbox);
        });
        machine().start(give_one);
      },
      [] { world.release_all(); });
  expect_fine("given_up");
}

// ---- a channel: std/core/channel.met, step by step, on its shared ring ----

struct Channel {
  isolates::Channel object;
  isolates::Ring ring;
  int slots[4];

  void set_up(size_t capacity) {
    std::free(ring.shared);
    object = {};
    ring = {};
    object.items = &ring;
    object.capacity = int64_t(capacity);
    ring.room = capacity == 0 ? 4 : object.capacity;   // a power of two
    isolates::share_channel(object);
  }

  isolates::SharedRing& shared() { return *ring.shared; }
  WaitList& receivers() { return *reinterpret_cast<WaitList*>(&object.shared.lines[0]); }
  WaitList& senders() { return *reinterpret_cast<WaitList*>(&object.shared.lines[1]); }
  bool has_room() const { return ring.count < object.capacity; }

  void put(int item) {
    slots[(ring.head + ring.count++) & (ring.room - 1)] = item;
    wake_first(receivers());
  }
  int take() {
    int item = slots[ring.head];
    ring.head = (ring.head + 1) & (ring.room - 1);
    --ring.count;
    wake_first(senders());
    return item;
  }

  void park() {
    isolates::leave_channel(shared());
    world.park();
    isolates::enter_channel(shared());
  }

  bool send(int item) {
    if (int64_t at = isolates::begin_send(shared()); at != isolates::MUST_WAIT) {
      slots[at] = item;
      isolates::end_send(shared());
      return true;
    }
    isolates::enter_channel(shared());
    if (has_room() && !object.is_closed && senders().first == nullptr) {
      put(item);
      isolates::leave_channel(shared());
      return true;
    }
    if (object.capacity == 0) return hand_over(item);
    Waiter waiter{};
    wait_shared(waiter, senders());
    while (!object.is_closed && !(has_room() && senders().first == &waiter)) park();
    bool sends = !object.is_closed;
    if (sends) put(item);
    leave_senders(waiter);
    return sends;
  }

  bool hand_over(int item) {
    slots[(ring.head + ring.count++) & (ring.room - 1)] = item;
    Waiter waiter{};
    wait_shared(waiter, senders());
    while (waiter.list != nullptr && !object.is_closed) {
      call_receivers(senders(), receivers());
      park();
    }
    return leave_offer(waiter);
  }

  // True: the offer has been taken.
  bool leave_offer(Waiter& waiter) {
    bool sends = waiter.list == nullptr;
    if (!sends) {
      int64_t place = 0;
      for (Waiter* at = waiter.before; at != nullptr; at = at->before) ++place;
      take_out(place);
    }
    unwait(waiter);
    if (object.is_closed && ring.count == 0)
      for (Waiter* at = receivers().first; at != nullptr; at = at->next) wake_waiter(*at);
    isolates::leave_channel(shared());
    return sends;
  }

  int take_out(int64_t place) {
    int64_t at = ring.head + place;
    int item = slots[at & (ring.room - 1)];
    for (; at > ring.head; --at) slots[at & (ring.room - 1)] = slots[(at - 1) & (ring.room - 1)];
    ring.head = (ring.head + 1) & (ring.room - 1);
    --ring.count;
    return item;
  }

  // What this receiver takes; false: nothing.
  bool find(const Waiter& waiter, int& item) {
    if (ring.count == 0) return false;
    if (object.capacity > 0) {
      if (receivers().first != &waiter) return false;
      item = take();
      return true;
    }
    int64_t place = meet_sender(senders(), receivers(), waiter);
    if (place < 0) return false;
    item = take_out(place);
    return true;
  }

  void leave_senders(Waiter& waiter) {
    unwait(waiter);
    if (object.is_closed || has_room()) wake_first(senders());
    isolates::leave_channel(shared());
  }

  bool receive(int& item) {
    if (int64_t at = isolates::begin_receive(shared()); at != isolates::MUST_WAIT) {
      item = slots[at];
      isolates::end_receive(shared());
      return true;
    }
    isolates::enter_channel(shared());
    Waiter waiter{};
    wait_shared(waiter, receivers());
    bool has;
    while (!(has = find(waiter, item)) && !(object.is_closed && ring.count == 0)) park();
    leave_receivers(waiter);
    return has;
  }

  void leave_receivers(Waiter& waiter) {
    unwait(waiter);
    if (object.is_closed || ring.count > 0) wake_first(receivers());
    if (object.capacity == 0) call_receivers(senders(), receivers());
    isolates::leave_channel(shared());
  }

  // A receive that is cancelled once somebody has woken it, or when it has looked as often as that: it takes nothing.
  void give_up_receiving() {
    isolates::enter_channel(shared());
    Waiter waiter{};
    wait_shared(waiter, receivers());
    isolates::leave_channel(shared());
    run_messages(isolate.inbox);   // as far as they have come
    isolates::enter_channel(shared());
    leave_receivers(waiter);
    run_messages(isolate.inbox);
  }

  // A send on a Channel(0) that is cancelled at any time: what it says is what the receiver has seen.
  bool give_up_sending(int item) {
    isolates::enter_channel(shared());
    slots[(ring.head + ring.count++) & (ring.room - 1)] = item;
    Waiter waiter{};
    wait_shared(waiter, senders());
    call_receivers(senders(), receivers());
    isolates::leave_channel(shared());
    run_messages(isolate.inbox);
    isolates::enter_channel(shared());
    bool sends = leave_offer(waiter);
    run_messages(isolate.inbox);
    return sends;
  }

  void close() {
    isolates::enter_channel(shared());
    object.is_closed = true;
    for (WaitList* line : {&receivers(), &senders()})
      for (Waiter* waiter = line->first; waiter != nullptr; waiter = waiter->next) wake_waiter(*waiter);
    isolates::leave_channel(shared());
  }
};
Channel channel;
std::vector<int> received;

void explore_channel(size_t capacity, int count, int receivers, int most_switches) {
  machine().explore(
      [&] {
        world.set_up(size_t(receivers) + 1);
        channel.set_up(capacity);
        received.clear();
        for (int r = 0; r < receivers; r++)
          machine().start([] {
            int item;
            while (channel.receive(item)) received.push_back(item);
          });
        machine().start([count] {
          for (int i = 0; i < count; i++)
            if (!channel.send(i)) machine().fail("the channel was closed too early");
          channel.close();
        });
      },
      [&] {
        world.release_all();
        std::vector<int> sorted = received;
        std::sort(sorted.begin(), sorted.end());
        for (int i = 0; i < count; i++)
          if (sorted.size() != size_t(count) || sorted[size_t(i)] != i) machine().fail("something is missing or came twice");
        if (receivers == 1 && sorted != received) machine().fail("out of order");
      },
      most_switches);
}

TEST(Interleavings, WhatIsSentIsReceivedOnceAndInOrder) {
  explore_channel(1, 1, 1, 3);
  expect_fine("one_item");
  explore_channel(1, 2, 1, 2);
  expect_fine("the_sender_waits");
  explore_channel(2, 3, 1, 2);
  expect_fine("some_go_alone");
  explore_channel(0, 2, 1, 2);
  expect_fine("handed_over");
  explore_channel(1, 2, 2, 1);
  expect_fine("two_receivers");
  explore_channel(1, 1, 2, 2);
  expect_fine("two_receivers_of_one_item");
}

// Who stops waiting while something is sent passes it on: the one behind it is woken.
TEST(Interleavings, AReceiveThatIsGivenUpTakesNothing) {
  machine().explore(
      [] {
        world.set_up(3);
        channel.set_up(2);
        received.clear();
        machine().start([] {
          channel.give_up_receiving();
          isolate_ends();   // whoever still waits is not waited for by this one
        });
        machine().start([] {
          int item;
          if (channel.receive(item)) received.push_back(item);
        });
        machine().start([] { channel.send(7); });
      },
      [] {
        world.release_all();
        if (received != std::vector<int>{7}) machine().fail("what was sent is lost");
      },
      2);
  expect_fine("given_up");
}

// A send on a Channel(0) that is given up while a receiver comes, and perhaps another that gives up too: sender and receiver say the same.
void explore_given_up_send(bool also_receiver, int most_switches) {
  static bool is_sent;
  machine().explore(
      [also_receiver] {
        world.set_up(also_receiver ? 3 : 2);
        channel.set_up(0);
        received.clear();
        machine().start([] {
          is_sent = channel.give_up_sending(7);
          channel.close();
        });
        if (also_receiver)
          machine().start([] {
            channel.give_up_receiving();
            isolate_ends();
          });
        machine().start([] {
          int item;
          if (channel.receive(item)) received.push_back(item);
        });
      },
      [] {
        world.release_all();
        if (received.size() != (is_sent ? 1u : 0u)) machine().fail("the sender and the receiver do not agree");
      },
      most_switches);
}

TEST(Interleavings, ASendThatIsGivenUpHasSentNothing) {
  explore_given_up_send(false, 4);
  expect_fine("send_given_up");
}

TEST(Interleavings, BothMayGiveUp) {
  explore_given_up_send(true, 2);
  expect_fine("both_give_up");
}

}  // namespace

#include "runtime/threads/interleavings_nests.h"

namespace {

// ---- wakers ----

// One isolate shares a waker of its task and goes on with `then`; the other wakes the task and lets go of the waker.
template <typename Then, typename AtEnd>
void explore_waker(Then then, AtEnd at_end) {
  static Remote* remote;
  static met_shared object;
  machine().explore(
      [then] {
        world.set_up(2);
        remote = nullptr;
        machine().start([then] {
          Remote* made = open_waker();
          object = {};
          object.lines[0].first = made;
          share_waker(object);
          remote = made;
          then();
        });
        machine().start([] {
          machine().wait_until([] { return remote != nullptr; });
          wake_remote(*remote);
          close_waker(*remote);
        });
      },
      at_end, 4);
}

TEST(Interleavings, AWakerWakesFromAnotherIsolate) {
  auto then = [] {
    world.park();
    world.run_until([] { return isolate.wakers == nullptr; });   // the other lets go of it
  };
  explore_waker(then, [] { world.release_all(); });
  expect_fine("woken");
}

// The isolate of the task ends while another one wakes it and lets go: nobody touches what is gone, and nothing is left.
TEST(Interleavings, AWakerMayOutliveTheIsolateOfItsTask) {
  auto then = [] {
    machine().step(nullptr);
    world.end();
  };
  explore_waker(then, [] {
    machine().release(world.list[1]);
    if (world.tasks[0].header.strong != 1) machine().fail("the task is still counted");
  });
  expect_fine("outlives");
}

}  // namespace
