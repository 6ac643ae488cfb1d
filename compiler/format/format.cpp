#include "compiler/format/format.h"

#include "compiler/ast/parse.h"
#include "compiler/ast/print.h"
#include "compiler/format/print_lines.h"
#include "compiler/format/source_lines.h"

namespace meteor::format {

namespace {

struct Read {
  base::NameTable names;
  base::Arena arena;
  ast::TokenRoles roles;
  ast::Module* module = nullptr;
  bool is_sound = false;

  Read(source::FileId file, const source::Sources& sources, diagnostics::Sink& sink) {
    size_t errors = sink.error_count();
    module = ast::parse(file, sources, arena, names, sink, roles);
    is_sound = sink.error_count() == errors;
  }

  std::string comments(std::string_view text) const {
    std::string out;
    for (const tokens::Comment& comment : roles.tokens.comments) {
      std::string_view line = text.substr(comment.start, comment.end - comment.start);
      while (!line.empty() && (line.back() == ' ' || line.back() == '\t' || line.back() == '\f')) line.remove_suffix(1);
      (out += line) += '\n';
    }
    return out;
  }
};

}  // namespace

Formatted format(source::FileId file, source::Sources& sources, diagnostics::Sink& sink) {
  std::string text(sources.text(file));
  Read before(file, sources, sink);
  if (!before.is_sound) return {Outcome::HasErrors, text};
  std::string result = print_lines(read_lines(text, before.roles, file, sources));
  if (result == text) return {Outcome::Formatted, result};

  source::FileId again = sources.add(std::string(sources.path(file)), result);
  diagnostics::Sink unheard;
  Read after(again, sources, unheard);
  bool is_same = after.is_sound && ast::print(*before.module) == ast::print(*after.module) && before.comments(text) == after.comments(result);
  if (!is_same) return {Outcome::WouldChange, text};
  return {Outcome::Formatted, result};
}

}  // namespace meteor::format
