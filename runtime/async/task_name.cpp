// What a task is called: the function it began with. For std/log.met.
#include <string.h>

#include "runtime/async/isolate.h"
#include "runtime/text/view.h"

// Empty where no task runs.
extern "C" met_str met_task_name(void) {
  using namespace meteor::async;
  if (isolate.running == nullptr) return meteor::text::EMPTY;
  const met_frame_info* info;
  memcpy(&info, reinterpret_cast<const char*>(isolate.running->frame.resume) - sizeof info, sizeof info);
  return meteor::text::make_c(info->function);
}
