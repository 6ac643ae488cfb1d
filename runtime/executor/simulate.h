// How the loop follows a simulation (runtime/os/simulated): the drawn order of ready tasks, the virtual clock, the chosen cancellation. While one
// is on, the loop looks outside after every turn, so that a loop without one pays nothing for it.
#ifndef METEOR_RUNTIME_EXECUTOR_SIMULATE_H
#define METEOR_RUNTIME_EXECUTOR_SIMULATE_H

#include "runtime/loop/isolate.h"

namespace meteor::async {

void begin_simulation();              // the loop starts
void end_simulation();                // the loop ends
void simulate_turn();                 // between two turns
void count_park();
bool let_time_pass();                 // nothing can run: on to the next timer, unless something comes from outside first

}  // namespace meteor::async

#endif
