// Functions that no source stands for: the program's start, and the makers of isolate-local variables.
#include "compiler/mir/lower_function.h"
#include "compiler/mir/lower_program.h"

namespace meteor::mir {

// Runs the initializers, then the entry; an error is reported and gives exit code 1. Module variables die last, in
// reverse order of their making: each becomes zero before its value is dropped, so that no `__del__` sees a dead one. Those whose end
// runs a `__del__` go first, so that it finds the others as they were; a read of one that is gone ends the program (llvm_ir/emit_place.cpp).
void ProgramLowering::lower_start() {
  Function& out = program_.functions[program_.start.index];
  FunctionLowering lowering(*this, out);
  lowering.start(lowering.new_block());
  LocalId code = lowering.new_temp(types.int_);
  LocalId error = lowering.error_local();
  BlockId finish = lowering.new_block(), failed = lowering.new_block(true);
  auto call = [&](FunctionId function) {
    Inst inst = lowering.make_call(function, {});
    inst.on_error = failed;
    inst.error = error;
    if (function == source.entry) inst.dst = FunctionLowering::place_of(code);
    lowering.emit(std::move(inst));
  };
  for (FunctionId initializer : source.initializers) call(initializer);
  call(source.entry);
  if (source.starts_isolates()) call(source.hooks.join_children);   // they see the consts
  lowering.jump(finish);

  lowering.start(failed);
  Inst report = lowering.make_call(source.hooks.report_uncaught, {lowering.borrow_of(FunctionLowering::place_of(error), raisable)});
  LocalId second = lowering.new_temp(raisable);
  BlockId reported = lowering.new_block(true), unreported = lowering.new_block(true);
  report.on_error = unreported;
  report.error = second;
  lowering.emit(std::move(report));
  lowering.jump(reported);
  lowering.start(unreported);
  lowering.emit_drop(second);
  lowering.jump(reported);
  lowering.start(reported);
  lowering.emit_drop(error);
  if (source.starts_isolates()) call(source.hooks.stop_children);
  lowering.assign(FunctionLowering::place_of(code), lowering.int_const(1), false);
  lowering.jump(finish);

  lowering.start(finish);
  auto end_variables = [&](bool observable) {
    for (uint32_t i = static_cast<uint32_t>(source.globals.size()); i-- > 0;) {
      TypeId type = source.globals[i].type;
      if (!facts.needs_drop(type) || facts.drop_is_observable(type) != observable) continue;
      Place place;
      place.global = GlobalId(i);
      lowering.assign(place, FunctionLowering::constant(ConstKind::Zero, type), false);
    }
  };
  end_variables(true);
  end_variables(false);
  lowering.ret(lowering.take(code));
}

// def make x: if not made: x = initializer(); made = true
void ProgramLowering::lower_ensure_function(GlobalId global, FunctionId id, GlobalId made) {
  Function& out = program_.functions[id.index];
  const typed::Global& variable = source.globals[global.index];
  out.span = variable.span;
  FunctionLowering lowering(*this, out);
  lowering.start(lowering.new_block());
  Place flag, place;
  flag.global = made;
  place.global = global;
  BlockId make = lowering.new_block(true), done = lowering.new_block(), failed = lowering.new_block(true);
  lowering.branch(lowering.copy_of(flag, types.bool_), done, make);
  lowering.start(make);
  LocalId error = lowering.error_local();
  Inst call = lowering.make_call(variable.initializer, {});
  call.on_error = failed;
  call.error = error;
  if (types.kind(source.function(variable.initializer).result) != types::Kind::Void) {
    LocalId value = lowering.new_temp(variable.type);
    call.dst = FunctionLowering::place_of(value);
    lowering.emit(std::move(call));
    lowering.assign(place, lowering.take(value), false);
  } else {
    lowering.emit(std::move(call));
  }
  lowering.assign(flag, lowering.bool_const(true), false);
  lowering.jump(done);
  lowering.start(done);
  lowering.ret(FunctionLowering::constant(ConstKind::Void, types.void_));
  lowering.start(failed);
  Terminator end;
  end.kind = TerminatorKind::Raise;
  end.error = error;
  lowering.terminate(std::move(end));
}

}  // namespace meteor::mir
