// What the compiler believes when it leaves out a check, by the construct of MIR that does without it. Every operation
// names its fact in ops.def, every projection and intrinsic here: a new one that names none does not compile, nor does
// a new kind of fact that the emitter has no assertion for (llvm_ir/emit_facts.cpp).
#pragma once

#include <cstdint>

#include "compiler/mir/mir.h"

namespace meteor::mir {

enum class Fact : uint8_t {
#define FACT(name, text) name,
#include "compiler/mir/facts.def"
#undef FACT
};

constexpr const char* text_of(Fact fact) {
  switch (fact) {
#define FACT(name, text) \
  case Fact::name: return text;
#include "compiler/mir/facts.def"
#undef FACT
  }
  return "";
}

// What an operation believes of its operands and of its result; its places believe what their projections do.
constexpr Fact fact_of(Op op) {
  switch (op) {
#define MIR_OP(name, text, fact) \
  case Op::name: return Fact::fact;
#include "compiler/mir/ops.def"
#undef MIR_OP
  }
  return Fact::Nothing;
}

// What a step of a place believes of what it steps from.
constexpr Fact fact_of(ProjectionKind kind) {
  switch (kind) {
    case ProjectionKind::Field: return Fact::StillValid;
    case ProjectionKind::Case: return Fact::ThisCase;
    case ProjectionKind::Payload: return Fact::NotNull;
    case ProjectionKind::Cast: return Fact::ThisType;
  }
  return Fact::Nothing;
}

// What an intrinsic believes of the memory it is given.
constexpr Fact fact_of(Intrinsic intrinsic) {
  switch (intrinsic) {
    case Intrinsic::RawGet:
    case Intrinsic::RawPeek:
    case Intrinsic::RawTake:
    case Intrinsic::RawInit:
    case Intrinsic::RawSet:
    case Intrinsic::RawSwap:
    case Intrinsic::RawMove:
    case Intrinsic::RawCopyTo:
    case Intrinsic::RawDropAll:
    case Intrinsic::RawZero:
    case Intrinsic::RawEqualBytes: return Fact::InRange;
    case Intrinsic::Unchecked: return Fact::Fits;
    case Intrinsic::RefCount:
    case Intrinsic::IsUnique:
    case Intrinsic::FrameValue:
    case Intrinsic::FrameYield:
    case Intrinsic::FrameTake:
    case Intrinsic::RunFrame:
    case Intrinsic::ResumeGenerator: return Fact::StillValid;
    case Intrinsic::ConstantArray:
    case Intrinsic::RawAlloc:
    case Intrinsic::RawRealloc:
    case Intrinsic::RawFree:
    case Intrinsic::RawNull:
    case Intrinsic::SizeOf:
    case Intrinsic::IsPlain:
    case Intrinsic::CanChange:
    case Intrinsic::TypeName:
    case Intrinsic::DynTypeName:
    case Intrinsic::Address:
    case Intrinsic::Make:
    case Intrinsic::FieldDefault:
    case Intrinsic::JsonOfAny:
    case Intrinsic::EnumTag:
    case Intrinsic::FloatBits:
    case Intrinsic::BitsFloat:
    case Intrinsic::Sqrt:
    case Intrinsic::Floor:
    case Intrinsic::Ceil:
    case Intrinsic::Trunc:
    case Intrinsic::FloatAbs:
    case Intrinsic::PopCount:
    case Intrinsic::LeadingZeros:
    case Intrinsic::TrailingZeros:
    case Intrinsic::Truncate:
    case Intrinsic::Likely:
    case Intrinsic::Slowpath:
    case Intrinsic::VisitParts:
    case Intrinsic::VisitPlace:
    case Intrinsic::CallSite:
    case Intrinsic::Park: return Fact::Nothing;
  }
  return Fact::Nothing;
}

}  // namespace meteor::mir
