// The files of a program: from the main file along its imports, parsed, in an order in which every module follows those it
// imports. A file is a module; `import a.b` is a/b.met in the project's folder, else in std.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/base/arena.h"
#include "compiler/base/name.h"
#include "compiler/base/result.h"
#include "compiler/diagnostics/diagnostic.h"
#include "compiler/pipeline/cache.h"
#include "compiler/source/file_system.h"
#include "compiler/source/sources.h"
#include "compiler/typed/check.h"

namespace meteor::pipeline {

class ModuleGraph {
 public:
  ModuleGraph(const source::FileSystem& files, std::string std_dir, source::Sources& sources, base::Arena& arena, base::NameTable& names,
              diagnostics::Sink& sink);

  // Fails only when the main file or the library can't be read; what is wrong inside files goes to the sink.
  base::Result<base::Done> load(const std::string& main_file);

  std::vector<typed::ParsedModule>& modules() { return modules_; }
  // What was read, and what would have been read had it existed; `tools` is left empty.
  const Inputs& inputs() const { return inputs_; }
  // Whether a module of the project that imports `name` would find one.
  bool has_module(const std::string& name) const;

 private:
  enum class State : uint8_t { Loading, Done };
  struct Import { ast::ImportStmt* stmt; std::string name; std::string path; bool is_std; };

  base::Result<base::Done> load_core();
  base::Result<source::FileId> read(const std::string& path, const std::string& shown);
  void load_module(const std::string& name, const std::string& path, source::FileId file, bool is_std, bool is_main);
  void follow_imports(const typed::ParsedModule& module, const std::string& path);
  bool find(Import& import, const typed::ParsedModule& importer, const std::string& importer_path);
  bool find_module(const std::string& name, bool from_std, Import& found);
  void follow(const Import& import);
  void report_unknown(const ast::ImportStmt& stmt, const std::string& name, const std::string& importer);
  void report_cycle(const ast::ImportStmt& stmt, const std::string& path);

  const source::FileSystem& files_;
  std::string std_dir_;
  std::string project_dir_;
  source::Sources& sources_;
  base::Arena& arena_;
  base::NameTable& names_;
  diagnostics::Sink& sink_;
  std::vector<typed::ParsedModule> modules_;
  Inputs inputs_;
  struct Loading { std::string name, path; };
  std::vector<Loading> stack_;
  std::unordered_map<std::string, State> states_;   // by path
};

}  // namespace meteor::pipeline
