// What other threads have for an isolate: messages, posted without locks, run by its loop in the order in which each
// thread posted them. One write to the kernel per batch: only a loop that sleeps is woken.
//
// Invariant: whoever posts knows that the isolate lives until the message has run; the inbox is closed when everybody who posted to
// it has left it.
#ifndef METEOR_RUNTIME_QUEUE_INBOX_H
#define METEOR_RUNTIME_QUEUE_INBOX_H

#include "runtime/threads/atomic.h"

namespace meteor::async {

struct Message {
  Message* next;
  void (*run)(Message*);   // in the isolate's thread; frees it where it has to be freed
};

struct Inbox {
  Message* newest;         // a stack; atomic
  uint32_t sleeping;       // SLEEP_…: the loop sleeps, or is about to; atomic
  uint32_t posters;        // those that are posting now; atomic
  int wake_fd;             // an eventfd, 0 until the loop has run
};

// The wake-up that an isolate holds back.
struct Rings {
  Inbox* later;            // rung once it has given up the locks it holds
  bool are_held;
};
Rings& this_rings();       // of the isolate that runs; runtime/loop

enum : uint32_t { SLEEP_NOT = 0, SLEEP_EVENTS = 1, SLEEP_OTHERS = 2 };   // until time or the kernel wakes it; only another isolate can

void open_inbox(Inbox& inbox);
void empty_inbox(Inbox& inbox);              // the isolate has ended: returns when everybody has left it
void close_inbox(Inbox& inbox);
void post(Inbox& inbox, Message& message);   // from any thread
void ring(Inbox& inbox);                     // wakes the loop; safe in a signal handler
void hold_rings();                           // this thread has a lock that whoever it wakes will want: one wake-up waits for the next
void ring_held();
inline bool has_messages(const Inbox& inbox) { return atomic::load(inbox.newest, __ATOMIC_RELAXED) != nullptr; }
bool run_messages(Inbox& inbox);             // false: there were none
bool begin_sleep(Inbox& inbox, uint32_t how);   // false: something has come
void end_sleep(Inbox& inbox);

// Isolates at work, to notice that each waits for another. Whoever wakes one counts it as awake before it is.
void isolate_begins();
void isolate_ends();
uint32_t isolates_at_work();
bool another_works();                        // just now
bool all_wait();                             // for each other: nobody will ever wake anybody

}  // namespace meteor::async

#endif
