// What an enum says about its cases: their names, their numbers, their explicit values, and all of them in a list.
// Written as Meteor source (derive.cpp) and checked like the user's.
#pragma once

#include <string>
#include <string_view>

#include "compiler/typed/checker.h"

namespace meteor::typed {

// `Ok = 200`: reports values that are no literals, have several types or occur twice.
void check_case_values(Checker& c, NominalInfo* info);
bool has_case_values(Checker& c, NominalInfo* info);

// The source of `name`, `index`, `value`, `_cases` or `_of_value`; empty when this enum has no such member.
std::string case_member_source(Checker& c, NominalInfo* info, std::string_view member);

// The first case that holds values, or null: what can't be listed.
const CaseInfo* find_case_with_payload(Checker& c, NominalInfo* info);

}  // namespace meteor::typed
