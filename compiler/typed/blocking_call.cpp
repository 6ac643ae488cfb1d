#include "compiler/typed/blocking_call.h"

#include <algorithm>

namespace meteor::typed {

Expr* unless_it_blocks(BodyChecker& b, const FunctionInfo* callee, Expr* call, Span span) {
  if (!callee->module->is_core || b.is_poison(call)) return call;
  bool blocks = std::ranges::any_of(callee->decl->decorators, [](const ast::Decorator& d) { return d.path.size() == 1 && d.path[0].text() == "blocking_in_def"; });
  if (!blocks) return call;
  if (callee->frame == FrameKind::None) {
    if (!b.may_suspend()) return call;
    Diagnostic& d = b.c.error(Code::NotIterable, span, "this loop would hold up every other task while it waits");
    d.help = "in an `async def` write `async for`";
    return b.poison(span);
  }
  if (b.may_suspend()) return call;
  return b.call_core("_block", {call}, span, {b.c.future_value(b.known(call->type))});
}

}  // namespace meteor::typed
