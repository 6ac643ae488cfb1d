// What std declares that the runtime sees too: functions that are written in C++, classes whose fields it reads, and
// numbers that both use.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ast/ast.h"
#include "compiler/ast/parse.h"

namespace meteor::boundary {

// `@native("meteor::async::Task", _state="frame.state")` says which type or constant of the runtime a declaration of
// std is, and which of its fields have other names there than without the underscore.
struct NativeClass {
  const ast::ClassDecl* decl = nullptr;
  std::string native;  // its name in C++; empty: the runtime has no name for it
  std::map<std::string_view, std::string> renamed;
  bool is_shareable = false;
};
struct NativeConst {
  const ast::ConstDecl* decl;
  std::string native;
};
struct ExternFunction {
  const ast::FunctionDecl* decl;
  const ast::ClassDecl* owner;  // whose method it is, or null
  std::string symbol;
  bool only_reads;  // `@reads`: what it is given stays as it is
};

struct Module {
  std::string path;
  std::map<std::string_view, NativeClass> classes;  // all of them, by name
  std::vector<NativeConst> constants;
  std::vector<ExternFunction> functions;
};

// Every declaration of std, read without being checked: what is wrong with a program of std its compilation says.
class Declarations {
 public:
  // False: the file could not be read or parsed, which has been said.
  bool read(const std::string& path);

  const std::vector<Module>& modules() const { return modules_; }
  // The class of this name that the module means: its own, or the one in std that has the name.
  const NativeClass* find(const Module& module, std::string_view name) const;
  std::string place_of(source::Span span) const;  // "std/io.met:25"
  std::string_view text(source::Span span) const { return sources_.text(span); }

 private:
  void collect(Module& module, ast::Block body, const ast::ClassDecl* owner);

  source::Sources sources_;
  base::NameTable names_;
  base::Arena arena_;
  std::vector<Module> modules_;
};

}  // namespace meteor::boundary
