// A loop's body → which variables that hold a value where the loop begins hold one in every pass.
//
// Found on the syntax tree, before the body is checked, as the greatest fixpoint over its paths: an assignment keeps
// the fact when what is assigned can't be null, a `continue` and the end of the body must both have it. Invariant:
// safety does not rest on this answer. The checker starts the body with it and compares what holds at the back edges
// (BodyChecker::check_kept_facts).
#pragma once

#include <unordered_set>

#include "compiler/typed/body.h"

namespace meteor::typed {

// Those of `variables` that are not null at the head of the loop, in every pass, if they are not null before the first.
std::unordered_set<Name> present_in_every_pass(BodyChecker& body, const BodyChecker::LoopParts& loop,
                                               const std::unordered_set<Name>& variables);

// What an iterator or a stream gives, by what its `next` is declared to give; invalid: not known.
TypeId element_given_by(BodyChecker& body, TypeId iterator);

}  // namespace meteor::typed
