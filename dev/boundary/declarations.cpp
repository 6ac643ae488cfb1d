#include "dev/boundary/declarations.h"

#include <cstdio>

#include "compiler/diagnostics/render.h"
#include "compiler/source/file_system.h"

namespace meteor::boundary {

namespace {

const ast::Decorator* find_decorator(std::span<ast::Decorator> decorators, std::string_view name) {
  for (const ast::Decorator& d : decorators)
    if (d.path.size() == 1 && d.path[0].text() == name) return &d;
  return nullptr;
}

std::string text_of(const ast::Arg& arg) {
  const ast::StrExpr* text = arg.value->as<ast::StrExpr>();
  return text == nullptr ? std::string() : std::string(text->value);
}

std::string string_argument(std::span<ast::Decorator> decorators, std::string_view name) {
  const ast::Decorator* d = find_decorator(decorators, name);
  return d == nullptr || d->args.empty() ? std::string() : text_of(d->args[0]);
}

NativeClass native_class(const ast::ClassDecl* decl) {
  NativeClass made;
  made.decl = decl;
  made.native = string_argument(decl->decorators, "native");
  made.is_shareable = find_decorator(decl->decorators, "shareable") != nullptr ||
                      find_decorator(decl->decorators, "gives_to_many") != nullptr;
  if (const ast::Decorator* d = find_decorator(decl->decorators, "native"))
    for (const ast::Arg& arg : d->args)
      if (!arg.name.empty()) made.renamed[arg.name.text()] = text_of(arg);
  return made;
}

}  // namespace

bool Declarations::read(const std::string& path) {
  auto text = source::DiskFileSystem().read(path);
  if (!text) {
    fprintf(stderr, "error: %s\n", text.failure().text().c_str());
    return false;
  }
  diagnostics::Sink sink;
  source::FileId file = sources_.add(path, std::move(text.value()));
  const ast::Module* tree = ast::parse(file, sources_, arena_, names_, sink);
  if (sink.has_errors()) {
    fputs(diagnostics::render_text(sink, sources_).c_str(), stderr);
    return false;
  }
  modules_.emplace_back();
  modules_.back().path = path;
  collect(modules_.back(), tree->body, nullptr);
  return true;
}

void Declarations::collect(Module& module, ast::Block body, const ast::ClassDecl* owner) {
  auto function = [&](const ast::FunctionDecl* decl, const ast::ClassDecl* of) {
    std::string symbol = string_argument(decl->decorators, "extern");
    if (symbol.starts_with("met_"))
      module.functions.push_back({decl, of, std::move(symbol), find_decorator(decl->decorators, "reads") != nullptr});
  };
  for (const ast::Stmt* stmt : body) {
    if (const auto* decl = stmt->as<ast::FunctionDecl>()) function(decl, owner);
    if (const auto* decl = stmt->as<ast::ConstDecl>()) {
      std::string native = string_argument(decl->decorators, "native");
      if (!native.empty()) module.constants.push_back({decl, std::move(native)});
    }
    if (const auto* decl = stmt->as<ast::ClassDecl>()) {
      module.classes[decl->name.text()] = native_class(decl);
      for (const ast::FunctionDecl* method : decl->methods) function(method, decl);
      collect(module, decl->nested, decl);
    }
  }
}

const NativeClass* Declarations::find(const Module& module, std::string_view name) const {
  auto own = module.classes.find(name);
  if (own != module.classes.end()) return &own->second;
  for (const Module& other : modules_) {
    auto found = other.classes.find(name);
    if (found != other.classes.end()) return &found->second;
  }
  return nullptr;
}

std::string Declarations::place_of(source::Span span) const {
  return std::string(sources_.path(span.file)) + ":" + std::to_string(sources_.start_of(span).line);
}

}  // namespace meteor::boundary
