#include "compiler/llvm_ir/emit_debug.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/Module.h>

namespace meteor::llvm_ir {

using types::Kind;

DebugInfo::DebugInfo(llvm::Module& module, const mir::Program& program, const source::Sources& sources, DebugLevel level, bool optimise)
    : program_(program), sources_(sources), level_(level), optimise_(optimise) {
  if (level_ == DebugLevel::None) return;
  module.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
  module.addModuleFlag(llvm::Module::Warning, "Dwarf Version", 4);
  builder_ = std::make_unique<llvm::DIBuilder>(module);
  const mir::Function& start = program.functions[program.start.index];
  // Tables of lines are alike in all programs, so that the library's parts can be kept from one to the next.
  bool has_main = level_ == DebugLevel::Full && start.span.valid();
  llvm::DIFile* main_file = has_main ? file(start.span.file) : builder_->createFile("meteor", ".");
  auto kind = level_ == DebugLevel::Full ? llvm::DICompileUnit::FullDebug : llvm::DICompileUnit::LineTablesOnly;
  // gdb knows no Meteor; C's expression syntax reads locals and lines.
  unit_ = builder_->createCompileUnit(llvm::dwarf::DW_LANG_C99, main_file, "meteor", optimise, "", 0, "", kind);
}

llvm::DIFile* DebugInfo::file(source::FileId id) {
  llvm::DIFile*& entry = files_[id.index];
  if (entry) return entry;
  std::string path(sources_.path(id));
  size_t slash = path.rfind('/');
  return entry = slash == std::string::npos ? builder_->createFile(path, ".")
                                            : builder_->createFile(path.substr(slash + 1), path.substr(0, slash));
}

llvm::DIType* DebugInfo::type(mir::TypeId id, Layout& layout) {
  id = layout.strip(id);
  llvm::DIType*& entry = types_[id];
  if (entry) return entry;
  const types::Type& info = program_.types->get(id);
  std::string name = program_.types->text(id);
  const Rep& rep = layout.rep(id);
  uint64_t bits = rep.size * 8;
  switch (info.kind) {
    case Kind::Bool: return entry = builder_->createBasicType(name, 8, llvm::dwarf::DW_ATE_boolean);
    case Kind::Int:
      return entry = builder_->createBasicType(name, bits, info.is_signed ? llvm::dwarf::DW_ATE_signed : llvm::dwarf::DW_ATE_unsigned);
    case Kind::Float: return entry = builder_->createBasicType(name, bits, llvm::dwarf::DW_ATE_float);
    default: break;
  }
  if (rep.shape == Shape::Object || rep.shape == Shape::BoxedEnum || rep.shape == Shape::Weak || rep.shape == Shape::RawPtr)
    return entry = builder_->createPointerType(builder_->createUnspecifiedType(name), 64);
  return entry = builder_->createStructType(unit_, name, unit_->getFile(), 0, bits, static_cast<uint32_t>(rep.align * 8),
                                            llvm::DINode::FlagZero, nullptr, {});
}

llvm::DISubprogram* DebugInfo::make_function(const mir::Function& function, llvm::Function* ir) {
  llvm::DIFile* where = function.span.valid() ? file(function.span.file) : unit_->getFile();
  uint32_t line = function.span.valid() ? sources_.start_of(function.span).line : 0;
  auto* type = builder_->createSubroutineType(builder_->getOrCreateTypeArray({}));
  auto flags = llvm::DISubprogram::SPFlagDefinition | llvm::DISubprogram::SPFlagLocalToUnit;
  if (optimise_) flags |= llvm::DISubprogram::SPFlagOptimized;
  llvm::DISubprogram* made = builder_->createFunction(where, function.name, ir->getName(), where, line, type, line, llvm::DINode::FlagPrototyped, flags);
  ir->setSubprogram(made);
  return made;
}

void DebugInfo::start_function(const mir::Function& function, llvm::Function* ir) {
  if (level_ == DebugLevel::None) return;
  current_ = make_function(function, ir);
  last_ = llvm::DILocation::get(ir->getContext(), current_->getLine(), 0, current_);
}

void DebugInfo::start_wrapper(llvm::IRBuilder<>& b, const mir::Function& function, llvm::Function* ir) {
  if (level_ == DebugLevel::None) return;
  b.SetCurrentDebugLocation(llvm::DILocation::get(ir->getContext(), 0, 0, make_function(function, ir)));
}

void DebugInfo::set_location(llvm::IRBuilder<>& b, source::Span span) {
  if (level_ == DebugLevel::None || !current_) return;
  if (span.valid() && file(span.file) == current_->getFile()) {
    source::LineColumn at = sources_.start_of(span);
    uint32_t column = level_ == DebugLevel::Full ? at.column : 0;   // fewer places: less for LLVM to carry along
    last_ = llvm::DILocation::get(b.getContext(), at.line, column, current_);
  }
  b.SetCurrentDebugLocation(last_);   // calls in a function with a subprogram need some place
}

void DebugInfo::clear_location(llvm::IRBuilder<>& b) {
  if (level_ != DebugLevel::None) b.SetCurrentDebugLocation(llvm::DebugLoc());
}

void DebugInfo::declare_variable(llvm::IRBuilder<>& b, const mir::Local& local, uint32_t param_number, llvm::Value* address, Layout& layout) {
  if (level_ != DebugLevel::Full || !current_ || local.name.empty() || !local.span.valid()) return;
  uint32_t line = sources_.start_of(local.span).line;
  llvm::DIFile* where = file(local.span.file);
  llvm::DIType* shown = type(local.type, layout);
  std::string name = local.name.str();
  llvm::DILocalVariable* variable = param_number ? builder_->createParameterVariable(current_, name, param_number, where, line, shown, true)
                                                 : builder_->createAutoVariable(current_, name, where, line, shown, true);
  builder_->insertDeclare(address, variable, builder_->createExpression(), llvm::DILocation::get(b.getContext(), line, 0, current_),
                          b.GetInsertBlock());
}

void DebugInfo::finish() {
  if (level_ != DebugLevel::None) builder_->finalize();
}

}  // namespace meteor::llvm_ir
