// Named locals print as `name.index`, others as `%index`, so that every local has one unambiguous text.
#include "compiler/mir/print.h"

#include <cstdio>

namespace meteor::mir {

namespace {

const char* OP_TEXT[] = {
#define MIR_OP(name, text, fact) text,
#include "compiler/mir/ops.def"
#undef MIR_OP
};
const char* INTRINSIC_TEXT[] = {
#define INTRINSIC(name, text) text,
#include "compiler/typed/intrinsics.def"
#undef INTRINSIC
};
const char* UNARY_TEXT[] = {"neg", "invert"};
const char* BINARY_TEXT[] = {"add", "sub", "mul", "div", "floordiv", "mod", "pow", "and", "or", "xor", "shl", "shr", "wrap_add", "wrap_sub", "wrap_mul"};
const char* COMPARE_TEXT[] = {"eq", "ne", "lt", "le", "gt", "ge"};

std::string shown(const Function& function) { return function.name + (function.twin == Function::Twin::None ? "" : " (proven)"); }

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text.substr(0, 40)) {
    unsigned char u = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') (out += '\\') += c;
    else if (c == '\n') out += "\\n";
    else if (u < 0x20) { char hex[8]; std::snprintf(hex, sizeof hex, "\\x%02x", u); out += hex; }
    else out += c;
  }
  return out + (text.size() > 40 ? "…\"" : "\"");
}

struct Printer {
  const Program& program;
  const Function& function;

  std::string type(TypeId id) const { return id.valid() ? program.types->text(id) : "?"; }
  std::string block(BlockId id) const { return "bb" + std::to_string(id.index); }

  std::string local(LocalId id) const {
    if (!id.valid()) return "_";
    if (id.index >= function.locals.size()) return "%bad" + std::to_string(id.index);
    const Local& l = function.local(id);
    return (l.name ? l.name.str() + "." : "%") + std::to_string(id.index);
  }

  std::string function_name(FunctionId id) const {
    if (!id.valid() || id.index >= program.functions.size()) return "?";
    return shown(program.functions[id.index]);
  }

  std::string global(GlobalId id) const {
    size_t own = program.typed->globals.size();
    const typed::Global* g = nullptr;
    if (id.index < own) g = &program.typed->globals[id.index];
    else if (id.index - own < program.globals.size()) g = &program.globals[id.index - own];
    return "@" + (g && g->name ? g->name.str() : std::to_string(id.index));
  }

  std::string place(const Place& p) const {
    std::string out = p.local.valid() ? local(p.local) : p.global.valid() ? global(p.global) : "_";
    for (const Projection& step : p.path) {
      switch (step.kind) {
        case ProjectionKind::Field: out += "[" + std::to_string(step.index) + "]"; break;
        case ProjectionKind::Case: out += "[case " + std::to_string(step.case_index) + ":" + std::to_string(step.index) + "]"; break;
        case ProjectionKind::Payload: out += "!"; break;
        case ProjectionKind::Cast: out += "[as " + type(step.type) + "]"; break;
      }
    }
    return out;
  }

  std::string constant(const Operand& o) const {
    switch (o.constant.kind) {
      case ConstKind::Int: {
        std::string digits = program.types->kind(o.type) == types::Kind::Int && !program.types->get(o.type).is_signed
                                 ? std::to_string(o.constant.bits)
                                 : std::to_string(static_cast<int64_t>(o.constant.bits));
        return o.type == program.types->int_ ? digits : digits + type(o.type);
      }
      case ConstKind::Float: { char text[40]; std::snprintf(text, sizeof text, "%.17gf", o.constant.number); return text; }
      case ConstKind::Bool: return o.constant.bits ? "true" : "false";
      case ConstKind::Null: return "null";
      case ConstKind::Str: return quoted(o.constant.text);
      case ConstKind::Bytes: return "b" + quoted(o.constant.text);
      case ConstKind::Void: return "nothing";
      case ConstKind::Zero: return "zero";
    }
    return "?";
  }

  std::string operand(const Operand& o) const {
    switch (o.kind) {
      case OperandKind::Copy: return "copy " + place(o.place);
      case OperandKind::Move: return "move " + place(o.place);
      case OperandKind::Borrow: return "borrow " + place(o.place);
      case OperandKind::Ref: return "ref " + place(o.place);
      case OperandKind::Const: return constant(o);
    }
    return "?";
  }

  std::string operands(const std::vector<Operand>& list, size_t from = 0) const {
    std::string out;
    for (size_t i = from; i < list.size(); ++i) out += (i > from ? ", " : "") + operand(list[i]);
    return out;
  }

  std::string callee(const Inst& inst) const {
    switch (inst.call) {
      case CallKind::Direct: return function_name(inst.function);
      case CallKind::Virtual: return "virtual " + std::to_string(inst.index) + " " + function_name(inst.function);
      case CallKind::Dyn: return "dyn " + std::to_string(inst.index);
      case CallKind::Value: return inst.args.empty() ? "?" : "(" + operand(inst.args[0]) + ")";
      case CallKind::Intrinsic:
        return std::string(INTRINSIC_TEXT[static_cast<size_t>(inst.intrinsic)]) + (inst.type.valid() ? "<" + type(inst.type) + ">" : "");
    }
    return "?";
  }

  std::string detail(const Inst& inst) const {
    std::string name = OP_TEXT[static_cast<size_t>(inst.op)];
    switch (inst.op) {
      case Op::Assign: return operands(inst.args);
      case Op::Unary: return std::string(UNARY_TEXT[static_cast<size_t>(inst.unary)]) + " " + operands(inst.args);
      case Op::Binary: return std::string(BINARY_TEXT[static_cast<size_t>(inst.binary)]) + " " + operands(inst.args);
      case Op::Compare: return std::string(COMPARE_TEXT[static_cast<size_t>(inst.compare)]) + " " + operands(inst.args);
      case Op::Call: return "call " + callee(inst) + "(" + operands(inst.args, inst.call == CallKind::Value ? 1 : 0) + ")";
      case Op::New: return name + " " + type(inst.type);
      case Op::MakeStruct: case Op::MakeTuple: return name + " " + type(inst.type) + "(" + operands(inst.args) + ")";
      case Op::MakeEnum: return name + " " + type(inst.type) + " case " + std::to_string(inst.index) + "(" + operands(inst.args) + ")";
      case Op::MakeClosure: return name + " " + function_name(inst.function) + "(" + operands(inst.args) + ")";
      case Op::MakeFuture: case Op::Await: return name + " " + function_name(inst.function) + "(" + operands(inst.args) + ")";
      case Op::MakeDyn: return name + " table " + std::to_string(inst.index) + " " + operands(inst.args);
      case Op::Convert: case Op::Reinterpret: case Op::Unbox: return name + " " + operands(inst.args) + " to " + type(inst.type);
      case Op::IsType: return name + " " + operands(inst.args) + " " + type(inst.type);
      case Op::Drop: return name + " " + (inst.args.empty() ? "?" : place(inst.args[0].place));
      default: return inst.args.empty() ? name : name + " " + operands(inst.args);
    }
  }

  std::string instruction(const Inst& inst) const {
    std::string out;
    bool has_result = inst.dst.local.valid() || inst.dst.global.valid();
    if (has_result) out = place(inst.dst) + (inst.op == Op::Assign && inst.initializes ? " := " : " = ");
    out += detail(inst);
    if (inst.on_error.valid()) out += "  error " + local(inst.error) + " -> " + block(inst.on_error);
    return out;
  }

  std::string terminator(const Terminator& t) const {
    switch (t.kind) {
      case TerminatorKind::Goto: return "goto " + block(t.target);
      case TerminatorKind::Branch: return "branch " + operand(t.value) + " ? " + block(t.target) + " : " + block(t.other);
      case TerminatorKind::Switch: {
        std::string out = "switch " + operand(t.value);
        for (const SwitchTarget& c : t.cases) out += ", " + std::to_string(c.value) + " -> " + block(c.block);
        return out + ", else " + block(t.target);
      }
      case TerminatorKind::Return: return t.value.kind == OperandKind::Const && t.value.constant.kind == ConstKind::Void ? "return" : "return " + operand(t.value);
      case TerminatorKind::Raise: return "raise " + local(t.error);
      case TerminatorKind::Unreachable: return "unreachable";
    }
    return "?";
  }

  std::string local_line(size_t i) const {
    static const char* KINDS[] = {"param", "environment", "variable", "temp"};
    const Local& l = function.locals[i];
    std::string out = "  " + local(LocalId(static_cast<uint32_t>(i))) + ": " + type(l.type) + "  " + KINDS[static_cast<size_t>(l.kind)];
    if (l.by_reference) out += " ref";
    else if (l.ownership == Ownership::Borrowed) out += " borrowed";
    if (l.on_stack) out += " on stack";
    return out + "\n";
  }

  std::string all() const {
    std::string out = "def " + shown(function) + "(";
    for (uint32_t i = 0; i < function.param_count; ++i) {
      if (i) out += ", ";
      ParamMode mode = i < function.param_modes.size() ? function.param_modes[i] : ParamMode::Plain;
      out += std::string(mode == ParamMode::Owned ? "owned " : mode == ParamMode::Ref ? "ref " : "") + local(LocalId(i)) + ": " + type(function.locals[i].type);
    }
    out += ") -> " + type(function.result);
    if (function.summary.known && !function.summary.raises) out += "  never raises";
    if (function.is_extern) return out + "  extern " + function.symbol + "\n";
    out += ":\n";
    for (size_t i = function.param_count; i < function.locals.size(); ++i) out += local_line(i);
    for (size_t i = 0; i < function.blocks.size(); ++i) {
      const Block& b = function.blocks[i];
      out += "bb" + std::to_string(i) + (b.is_cold ? ": # cold\n" : ":\n");
      for (const Inst& inst : b.insts) out += "  " + instruction(inst) + "\n";
      out += "  " + terminator(b.terminator) + "\n";
    }
    return out;
  }
};

}  // namespace

std::string print(const Program& program, const Function& function) { return Printer{program, function}.all(); }

std::string print(const Program& program, std::string_view filter) {
  std::string out;
  for (const Function& function : program.functions) {
    if (!filter.empty() && function.name != filter) continue;
    if (filter.empty() && function.blocks.empty()) continue;
    if (!out.empty()) out += "\n";
    out += print(program, function);
  }
  return out;
}

std::string print(const Program& program, const Function& function, const Inst& inst) { return Printer{program, function}.instruction(inst); }
std::string print(const Program& program, const Function& function, const Terminator& terminator) { return Printer{program, function}.terminator(terminator); }
std::string print(const Program& program, const Function& function, LocalId local) { return Printer{program, function}.local(local); }

}  // namespace meteor::mir
