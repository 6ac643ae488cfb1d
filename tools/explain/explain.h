// Pictures of state machines: frame reports as text, JSON and SVG.
#pragma once

#include <string>
#include <vector>

#include "compiler/mir/frame_report.h"

namespace meteor::explain {

using Reports = std::vector<mir::FrameReport>;

std::string as_text(const Reports& reports);
std::string as_json(const Reports& reports);
std::string as_svg(const Reports& reports);

std::string kind_text(mir::FrameKind kind);                 // "async def"
std::string error_text(const mir::FrameState& state);       // "catch TimeoutError at line 14, else ends the function"
std::string field_text(const mir::FrameField& field);       // "head", "frame of read", "(temporary)"

}  // namespace meteor::explain
