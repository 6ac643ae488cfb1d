#include "runtime/os/signals.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

namespace meteor::os {

namespace {

void (*stop_handler)(int signal);
void (*quit_handler)(int value);
void (*urgent_handler)(Urgent why);
timer_t alarm_timer;

void on_stop(int signal) {
  int saved = errno;
  stop_handler(signal);
  errno = saved;
}

void on_quit(int, siginfo_t* info, void*) {
  int saved = errno;
  quit_handler(info->si_code == SI_QUEUE ? info->si_value.sival_int : 0);
  errno = saved;
}

void on_urgent(int, siginfo_t* info, void*) {
  int saved = errno;
  urgent_handler(info->si_code == SI_TIMER ? Urgent::Alarm : Urgent::Asked);
  errno = saved;
}

void hear(int signal, void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = handler;
  action.sa_flags = SA_RESTART | SA_SIGINFO;
  sigaction(signal, &action, nullptr);
}

}  // namespace

int interrupt_signal() { return SIGINT; }

void hear_stop(void (*handler)(int signal)) {
  stop_handler = handler;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_stop;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

void hear_quit(void (*handler)(int value)) {
  quit_handler = handler;
  hear(SIGQUIT, on_quit);
}

void hear_urgent(void (*handler)(Urgent why)) {
  urgent_handler = handler;
  hear(SIGURG, on_urgent);
}

void send_urgent(Thread thread) { pthread_kill(thread, SIGURG); }

bool make_alarm() {
  sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGURG;
  event.sigev_notify_thread_id = pid_t(syscall(SYS_gettid));
  return timer_create(CLOCK_MONOTONIC, &event, &alarm_timer) == 0;
}

void start_alarm(int64_t every_ns) {
  timespec every = {every_ns / 1'000'000'000, every_ns % 1'000'000'000};
  itimerspec time = {every, every};
  timer_settime(alarm_timer, 0, &time, nullptr);
}

void hear_faults_alone() {
  sigset_t signals;
  sigfillset(&signals);
  sigdelset(&signals, SIGSEGV);
  sigdelset(&signals, SIGBUS);
  sigdelset(&signals, SIGURG);
  pthread_sigmask(SIG_SETMASK, &signals, nullptr);
}

}  // namespace meteor::os
