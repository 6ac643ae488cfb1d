// meteor explain: of a name, the page about that error; of a file, the state machines of its functions that suspend.
#include <cstdio>

#include "compiler/typed/did_you_mean.h"
#include "tools/cli/commands.h"
#include "tools/cli/write_file.h"
#include "tools/explain/explain.h"

namespace meteor::cli {

namespace {

constexpr const char* USAGE = "meteor explain NAME, or meteor explain [--json|--svg] [-o OUT] FILE [FUNCTION]";

bool is_error_name(const std::string& name) {
  for (char c : name)
    if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '-') return false;
  return !name.empty();
}

int explain_error(std::string name) {
  if (size_t bracket = name.find('['); name.ends_with("]") && bracket != std::string::npos) name = name.substr(bracket + 1, name.size() - bracket - 2);
  source::DiskFileSystem files;
  std::string folder = pipeline::find_installation().error_pages;
  if (is_error_name(name)) {
    base::Result<std::string> page = files.read(folder + "/" + name + ".md");
    if (page) {
      std::fputs(page.value().c_str(), stdout);
      return 0;
    }
  }
  static const std::vector<std::string> NAMES = {
#define DIAGNOSTIC(ident, text, severity) text,
#include "compiler/diagnostics/diagnostics.def"
#undef DIAGNOSTIC
  };
  std::string near = typed::did_you_mean(name, NAMES);
  if (!near.empty()) return fail("there is no explanation of '" + name + "'; did you mean 'meteor explain " + near + "'?");
  return fail("there is no explanation of '" + name + "'; names stand in brackets after 'error', as in error[type-mismatch]");
}

int explain_file(const std::string& file, const std::string& function, const CommandLine& line) {
  source::DiskFileSystem files;
  pipeline::Compilation compilation(pipeline::find_installation(), files, compile_options(line, object::OptLevel::O2));
  base::Result<bool> ready = compilation.run_until(file, pipeline::Stage::Passes);
  print_findings(compilation, line);
  if (!ready) return fail(ready.failure().text());
  if (!ready.value()) return 2;
  base::Result<explain::Reports> reports = compilation.frames(function);
  if (!reports) return fail(reports.failure().text());
  if (reports.value().empty() && !line.json && !line.svg)
    return fail(file + ": " + (function.empty() ? "no function in it is async or a generator" : "there is no async function or generator called '" + function + "'"));
  std::string text = line.json ? explain::as_json(reports.value()) : line.svg ? explain::as_svg(reports.value()) : explain::as_text(reports.value());
  if (line.output.empty()) {
    std::fputs(text.c_str(), stdout);
    return 0;
  }
  base::Result<base::Done> written = write_file(line.output, text);
  return written ? 0 : fail(written.failure().text());
}

}  // namespace

int explain_command(const CommandLine& line) {
  if (line.files.empty() || line.files.size() > 2) return misuse("what should be explained?", USAGE);
  if (line.files[0].ends_with(".met")) return explain_file(line.files[0], line.files.size() > 1 ? line.files[1] : "", line);
  if (line.files.size() > 1) return misuse("the first must be a file", USAGE);
  return explain_error(line.files[0]);
}

}  // namespace meteor::cli
