// The page of `meteor trace`: a timeline without anything from outside. The events stand between the two halves.
#pragma once

namespace meteor::cli {

extern const char* const TRACE_PAGE_HEAD;
extern const char* const TRACE_PAGE_TAIL;

}  // namespace meteor::cli
