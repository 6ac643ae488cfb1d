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
  call hook_suppress(borrow %4, borrow %2!)  error %6 -> bb5
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

}  // namespace
}  // namespace meteor::mir
