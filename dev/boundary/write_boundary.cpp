// Writes what holds the runtime to what std declares: a prototype for each `@extern`, and assertions about the classes
// and numbers that both sides know. The runtime is compiled with them, so one side can't change without the other.
//
//   write_boundary FOLDER FILE.met…    makes FOLDER/std_functions.h and FOLDER/std_layouts.inc; unchanged ones are not
//   touched
#include <cstdio>
#include <set>

#include "compiler/source/file_system.h"
#include "dev/boundary/declarations.h"

namespace meteor::boundary {

namespace {

using ast::TypeKind;

class Writer {
 public:
  explicit Writer(const Declarations& declarations) : all_(declarations) {}

  std::string functions();
  std::string layouts();
  bool failed() const { return failed_; }

 private:
  void refuse(source::Span span, const std::string& problem);
  // What a value of this type is in C++. `owner`: the class whose `self` it is.
  std::string type_of(const ast::TypeExpr* type);
  std::string named_type(const ast::TypeExpr* type);
  std::string class_type(const NativeClass& found, bool is_reference);
  std::string prototype(const ExternFunction& function);
  std::string mirror_name(const NativeClass& native);
  void write_mirror(const NativeClass& native);
  std::string assertions(const NativeClass& native);
  std::string assertion(const NativeConst& constant);

  const Declarations& all_;
  const Module* module_ = nullptr;
  bool failed_ = false;
  std::set<const ast::ClassDecl*> mirrored_;
  std::string mirrors_;
};

void Writer::refuse(source::Span span, const std::string& problem) {
  fprintf(stderr, "%s: error: %s\n", all_.place_of(span).c_str(), problem.c_str());
  failed_ = true;
}

std::string Writer::type_of(const ast::TypeExpr* type) {
  if (type == nullptr) return "void";
  switch (type->kind) {
    case TypeKind::Named: return named_type(type);
    case TypeKind::Frozen: return type_of(type->inner);
    case TypeKind::Weak:
    case TypeKind::Dyn: return "met_object*";
    case TypeKind::Pointer: {
      std::string inner = type_of(type->inner);
      return inner == "int64_t" || inner == "met_object*" ? "void*" : inner + "*";  // c_ptr<int>: to anything
    }
    case TypeKind::Optional: {
      std::string inner = type_of(type->inner);
      bool has_null = inner.ends_with("*") || inner == "met_str";  // a text has a tag for it
      if (!has_null) refuse(type->span, "the runtime has no type for an optional number or struct");
      return inner;
    }
    default: refuse(type->span, "the runtime has no such type"); return "void";
  }
}

std::string Writer::named_type(const ast::TypeExpr* type) {
  static const std::map<std::string_view, std::string_view> PLAIN = {
      {"int", "int64_t"},     {"int8", "int8_t"},   {"int16", "int16_t"},   {"int32", "int32_t"},
      {"int64", "int64_t"},   {"uint8", "uint8_t"}, {"uint16", "uint16_t"}, {"uint32", "uint32_t"},
      {"uint64", "uint64_t"}, {"float", "double"},  {"float64", "double"},  {"float32", "float"},
      {"bool", "bool"},       {"str", "met_str"},   {"bytes", "met_str"},   {"any", "met_object*"},
  };
  std::string_view name = type->path.back().text();
  auto plain = PLAIN.find(name);
  if (plain != PLAIN.end()) return std::string(plain->second);
  const NativeClass* found = all_.find(*module_, name);
  return found == nullptr ? "met_object*"
                          : class_type(*found, true);  // a type parameter: whatever it is, its objects are
}

// A class is a reference to its object; a struct lies where it is.
std::string Writer::class_type(const NativeClass& found, bool is_reference) {
  if (found.decl->form == ast::ClassKind::Struct) {
    if (found.native.empty())
      refuse(found.decl->name_span, "the runtime is given this struct: say which of its own it is with @native");
    return found.native;
  }
  if (found.native.empty() || found.decl->form != ast::ClassKind::Class) return "met_object*";
  return is_reference ? found.native + "*" : found.native;
}

std::string Writer::prototype(const ExternFunction& function) {
  std::string params;
  for (const ast::Param& param : function.decl->params) {
    if (!params.empty()) params += ", ";
    std::string type;
    if (param.type != nullptr) {
      type = type_of(param.type);
    } else if (function.owner != nullptr &&
               (function.owner->name.text() == "str" || function.owner->name.text() == "bytes")) {
      type = "met_str";
    } else if (function.owner != nullptr) {
      type = class_type(*all_.find(*module_, function.owner->name.text()), true);
    } else {
      refuse(param.span, "a parameter of what the runtime does has a type");
    }
    if (param.mode == ast::ParamMode::Ref) type += "*";
    params += function.only_reads && type.ends_with("*") ? "const " + type : type;
  }
  return type_of(function.decl->return_type) + " " + function.symbol + "(" + params + ");";
}

std::string declare_type(const std::string& native) {
  size_t at = native.rfind("::");
  if (at == std::string::npos) return "struct " + native + ";\n";
  return "namespace " + native.substr(0, at) + " { struct " + native.substr(at + 2) + "; }\n";
}

std::string Writer::functions() {
  std::set<std::string> types;
  std::map<std::string, std::pair<std::string, std::string>>
      prototypes;  // by symbol: what it is, and where that is said
  for (const Module& module : all_.modules()) {
    module_ = &module;
    for (const auto& [name, native] : module.classes)
      if (!native.native.empty()) types.insert(declare_type(native.native));
    for (const ExternFunction& function : module.functions) {
      std::string text = prototype(function);
      std::string place = all_.place_of(function.decl->span);
      auto [at, is_new] = prototypes.emplace(function.symbol, std::pair(text, place));
      if (!is_new && at->second.first != text)
        refuse(function.decl->span, "`" + text + "` is `" + at->second.first + "` at " + at->second.second);
    }
  }
  std::string out =
      "// From what std declares; written by the build.\n#pragma once\n\n#include \"runtime/abi/abi.h\"\n\n";
  for (const std::string& type : types) out += type;
  out += "\nextern \"C\" {\n";
  for (const auto& [symbol, declared] : prototypes)
    out += declared.first + "\n";  // without places: they change with every line of std
  return out + "}\n";
}

// The same fields once more, in a struct that the C++ compiler lays out as Meteor does.
std::string Writer::mirror_name(const NativeClass& native) {
  return "std_" + std::to_string(native.decl->span.file.index) + native.decl->name.str();
}

void Writer::write_mirror(const NativeClass& native) {
  if (!mirrored_.insert(native.decl).second) return;
  std::string fields = native.decl->form == ast::ClassKind::Class ? "  met_object object;\n" : "";
  for (const ast::TypeExpr* base : native.decl->bases) {
    const NativeClass* found = base->kind == TypeKind::Named ? all_.find(*module_, base->path.back().text()) : nullptr;
    if (found == nullptr || found->decl->form != ast::ClassKind::Class || found->decl->fields.empty()) continue;
    write_mirror(*found);
    fields = "  " + mirror_name(*found) + " base;\n";
  }
  for (const ast::FieldDecl& field : native.decl->fields) {
    std::string type;
    const NativeClass* inner = field.type != nullptr && field.type->kind == TypeKind::Named
                                   ? all_.find(*module_, field.type->path.back().text())
                                   : nullptr;
    if (field.type == nullptr) {
      refuse(field.span, "a field that the runtime sees has a type");
    } else if (field.is_weak) {
      type = "void*";
    } else if (inner != nullptr && inner->decl->form == ast::ClassKind::Struct) {
      write_mirror(*inner);
      type = mirror_name(*inner);
    } else {
      type = type_of(field.type);
      if (type.ends_with("*")) type = "void*";
    }
    fields += "  " + type + " " + field.name.str() + ";\n";
  }
  mirrors_ += "struct " + mirror_name(native) + " {\n" + fields + "};\n";
}

std::string Writer::assertions(const NativeClass& native) {
  std::string name = mirror_name(native);
  std::string where = native.decl->name.str() + " at " + all_.place_of(native.decl->name_span);
  std::string out;
  auto same = [&](const std::string& own, const std::string& type, const std::string& theirs) {
    out += "SAME_FIELD(" + name + ", " + own + ", " + type + ", " + theirs + ", \"" + where + "\");\n";
  };
  if (native.is_shareable) same("_lock", "met_shared", "lock");
  if (native.native.empty()) return out;
  for (const ast::FieldDecl& field : native.decl->fields) {
    std::string own = field.name.str();
    auto renamed = native.renamed.find(own);
    same(own, native.native,
         renamed != native.renamed.end() ? renamed->second
         : own.starts_with("_")          ? own.substr(1)
                                         : own);
  }
  return out + "SAME_END(" + name + ", " + native.native + ", \"" + where + "\");\n";
}

std::string Writer::assertion(const NativeConst& constant) {
  std::string value(all_.text(constant.decl->value->span));
  std::erase(value, '_');  // between digits
  return "static_assert(int64_t(" + constant.native + ") == int64_t(" + value + "), \"" + constant.decl->name.str() +
         " at " + all_.place_of(constant.decl->span) + "\");\n";
}

std::string Writer::layouts() {
  std::string out;
  for (const Module& module : all_.modules()) {
    module_ = &module;
    for (const auto& [name, native] : module.classes) {
      if ((native.native.empty() && !native.is_shareable) || native.decl->fields.empty())
        continue;  // without fields: only a pointer to it is known
      write_mirror(native);
      out += assertions(native);
    }
    for (const NativeConst& constant : module.constants) out += assertion(constant);
  }
  return "// From what std declares; written by the build for runtime/start/boundary.cpp.\n" + mirrors_ + out;
}

bool write_if_changed(const std::string& path, const std::string& text) {
  auto before = source::DiskFileSystem().read(path);
  if (before && before.value() == text) return true;
  FILE* file = fopen(path.c_str(), "w");
  bool written = file != nullptr && fwrite(text.data(), 1, text.size(), file) == text.size();
  if (file != nullptr && fclose(file) != 0) written = false;
  if (!written) perror(path.c_str());
  return written;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) {
    fprintf(stderr, "usage: write_boundary FOLDER FILE.met…\n");
    return 2;
  }
  Declarations declarations;
  for (int i = 2; i < count; i++)
    if (!declarations.read(arguments[i])) return 1;
  Writer writer(declarations);
  std::string functions = writer.functions(), layouts = writer.layouts();
  if (writer.failed()) return 1;
  std::string folder = arguments[1];
  return write_if_changed(folder + "/std_functions.h", functions) &&
                 write_if_changed(folder + "/std_layouts.inc", layouts)
             ? 0
             : 1;
}

}  // namespace meteor::boundary

int main(int count, char** arguments) { return meteor::boundary::main(count, arguments); }
