// Puts the bodies of functions in place of the instructions that call or await them.
#pragma once

#include <functional>

#include "compiler/mir/mir.h"
#include "compiler/mir/type_facts.h"

namespace meteor::mir {

// The function whose body takes the instruction's place; null: the instruction stays.
using FindBody = std::function<const Function*(const Inst& call)>;
// Sees each instruction that was taken over from `body`.
using AdaptTaken = std::function<void(const Function& body, Span called_at, Inst& taken)>;

// What followed an instruction goes on in a block of its own, the last one. The blocks taken over are looked at too.
// Whether anything was taken over.
bool splice_calls(const Program& program, const TypeFacts& facts, Function& caller, const FindBody& find_body,
                  const AdaptTaken& adapt);

}  // namespace meteor::mir
