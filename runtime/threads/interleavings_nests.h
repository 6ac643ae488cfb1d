// The part of interleavings_test.cpp about races and selects, which other isolates choose as a whole. Included there,
// where the world of isolates is.
#ifndef METEOR_RUNTIME_THREADS_INTERLEAVINGS_NESTS_H
#define METEOR_RUNTIME_THREADS_INTERLEAVINGS_NESTS_H

namespace {

// Two offers in the lines of two shared objects, made by tasks of the first isolate.
struct Offers {
  Shared lines[2];
  Waiter waiters[2];
  More more[2];  // of the senders
  bool is_taken[2];

  void set_up() { *this = {}; }
  void make(int which, Task& sender) {
    isolate.strand = &sender;
    more[which].scope = sender.flags & TASK_SPAWNED ? scope_of(&sender) : nullptr;
    sender.place.set_more(&more[which]);
    isolates::lock(lines[which].lock);
    wait_shared(waiters[which], lines[which].line);
    isolates::unlock(lines[which].lock);
  }
  // By another isolate: as meet_sender does it.
  void take(int which) {
    isolates::lock(lines[which].lock);
    Waiter* first = lines[which].line.first;
    if (first != nullptr && claim(*first)) {
      is_taken[which] = true;
      remove(*first);
      wake_waiter(*first);
    }
    isolates::unlock(lines[which].lock);
  }
  // By the sender, in its turn: somebody has taken it.
  bool is_gone(int which) {
    isolates::lock(lines[which].lock);
    bool is_gone = waiters[which].task != nullptr && waiters[which].list == nullptr;
    isolates::unlock(lines[which].lock);
    return is_gone;
  }
  // By the sender, in its turn or when it is given up. True: it has happened.
  bool leave(int which) {
    isolates::lock(lines[which].lock);
    bool has_happened = waiters[which].list == nullptr;
    unwait(waiters[which]);
    isolates::unlock(lines[which].lock);
    return has_happened;
  }
};
Offers offers;

void spawn(Task& task, uint32_t flags) {
  task.flags.spawn(flags & ~uint32_t(TASK_CONTENDS));
  if (flags & TASK_CONTENDS) task.flags.contend();
}

// A task that has begun something for which it has a scope: a race, or what waits for all.
struct Owner {
  Task task;
  More more;
  Scope scope;

  void set_up(uint32_t flags) {
    task = {};
    more = {};
    scope = {};
    spawn(task, flags);
    task.place.set_more(&more);
    scope.owner = &task;
  }
  void add(Task* child) {
    child->place.set_scope(&scope);
    child->siblings.before = scope.last;
    (scope.last != nullptr ? scope.last->siblings.after : scope.first) = child;
    scope.last = child;
    ++scope.open;
  }
};

Task make_task(uint32_t flags) {
  Task task = {};
  spawn(task, flags);
  return task;
}

// A turn in which a contender wins its race, or waits on. False: it may not have its turn now.
template <typename Wins>
bool has_turn(Task& task, Scope& scope, Wins wins) {
  Turn turn = turn_of(&task, &scope);
  if (!begin_turn(turn)) return false;
  if (wins()) end_race(&scope);
  end_turn(turn);
  return true;
}

// ---- race(race(send, never), other), whose receiver is in another isolate ----

struct Nested {
  Owner outer, inner;
  Task other, sender, never;
  bool other_won, sender_won;

  void set_up() {
    outer.set_up(0);
    inner.set_up(TASK_CONTENDS);
    other = make_task(TASK_CONTENDS);
    sender = never = make_task(TASK_CONTENDS | TASK_INSIDE);
    other_won = sender_won = false;
    outer.add(&inner.task);
    outer.add(&other);
    inner.add(&sender);
    inner.add(&never);
  }
  // In its own isolate.
  void begin() {
    begin_race(&outer.task);
    begin_race(&inner.task);
  }
  // The sender looks: it goes on when its offer was taken.
  void look() {
    if (sender.flags & TASK_QUEUED) (void)sender.flags.take_turn();
    Turn turn = turn_of(&sender, &inner.scope);
    if (!begin_turn(turn)) return;
    if (offers.is_gone(0)) {
      sender_won = true;
      end_race(&inner.scope);
    }
    end_turn(turn);
  }
  void end() {
    leave_race(&inner.task);
    leave_race(&outer.task);
    isolate.held_back = nullptr;
  }
};
Nested nested;

// The other contender's turn while the offer is taken; then the sender's, if it may have one.
void explore_nested(bool other_wins, bool is_also_offered, int most_switches) {
  machine().explore(
      [=] {
        world.set_up(is_also_offered ? 3 : 2);
        offers.set_up();
        nested.set_up();
        static bool is_offered;
        is_offered = false;
        machine().start([=] {
          nested.begin();
          offers.make(0, nested.sender);
          if (is_also_offered) offers.make(1, nested.other);
          is_offered = true;
          machine().step(&is_offered);
          bool has_other = has_turn(nested.other, nested.outer.scope, [=] { return other_wins || offers.is_gone(1); });
          nested.other_won = has_other && (other_wins || offers.is_gone(1));
          if (!nested.other_won) nested.look();
          run_messages(isolate.inbox);
          if (offers.leave(0) != offers.is_taken[0]) machine().fail("they do not agree");
          if (is_also_offered) offers.leave(1);
          nested.end();
        });
        for (int which = 0; which < (is_also_offered ? 2 : 1); which++)
          machine().start([which] {
            machine().wait_until([] { return is_offered; });
            offers.take(which);
          });
      },
      [=] {
        if (nested.other_won && offers.is_taken[0])
          machine().fail("the inner one has happened and the outer race went on with the other");
        if (offers.is_taken[0] && offers.is_taken[1]) machine().fail("two contenders of one race have happened");
        world.release_all();
      },
      most_switches);
}

TEST(Interleavings, ARaceInsideARaceIsDecidedWithItFromAnotherIsolate) {
  explore_nested(true, false, 3);
  expect_fine("nested_wins");
  explore_nested(false, false, 3);
  expect_fine("nested_waits_on");
}

TEST(Interleavings, TwoIsolatesNeverCompleteTwoContendersOfANest) {
  explore_nested(false, true, 2);
  expect_fine("two_takers");
  explore_nested(true, true, 2);
  expect_fine("two_takers_and_a_winner");
}

// Who is cancelled before its turn has sent nothing; what was taken before that has happened, and both say the same.
TEST(Interleavings, AContenderThatIsCancelledIsNotCompletedFromAnotherIsolate) {
  static bool is_offered, is_cancelled, takes_late;
  machine().explore(
      [] {
        world.set_up(2);
        offers.set_up();
        nested.set_up();
        is_offered = is_cancelled = takes_late = false;
        machine().start([] {
          nested.begin();
          offers.make(0, nested.sender);
          is_offered = true;
          machine().step(&is_offered);
          nested.sender.flags.interrupt();
          give_up_inside(&nested.sender);
          is_cancelled = true;
          machine().step(&is_cancelled);
          run_messages(isolate.inbox);
          if (offers.leave(0) != offers.is_taken[0]) machine().fail("they do not agree");
          nested.end();
        });
        machine().start([] {
          machine().wait_until([] { return is_offered; });
          takes_late = is_cancelled;
          offers.take(0);
        });
      },
      [] {
        if (takes_late && offers.is_taken[0]) machine().fail("a cancelled one has sent");
        world.release_all();
      },
      3);
  expect_fine("cancelled");
}

// Whoever found the nest closed is called again: the offer is taken in the end.
TEST(Interleavings, AClaimThatWasMissedIsMadeAgain) {
  machine().explore(
      [] {
        world.set_up(2);
        offers.set_up();
        nested.set_up();
        static bool is_offered, is_asked;
        is_offered = is_asked = false;
        machine().start([] {
          nested.begin();
          offers.make(0, nested.sender);
          is_offered = true;
          machine().step(&is_offered);
          bool has_other = has_turn(nested.other, nested.outer.scope, [] { return false; });
          if (!has_other && !offers.is_gone(0)) machine().fail("nothing was chosen");
          is_asked = (nested.sender.flags & TASK_QUEUED) != 0;
          offers.leave(0);
          nested.end();
        });
        machine().start([] {
          machine().wait_until([] { return is_offered; });
          offers.take(0);
          bool is_noted = offers.is_taken[0] || is_asked || world.list[0]->nests.noted != nullptr;
          if (!is_noted && offers.waiters[0].list != nullptr && !(nested.sender.flags & TASK_QUEUED))
            machine().fail("the sender does not look again");
        });
      },
      [] { world.release_all(); }, 3);
  expect_fine("missed");
}

// ---- race(gather(first, send), other): the last child decides for the whole ----

struct Gathered {
  Owner outer, all;
  Task other, first, sender;
  bool other_won;

  void set_up() {
    outer.set_up(0);
    all.set_up(TASK_CONTENDS);
    other = make_task(TASK_CONTENDS);
    first = sender = make_task(TASK_INSIDE);
    other_won = false;
    outer.add(&all.task);
    outer.add(&other);
    all.add(&first);
    all.add(&sender);
    all.scope.flags.open(false, true);
    all.scope.flags.begin_closing();
  }
  void first_ends() {
    Turn turn = turn_of(&first, &all.scope);
    if (!begin_turn(turn)) return machine().fail("it is not the last, so nothing keeps it from its turn");
    all.scope.first = all.scope.last = &sender;
    sender.siblings.before = nullptr;
    all.scope.open = 1;
    renew_nests();
    end_turn(turn);
  }
};
Gathered gathered;

TEST(Interleavings, TheLastChildInARaceIsDecidedWithItFromAnotherIsolate) {
  static bool is_offered, has_ended, takes_last;
  machine().explore(
      [] {
        world.set_up(2);
        offers.set_up();
        gathered.set_up();
        is_offered = has_ended = takes_last = false;
        machine().start([] {
          begin_race(&gathered.outer.task);
          offers.make(0, gathered.sender);
          is_offered = true;
          machine().step(&is_offered);
          gathered.first_ends();
          has_ended = true;
          gathered.other_won = has_turn(gathered.other, gathered.outer.scope, [] { return true; });
          run_messages(isolate.inbox);
          offers.leave(0);
          leave_race(&gathered.outer.task);
          isolate.held_back = nullptr;
        });
        machine().start([] {
          machine().wait_until([] { return is_offered; });
          takes_last = has_ended;
          offers.take(0);
        });
      },
      [] {
        if (gathered.other_won && takes_last && offers.is_taken[0])
          machine().fail("the last child has happened and the race went on with the other");
        if (!gathered.other_won && !offers.is_taken[0]) machine().fail("nothing was decided");
        world.release_all();
      },
      3);
  expect_fine("last_child");
}

// ---- a select of two offers, with a receiver for each in isolates of their own ----

TEST(Interleavings, ASelectIsDecidedOnce) {
  static Owner owner;
  static Task arms[2];
  static bool is_offered, is_closed;
  machine().explore(
      [] {
        world.set_up(3);
        offers.set_up();
        owner.set_up(0);
        for (Task& arm : arms) {
          arm = {};
          arm.flags.begin_arm();
          arm.part.of = &owner.task;
        }
        is_offered = is_closed = false;
        machine().start([] {
          owner.more.decision = make_decision();
          for (int i : {0, 1}) offers.make(i, arms[i]);
          is_offered = true;
          {
            Deciding deciding;
            open_decision(*owner.more.decision);
          }
          {
            Deciding deciding;
            is_closed = close_decision(*owner.more.decision);
          }
          if (is_closed != (chosen_arm(*owner.more.decision) == nullptr)) machine().fail("closed and decided at once");
          run_messages(isolate.inbox);
          for (int i : {0, 1}) offers.leave(i);
          let_go(owner.more.decision);
        });
        for (int i : {0, 1})
          machine().start([i] {
            machine().wait_until([] { return is_offered; });
            offers.take(i);
          });
      },
      [] {
        world.release_all();
        if (offers.is_taken[0] && offers.is_taken[1]) machine().fail("two arms were chosen");
        if (is_closed && (offers.is_taken[0] || offers.is_taken[1]))
          machine().fail("an arm of a closed select was chosen");
      },
      2);
  expect_fine("select");
}

}  // namespace

#endif
