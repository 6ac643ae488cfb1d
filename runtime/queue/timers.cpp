#include "runtime/queue/timers.h"

namespace meteor::async {

namespace {

uint64_t tick_of(int64_t due_ns) { return due_ns <= 0 ? 0 : (uint64_t(due_ns) - 1) / uint64_t(TICK_NS) + 1; }

int level_of(uint64_t tick, uint64_t now) {
  uint64_t different = (tick ^ now) | (WHEEL_SLOTS - 1);
  int level = (63 - __builtin_clzll(different)) / WHEEL_BITS;
  return level < WHEEL_LEVELS ? level : WHEEL_LEVELS - 1;
}

void unlink(Timer& timer) {
  timer.before->next = timer.next;
  timer.next->before = timer.before;
  timer.next = nullptr;
}

void append(Timer& ring, Timer& timer) {
  if (ring.next == nullptr) ring.next = ring.before = &ring;
  timer.next = &ring;
  timer.before = ring.before;
  ring.before->next = &timer;
  ring.before = &timer;
}

// Moves all timers of `from` to the empty ring `to`.
void take_all(Timer& from, Timer& to) {
  to.next = to.before = &to;
  if (from.next == nullptr || from.next == &from) return;
  to.next = from.next;
  to.before = from.before;
  to.next->before = to.before->next = &to;
  from.next = from.before = &from;
}

Timer* merge(Timer* a, Timer* b) {
  Timer* first = nullptr;
  Timer** end = &first;
  while (a != nullptr && b != nullptr) {
    Timer*& smaller = b->due < a->due ? b : a;
    *end = smaller;
    end = &smaller->next;
    smaller = smaller->next;
  }
  *end = a != nullptr ? a : b;
  return first;
}

// By due time, keeping the order of equals: runs of 2^k timers are merged as they come.
void sort(Timer& ring) {
  bool sorted = true;
  for (Timer* timer = ring.next; timer->next != &ring; timer = timer->next) sorted &= timer->due <= timer->next->due;
  if (sorted) return;
  Timer* runs[64] = {};
  ring.before->next = nullptr;
  for (Timer* timer = ring.next; timer != nullptr;) {
    Timer* run = timer;
    timer = timer->next;
    run->next = nullptr;
    int k = 0;
    for (; runs[k] != nullptr; ++k) {
      run = merge(runs[k], run);
      runs[k] = nullptr;
    }
    runs[k] = run;
  }
  Timer* all = nullptr;
  for (Timer* run : runs)
    if (run != nullptr) all = all == nullptr ? run : merge(run, all);
  Timer* before = &ring;
  for (Timer* timer = all; timer != nullptr; timer = timer->next) {
    before->next = timer;
    timer->before = before;
    before = timer;
  }
  before->next = &ring;
  ring.before = before;
}

}  // namespace

void Wheel::insert(Timer& timer) {
  uint64_t tick = tick_of(timer.due);
  if (tick < tick_) tick = tick_;
  // Beyond the last level: as far as it goes; it is looked at again there.
  constexpr uint64_t RANGE = uint64_t(1) << (WHEEL_LEVELS * WHEEL_BITS - 1);
  if (tick - tick_ > RANGE) tick = tick_ + RANGE;
  int level = level_of(tick, tick_);
  uint64_t slot = tick >> (level * WHEEL_BITS) & (WHEEL_SLOTS - 1);
  append(rings_[level][slot], timer);
  occupied_[level] |= uint64_t(1) << slot;
}

void Wheel::start(Timer& timer, int64_t due_ns) {
  timer.due = due_ns;
  ++count_;
  insert(timer);
}

void Wheel::stop(Timer& timer) {
  if (timer.next == nullptr) return;
  unlink(timer);
  --count_;
}

bool Wheel::next_place(Place& place) const {
  for (int level = 0; level < WHEEL_LEVELS; ++level) {
    if (occupied_[level] == 0) continue;
    uint64_t here = tick_ >> (level * WHEEL_BITS) & (WHEEL_SLOTS - 1);
    uint64_t turned = here == 0 ? occupied_[level] : occupied_[level] >> here | occupied_[level] << (WHEEL_SLOTS - here);
    uint64_t ahead = uint64_t(__builtin_ctzll(turned));
    place.level = level;
    place.slot = int((here + ahead) & (WHEEL_SLOTS - 1));
    place.tick = ((tick_ >> (level * WHEEL_BITS)) + ahead) << (level * WHEEL_BITS);
    if (place.tick < tick_) place.tick = tick_;
    return true;
  }
  return false;
}

int64_t Wheel::next_ns() const {
  Place place;
  if (count_ == 0 || !next_place(place)) return INT64_MAX;
  constexpr int64_t LAST_TICK = INT64_MAX / TICK_NS;   // a timer for ever lies behind it, and is still one to wait for
  return place.tick > uint64_t(LAST_TICK) ? INT64_MAX - 1 : int64_t(place.tick) * TICK_NS;
}

// What fires may stop others that are due, or start new ones.
void Wheel::fire(Timer& ring) {
  if (ring.next != &ring) sort(ring);
  while (ring.next != &ring) {
    Timer* timer = ring.next;
    unlink(*timer);
    --count_;
    time_is_up(*timer);
  }
}

// Time has come to this place.
void Wheel::take(const Place& place, Timer& into) {
  if (place.tick > tick_) tick_ = place.tick;
  take_all(rings_[place.level][place.slot], into);
  occupied_[place.level] &= ~(uint64_t(1) << place.slot);
}

void Wheel::insert_all(Timer& ring) {
  while (ring.next != &ring) {
    Timer* timer = ring.next;
    unlink(*timer);
    insert(*timer);
  }
}

void Wheel::fire_earliest(void (*at)(int64_t due_ns)) {
  Place place;
  while (count_ > 0 && next_place(place)) {
    Timer taken;
    take(place, taken);
    if (taken.next == &taken) continue;
    if (place.level > 0) {
      insert_all(taken);
      continue;
    }
    sort(taken);
    Timer first;
    first.next = first.before = &first;
    int64_t due = taken.next->due;
    while (taken.next != &taken && taken.next->due == due) {
      Timer* timer = taken.next;
      unlink(*timer);
      append(first, *timer);
    }
    insert_all(taken);
    at(due);
    fire(first);
    return;
  }
}

void Wheel::advance(int64_t now_ns) {
  uint64_t now = uint64_t(now_ns) / TICK_NS;
  Place place;
  while (next_place(place) && place.tick <= now) {
    Timer taken;
    take(place, taken);
    if (place.level == 0) fire(taken);
    else insert_all(taken);
  }
  if (now > tick_) tick_ = now;
}

}  // namespace meteor::async
