// Whole executables from MIR built by hand: emit, optimise, generate, link, run, and look at the exit code and the output.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <deque>
#include <fstream>

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include "compiler/llvm_ir/emit.h"
#include "compiler/object/codegen.h"
#include "compiler/object/link.h"

namespace meteor::object {
namespace {

using namespace mir;
using typed::BinaryOp;
using typed::CompareOp;

// A function under construction. Blocks are made as they are named.
struct Maker {
  Program& program;
  Function& f;

  LocalId local(TypeId type, LocalKind kind = LocalKind::Temp) {
    Local l;
    l.type = type;
    l.kind = kind;
    f.locals.push_back(l);
    return LocalId(static_cast<uint32_t>(f.locals.size() - 1));
  }
  BlockId block() {
    f.blocks.emplace_back();
    return BlockId(static_cast<uint32_t>(f.blocks.size() - 1));
  }
  BlockId at{0};
  Inst& add(Op op, LocalId dst = {}) {
    Inst inst;
    inst.op = op;
    inst.dst.local = dst;
    f.blocks[at.index].insts.push_back(inst);
    return f.blocks[at.index].insts.back();
  }
  void ret(Operand value) {
    f.blocks[at.index].terminator.kind = TerminatorKind::Return;
    f.blocks[at.index].terminator.value = value;
  }
  void go(BlockId target) {
    f.blocks[at.index].terminator.kind = TerminatorKind::Goto;
    f.blocks[at.index].terminator.target = target;
  }
};

class Programs : public ::testing::Test {
 protected:
  types::TypeStore types;
  typed::Program typed_program;
  Program program;
  source::Sources sources;
  std::deque<std::string> texts;
  TypeId raisable;

  void SetUp() override {
    program.typed = &typed_program;
    program.types = &types;
    program.functions.reserve(64);
    raisable = add_class("Raisable", {types.str, types.any, types.any, types.any});
    typed_program.raisable = raisable;
  }

  TypeId add_class(const char* name, std::vector<TypeId> fields, TypeId base = {}) {
    TypeId type = types.nominal(types::Kind::Class, types.add_nominal(types::Kind::Class, name));
    typed::Nominal nominal;
    nominal.type = type;
    nominal.name = name;
    nominal.base = base;
    for (TypeId field : fields) nominal.fields.push_back({{}, field, {}});
    typed_program.nominals[type] = nominal;
    return type;
  }

  Maker function(const char* name, std::vector<TypeId> params, TypeId result, bool raises = false) {
    Function f;
    f.id = FunctionId(static_cast<uint32_t>(program.functions.size()));
    f.name = f.symbol = name;
    f.result = result;
    f.param_count = static_cast<uint32_t>(params.size());
    for (TypeId type : params) {
      Local l;
      l.type = type;
      l.kind = LocalKind::Param;
      l.ownership = Ownership::Borrowed;
      f.locals.push_back(l);
    }
    f.param_modes.resize(params.size());
    f.summary.raises = raises;
    f.blocks.emplace_back();
    program.functions.push_back(f);
    return {program, program.functions.back()};
  }
  FunctionId extern_function(const char* symbol, std::vector<TypeId> params, TypeId result) {
    Maker m = function(symbol, params, result);
    m.f.is_extern = true;
    m.f.blocks.clear();
    return m.f.id;
  }
  // A hook that makes an error without a message.
  FunctionId hook(std::vector<TypeId> params = {}) {
    Maker m = function("hook", std::move(params), raisable);
    LocalId error = m.local(raisable);
    m.add(Op::New, error).type = raisable;
    m.ret(move(error));
    return m.f.id;
  }

  Operand number(int64_t n, TypeId type) {
    Operand o;
    o.type = type;
    o.constant.kind = ConstKind::Int;
    o.constant.bits = static_cast<uint64_t>(n);
    return o;
  }
  Operand number(int64_t n) { return number(n, types.int_); }
  Operand text(const char* t) {
    Operand o;
    o.type = types.str;
    o.constant.kind = ConstKind::Str;
    o.constant.text = texts.emplace_back(t);
    return o;
  }
  Operand use(OperandKind kind, LocalId local, std::vector<Projection> path = {}) {
    Operand o;
    o.kind = kind;
    o.place.local = local;
    o.place.path = path;
    o.type = path.empty() ? TypeId() : path.back().type;
    return o;
  }
  Operand move(LocalId l) { return use(OperandKind::Move, l); }
  Operand copy(LocalId l) { return use(OperandKind::Copy, l); }
  Operand borrow(LocalId l) { return use(OperandKind::Borrow, l); }

  // Operands get their types from the locals they name.
  void finish_operands() {
    for (Function& f : program.functions)
      for (Block& block : f.blocks) {
        auto fix = [&](Operand& o) {
          if (o.kind != OperandKind::Const && !o.type.valid()) o.type = f.local(o.place.local).type;
        };
        for (Inst& inst : block.insts)
          for (Operand& o : inst.args) fix(o);
        fix(block.terminator.value);
      }
  }

  struct Outcome {
    int code = -1;
    std::string out;
  };

  Outcome run(OptLevel level) {
    finish_operands();
    llvm::LLVMContext context;
    auto target = make_target(level);
    EXPECT_TRUE(target.ok());
    llvm_ir::EmitOptions options{target.value().triple, target.value().data_layout};
    auto module = llvm_ir::emit(program, sources, options, context);
    optimise(*module, target.value(), level);
    auto code = codegen(*module, target.value(), CodeForm::Object);
    EXPECT_TRUE(code.ok());
    char self[4096];
    ssize_t length = ::readlink("/proc/self/exe", self, sizeof self);
    std::string folder(self, static_cast<size_t>(length));
    folder = folder.substr(0, folder.rfind('/'));
    std::string path = ::testing::TempDir() + "meteor_program_test_" + std::to_string(::getpid());
    LinkInput input;
    input.objects = {code.value()};
    input.runtime_archive = folder + "/../lib/libmeteor_rt.a";
    input.output = path;
    auto linked = link(input);
    EXPECT_TRUE(linked.ok()) << (linked.ok() ? "" : linked.failure().text());
    if (!linked.ok()) return {};
    int status = std::system((path + " > " + path + ".out").c_str());
    Outcome outcome;
    outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    std::ifstream file(path + ".out");
    outcome.out.assign(std::istreambuf_iterator<char>(file), {});
    ::unlink(path.c_str());
    ::unlink((path + ".out").c_str());
    return outcome;
  }
  void expect_code(int code) {
    for (OptLevel level : {OptLevel::O0, OptLevel::O2}) EXPECT_EQ(run(level).code, code) << "at -O" << int(level);
  }
};

TEST_F(Programs, returns_its_exit_code) {
  Maker m = function("start", {}, types.int_);
  m.ret(number(7));
  program.start = m.f.id;
  expect_code(7);
}

// f(a, b) = a + b checked; start returns 42 when it raised.
TEST_F(Programs, overflow_takes_the_error_edge) {
  typed_program.hooks.negative_power = hook();
  typed_program.hooks.overflow = hook({types.int_, types.int_, types.int_});
  typed_program.hooks.shift = hook({types.int_});
  for (auto [a, b, op, expected] : {std::tuple(INT64_MAX, int64_t(1), BinaryOp::Add, 42), {INT64_MAX - 1, int64_t(1), BinaryOp::Sub, 5},
                                    {INT64_MIN, int64_t(1), BinaryOp::Sub, 42}, {int64_t(1) << 62, int64_t(2), BinaryOp::Mul, 42},
                                    {int64_t(3), int64_t(62), BinaryOp::Shl, 42}, {int64_t(2), int64_t(63), BinaryOp::Pow, 42},
                                    {int64_t(2), int64_t(62), BinaryOp::Pow, 5}}) {
    Maker m = function("start", {}, types.int_);
    LocalId left = m.local(types.int_), right = m.local(types.int_), result = m.local(types.int_), error = m.local(raisable);
    for (auto [local, value] : {std::pair(left, a), {right, b}}) {
      Inst& assign = m.add(Op::Assign, local);
      assign.initializes = true;
      assign.args = {number(value)};
    }
    BlockId failed = m.block();
    Inst& inst = m.add(Op::Binary, result);
    inst.binary = op;
    inst.args = {copy(left), copy(right)};
    inst.on_error = failed;
    inst.error = error;
    m.ret(number(5));
    m.at = failed;
    m.add(Op::Drop).args = {move(error)};
    m.ret(number(42));
    program.start = m.f.id;
    expect_code(expected);
  }
}

TEST_F(Programs, floor_division_and_modulo_round_down) {
  for (auto [a, b, op, expected] : {std::tuple(-7, 2, BinaryOp::FloorDiv, -4), {7, -2, BinaryOp::FloorDiv, -4}, {7, 2, BinaryOp::FloorDiv, 3},
                                    {-7, 2, BinaryOp::Mod, 1}, {7, -2, BinaryOp::Mod, -1}, {6, -1, BinaryOp::Mod, 0}}) {
    Maker m = function("start", {}, types.int_);
    LocalId result = m.local(types.int_);
    Inst& inst = m.add(Op::Binary, result);
    inst.binary = op;
    inst.args = {number(a), number(b)};
    m.ret(copy(result));
    program.start = m.f.id;
    expect_code(expected & 255);
  }
}

// The object's drop function runs `__drop__`, which exits with 9.
TEST_F(Programs, the_last_release_drops_the_object) {
  FunctionId exit = extern_function("_exit", {types.int32}, types.void_);
  TypeId type = add_class("Thing", {types.str, types.int_});
  Maker drop = function("Thing.__drop__", {type}, types.void_);
  Inst& call = drop.add(Op::Call);
  call.function = exit;
  call.args = {number(9, types.int32)};
  drop.ret({});
  typed_program.nominals[type].del = drop.f.id;
  typed_program.nominals[type].del_is_internal = true;

  Maker m = function("start", {}, types.int_);
  LocalId object = m.local(type), second = m.local(type);
  m.add(Op::New, object).type = type;
  Inst& set = m.add(Op::Assign);
  set.dst.local = object;
  set.dst.path = {{ProjectionKind::Field, 0, 0, types.str}};
  set.args = {text("a text that is longer than fifteen bytes")};
  Inst& again = m.add(Op::Assign, second);
  again.initializes = true;
  again.args = {copy(object)};
  m.add(Op::Drop).args = {move(object)};
  m.add(Op::Drop).args = {move(second)};
  m.ret(number(1));
  program.start = m.f.id;
  expect_code(9);
}

// enum E { A, B(int, str), C(E) } made, told apart and read; recursive, so boxed.
TEST_F(Programs, recursive_enums_live_in_boxes) {
  TypeId type = types.nominal(types::Kind::Enum, types.add_nominal(types::Kind::Enum, "E"));
  typed::Nominal nominal;
  nominal.type = type;
  nominal.name = "E";
  nominal.cases = {{{}, {}}, {{}, {{{}, types.int_, {}}, {{}, types.str, {}}}}, {{}, {{{}, type, {}}}}};
  typed_program.nominals[type] = nominal;
  Maker m = function("start", {}, types.int_);
  LocalId inner = m.local(type), outer = m.local(type), tag = m.local(types.int_), result = m.local(types.int_);
  Inst& b = m.add(Op::MakeEnum, inner);
  b.type = type;
  b.index = 1;
  b.args = {number(40), text("some text on the heap, no doubt")};
  Inst& c = m.add(Op::MakeEnum, outer);
  c.type = type;
  c.index = 2;
  c.args = {move(inner)};
  m.add(Op::EnumTag, tag).args = {borrow(outer)};
  Inst& sum = m.add(Op::Binary, result);
  sum.binary = BinaryOp::WrapAdd;
  sum.args = {copy(tag), use(OperandKind::Copy, outer, {{ProjectionKind::Case, 0, 2, type}, {ProjectionKind::Case, 0, 1, types.int_}})};
  m.add(Op::Drop).args = {move(outer)};
  m.ret(copy(result));
  program.start = m.f.id;
  expect_code(42);
}

TEST_F(Programs, optionals_know_null_from_a_value) {
  Maker m = function("start", {}, types.int_);
  TypeId maybe = types.optional(types.bool_), maybe_text = types.optional(types.str);
  LocalId some = m.local(maybe), none = m.local(maybe_text), a = m.local(types.bool_), b = m.local(types.bool_);
  Operand yes;
  yes.type = types.bool_;
  yes.constant = {ConstKind::Bool, 1};
  m.add(Op::MakeSome, some).args = {yes};
  Operand null;
  null.type = maybe_text;
  null.constant.kind = ConstKind::Null;
  Inst& set = m.add(Op::Assign, none);
  set.initializes = true;
  set.args = {null};
  m.add(Op::IsNull, a).args = {borrow(some)};
  m.add(Op::IsNull, b).args = {borrow(none)};
  LocalId x = m.local(types.int_), y = m.local(types.int_), sum = m.local(types.int_), z = m.local(types.int_);
  m.add(Op::Reinterpret, x).args = {copy(a)};
  m.add(Op::Reinterpret, y).args = {copy(b)};
  m.add(Op::Reinterpret, z).args = {use(OperandKind::Copy, some, {{ProjectionKind::Payload, 0, 0, types.bool_}})};
  Inst& first = m.add(Op::Binary, sum);
  first.binary = BinaryOp::WrapAdd;
  first.args = {copy(x), copy(y)};
  Inst& second = m.add(Op::Binary, sum);
  second.binary = BinaryOp::WrapAdd;
  second.args = {copy(sum), copy(z)};
  m.ret(copy(sum));
  program.start = m.f.id;
  expect_code(2);
}

// A closure over a cell adds to it; a plain function is called through a func value as well.
TEST_F(Programs, closures_and_plain_functions_are_func_values) {
  TypeId cell = types.wrap(types::Kind::Cell, types.int_);
  TypeId func = types.func({types.int_}, types.int_);
  Maker body = function("adder", {types.int_}, types.int_);
  body.f.environment = body.local(types.void_, LocalKind::Environment);
  body.f.captures = {cell};
  LocalId sum = body.local(types.int_);
  Inst& add = body.add(Op::Binary, sum);
  add.binary = BinaryOp::WrapAdd;
  add.args = {copy(LocalId(0)), use(OperandKind::Copy, body.f.environment, {{ProjectionKind::Field, 0, 0, cell}, {ProjectionKind::Field, 0, 0, types.int_}})};
  body.ret(copy(sum));
  Maker twice = function("twice", {types.int_}, types.int_);
  LocalId product = twice.local(types.int_);
  Inst& mul = twice.add(Op::Binary, product);
  mul.binary = BinaryOp::WrapMul;
  mul.args = {copy(LocalId(0)), number(2)};
  twice.ret(copy(product));

  Maker m = function("start", {}, types.int_);
  LocalId variable = m.local(cell), closure = m.local(func), plain = m.local(func), a = m.local(types.int_), b = m.local(types.int_);
  m.add(Op::MakeCell, variable).args = {number(1)};
  Inst& make = m.add(Op::MakeClosure, closure);
  make.function = body.f.id;
  make.args = {copy(variable)};
  m.add(Op::MakeClosure, plain).function = twice.f.id;
  Inst& set = m.add(Op::Assign);
  set.dst.local = variable;
  set.dst.path = {{ProjectionKind::Field, 0, 0, types.int_}};
  set.args = {number(10)};
  Inst& first = m.add(Op::Call, a);
  first.call = mir::CallKind::Value;
  first.args = {borrow(closure), number(11)};
  Inst& second = m.add(Op::Call, b);
  second.call = mir::CallKind::Value;
  second.args = {borrow(plain), copy(a)};
  for (LocalId l : {closure, plain, variable}) m.add(Op::Drop).args = {move(l)};
  m.ret(copy(b));
  program.start = m.f.id;
  expect_code(42);
}

// dyn over an int (boxed, unboxed by the thunk), and `any` told apart.
TEST_F(Programs, values_in_dyn_and_any) {
  TypeId trait = types.nominal(types::Kind::Trait, types.add_nominal(types::Kind::Trait, "Sized"));
  TypeId dyn = types.wrap(types::Kind::Dyn, trait);
  Maker method = function("int.size", {types.int_}, types.int_);
  LocalId result = method.local(types.int_);
  Inst& add = method.add(Op::Binary, result);
  add.binary = BinaryOp::WrapAdd;
  add.args = {copy(LocalId(0)), number(1)};
  method.ret(copy(result));
  typed_program.trait_tables.push_back({types.int_, trait, {method.f.id}});

  Maker m = function("start", {}, types.int_);
  LocalId d = m.local(dyn), a = m.local(types.any), size = m.local(types.int_), yes = m.local(types.bool_), no = m.local(types.bool_);
  m.add(Op::MakeDyn, d).args = {number(40)};
  Inst& call = m.add(Op::Call, size);
  call.call = mir::CallKind::Dyn;
  call.args = {borrow(d)};
  m.add(Op::MakeAny, a).args = {text("a text that is longer than fifteen bytes")};
  Inst& is_text = m.add(Op::IsType, yes);
  is_text.type = types.str;
  is_text.args = {borrow(a)};
  Inst& is_int = m.add(Op::IsType, no);
  is_int.type = types.int_;
  is_int.args = {borrow(a)};
  LocalId y = m.local(types.int_), n = m.local(types.int_), t = m.local(types.str);
  m.add(Op::Reinterpret, y).args = {copy(yes)};
  m.add(Op::Reinterpret, n).args = {copy(no)};
  Inst& unbox = m.add(Op::Unbox, t);
  unbox.type = types.str;
  unbox.args = {borrow(a)};
  for (LocalId l : {t, a, d}) m.add(Op::Drop).args = {move(l)};
  for (LocalId l : {y, n}) {
    Inst& sum = m.add(Op::Binary, size);
    sum.binary = BinaryOp::WrapAdd;
    sum.args = {copy(size), copy(l)};
  }
  m.ret(copy(size));
  program.start = m.f.id;
  expect_code(42);
}

}  // namespace
}  // namespace meteor::object
