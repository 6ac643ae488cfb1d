// Where the parts of Meteor lie: beside the running executable, wherever that was moved to, else in the source tree.
#pragma once

#include <string>

namespace meteor::pipeline {

struct Installation {
  std::string compiler;          // lib/meteor/meteor-compiler
  std::string runtime_archive;   // lib/libmeteor_rt.a
  std::string stripped_archive;  // the same without DWARF
  std::string std_dir;           // lib/meteor/std
  std::string error_pages;       // docs/errors
};

// `executable` is bin/meteor or lib/meteor/meteor-compiler of the installation, symbolic links resolved.
Installation find_installation(const std::string& executable);
Installation find_installation();   // of this process

}  // namespace meteor::pipeline
