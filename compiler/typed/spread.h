// `*` in a call of a function that takes one collection in place of many arguments, `gather(*futures)`, and `**` in any call.
#pragma once

#include "compiler/typed/body.h"

namespace meteor::typed {

// Where the library's function takes no number of arguments that only the program knows, but a list of them, the
// arguments without names become that list.
void spread_as_list(BodyChecker& b, const Overloads& overloads, std::vector<BodyChecker::CallArg>& args, Span span);

// `**d`: a dict written in place is as many named arguments as it has keys; another one is an argument of its own.
void add_named_arguments(BodyChecker& b, ast::DoubleStarExpr* spread, std::vector<BodyChecker::CallArg>& out);
bool is_spread_dict(const BodyChecker::CallArg& arg);
void refuse_spread_dict(BodyChecker& b, const BodyChecker::CallArg& arg, const std::string& shown);   // the callee has no `**options`
// Puts what is in the dict into `options`. The keys must not be names of other parameters.
Expr* add_options(BodyChecker& b, Expr* options, const BodyChecker::CallArg& arg, const std::vector<ParamInfo>& params);

}  // namespace meteor::typed
