// Every isolate waits for another one: the main isolate's loop ends with that, and says what each task waits for.
#ifndef METEOR_RUNTIME_EXECUTOR_DEADLOCK_H
#define METEOR_RUNTIME_EXECUTOR_DEADLOCK_H

namespace meteor::async {

void report_deadlock();    // to the main isolate
void look_for_deadlock();  // by one that is no longer among those at work
bool take_deadlock();      // that was noticed, here or in another isolate; for the main one

}  // namespace meteor::async

#endif
