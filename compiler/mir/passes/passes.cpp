#include "compiler/mir/passes/passes.h"

#include "compiler/mir/captures.h"
#include "compiler/mir/passes/borrow_locals.h"
#include "compiler/mir/passes/borrow_places.h"
#include "compiler/mir/passes/elaborate_drops.h"
#include "compiler/mir/passes/end_temporaries.h"
#include "compiler/mir/passes/home_checks.h"
#include "compiler/mir/passes/inline_awaits.h"
#include "compiler/mir/passes/last_use.h"
#include "compiler/mir/passes/plain_async.h"
#include "compiler/mir/passes/propagate_copies.h"
#include "compiler/mir/passes/prove_crossings.h"
#include "compiler/mir/passes/raises.h"
#include "compiler/mir/passes/simplify_cfg.h"
#include "compiler/mir/passes/slice_checks.h"
#include "compiler/mir/passes/stack_checks.h"
#include "compiler/mir/passes/stack_objects.h"
#include "compiler/mir/passes/take_replaced.h"
#include "compiler/mir/passes/unused_locals.h"

namespace meteor::mir {

const std::vector<Pass>& passes() {
  static const std::vector<Pass> list = {
      {"home-checks", remove_home_checks, DropForm::Adaptive},
      {"captures", [](Program& program, const TypeFacts&) { find_reading_closures(program); }, DropForm::Adaptive},
      {"end-temporaries", end_temporaries, DropForm::Adaptive},
      {"slice-checks", choose_slice_checks, DropForm::Adaptive},
      {"plain-async", find_suspending, DropForm::Adaptive},
      {"inline-awaits", inline_awaits, DropForm::Adaptive},
      {"stack-checks", insert_stack_checks, DropForm::Adaptive},
      {"raises", infer_raises, DropForm::Adaptive},
      {"propagate-copies", propagate_copies, DropForm::Adaptive, true},
      {"borrow-places", borrow_places, DropForm::Adaptive, true},
      {"borrow-locals", borrow_locals, DropForm::Adaptive, true},
      {"last-use", move_last_uses, DropForm::Adaptive, true},
      {"elaborate-drops", elaborate_drops, DropForm::Exact},
      {"simplify-cfg", simplify_cfg, DropForm::Exact},
      {"take-replaced", take_replaced, DropForm::Exact, true},
      {"prove-crossings", prove_crossings, DropForm::Exact},
      {"stack-objects", place_on_stack, DropForm::Exact, true},
      {"unused-locals", remove_unused_locals, DropForm::Exact},
  };
  return list;
}

void run_passes(Program& program, const std::function<void(const Pass&)>& after, Counting counting) {
  TypeFacts facts(*program.typed, *program.types);
#ifndef NDEBUG
  verify(program, facts, DropForm::Adaptive, "lower");
#endif
  for (const Pass& pass : passes()) {
    if (counting == Counting::Naive && pass.removes_counting) continue;
    pass.run(program, facts);
#ifndef NDEBUG
    verify(program, facts, pass.leaves, pass.name);
#endif
    if (after) after(pass);
  }
}

}  // namespace meteor::mir
