// What the caller of a transition promises. Builds with a sanitizer test it and trap; elsewhere it costs nothing.
#ifndef METEOR_RUNTIME_TASK_EXPECT_H
#define METEOR_RUNTIME_TASK_EXPECT_H

namespace meteor::async {

#ifdef METEOR_CHECKED
constexpr bool IS_CHECKED = true;
#else
constexpr bool IS_CHECKED = false;
#endif

__attribute__((always_inline)) inline void expect(bool holds) {
  if (IS_CHECKED && !holds) __builtin_trap();
}

// A question in code that is written once and compiled twice: for the plain case, of which the caller has seen that the
// answer is no, and for any other.
template <bool PLAIN>
__attribute__((always_inline)) inline bool unless_plain(bool fact) {
  if (PLAIN) expect(!fact);
  return !PLAIN && fact;
}

}  // namespace meteor::async

#endif
