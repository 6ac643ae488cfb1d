// Random functions from every statement kind, nested in each other: whatever stands in whatever, each path must own and
// drop exactly once. The verifier is the judge, after lowering and after every pass.
#include <gtest/gtest.h>

#include <random>

#include "compiler/mir/lower.h"
#include "compiler/mir/passes/passes.h"
#include "compiler/mir/print.h"
#include "compiler/mir/typed_builder.h"
#include "compiler/mir/verify.h"

namespace meteor::mir {
namespace {

using typed::Expr;
using typed::Stmt;
using types::ParamMode;

class RandomFunction {
 public:
  explicit RandomFunction(uint32_t seed) : random_(seed) {
    node_ = b.class_type("Node", {{"name", b.types.str}, {"size", b.types.int_}});
    shape_ = b.enum_type("Shape", {{"Dot", {}}, {"Named", {{"name", b.types.str}}}, {"Full", {{"node", node_}, {"size", b.types.int_}}}});
    maybe_ = b.types.optional(node_);
    if (pick(2)) b.program.nominals[node_].del = b.external("Node.__del__", b.types.void_);
    make_node_ = b.external("make_node", node_);
    b.param(make_node_, "like", node_);
    b.param(make_node_, "name", b.types.str, ParamMode::Owned);
    make_text_ = b.external("make_text", b.types.str);
    b.param(make_text_, "like", b.types.str);
    change_ = b.external("change", b.types.bool_);
    b.param(change_, "node", node_, ParamMode::Ref);
    b.param(change_, "name", b.types.str);
    f_ = b.function("f", pick(2) ? b.types.str : b.types.void_);
    nodes_ = {b.param(f_, "p", node_), b.param(f_, "q", node_, ParamMode::Owned)};
    texts_ = {b.param(f_, "r", b.types.str)};
    for (auto name : {"a", "b", "c"}) nodes_.push_back(b.local(f_, name, node_));
    for (auto name : {"s", "t"}) texts_.push_back(b.local(f_, name, b.types.str));
    ints_ = {b.local(f_, "n", b.types.int_)};
    maybes_ = {b.local(f_, "o", maybe_)};
    shapes_ = {b.local(f_, "h", shape_)};
    for (auto v : nodes_)
      if (pick(4) == 0) b.box(f_, v);
    std::vector<Stmt*> body;
    for (size_t i = 2; i < nodes_.size(); ++i) body.push_back(b.assign(b.var(f_, nodes_[i]), b.make_new(node_, {b.text("n"), b.integer(0)})));
    for (size_t i = 1; i < texts_.size(); ++i) body.push_back(b.assign(b.var(f_, texts_[i]), b.text("x")));
    body.push_back(b.assign(b.var(f_, ints_[0]), b.integer(1)));
    body.push_back(b.assign(b.var(f_, maybes_[0]), b.convert(typed::ConvertKind::WrapOptional, b.var(f_, nodes_[0]), maybe_)));
    body.push_back(b.assign(b.var(f_, shapes_[0]), b.expr<typed::MakeEnum>(shape_)));
    for (Stmt* s : block(4)) body.push_back(s);
    body.push_back(finish());
    b.body(f_, body);
  }

  TypedBuilder b;

 private:
  uint32_t pick(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  template <typename T> T one(const std::vector<T>& of) { return of[pick(static_cast<uint32_t>(of.size()))]; }

  Expr* node(int depth) {
    if (depth <= 0) return b.var(f_, one(nodes_));
    switch (pick(7)) {
      case 0: return b.call(make_node_, {node(depth - 1), text(depth - 1)});
      case 1: return b.make_new(node_, {text(depth - 1), integer(depth - 1)});
      case 2: return b.ternary(condition(depth - 1), node(depth - 1), node(depth - 1));
      case 3: return b.coalesce(maybe(depth - 1), node(depth - 1));
      case 4: return b.unwrap(maybe(depth - 1), pick(2));
      case 5: {
        auto t = b.temp(f_, node_);
        return b.seq({b.assign(b.var(f_, t), node(depth - 1)), b.assign(b.var(f_, one(nodes_)), node(depth - 1))}, b.var(f_, t));
      }
      default: return b.var(f_, one(nodes_));
    }
  }
  Expr* maybe(int depth) {
    if (depth <= 0) return b.null(maybe_);
    if (pick(3) == 0) return b.var(f_, maybes_[0]);
    return b.convert(typed::ConvertKind::WrapOptional, node(depth - 1), maybe_);
  }
  Expr* text(int depth) {
    switch (depth <= 0 ? 0 : pick(5)) {
      case 0: return b.text("k");
      case 1: return b.field(node(depth - 1), 0);
      case 2: return b.call(make_text_, {text(depth - 1)});
      case 3: {
        auto* e = b.expr<typed::Concat>(b.types.str);
        e->parts = b.program.arena.copy(std::vector<Expr*>{text(depth - 1), text(depth - 1)});
        return e;
      }
      default: return b.var(f_, one(texts_));
    }
  }
  Expr* shape(int depth) {
    auto* e = b.expr<typed::MakeEnum>(shape_);
    e->case_index = pick(3);
    if (e->case_index == 1) e->args = b.program.arena.copy(std::vector<Expr*>{text(depth)});
    if (e->case_index == 2) e->args = b.program.arena.copy(std::vector<Expr*>{node(depth), integer(depth)});
    return e;
  }
  Expr* integer(int depth) {
    switch (depth <= 0 ? 0 : pick(3)) {
      case 0: return b.integer(pick(9));
      case 1: return b.binary(typed::BinaryOp::Add, integer(depth - 1), integer(depth - 1));
      default: return b.field(node(depth - 1), 1);
    }
  }
  Expr* condition(int depth) {
    switch (depth <= 0 ? 0 : pick(5)) {
      case 0: return b.compare(typed::CompareOp::Lt, b.integer(1), b.integer(2));
      case 1: return b.both(condition(depth - 1), condition(depth - 1));
      case 2: return b.compare(typed::CompareOp::Eq, text(depth - 1), text(depth - 1));
      case 3: return b.call(change_, {b.ref(b.var(f_, one(nodes_))), text(depth - 1)});
      default: { auto* e = b.expr<typed::IsNull>(b.types.bool_); e->operand = maybe(depth - 1); return e; }
    }
  }

  typed::Pattern* pattern(typed::PatternKind kind, types::TypeId type) {
    auto* p = b.program.arena.make<typed::Pattern>();
    p->kind = kind;
    p->type = type;
    return p;
  }
  Stmt* switch_(int depth) {
    auto subject = b.temp(f_, shape_);
    auto* s = b.stmt<typed::Switch>();
    s->subject = subject;
    auto* bind = pattern(typed::PatternKind::Bind, b.types.str);
    bind->variable = texts_[1 + pick(2)];
    auto* named = pattern(typed::PatternKind::Case, shape_);
    named->case_index = 1;
    named->items = b.program.arena.copy(std::vector<typed::Pattern*>{bind});
    std::vector<typed::SwitchCase> cases;
    cases.push_back({named, pick(2) ? condition(2) : nullptr, b.block(block(depth - 1)), {}});
    if (pick(2)) {
      auto* either = pattern(typed::PatternKind::Or, shape_);
      auto* full = pattern(typed::PatternKind::Case, shape_);
      full->case_index = 2;
      full->items = b.program.arena.copy(std::vector<typed::Pattern*>{pattern(typed::PatternKind::Wildcard, node_), pattern(typed::PatternKind::Wildcard, b.types.int_)});
      either->items = b.program.arena.copy(std::vector<typed::Pattern*>{full, pattern(typed::PatternKind::Wildcard, shape_)});
      cases.push_back({either, nullptr, b.block(block(depth - 1)), {}});
    }
    if (pick(2)) cases.push_back({nullptr, nullptr, b.block(block(depth - 1)), {}});
    s->cases = b.program.arena.copy(cases);
    return b.scope({subject}, {b.assign(b.var(f_, subject), pick(2) ? shape(1) : b.var(f_, shapes_[0])), s});
  }

  Stmt* finish() { return b.ret(b.program.function(f_).result == b.types.void_ ? nullptr : text(2)); }

  std::vector<Stmt*> block(int depth) {
    std::vector<Stmt*> stmts;
    for (uint32_t i = 1 + pick(3); i > 0; --i) stmts.push_back(statement(depth));
    return stmts;
  }

  Stmt* statement(int depth) {
    switch (depth <= 0 ? pick(5) : pick(15)) {
      case 0: return b.assign(b.var(f_, one(nodes_)), node(3));
      case 1: return b.assign(b.var(f_, one(texts_)), text(3));
      case 2: return b.assign(b.field(node(2), 0), text(3));
      case 3: return b.run(b.call(make_node_, {node(3), text(3)}));
      case 4: return b.assign(b.var(f_, maybes_[0]), maybe(3));
      case 5: return b.if_(condition(3), block(depth - 1), block(depth - 1));
      case 6: case 7: {
        uint32_t label = ++label_;
        loops_.push_back(label);
        Stmt* s = b.loop(label, pick(3) ? condition(3) : nullptr, block(depth - 1));
        loops_.pop_back();
        return s;
      }
      case 8: return loops_.empty() ? statement(0) : pick(2) ? b.break_(one(loops_)) : b.continue_(one(loops_));
      case 9: {
        auto e = b.local(f_, "e", b.program.error);
        return b.try_(block(depth - 1), {{{b.program.error}, e, pick(2) ? block(depth - 1) : std::vector<Stmt*>{b.raise(b.var(f_, e))}}});
      }
      case 10: {
        std::vector<Stmt*> body = block(depth - 1);
        return b.cleanup(body, block(depth - 1));
      }
      case 11: {
        if (in_defer_) return statement(0);
        in_defer_ = true;
        std::vector<uint32_t> outer;
        std::swap(outer, loops_);
        Stmt* s = b.defer(block(1));
        std::swap(outer, loops_);
        in_defer_ = false;
        return s;
      }
      case 12: return !in_defer_ && pick(2) ? finish() : b.raise(b.make_new(b.program.error, {text(2)}));
      case 13: return switch_(depth);
      default: {
        auto v = one(texts_);
        return b.if_(condition(2), {b.del(b.var(f_, v)), b.assign(b.var(f_, v), b.text("z"))});
      }
    }
  }

  std::mt19937 random_;
  types::TypeId node_, maybe_, shape_;
  typed::FunctionId f_, make_node_, make_text_, change_;
  std::vector<typed::VariableId> nodes_, texts_, ints_, maybes_, shapes_;
  std::vector<uint32_t> loops_;
  uint32_t label_ = 0;
  bool in_defer_ = false;
};

constexpr uint32_t SEEDS = 1000;

TEST(LowerRandom, EveryPathOwnsAndDropsOnce) {
  for (uint32_t seed = 0; seed < SEEDS; ++seed) {
    RandomFunction random(seed);
    Program program = lower(random.b.program, random.b.types);
    TypeFacts facts(random.b.program, random.b.types);
    auto check = [&](std::string_view after, DropForm form) {
      for (const Function& function : program.functions)
        for (const std::string& line : find_violations(program, facts, function, form)) {
          ADD_FAILURE() << "seed " << seed << " after " << after << ": " << line << "\n" << print(program, function);
          return false;
        }
      return true;
    };
    bool sound = check("lower", DropForm::Adaptive);
    for (const Pass& pass : passes()) {
      if (!sound) break;
      pass.run(program, facts);
      sound = check(pass.name, pass.leaves);
    }
    if (!sound) return;
  }
}

}  // namespace
}  // namespace meteor::mir
