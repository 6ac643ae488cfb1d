// Declarations, `main`, and the loop that emits every reachable function.
#include <algorithm>

#include <llvm/IR/Instructions.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Triple.h>
#include <unordered_set>

#include "compiler/base/check.h"
#include "compiler/llvm_ir/c_abi.h"
#include "compiler/llvm_ir/function_emitter.h"
#include "compiler/llvm_ir/module_emitter.h"
#include "compiler/mir/passes/recursion.h"
#include "compiler/mir/passes/share_instances.h"
#include "runtime/abi/abi.h"

namespace meteor::llvm_ir {

std::unique_ptr<llvm::Module> emit(const mir::Program& program, const source::Sources& sources, const EmitOptions& options,
                                   llvm::LLVMContext& context) {
  return ModuleEmitter(program, sources, options, context).run();
}

namespace {

std::unique_ptr<llvm::Module> make_module(const EmitOptions& options, llvm::LLVMContext& context) {
  auto module = std::make_unique<llvm::Module>("meteor", context);
  module->setTargetTriple(options.triple);
  module->setDataLayout(options.data_layout);
  return module;
}

// Names of Meteor functions must not meet those of C functions, which LLVM gives a meaning (`abs`, `main`).
std::string link_name(const mir::Function& function) {
  const std::string& name = function.symbol.empty() ? function.name : function.symbol;
  auto is_c = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  return std::ranges::all_of(name, is_c) ? "meteor." + name : name;
}

// Some of LLVM's passes take quadratic time in long blocks, and where so many paths meet; nobody writes such a function by hand.
// It is translated as at -O0, apart from the others (object/slices).
bool is_huge(const mir::Function& function) {
  constexpr size_t MOST_INSTRUCTIONS = 15'000, MOST_ERROR_EDGES = 2'500, MOST_BLOCKS = 6'000, MOST_IN_A_BLOCK = 2'500;
  size_t count = 0, edges = 0;
  for (const mir::Block& block : function.blocks) {
    count += block.insts.size();
    if (block.insts.size() > MOST_IN_A_BLOCK) return true;
    for (const mir::Inst& inst : block.insts) edges += inst.can_raise();
  }
  return count > MOST_INSTRUCTIONS || edges > MOST_ERROR_EDGES || function.blocks.size() > MOST_BLOCKS;
}

// By what a function does when nothing goes wrong.
constexpr size_t SMALL = 12, LARGE = 40;
size_t usual_length(const mir::Function& function) {
  size_t count = 0;
  for (const mir::Block& block : function.blocks)
    if (!block.is_cold) count += block.insts.size() + 1;
  return count;
}

// A server's code is nearly all the library's, and would take seconds; a little of it (json, random) may well be the program's inner loop.
bool is_glue_much(const mir::Program& program) {
  constexpr size_t MUCH = 6'000;
  size_t count = 0;
  for (const mir::Function& function : program.functions) {
    if (!function.is_glue) continue;
    for (const mir::Block& block : function.blocks) count += block.insts.size();
  }
  return count > MUCH;
}

}  // namespace

ModuleEmitter::ModuleEmitter(const mir::Program& program, const source::Sources& sources, const EmitOptions& options, llvm::LLVMContext& context)
    : program_(program),
      sources_(sources),
      options_(options),
      is_glue_quick_(options.quick_glue && options.optimise && is_glue_much(program)),
      has_parts_(options.in_parts && is_glue_much(program)),
      starts_isolates_(program.typed->starts_isolates()),
      context_(context),
      module_(make_module(options, context)),
      layout_(program, module_->getDataLayout(), context),
      shared_(program, options.check_facts),
      regions_(program),
      type_facts_(*program.typed, *program.types),
      tags_(*program.typed, *program.types, context),
      debug_(*module_, program, sources, options.debug, options.optimise),
      unlikely_(llvm::MDBuilder(context).createBranchWeights(1, 2000)),
      likely_(llvm::MDBuilder(context).createBranchWeights(2000, 1)),
      site_type_(llvm::StructType::get(layout_.pointer_type(), layout_.pointer_type(), llvm::Type::getInt32Ty(context), llvm::Type::getInt32Ty(context))),
      shared_code_(options.check_facts ? mir::share_nothing(program) : mir::share_instances(program)),
      erased_(*program.typed, *program.types) {}

namespace {

// A recursion without an end is a StackOverflow however the program was built: LLVM makes no loop of it.
void keep_frames(const mir::Program& program, const std::unordered_map<FunctionId, llvm::Function*>& emitted) {
  std::vector<bool> is_recursive = mir::find_recursive(program);
  std::unordered_set<const llvm::Function*> recursive;
  for (auto& [id, function] : emitted)
    if (is_recursive[id.index]) recursive.insert(function);
  for (auto& [id, function] : emitted) {
    if (!is_recursive[id.index]) continue;
    for (llvm::BasicBlock& block : *function)
      for (llvm::Instruction& inst : block) {
        auto* call = llvm::dyn_cast<llvm::CallInst>(&inst);
        bool may_come_back = call && (call->isIndirectCall() || recursive.contains(call->getCalledFunction()));
        if (may_come_back) call->setTailCallKind(llvm::CallInst::TCK_NoTail);
      }
  }
}

#ifndef NDEBUG
// All at once: verifying one function follows its uses through the tables of all classes.
void verify(llvm::Module& module) {
  std::string message;
  llvm::raw_string_ostream out(message);
  if (!llvm::verifyModule(module, &out)) return;
  std::fprintf(stderr, "meteor: internal error: broken code: %s\n", message.c_str());
  for (llvm::Function& function : module)
    if (llvm::verifyFunction(function)) {
      std::fprintf(stderr, "in %s\n", function.getName().str().c_str());
      if (std::getenv("METEOR_KEEP")) function.print(llvm::errs());
    }
  std::abort();
}
#endif

}  // namespace

std::unique_ptr<llvm::Module> ModuleEmitter::run() {
  set_compact(false);
  emit_main();
  auto emit_pending = [&] {
    while (!pending_.empty()) {
      FunctionId id = pending_.back();
      pending_.pop_back();
      FunctionEmitter(*this, mir_function(id), functions_.at(id)).emit();
    }
  };
  emit_pending();
  if (frames_) emit_frame_hooks();
  if (starts_isolates_) emit_isolate_hooks();
  emit_pending();
  if (options_.optimise) keep_frames(program_, functions_);
  if (options_.report_counting) emit_count_report();
  debug_.finish();
#ifndef NDEBUG
  verify(*module_);
#endif
  return std::move(module_);
}

llvm::Type* ModuleEmitter::param_type(TypeId type, bool by_reference) {
  return by_reference ? static_cast<llvm::Type*>(layout_.pointer_type()) : layout_.rep(type).value;
}

CallShape ModuleEmitter::make_shape(llvm::ArrayRef<llvm::Type*> params, TypeId result, bool raises) {
  CallShape shape;
  shape.raises = raises;
  shape.has_result = layout_.rep(result).shape != Shape::Nothing;
  llvm::Type* value = shape.has_result ? layout_.rep(result).value : llvm::Type::getVoidTy(context_);
  llvm::Type* returned = value;
  if (raises) returned = shape.has_result ? static_cast<llvm::Type*>(llvm::StructType::get(value, layout_.pointer_type())) : layout_.pointer_type();
  shape.type = llvm::FunctionType::get(returned, params, false);
  return shape;
}

CallShape ModuleEmitter::shape_of(const mir::Function& function) {
  std::vector<llvm::Type*> params;
  if (function.environment.valid()) params.push_back(layout_.pointer_type());
  if (function.has_frame()) params = {layout_.pointer_type(), llvm::Type::getInt32Ty(context_), layout_.pointer_type()};   // frame, state, error
  for (uint32_t i = 0; i < function.param_count; ++i) params.push_back(param_type(function.locals[i].type, function.locals[i].by_reference));
  return make_shape(params, function.result, function.summary.raises || function.has_frame());
}

llvm::Function* ModuleEmitter::make_function(llvm::FunctionType* type, const llvm::Twine& name) {
  auto* function = llvm::Function::Create(type, llvm::Function::InternalLinkage, name, *module_);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  function->addFnAttr("probe-stack", "inline-asm");   // a big frame must not jump over the guard page
  function->setUWTableKind(llvm::UWTableKind::Sync);   // for the watchdog's stack trace
  if (options_.debug == DebugLevel::Full || !options_.optimise) function->addFnAttr("frame-pointer", "all");
  if (options_.sanitize_address) function->addFnAttr(llvm::Attribute::SanitizeAddress);
  return function;
}

bool ModuleEmitter::is_library(const mir::Function& function) const {
  if (!has_parts_ || function.twin == mir::Function::Twin::Asserting) return false;
  // Without a place in the source: a method that every class has (`__str__`), and the program's start.
  if (function.span.valid() ? !sources_.path(function.span.file).starts_with(options_.library) : function.param_count == 0) return false;
  if (function.result.valid() && !types().is_library(function.result)) return false;
  return std::ranges::all_of(function.locals, [&](const mir::Local& local) { return types().is_library(local.type); }) &&
         std::ranges::all_of(function.captures, [&](TypeId type) { return types().is_library(type); });
}

void ModuleEmitter::set_owner(llvm::Function* function, const mir::Function& source) {
  if (!options_.in_parts) return;
  if (!is_library(source)) function->addFnAttr(OWNER, PROGRAM);
  else function->addFnAttr(OWNER, !source.span.valid() || sources_.path(source.span.file).starts_with(options_.library + "/core/") ? CORE : LIBRARY);
}

void ModuleEmitter::set_owner(llvm::Constant* variable, bool is_library) {
  if (has_parts_ && is_library) llvm::cast<llvm::GlobalVariable>(variable)->addAttribute(OWNER, CORE);
}

void ModuleEmitter::mark_object_param(llvm::Function* function, unsigned index, TypeId type) {
  if (layout_.kind(type) != types::Kind::Class || options_.check_facts) return;
  function->addParamAttr(index, llvm::Attribute::NonNull);
  function->addParamAttr(index, llvm::Attribute::getWithDereferenceableBytes(context_, layout_.size_of(layout_.class_object(layout_.strip(type)))));
  function->addParamAttr(index, llvm::Attribute::getWithAlignment(context_, llvm::Align(alignof(met_object))));
}

// Above all the functions that make errors: a check whose error might be null would lead back into the loop it left.
void ModuleEmitter::mark_object_result(llvm::Function* function, TypeId type) {
  if (layout_.kind(type) != types::Kind::Class || options_.check_facts) return;
  function->addRetAttr(llvm::Attribute::NonNull);
  function->addRetAttr(llvm::Attribute::getWithDereferenceableBytes(context_, layout_.size_of(layout_.class_object(layout_.strip(type)))));
  function->addRetAttr(llvm::Attribute::getWithAlignment(context_, llvm::Align(alignof(met_object))));
}

llvm::Function* ModuleEmitter::function(FunctionId id) {
  id = code_of(id);
  auto found = functions_.find(id);
  if (found != functions_.end()) return found->second;
  const mir::Function& source = mir_function(id);
  llvm::Function* declared;
  if (source.is_extern) {
    declared = text_reader(source.symbol);
    if (!declared) declared = declare_extern(*this, source);
  } else {
    CallShape shape = shape_of(source);
    declared = make_function(shape.type, link_name(source));
    if (shape.has_result && !shape.raises) mark_object_result(declared, source.result);
    if (source.is_inline) declared->addFnAttr(llvm::Attribute::InlineHint);
    // What raises looks bigger to LLVM than it is: its checks lead to calls that are hardly ever made.
    if (source.is_inline) declared->addFnAttr("function-inline-threshold", "1000");
    else if (usual_length(source) <= SMALL) declared->addFnAttr("function-inline-threshold", "500");
    // Called once, it would be inlined whatever its size, and a program's `main` become all of it.
    else if (usual_length(source) > LARGE) declared->addFnAttr(llvm::Attribute::NoInline);
    if (is_huge(source)) {
      declared->addFnAttr(llvm::Attribute::OptimizeNone);
      declared->addFnAttr(llvm::Attribute::NoInline);
    }
    if (source.is_glue && is_glue_quick_) declared->addFnAttr(QUICK);
    set_owner(declared, source);
    if (source.is_cold) {
      declared->addFnAttr(llvm::Attribute::Cold);
      declared->addFnAttr(llvm::Attribute::NoInline);
    }
    unsigned first = source.environment.valid() ? 1 : 0;
    uint32_t known = source.has_frame() ? 0 : source.param_count;   // where it is resumed, it gets no parameters
    for (uint32_t i = 0; i < known; ++i) {
      if (!source.locals[i].by_reference) {
        mark_object_param(declared, first + i, source.locals[i].type);
        continue;
      }
      const Rep& rep = layout_.rep(source.locals[i].type);
      declared->addParamAttr(first + i, llvm::Attribute::NonNull);
      declared->addParamAttr(first + i, llvm::Attribute::getWithDereferenceableBytes(context_, rep.size));
    }
    pending_.push_back(id);
  }
  functions_.emplace(id, declared);
  return declared;
}

llvm::Function* ModuleEmitter::runtime(RuntimeFunction which) {
  llvm::Function*& entry = runtime_[which];
  if (!entry) entry = declare_runtime_function(which, *module_);
  return entry;
}

llvm::Value* ModuleEmitter::call_runtime(Builder& b, RuntimeFunction which, llvm::ArrayRef<llvm::Value*> args) {
  llvm::Function* callee = runtime(which);
  std::vector<llvm::Value*> words;
  for (llvm::Value* arg : args) {
    if (arg->getType() == layout_.text_type()) {
      words.push_back(b.CreateExtractValue(arg, 0));
      words.push_back(b.CreateExtractValue(arg, 1));
    } else {
      words.push_back(arg);
    }
  }
  llvm::CallInst* call = b.CreateCall(callee, words);
  call->setAttributes(callee->getAttributes());
  return call;
}

llvm::FunctionCallee ModuleEmitter::c_function(const char* name, llvm::Type* result, llvm::ArrayRef<llvm::Type*> params) {
  auto* type = llvm::FunctionType::get(result, params, false);
  if (llvm::Function* known = module_->getFunction(name)) return {type, known};
  auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, *module_);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  return function;
}

const typed::Global& ModuleEmitter::global_of(mir::GlobalId id) const {
  size_t typed_count = typed().globals.size();
  return id.index < typed_count ? typed().globals[id.index] : program_.globals[id.index - typed_count];
}

llvm::GlobalVariable* ModuleEmitter::global(mir::GlobalId id) {
  llvm::GlobalVariable*& entry = globals_[id.index];
  if (entry) return entry;
  const typed::Global& source = global_of(id);
  llvm::Type* type = layout_.rep(source.type).memory;
  std::string name = source.symbol.empty() ? source.name.str() : source.symbol;
  entry = new llvm::GlobalVariable(*module_, type, false, llvm::GlobalValue::InternalLinkage, llvm::Constant::getNullValue(type), "global." + name);
  if (source.is_local) entry->setThreadLocal(true);
  return entry;
}

// int main(argc, argv): the runtime starts, the program runs, the runtime has the last word on the exit code.
void ModuleEmitter::emit_main() {
  llvm::Type* i32 = llvm::Type::getInt32Ty(context_);
  auto* type = llvm::FunctionType::get(i32, {i32, layout_.pointer_type()}, false);
  auto* main = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "main", *module_);
  main->addFnAttr(llvm::Attribute::NoUnwind);
  main->setUWTableKind(llvm::UWTableKind::Sync);
  Builder b(llvm::BasicBlock::Create(context_, "entry", main));
  debug_.start_wrapper(b, mir_function(program_.start), main);
  if (options_.check_facts) call_runtime(b, RuntimeFunction::met_facts_start, {});
  call_runtime(b, RuntimeFunction::met_runtime_start, {main->getArg(0), main->getArg(1)});
  const mir::Function& start = mir_function(program_.start);
  CallShape shape = shape_of(start);
  llvm::Value* result = b.CreateCall(shape.type, function(program_.start));
  llvm::Value* code = llvm::ConstantInt::get(i32, 0);
  llvm::Value* error = shape.raises ? shape.has_result ? b.CreateExtractValue(result, 1) : result : nullptr;
  if (shape.has_result) {
    llvm::Value* value = shape.raises ? b.CreateExtractValue(result, 0) : result;
    code = b.CreateIntCast(value, i32, true);
  }
  if (error) code = b.CreateSelect(b.CreateIsNull(error), code, llvm::ConstantInt::get(i32, 1));
  llvm::Value* final_code = call_runtime(b, RuntimeFunction::met_runtime_finish, {code});
  b.CreateRet(final_code);
}

// The last thing that main does before the runtime ends.
void ModuleEmitter::emit_count_report() {
  llvm::BasicBlock& last = module_->getFunction("main")->back();
  Builder b(last.getTerminator()->getPrevNode());
  llvm::Value* retains = retains_ ? static_cast<llvm::Value*>(b.CreateLoad(b.getInt64Ty(), retains_)) : b.getInt64(0);
  call_runtime(b, RuntimeFunction::met_report_retains, {retains});
}

std::string ModuleEmitter::type_text(TypeId type) const {
  auto found = typed().nominals.find(type);
  return found != typed().nominals.end() && !found->second.name.empty() ? found->second.name : types().text(type);
}

}  // namespace meteor::llvm_ir
