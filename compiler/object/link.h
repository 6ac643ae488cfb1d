// Machine code + the runtime archive + the C library → an executable, by lld inside this process. No C compiler is needed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/result.h"

namespace meteor::object {

struct LinkInput {
  std::vector<std::string_view> objects;  // the program's machine code
  std::string_view library;               // an archive, all of which is taken; may be empty
  std::string runtime_archive;            // libmeteor_rt.a
  std::vector<std::string> libraries;     // `@link("m")` gives m
  std::string output;
  bool is_static = false;
};

// The executable appears under `output` whole or not at all.
base::Result<base::Done> link(const LinkInput& input);

}  // namespace meteor::object
