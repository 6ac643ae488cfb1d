// Slots and sources: an event reaches whoever it is for, and nobody who came later; lines of waiters lose nobody.
#include <errno.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <set>
#include <vector>

#include "runtime/loop/isolate.h"
#include "runtime/reactor/reactor.h"

namespace meteor::async {
namespace {

struct OwnReactor {
  Reactor reactor = {};
  ~OwnReactor() { free(reactor.slots); }
};

TEST(Slots, ASlotThatIsTakenAgainHasAnotherKey) {
  OwnReactor own;
  uint32_t slot = take_slot(own.reactor, SLOT_SOURCE);
  ASSERT_NE(slot, 0u) << "slot 0 is nobody's";
  std::set<uint64_t> keys = {event_key(own.reactor, slot)};
  for (int i = 0; i < 1000; ++i) {
    free_slot(own.reactor, slot);
    EXPECT_TRUE(keys.insert(event_key(own.reactor, slot)).second)
        << "while it is free, events of its last holder are nobody's";
    EXPECT_EQ(own.reactor.slots[slot].kind, SLOT_FREE);
    ASSERT_EQ(take_slot(own.reactor, SLOT_SOURCE), slot);
    EXPECT_TRUE(keys.insert(event_key(own.reactor, slot)).second);
  }
  EXPECT_EQ(own.reactor.slot_count, slot + 1) << "one that is free is taken before a new one";
}

TEST(Slots, TheSequenceOfASlotWrapsAround) {
  OwnReactor own;
  uint32_t slot = take_slot(own.reactor, SLOT_SOURCE);
  own.reactor.slots[slot].sequence = UINT32_MAX;
  uint64_t before = event_key(own.reactor, slot);
  free_slot(own.reactor, slot);
  ASSERT_EQ(take_slot(own.reactor, SLOT_LISTENER), slot);
  EXPECT_NE(event_key(own.reactor, slot), before);
  EXPECT_EQ(event_key(own.reactor, slot) >> 32, slot) << "it does not run over into the slot's number";
}

TEST(Slots, GrowingKeepsWhatIsThereAndGivesEachSlotOnce) {
  OwnReactor own;
  std::vector<Source> sources(300);
  std::set<uint32_t> taken;
  for (Source& source : sources) {
    source.slot = 0;
    ASSERT_TRUE(need_slot(own.reactor, source));
    EXPECT_TRUE(taken.insert(source.slot).second);
    uint32_t first = source.slot;
    ASSERT_TRUE(need_slot(own.reactor, source));
    EXPECT_EQ(source.slot, first) << "it has one already";
  }
  for (Source& source : sources) EXPECT_EQ(own.reactor.slots[source.slot].source, &source);
  // The last to be freed is the first to be taken: its memory is warm.
  free_slot(own.reactor, sources[10].slot);
  free_slot(own.reactor, sources[200].slot);
  EXPECT_EQ(take_slot(own.reactor, SLOT_LISTENER), sources[200].slot);
  EXPECT_EQ(take_slot(own.reactor, SLOT_LISTENER), sources[10].slot);
}

class SourcesTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair_), 0);
    open_source(source_, pair_[0], 0);
    for (Task& task : tasks_) task.flags.spawn();
  }
  void TearDown() override {
    close_source(source_);
    close(pair_[1]);
    isolate.ready = {};
  }
  bool is_woken(int i) { return tasks_[i].flags & TASK_QUEUED; }
  int pair_[2];
  Source source_;
  Task tasks_[3] = {};
  Waiter waiters_[3] = {};
};

TEST_F(SourcesTest, AnEventWakesTheFirstOfItsLineAlone) {
  wait_for_source(source_.readers, waiters_[0], &tasks_[0]);
  wait_for_source(source_.readers, waiters_[1], &tasks_[1]);
  wait_for_source(source_.writers, waiters_[2], &tasks_[2]);
  EXPECT_EQ(this_reactor().waiting, 3);
  source_.ready = 0;
  Slot slot = {};
  slot.source = &source_;
  slot.kind = SLOT_SOURCE;
  deliver(slot, READY_READ);
  EXPECT_TRUE(is_woken(0));
  EXPECT_FALSE(is_woken(1));
  EXPECT_FALSE(is_woken(2));
  EXPECT_EQ(source_.ready, uint32_t(READY_READ));
  // The first one leaves without having read all: the next one is told.
  leave_source(source_, waiters_[0]);
  EXPECT_TRUE(is_woken(1));
  leave_source(source_, waiters_[0]);  // it is in no line any more
  EXPECT_EQ(this_reactor().waiting, 2);
  leave_source(source_, waiters_[1]);
  leave_source(source_, waiters_[2]);
  EXPECT_EQ(this_reactor().waiting, 0);
}

TEST_F(SourcesTest, AWaiterThatLeavesASourceWithNothingToReadWakesNobody) {
  source_.ready = READY_WRITE;
  wait_for_source(source_.readers, waiters_[0], &tasks_[0]);
  wait_for_source(source_.readers, waiters_[1], &tasks_[1]);
  leave_source(source_, waiters_[0]);
  EXPECT_FALSE(is_woken(1));
  leave_source(source_, waiters_[1]);
}

TEST_F(SourcesTest, OfOneThatNeedsBothAnyEventWakesBothLines) {
  source_.flags = SOURCE_BOTH;
  wait_for_source(source_.readers, waiters_[0], &tasks_[0]);
  wait_for_source(source_.writers, waiters_[1], &tasks_[1]);
  Slot slot = {};
  slot.source = &source_;
  slot.kind = SLOT_SOURCE;
  deliver(slot, READY_WRITE);
  EXPECT_TRUE(is_woken(0));
  EXPECT_TRUE(is_woken(1));
  leave_source(source_, waiters_[0]);
  leave_source(source_, waiters_[1]);
}

TEST_F(SourcesTest, ClosingWakesEveryWaiterAndTheyLeaveInAnyOrder) {
  wait_for_source(source_.readers, waiters_[0], &tasks_[0]);
  wait_for_source(source_.readers, waiters_[1], &tasks_[1]);
  wait_for_source(source_.writers, waiters_[2], &tasks_[2]);
  close_source(source_);
  EXPECT_EQ(source_.fd, -1);
  EXPECT_TRUE(source_.flags & SOURCE_CLOSED);
  for (int i : {0, 1, 2}) EXPECT_TRUE(is_woken(i));
  close_source(source_);  // nothing more happens
  for (int i : {1, 2, 0}) leave_source(source_, waiters_[i]);
  EXPECT_EQ(this_reactor().waiting, 0);
  char byte;
  EXPECT_EQ(read(pair_[1], &byte, 1), 0) << "the descriptor is closed: the other side sees the end";
}

TEST_F(SourcesTest, AReleasedDescriptorStaysOpen) {
  int fd = release_source(source_);
  EXPECT_EQ(fd, pair_[0]);
  EXPECT_EQ(source_.fd, -1);
  EXPECT_EQ(write(fd, "x", 1), 1);
  close(fd);
}

TEST_F(SourcesTest, AMovedSourceTakesItsStateWithIt) {
  source_.ready = READY_READ;
  Source to;
  move_source(source_, to);
  EXPECT_EQ(to.fd, pair_[0]);
  EXPECT_EQ(to.ready, uint32_t(READY_READ));
  EXPECT_EQ(source_.fd, -1);
  EXPECT_TRUE(source_.flags & SOURCE_CLOSED);
  close_source(source_);  // closes nothing: what it had is elsewhere
  EXPECT_EQ(write(to.fd, "x", 1), 1);
  close_source(to);
}

}  // namespace
}  // namespace meteor::async
