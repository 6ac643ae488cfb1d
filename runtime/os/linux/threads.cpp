#include "runtime/os/threads.h"

#include <sched.h>
#include <signal.h>

bool met_multi_isolate;

namespace meteor::os {

int start_thread(void* (*run)(void*), void* argument, uint64_t stack_bytes, Signals signals) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  if (stack_bytes != USUAL_STACK) pthread_attr_setstacksize(&attributes, stack_bytes);
  sigset_t all, before;
  sigfillset(&all);
  if (signals == Signals::None) pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  int error = pthread_create(&thread, &attributes, run, argument);
  if (signals == Signals::None) pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  return error;
}

void let_others_run() { sched_yield(); }

}  // namespace meteor::os
