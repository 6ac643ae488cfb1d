#include "compiler/typed/blocking_call.h"

#include <algorithm>

namespace meteor::typed {

namespace {

bool is_marked(const FunctionInfo* callee) {
  return callee->module->is_core && std::ranges::any_of(callee->decl->decorators, [](const ast::Decorator& d) { return d.path.size() == 1 && d.path[0].text() == "blocking_in_def"; });
}

}  // namespace

FunctionInfo* in_def(BodyChecker& b, FunctionInfo* callee, TypeId self_type) {
  if (callee->frame == FrameKind::None || !self_type.valid() || b.may_suspend() || !is_marked(callee)) return callee;
  Member twin = b.c.find_member(self_type, b.c.name("_" + callee->name().str() + "_in_def"));
  return twin.kind == Member::Methods ? twin.methods->front() : callee;
}

Expr* unless_it_blocks(BodyChecker& b, const FunctionInfo* callee, Expr* call, Span span) {
  if (b.is_poison(call) || !is_marked(callee)) return call;
  if (callee->frame == FrameKind::None) {
    if (!b.may_suspend()) return call;
    Diagnostic& d = b.c.error(Code::NotIterable, span, "this loop would hold up every other task while it waits");
    d.help = "in an `async def` write `async for`";
    return b.poison(span);
  }
  if (b.may_suspend()) return call;
  TypeId site_type = b.c.types.wrap(Kind::RawPtr, b.c.types.int_);
  Expr* site = b.call_intrinsic(Intrinsic::CallSite, b.c.types.int_, site_type, {}, span);
  return b.call_core("_block", {call, site}, span, {b.c.future_value(b.known(call->type))});
}

}  // namespace meteor::typed
