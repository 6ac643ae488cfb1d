// Each test builds a small function, lowers it, checks the graph before and after the passes, and compares the text.
#include "compiler/mir/lower.h"

#include <gtest/gtest.h>

#include "compiler/mir/passes/passes.h"
#include "compiler/mir/print.h"
#include "compiler/mir/typed_builder.h"
#include "compiler/mir/verify.h"

namespace meteor::mir {
namespace {

using types::ParamMode;

class Lower : public testing::Test {
 protected:
  TypedBuilder b;
  typed::TypeId node, next_type;

  Lower() {
    node = b.types.nominal(types::Kind::Class, b.types.add_nominal(types::Kind::Class, "Node"));
    typed::Nominal n;
    n.type = node;
    n.name = "Node";
    n.fields = {{b.names.intern("child"), b.types.optional(node), {}}, {b.names.intern("name"), b.types.str, {}}, {b.names.intern("size"), b.types.int_, {}}};
    b.program.nominals[node] = std::move(n);
  }

  Program lowered() {
    Program program = lower(b.program, b.types);
    TypeFacts facts(b.program, b.types);
    for (const Function& function : program.functions)
      for (const std::string& line : find_violations(program, facts, function, DropForm::Adaptive)) ADD_FAILURE() << line << "\n" << print(program, function);
    return program;
  }

  std::string after_passes(std::string_view name) {
    Program program = lowered();
    TypeFacts facts(b.program, b.types);
    for (const Pass& pass : passes()) {
      pass.run(program, facts);
      for (const Function& function : program.functions)
        for (const std::string& line : find_violations(program, facts, function, pass.leaves)) ADD_FAILURE() << "after " << pass.name << ": " << line << "\n" << print(program, function);
    }
    return print(program, name);
  }
};

#define EXPECT_TEXT(actual, expected) EXPECT_EQ("\n" + (actual), expected)

TEST_F(Lower, PlainParameterIsPassedOnWithoutCounting) {
  auto g = b.external("g", b.types.void_);
  b.param(g, "x", node);
  auto f = b.function("f", b.types.void_);
  auto x = b.param(f, "x", node);
  b.body(f, {b.run(b.call(g, {b.var(f, x)}))});
  EXPECT_TEXT(after_passes("f"), R"(
def f(x.0: Node) -> nothing:
  %1: Raisable  temp
bb0:
  call g(borrow x.0)  error %1 -> bb1
  return
bb1: # cold
  trace borrow %1
  raise %1
)");
}

TEST_F(Lower, FieldArgumentIsCountedForTheCall) {
  auto g = b.external("g", b.types.void_);
  b.param(g, "x", b.types.optional(node));
  auto f = b.function("f", b.types.void_);
  auto x = b.param(f, "x", node);
  b.body(f, {b.run(b.call(g, {b.field(b.var(f, x), 0)}))});
  EXPECT_TEXT(after_passes("f"), R"(
def f(x.0: Node) -> nothing:
  %1: Node?  temp
  %2: Raisable  temp
bb0:
  %1 := copy x.0[0]
  call g(borrow %1)  error %2 -> bb1
  drop %1
  return
bb1: # cold
  trace borrow %2
  drop %1
  raise %2
)");
}

TEST_F(Lower, FieldArgumentIsBorrowedWhereNothingWritesIt) {
  auto g = b.function("g", b.types.void_);
  auto y = b.param(g, "y", b.types.optional(node));
  auto name = b.field(b.unwrap(b.var(g, y), false), 1);
  b.body(g, {b.assign(name, b.text("other"))});
  auto f = b.function("f", b.types.void_);
  auto x = b.param(f, "x", node);
  b.body(f, {b.run(b.call(g, {b.field(b.var(f, x), 0)}))});
  EXPECT_TEXT(after_passes("f"), R"(
def f(x.0: Node) -> nothing  never raises:
bb0:
  call g(borrow x.0[0])
  return
)");
}

TEST_F(Lower, ReturnOfALocalMovesIt) {
  auto g = b.external("g", node);
  auto f = b.function("f", node);
  auto x = b.local(f, "x", node);
  auto y = b.local(f, "y", node);
  b.body(f, {b.assign(b.var(f, x), b.call(g, {})), b.assign(b.var(f, y), b.call(g, {})), b.ret(b.var(f, x))});
  EXPECT_TEXT(after_passes("f"), R"(
def f() -> Node:
  x.0: Node  variable
  y.1: Node  variable
  %2: Node  temp
  %3: Node  temp
  %4: Raisable  temp
  %5: Node  temp
bb0:
  %3 = call g()  error %4 -> bb1
  x.0 := move %3
  %5 = call g()  error %4 -> bb2
  y.1 := move %5
  %2 := move x.0
  drop y.1
  return move %2
bb1: # cold
  trace borrow %4
  goto bb3
bb2: # cold
  trace borrow %4
  drop x.0
  goto bb3
bb3: # cold
  raise %4
)");
}

TEST_F(Lower, LoopVariableIsReplacedEachTime) {
  auto g = b.external("g", node);
  auto more = b.external("more", b.types.bool_);
  auto f = b.function("f", b.types.void_);
  auto x = b.local(f, "x", node);
  b.body(f, {b.loop(1, b.call(more, {}), {b.assign(b.var(f, x), b.call(g, {}))})});
  EXPECT_TEXT(after_passes("f"), R"(
def f() -> nothing:
  x.0: Node  variable
  %1: bool  temp
  %2: Raisable  temp
  %3: Node  temp
bb0:
  x.0 := zero
  goto bb1
bb1:
  %1 = call more()  error %2 -> bb5
  branch copy %1 ? bb2 : bb3
bb2:
  %3 = call g()  error %2 -> bb6
  x.0 = move %3
  goto bb1
bb3:
  drop x.0
  return
bb4: # cold
  drop x.0
  raise %2
bb5: # cold
  trace borrow %2
  goto bb4
bb6: # cold
  trace borrow %2
  goto bb4
)");
}

TEST_F(Lower, CleanupStandsOnceWhateverLeadsOut) {
  auto g = b.external("g", b.types.str);
  auto done = b.external("done", b.types.void_);
  auto f = b.function("f", b.types.str);
  b.body(f, {b.cleanup({b.ret(b.call(g, {}))}, {b.run(b.call(done, {}))}), b.ret(b.text("x"))});
  EXPECT_TEXT(after_passes("f"), R"(
def f() -> str:
  %0: str  temp
  %1: int  temp
  %2: Raisable?  temp
  %3: str  temp
  %4: Raisable  temp
  %5: bool  temp
  %6: Raisable  temp
  %7: Raisable  temp
bb0:
  %0 := zero
  %3 = call g()  error %4 -> bb1
  %0 := move %3
  %1 = 2
  %2 := null
  goto bb2
bb1: # cold
  trace borrow %4
  %2 = some move %4
  %1 = 1
  goto bb2
bb2:
  call done()  error %4 -> bb3
  switch copy %1, 1 -> bb8, 2 -> bb9, else bb10
bb3: # cold
  trace borrow %4
  %5 = is_null borrow %2
  branch copy %5 ? bb7 : bb4
bb4: # cold
  %7 = call hook_merge(borrow %4, borrow %2!)  error %6 -> bb5
  %4 = move %7
  goto bb7
bb5: # cold
  drop %6
  goto bb7
bb6: # cold
  drop %0
  raise %4
bb7: # cold
  drop %2
  goto bb6
bb8: # cold
  %4 = take_some move %2
  goto bb6
bb9:
  drop %2
  return move %0
bb10:
  drop %2
  %0 = "x"
  return move %0
)");
}

TEST_F(Lower, CatchTestsTypesInOrder) {
  auto g = b.external("g", b.types.void_);
  auto f = b.function("f", b.types.void_);
  auto e = b.local(f, "e", b.program.error);
  b.body(f, {b.try_({b.run(b.call(g, {}))}, {{{b.program.error}, e, {b.raise(b.var(f, e))}}})});
  EXPECT_TEXT(after_passes("f"), R"(
def f() -> nothing:
  e.0: Error  variable
  %1: Raisable  temp
  %2: bool  temp
  %3: Error  temp
  %4: Raisable  temp
bb0:
  call g()  error %1 -> bb1
  return
bb1: # cold
  trace borrow %1
  %2 = is_type borrow %1 Error
  branch copy %2 ? bb2 : bb3
bb2:
  %3 = reinterpret move %1 to Error
  e.0 := move %3
  %4 = reinterpret move e.0 to Raisable
  %1 := move %4
  goto bb3
bb3: # cold
  raise %1
)");
}

TEST_F(Lower, ArgumentThatALaterOneReassignsIsReadBefore) {
  auto g = b.external("g", b.types.void_);
  b.param(g, "x", node);
  b.param(g, "y", node);
  auto f = b.function("f", b.types.void_);
  auto x = b.param(f, "x", node, ParamMode::Owned);
  b.body(f, {b.run(b.call(g, {b.var(f, x), b.seq({b.assign(b.var(f, x), b.make_new(node, {nullptr, nullptr, nullptr}))}, b.var(f, x))}))});
  EXPECT_TEXT(after_passes("f"), R"(
def f(owned x.0: Node) -> nothing:
  %1: Node  temp
  %2: Node  temp
  %3: Raisable  temp
bb0:
  %1 := move x.0
  %2 = new Node
  x.0 := move %2
  call g(borrow %1, borrow x.0)  error %3 -> bb1
  drop %1
  drop x.0
  return
bb1: # cold
  trace borrow %3
  drop %1
  drop x.0
  raise %3
)");
}

TEST_F(Lower, PlainParameterThatIsAssignedIsCopied) {
  auto f = b.function("f", b.types.void_);
  auto x = b.param(f, "x", b.types.str);
  auto n = b.param(f, "n", b.types.int_);
  b.body(f, {b.assign(b.var(f, x), b.text("other")), b.assign(b.var(f, n), b.integer(2))});
  EXPECT_TEXT(after_passes("f"), R"(
def f(x.0: str, n.1: int) -> nothing  never raises:
  x.2: str  variable
bb0:
  x.2 := copy x.0
  x.2 = "other"
  n.1 = 2
  drop x.2
  return
)");
}

TEST_F(Lower, ClosureSharesTheCellOfABoxedVariable) {
  auto body = b.function("lambda", b.types.int_);
  auto inner = b.capture(body, "n", b.types.int_);
  b.box(body, inner);
  b.body(body, {b.ret(b.var(body, inner))});
  auto f = b.function("f", b.types.func({}, b.types.int_));
  auto n = b.local(f, "n", b.types.int_);
  b.box(f, n);
  auto made = b.closure(body, b.types.func({}, b.types.int_), {b.var(f, n)});
  b.body(f, {b.assign(b.var(f, n), b.integer(1)), b.ret(made)});
  EXPECT_TEXT(after_passes("f"), R"(
def f() -> func<> -> int  never raises:
  n.0: cell int  variable
  %1: func<> -> int  temp
  %2: func<> -> int  temp
bb0:
  n.0 = cell
  n.0[0] = 1
  %2 = closure lambda(move n.0)
  %1 := move %2
  return move %1
)");
  EXPECT_TEXT(after_passes("lambda"), R"(
def lambda() -> int  never raises:
  %0: any  environment borrowed
  %1: int  temp
bb0:
  %1 := copy %0[0][0]
  return copy %1
)");
}

TEST_F(Lower, FailedConstructorDoesNotRunDel) {
  auto init = b.external("init", b.types.void_);
  b.param(init, "self", node);
  auto f = b.function("Node", node);
  auto self = b.local(f, "self", node);
  b.program.function(f).is_constructor = true;
  b.body(f, {b.assign(b.var(f, self), b.make_new(node, {nullptr, b.text("n"), nullptr})), b.run(b.call(init, {b.var(f, self)})), b.ret(b.var(f, self))});
  EXPECT_TEXT(after_passes("Node"), R"(
def Node() -> Node:
  self.0: Node  variable
  %1: Node  temp
  %2: Node  temp
  %3: Raisable  temp
bb0:
  %2 = new Node
  %2[1] := "n"
  self.0 := move %2
  call init(borrow self.0)  error %3 -> bb1
  %1 := move self.0
  return move %1
bb1: # cold
  trace borrow %3
  mark_dead borrow self.0
  drop self.0
  raise %3
)");
}

TEST_F(Lower, DeferRunsAfterTheResultIsComputed) {
  auto g = b.external("g", b.types.void_);
  auto f = b.function("f", b.types.int_);
  auto n = b.param(f, "n", b.types.int_);
  b.program.function(g).is_extern = b.program.function(g).never_raises = true;
  b.body(f, {b.defer({b.run(b.call(g, {}))}), b.ret(b.binary(typed::BinaryOp::Add, b.var(f, n), b.integer(1)))});
  EXPECT_TEXT(after_passes("f"), R"(
def f(n.0: int) -> int:
  %1: int  temp
  %2: bool  temp
  %3: int  temp
  %4: Raisable?  temp
  %5: int  temp
  %6: Raisable  temp
bb0:
  %1 := zero
  %2 := false
  %2 = true
  %5 = add copy n.0, 1  error %6 -> bb1
  %1 = copy %5
  %3 = 2
  %4 := null
  goto bb2
bb1: # cold
  trace borrow %6
  %4 = some move %6
  %3 = 1
  goto bb2
bb2:
  branch copy %2 ? bb3 : bb4
bb3:
  call g()
  goto bb4
bb4:
  switch copy %3, 1 -> bb5, 2 -> bb6, else bb7
bb5: # cold
  %6 = take_some move %4
  raise %6
bb6:
  drop %4
  return copy %1
bb7:
  drop %4
  unreachable
)");
}

TEST_F(Lower, DefersInALoopAreStacked) {
  auto g = b.external("g", b.types.void_);
  auto more = b.external("more", b.types.bool_);
  for (auto id : {g, more}) b.program.function(id).is_extern = b.program.function(id).never_raises = true;
  auto f = b.function("f", b.types.void_);
  b.body(f, {b.loop(1, b.call(more, {}), {b.defer({b.run(b.call(g, {}))})})});
  EXPECT_TEXT(after_passes("f"), R"(
def f() -> nothing  never raises:
  %0: c_ptr<int>  temp
  %1: int  temp
  %2: int  temp
  %3: int  temp
  %4: Raisable?  temp
  %5: bool  temp
  %6: bool  temp
  %7: int  temp
  %8: int  temp
  %9: c_ptr<int>  temp
  %10: int  temp
  %11: bool  temp
  %12: int  temp
  %13: int  temp
bb0:
  %0 := zero
  %1 := 0
  %2 := 0
  goto bb1
bb1:
  %5 = call more()
  branch copy %5 ? bb2 : bb3
bb2:
  %6 = eq copy %1, copy %2
  branch copy %6 ? bb4 : bb5
bb3:
  %3 = 2
  %4 := null
  goto bb6
bb4: # cold
  %7 = wrap_mul copy %2, 2
  %8 = wrap_add copy %7, 8
  %9 = call raw_realloc<int>(copy %0, copy %2, copy %8)
  %0 = copy %9
  %2 = copy %8
  goto bb5
bb5:
  call raw_init<int>(copy %0, copy %1, 0)
  %10 = wrap_add copy %1, 1
  %1 = copy %10
  goto bb1
bb6:
  %11 = gt copy %1, 0
  branch copy %11 ? bb7 : bb8
bb7:
  %12 = wrap_sub copy %1, 1
  %1 = copy %12
  %13 = call raw_get<int>(copy %0, copy %1)
  switch copy %13, 0 -> bb9, else bb6
bb8:
  call raw_free<int>(copy %0, copy %2)
  switch copy %3, 2 -> bb10, else bb11
bb9:
  call g()
  goto bb6
bb10:
  drop %4
  return
bb11:
  drop %4
  unreachable
)");
}

TEST_F(Lower, WhatCanNotRaiseHasNoErrorEdges) {
  auto g = b.function("g", b.types.int_);
  b.body(g, {b.ret(b.integer(1))});
  auto f = b.function("f", b.types.int_);
  b.body(f, {b.ret(b.call(g, {}))});
  EXPECT_TEXT(after_passes("f"), R"(
def f() -> int  never raises:
  %0: int  temp
  %1: int  temp
bb0:
  %1 = call g()
  %0 := copy %1
  return copy %0
)");
}

TEST_F(Lower, ElementOfAnOptionalTemporaryIsBorrowed) {
  auto next = b.external("next", b.types.optional(node));
  auto f = b.function("f", b.types.void_);
  auto item = b.temp(f, b.types.optional(node));
  auto x = b.local(f, "x", node);
  auto* done = b.expr<typed::IsNull>(b.types.bool_);
  done->operand = b.var(f, item);
  b.body(f, {b.loop(1, nullptr, {b.scope({item}, {b.assign(b.var(f, item), b.call(next, {})), b.if_(done, {b.break_(1)}),
                                                  b.assign(b.var(f, x), b.unwrap(b.var(f, item), false))})})});
  EXPECT_TEXT(after_passes("f"), R"(
def f() -> nothing:
  %0: Node?  temp
  x.1: Node  variable borrowed
  %2: Node?  temp
  %3: Raisable  temp
  %4: bool  temp
bb0:
  goto bb1
bb1:
  %2 = call next()  error %3 -> bb2
  %0 := move %2
  %4 = is_null borrow %0
  branch copy %4 ? bb3 : bb4
bb2: # cold
  trace borrow %3
  raise %3
bb3:
  drop %0
  return
bb4:
  x.1 := borrow %0!
  drop %0
  goto bb1
)");
}

TEST_F(Lower, ObservableVariableLivesToTheEnd) {
  b.program.nominals[node].del = b.external("Node.__del__", b.types.void_);
  auto f = b.function("f", b.types.void_);
  auto x = b.local(f, "x", node);
  auto y = b.local(f, "y", b.types.optional(node));
  b.body(f, {b.assign(b.var(f, x), b.make_new(node, {nullptr, nullptr, nullptr})),
             b.assign(b.var(f, y), b.convert(typed::ConvertKind::WrapOptional, b.var(f, x), b.types.optional(node)))});
  EXPECT_TEXT(after_passes("f"), R"(
def f() -> nothing  never raises:
  x.0: Node  variable
  y.1: Node?  variable
  %2: Node  temp
bb0:
  %2 = new Node
  x.0 := move %2
  y.1 := copy x.0[as Node?]
  drop y.1
  drop x.0
  return
)");
}

TEST_F(Lower, StartRunsInitializersAndReportsErrors) {
  auto init = b.external("init", b.types.void_);
  auto entry = b.external("entry", b.types.int_);
  b.global("first", b.types.str);
  b.global("second", node);
  b.program.initializers = {init};
  b.program.entry = entry;
  EXPECT_TEXT(after_passes("start"), R"(
def start() -> int  never raises:
  %0: int  temp
  %1: Raisable  temp
  %2: Raisable  temp
bb0:
  call init()  error %1 -> bb2
  %0 = call entry()  error %1 -> bb2
  goto bb1
bb1:
  @second = zero
  @first = zero
  return copy %0
bb2: # cold
  call hook_report_uncaught(borrow %1)  error %2 -> bb4
  goto bb3
bb3: # cold
  drop %1
  %0 = 1
  goto bb1
bb4: # cold
  drop %2
  goto bb3
)");
}

}  // namespace
}  // namespace meteor::mir
