// The program as a whole: one MIR function per typed one, then those that lowering adds.
#include "compiler/mir/lower_program.h"

#include "compiler/mir/elsewhere.h"
#include "compiler/mir/lower.h"
#include "compiler/mir/lower_function.h"

namespace meteor::mir {

Program lower(const typed::Program& program, types::TypeStore& types) { return ProgramLowering(program, types).run(); }

ProgramLowering::ProgramLowering(const typed::Program& source, types::TypeStore& types)
    : source(source), types(types), facts(source, types), raisable(source.raisable),
      optional_raisable(types.optional(source.raisable)), int_pointer(types.wrap(types::Kind::RawPtr, types.int_)), has_other_isolates(mir::has_other_isolates(source)) {
  for (FunctionId initializer : source.initializers) initializers_.insert(initializer);
}

Program ProgramLowering::run() {
  program_.typed = &source;
  program_.types = &types;
  for (const typed::Function& function : source.functions) declare(function);
  for (uint32_t i = 0; i < source.globals.size(); ++i)
    if (source.globals[i].is_local && source.globals[i].initializer.valid()) {   // else nothing reads it
      typed::Global made;
      made.symbol = source.globals[i].symbol + ".made";
      made.type = types.bool_;
      made.is_local = true;
      GlobalId flag(static_cast<uint32_t>(source.globals.size() + program_.globals.size()));
      program_.globals.push_back(std::move(made));
      FunctionId maker = add_function("make " + source.globals[i].name.str(), types.void_);
      program_.functions[maker.index].symbol = "meteor:make " + source.globals[i].symbol;
      program_.functions[maker.index].makes_local = true;
      ensure_[GlobalId(i)] = {maker, flag};
    }
  for (const typed::Function& function : source.functions)
    if (function.frame != FrameKind::None && function.has_body) declare_body(function);
  if (source.entry.valid()) program_.start = add_function("start", types.int_);

  // Lowering a function adds none, so references into `functions` hold.
  for (const typed::Function& function : source.functions) {
    if (!function.has_body) continue;
    FunctionId body = function.frame == FrameKind::None ? function.id : body_of(function.id);
    FunctionLowering(*this, program_.functions[body.index]).run(function);
    if (function.frame != FrameKind::None) lower_maker(function);
  }
  for (auto& [global, ensure] : ensure_) lower_ensure_function(global, ensure.function, ensure.made);
  if (program_.start.valid()) lower_start();
  return std::move(program_);
}

FunctionId ProgramLowering::ensure_function(GlobalId global) { return ensure_.at(global).function; }

FunctionId ProgramLowering::add_function(std::string name, TypeId result) {
  Function function;
  function.id = FunctionId(static_cast<uint32_t>(program_.functions.size()));
  function.symbol = "meteor." + std::to_string(function.id.index);
  function.name = std::move(name);
  function.result = result;
  program_.functions.push_back(std::move(function));
  return program_.functions.back().id;
}

void ProgramLowering::declare(const typed::Function& function) {
  Function out;
  out.id = function.id;
  out.name = function.name;
  out.symbol = function.symbol;
  out.span = function.span;
  out.result = function.result;
  out.param_count = function.param_count;
  out.is_extern = function.is_extern;
  out.extern_c_abi = function.extern_c_abi;
  out.is_inline = function.is_inline;
  out.is_glue = function.is_glue;
  out.is_std = function.is_std;
  out.region = function.region;
  if (function.never_raises) out.summary = {false, true};
  for (uint32_t i = 0; i < function.param_count; ++i) {
    const typed::Variable& v = function.variables[i];
    Local local;
    local.name = v.name;
    local.type = v.type;
    local.span = v.span;
    local.kind = LocalKind::Param;
    local.by_reference = v.mode == ParamMode::Ref;
    bool borrowed = v.mode == ParamMode::Ref || (v.mode == ParamMode::Plain && facts.needs_drop(v.type));
    local.ownership = borrowed ? Ownership::Borrowed : Ownership::Owned;
    out.locals.push_back(local);
    out.param_modes.push_back(v.mode);
    bool leaves = v.mode == ParamMode::Owned || (out.region == typed::RegionRole::Leave && types.kind(v.type) == types::Kind::Func);
    if (leaves && out.region != typed::RegionRole::None && out.region != typed::RegionRole::Start && i < 64) out.leaving |= 1ull << i;
  }
  if (function.is_closure) {
    Local environment;
    environment.type = types.any;
    environment.kind = LocalKind::Environment;
    environment.ownership = Ownership::Borrowed;
    out.environment = LocalId(static_cast<uint32_t>(out.locals.size()));
    out.locals.push_back(environment);
    for (typed::VariableId capture : function.captures) {
      const typed::Variable& v = function.variables[capture.index];
      out.captures.push_back(v.boxed ? types.wrap(types::Kind::Cell, v.type) : v.type);
    }
  }
  program_.functions.push_back(std::move(out));
}

}  // namespace meteor::mir
