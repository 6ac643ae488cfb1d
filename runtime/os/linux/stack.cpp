// The stack of the main thread, grown on demand by the kernel up to STACK_BYTES, those of other threads, and a signal handler
// on a stack of its own that tells an overflow from other bad accesses.
#include <errno.h>
#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#include "runtime/os/os.h"
#include "runtime/os/stack.h"

extern "C" __thread uint64_t met_stack_end __attribute__((tls_model("local-exec"))) = 0;

namespace meteor::os {
namespace {

constexpr uint64_t HANDLER_STACK_BYTES = 64 * 1024;
constexpr uint64_t PAGE_BYTES = 4096;
constexpr uint64_t NEAR_BYTES = 1 << 20;    // how far from its end an access still is the stack's
constexpr uint64_t IN_USE_BYTES = 1 << 20;  // below the current frame, what the kernel may have mapped already

alignas(16) char handler_stack[HANDLER_STACK_BYTES];
__thread uint64_t stack_top;    // near enough: the first frame of the runtime
__thread uint64_t stack_limit;  // bytes
__thread void* thread_handler_stack;
struct sigaction earlier_segv, earlier_bus;

uint64_t stack_pointer_of(void* context) {
  const ucontext_t* machine = static_cast<const ucontext_t*>(context);
#if defined(__x86_64__)
  return uint64_t(machine->uc_mcontext.gregs[REG_RSP]);
#elif defined(__aarch64__)
  return machine->uc_mcontext.sp;
#else
#error "which register is the stack pointer?"
#endif
}

bool is_within(uint64_t address, uint64_t middle, uint64_t distance) {
  return address >= middle - distance && address <= middle + distance;
}

bool is_stack_overflow(uint64_t address, uint64_t stack_pointer) {
  uint64_t end = stack_top - stack_limit;
  if (is_within(address, end, NEAR_BYTES)) return true;
  return stack_pointer < stack_top && stack_pointer > end - NEAR_BYTES && is_within(address, stack_pointer, 64 * 1024);
}

// Emitted code compares its stack pointer with this before a recursion goes deeper. A stack of a few pages keeps an eighth.
void set_stack_end() {
  uint64_t reserve = stack_limit / 8 < STACK_RESERVE_BYTES ? stack_limit / 8 : STACK_RESERVE_BYTES;
  met_stack_end = stack_top - stack_limit + reserve;
}

void write_error(const char* text) {
  if (write(STDERR_FILENO, text, strlen(text)) < 0) {
  }
}

void on_bad_access(int signal_number, siginfo_t* info, void* context) {
  uint64_t address = reinterpret_cast<uint64_t>(info->si_addr);
  sigaction(signal_number, signal_number == SIGSEGV ? &earlier_segv : &earlier_bus,
            nullptr);  // also for a second fault in here
  met_flush();
  if (is_stack_overflow(address, stack_pointer_of(context))) {
    char line[160];
    snprintf(line, sizeof line,
             "error: StackOverflow: the call stack of %llu MB is used up: a recursion that does not end?\n",
             static_cast<unsigned long long>(stack_limit >> 20));
    write_error(line);
    _exit(1);
  }
  write_error("error: the program read or wrote memory that is not its own\n");
  // Returning repeats the access, which now ends the process with the signal: debuggers, core dumps and sanitizers show
  // the place.
}

// Whether nothing is mapped where the stack would grow.
bool has_room(uint64_t bytes) {
  uint64_t from = (stack_top - bytes) & ~(PAGE_BYTES - 1);
  uint64_t to = (stack_top - IN_USE_BYTES) & ~(PAGE_BYTES - 1);
  if (to <= from) return true;
  void* probe = mmap(reinterpret_cast<void*>(from), to - from, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (probe == MAP_FAILED) return errno != EEXIST;
  munmap(probe, to - from);
  return uint64_t(probe) == from;
}

}  // namespace

static void use_handler_stack(void* stack) {
  stack_t alternative = {};
  alternative.ss_sp = stack;
  alternative.ss_size = HANDLER_STACK_BYTES;
  sigaltstack(&alternative, nullptr);
}

void guard_thread_stack(uint64_t bytes) {
  stack_top = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
  stack_limit = bytes;
  set_stack_end();
  void* stack = mmap(nullptr, HANDLER_STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (stack == MAP_FAILED) return;
  thread_handler_stack = stack;
  use_handler_stack(stack);
}

void unguard_thread_stack() {
  if (thread_handler_stack == nullptr) return;
  stack_t none = {};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
  munmap(thread_handler_stack, HANDLER_STACK_BYTES);
  thread_handler_stack = nullptr;
}

int walk_stack(void** addresses, int most) { return backtrace(addresses, most); }

void guard_stack(char** argv) {
  stack_top = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
  rlimit limit;
  getrlimit(RLIMIT_STACK, &limit);
  uint64_t before = limit.rlim_cur;
  if (before < STACK_BYTES && (limit.rlim_max == RLIM_INFINITY || limit.rlim_max > before)) {
    limit.rlim_cur = limit.rlim_max < STACK_BYTES ? limit.rlim_max : STACK_BYTES;
    if (setrlimit(RLIMIT_STACK, &limit) != 0) limit.rlim_cur = before;
    // The kernel laid out memory for the old limit, and in one start of a hundred chance put a library close below. A
    // new start is laid out for the new limit, so this happens at most once.
    if (limit.rlim_cur > before && !has_room(limit.rlim_cur)) execv("/proc/self/exe", argv);
  }
  stack_limit = limit.rlim_cur < STACK_BYTES ? limit.rlim_cur : STACK_BYTES;
  set_stack_end();

  use_handler_stack(handler_stack);
  struct sigaction action = {};
  action.sa_sigaction = on_bad_access;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &action, &earlier_segv);
  sigaction(SIGBUS, &action, &earlier_bus);
}

}  // namespace meteor::os
