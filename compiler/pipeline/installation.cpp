#include "compiler/pipeline/installation.h"

#include <limits.h>
#include <unistd.h>

#include "compiler/base/build_config.h"

namespace meteor::pipeline {

namespace {

std::string parent_of(const std::string& path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos || slash == 0 ? "/" : path.substr(0, slash);
}

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

}  // namespace

Installation find_installation(const std::string& executable) {
  std::string folder = parent_of(executable);
  bool is_compiler = executable.ends_with("/meteor-compiler");
  std::string prefix = is_compiler ? parent_of(parent_of(folder)) : parent_of(folder);
  Installation found;
  found.compiler = prefix + "/lib/meteor/meteor-compiler";
  found.runtime_archive = prefix + "/lib/libmeteor_rt.a";
  found.stripped_archive = prefix + "/lib/libmeteor_rt_stripped.a";
  std::string installed = prefix + "/lib/meteor/std";
  found.std_dir = exists(installed) ? installed : base::SOURCE_STD_DIR;
  std::string pages = prefix + "/share/meteor/errors";
  found.error_pages = exists(pages) ? pages : std::string(base::SOURCE_STD_DIR) + "/../docs/errors";
  return found;
}

Installation find_installation() {
  char path[PATH_MAX];
  ssize_t length = ::readlink("/proc/self/exe", path, sizeof path);
  return find_installation(length > 0 ? std::string(path, static_cast<size_t>(length)) : "/usr/local/bin/meteor");
}

}  // namespace meteor::pipeline
