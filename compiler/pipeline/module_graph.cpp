#include "compiler/pipeline/module_graph.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "compiler/ast/foreign_names.h"
#include "compiler/ast/parse.h"
#include "compiler/typed/did_you_mean.h"
#include "compiler/typed/known_names.h"
#include "compiler/typed/scan_names.h"

namespace meteor::pipeline {

namespace {

constexpr size_t MAX_IMPORT_DEPTH = 1000;

std::string absolute(const std::string& path) {
  std::error_code error;
  std::string full = std::filesystem::absolute(path, error).string();
  return source::normalise_path(error ? path : full);
}

std::string folder_of(const std::string& path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

std::string stem_of(const std::string& path) { return std::filesystem::path(path).stem().string(); }

bool has_word(std::string_view text, std::string_view word) {
  auto is_part = [](char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)); };
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    size_t end = at + word.size();
    if ((at == 0 || !is_part(text[at - 1])) && (end == text.size() || !is_part(text[end]))) return true;
  }
  return false;
}

bool is_library_file(const std::string& name) { return name.ends_with(".met") && !name.ends_with("_test.met"); }

std::string dotted(const ast::ImportStmt& stmt) {
  std::string name;
  for (base::Name part : stmt.path) name += (name.empty() ? "" : ".") + part.str();
  return name;
}

// What another language has in a module of this name: `functools`, `os.path`.
std::string help_for_foreign(const std::string& name) {
  size_t dot = name.find('.');
  const ast::ForeignName* part = dot == std::string::npos ? nullptr : ast::find_foreign_function_of(name.substr(0, dot), name.substr(dot + 1));
  const ast::ForeignName* found = part ? part : ast::find_foreign_module(name.substr(0, dot));
  return found ? ast::help_for(*found) : "";
}

std::string as_path(std::string name) {
  std::ranges::replace(name, '.', '/');
  return name + ".met";
}

}  // namespace

ModuleGraph::ModuleGraph(const source::FileSystem& files, std::string std_dir, source::Sources& sources, base::Arena& arena,
                         base::NameTable& names, diagnostics::Sink& sink)
    : files_(files), std_dir_(source::normalise_path(std_dir)), sources_(sources), arena_(arena), names_(names), sink_(sink) {}

// `shown` is how messages name the file: as the user did, where he did.
base::Result<source::FileId> ModuleGraph::read(const std::string& path, const std::string& shown) {
  Stamp stamp = stamp_before_reading(path);
  base::Result<std::string> text = files_.read(path);
  if (!text) return base::Failure{shown, text.failure().reason};
  stamp.size = static_cast<int64_t>(text.value().size());
  inputs_.sources.push_back({path, content_hash(text.value()), stamp});
  return sources_.add(shown, std::move(text.value()));
}

base::Result<base::Done> ModuleGraph::load_core() {
  std::string folder = std_dir_ + "/core";
  base::Result<std::vector<std::string>> names = files_.list(folder);
  if (!names) return base::Failure{folder, "the standard library is not there: " + names.failure().reason};
  for (const std::string& name : names.value()) {
    if (!is_library_file(name)) continue;
    std::string path = folder + "/" + name;
    base::Result<source::FileId> file = read(path, path);
    if (!file) return file.failure();
    typed::ParsedModule module;
    module.name = "core";
    module.package = "core";
    module.tree = ast::parse(file.value(), sources_, arena_, names_, sink_);
    module.is_core = module.is_std = true;
    modules_.push_back(module);
  }
  return base::Done{};
}

base::Result<base::Done> ModuleGraph::load(const std::string& main_file) {
  std::string path = absolute(main_file);
  project_dir_ = folder_of(path);
  base::Result<source::FileId> file = read(path, main_file);
  if (!file) return file.failure();
  base::Result<base::Done> core = load_core();
  if (!core) return core;
  load_module(stem_of(main_file), path, file.value(), false, true);
  return base::Done{};
}

void ModuleGraph::load_module(const std::string& name, const std::string& path, source::FileId file, bool is_std, bool is_main) {
  typed::ParsedModule module;
  module.name = name;
  module.package = is_std ? "std" : name.substr(0, name.find('.'));
  module.tree = ast::parse(file, sources_, arena_, names_, sink_);
  module.is_std = is_std;
  module.is_main = is_main;
  states_[path] = State::Loading;
  stack_.push_back({name, path});
  follow_imports(module, path);
  stack_.pop_back();
  states_[path] = State::Done;
  modules_.push_back(module);
}

bool ModuleGraph::find_module(const std::string& name, bool from_std, Import& found) {
  std::string in_std = std_dir_ + "/" + as_path(name);
  std::string in_project = project_dir_ + "/" + as_path(name);
  auto take = [&](const std::string& path, bool is_std) {
    if (!files_.is_file(path)) {
      if (std::ranges::find(inputs_.absent, path) == inputs_.absent.end()) inputs_.absent.push_back(path);
      return false;
    }
    found.path = path;
    found.is_std = is_std;
    return true;
  };
  if (from_std) return take(in_std, true);   // the project can't replace what the library relies on
  return take(in_project, false) || take(in_std, true);
}

bool ModuleGraph::has_module(const std::string& name) const {
  bool is_main = !modules_.empty() && modules_.back().name == name;
  return !is_main && (files_.is_file(project_dir_ + "/" + as_path(name)) || files_.is_file(std_dir_ + "/" + as_path(name)));
}

void ModuleGraph::follow_imports(const typed::ParsedModule& module, const std::string& path) {
  std::vector<ast::ImportStmt*> imports;
  typed::TreeVisitor visitor;
  visitor.on_stmt = [&](ast::Stmt* stmt) {
    auto* import = stmt->as<ast::ImportStmt>();
    if (import && !import->path.empty()) imports.push_back(import);
  };
  visitor.visit(module.tree->body);
  for (ast::ImportStmt* import : imports) {
    Import whole{import, dotted(*import), "", false};
    if (module.is_std && whole.name == "core") continue;
    bool is_file = find(whole, module, path);
    if (is_file) follow(whole);
    bool all_parts = import->is_from && !import->names.empty();
    for (const ast::ImportedName& item : import->names) {   // `from folder import module`
      Import part{import, whole.name + "." + item.name.str(), "", false};
      if (find(part, module, path)) follow(part);
      else all_parts = false;
    }
    if (!is_file && !all_parts) report_unknown(*import, whole.name, module.name);
  }
  if (module.is_std) return;
  for (std::string_view name : typed::KNOWN_NAMES) {
    Import found{nullptr, std::string(name), "", false};
    if (has_word(sources_.text(module.tree->file), name) && find_module(found.name, true, found) && !states_.contains(found.path)) follow(found);
  }
}

bool ModuleGraph::find(Import& import, const typed::ParsedModule& importer, const std::string& importer_path) {
  if (import.stmt->relative_dots == 0) return find_module(import.name, importer.is_std, import);
  std::string folder = folder_of(importer_path);
  for (int i = 1; i < import.stmt->relative_dots; ++i) folder = folder_of(folder);
  import.path = folder + "/" + as_path(import.name);
  import.is_std = importer.is_std;
  return files_.is_file(import.path);
}

void ModuleGraph::follow(const Import& import) {
  source::Span at = import.stmt ? import.stmt->path_span : source::Span();   // none: known without an import
  if (auto known = states_.find(import.path); known != states_.end()) {
    if (known->second == State::Loading && import.stmt) report_cycle(*import.stmt, import.path);
    return;
  }
  if (stack_.size() >= MAX_IMPORT_DEPTH) {
    sink_.report(diagnostics::Code::NestingTooDeep, at, "modules import each other more than 1000 deep");
    return;
  }
  std::string shown = import.path;
  if (!import.is_std && !inputs_.sources.empty()) {   // relative when the main file was given so
    std::string main_shown(sources_.path(source::FileId(0)));
    std::string below = import.path.substr(std::min(import.path.size(), project_dir_.size() + 1));
    if (main_shown.empty() || main_shown[0] != '/') shown = source::normalise_path(folder_of(main_shown) + "/" + below);
  }
  base::Result<source::FileId> file = read(import.path, shown);
  if (!file) {
    sink_.report(diagnostics::Code::UnknownModule, at, "module `" + import.name + "` can't be read: " + file.failure().reason);
    return;
  }
  load_module(import.name, import.path, file.value(), import.is_std, false);
}

void ModuleGraph::report_unknown(const ast::ImportStmt& stmt, const std::string& name, const std::string& importer) {
  std::string message = "there is no module `" + name + "`";
  std::vector<std::string> known;
  std::string inner = name.rfind('.') == std::string::npos ? "" : name.substr(0, name.rfind('.') + 1);
  std::string folder = inner.empty() ? "" : "/" + as_path(inner).substr(0, inner.size() - 1);
  for (const std::string& root : {project_dir_, std_dir_}) {
    base::Result<std::vector<std::string>> names = files_.list(root + folder);
    if (!names) continue;
    for (const std::string& file : names.value())
      if (is_library_file(file)) known.push_back(inner + stem_of(file));
  }
  std::erase(known, importer);
  diagnostics::Diagnostic& report = sink_.report(diagnostics::Code::UnknownModule, stmt.path_span, message);
  report.label = "not found";
  std::string near = typed::did_you_mean(name, known);
  bool is_folder = files_.is_directory(project_dir_ + "/" + as_path(name).substr(0, name.size()));
  if (std::string foreign = help_for_foreign(name); !foreign.empty()) report.help = foreign;
  else if (!near.empty()) report.help = "did you mean `" + near + "`?";
  else if (is_folder) report.help = "`" + name + "` is a folder; import one of its modules: `import " + name + ".…`";
  else report.help = "a module is a file: " + as_path(name) + " beside the main file, or in the standard library";
}

void ModuleGraph::report_cycle(const ast::ImportStmt& stmt, const std::string& path) {
  auto first = std::ranges::find(stack_, path, &Loading::path);
  std::string library_file = std_dir_ + "/" + as_path(first->name);
  if (path != library_file && files_.is_file(library_file)) {   // `json.met` that imports json means the library's
    std::string message = "this file is called `" + first->name + "` too, so it hides the standard library's module";
    sink_.report(diagnostics::Code::ImportCycle, stmt.path_span, message).help = "give the file another name";
    return;
  }
  std::string cycle;
  for (auto it = first; it != stack_.end(); ++it) cycle += it->name + " → ";
  cycle += first->name;
  diagnostics::Diagnostic& report = sink_.report(diagnostics::Code::ImportCycle, stmt.path_span, "modules import each other in a circle: " + cycle);
  report.label = "closes the circle";
  report.help = "move what both need into a module that imports neither";
}

}  // namespace meteor::pipeline
