// `@derive(Json)`: writes `write_json` and `read_json` of a class, struct or enum as Meteor source over the Reader
// and Writer of std/json. Fields are read into variables that are null until their key was seen.
#include "compiler/typed/derive_json.h"

namespace meteor::typed {

namespace {

struct Part {                 // a field, or a value of an enum case
  std::string name;
  std::string type_name;      // what the source calls its type
  TypeId type;
  bool has_default = false;
  uint32_t index = 0;         // among the flat fields
};

std::string number(size_t n) { return std::to_string(n); }

std::string quoted_key(const std::string& name) { return "\\\"" + name + "\\\":"; }

bool is_unnamed(const FieldInfo& field) {
  std::string name = field.name.str();
  return name.size() > 1 && name[0] == '_' && isdigit(static_cast<unsigned char>(name[1]));
}

class Source {
 public:
  Source(Checker& c, NominalInfo* info) : c_(c), info_(info) {}

  std::string write() {
    out_ = "def write_json(self, out: Writer):\n";
    if (info_->kind == Kind::Enum) write_enum();
    else {
      std::vector<std::pair<std::string, std::string>> values;
      for (const Part& part : fields()) values.emplace_back(part.name, "self." + part.name);
      write_object(values, 1);
    }
    return out_;
  }

  std::string read() {
    out_ = "def read_json(reader: Reader) -> Self:\n";
    if (info_->kind == Kind::Enum) read_enum();
    else {
      std::vector<Part> parts = fields();
      read_object(parts, "f", 1);
      std::string args;
      for (size_t i = 0; i < parts.size(); ++i) args += (i ? ", f" : "f") + number(i);
      line(1, "return _intrinsic.make<Self>(" + args + ")");
    }
    return out_;
  }

 private:
  void line(size_t depth, const std::string& text) { out_ += std::string(depth * 4, ' ') + text + "\n"; }

  std::vector<Part> fields() {
    std::vector<Part> parts;
    uint32_t index = 0;
    for (const Checker::FlatField& field : c_.flat_fields(info_->self_type)) {
      uint32_t at = index++;
      bool bookkeeping = field.info->owner->self_type == c_.program.raisable && field.info->name.text() != "message";
      if (field.info->is_weak || bookkeeping) continue;
      parts.push_back({field.info->name.str(), "F" + number(at), field.type, field.info->default_value != nullptr, at});
    }
    return parts;
  }

  std::vector<Part> payload(size_t at) {
    std::vector<Part> parts;
    for (size_t i = 0; i < info_->cases[at].fields.size(); ++i) {
      FieldInfo& field = info_->cases[at].fields[i];
      parts.push_back({field.name.str(), "C" + number(at) + "_" + number(i), field.type, false, 0});
    }
    return parts;
  }

  // ---- writing ----

  void write_object(const std::vector<std::pair<std::string, std::string>>& values, size_t depth) {
    if (values.empty()) line(depth, "out._empty_object()");
    for (size_t i = 0; i < values.size(); ++i) {
      line(depth, i == 0 ? "out._first_member(\"{" + quoted_key(values[i].first) + "\")" : "out._next_member(\"," + quoted_key(values[i].first) + "\")");
      line(depth, "out.write(" + values[i].second + ")");
    }
    if (!values.empty()) line(depth, "out._end_object()");
  }

  void write_enum() {
    line(1, "switch self:");
    for (const CaseInfo& at : info_->cases) {
      std::string names;
      for (size_t i = 0; i < at.fields.size(); ++i) names += (i ? ", a" : "a") + number(i);
      line(2, "case Self." + at.name.str() + (names.empty() ? ":" : "(" + names + "):"));
      if (at.fields.empty()) {
        line(3, "out.write(\"" + at.name.str() + "\")");
        continue;
      }
      line(3, "out._first_member(\"{" + quoted_key(at.name.str()) + "\")");
      if (is_unnamed(at.fields[0])) {
        if (at.fields.size() > 1) line(3, "out._begin_array()");
        for (size_t i = 0; i < at.fields.size(); ++i) {
          if (at.fields.size() > 1) line(3, "out._item(" + std::string(i == 0 ? "true" : "false") + ")");
          line(3, "out.write(a" + number(i) + ")");
        }
        if (at.fields.size() > 1) line(3, "out._end_array()");
      } else {
        std::vector<std::pair<std::string, std::string>> values;
        for (size_t i = 0; i < at.fields.size(); ++i) values.emplace_back(at.fields[i].name.str(), "a" + number(i));
        write_object(values, 3);
      }
      line(3, "out._end_object()");
    }
  }

  // ---- reading ----

  bool is_optional(const Part& part) { return c_.kind(part.type) == Kind::Optional; }

  // Leaves the values in variables `prefix0`, `prefix1`…, each of its part's type.
  void read_object(const std::vector<Part>& parts, const std::string& prefix, size_t depth) {
    for (size_t i = 0; i < parts.size(); ++i) {
      std::string v = prefix + number(i);
      line(depth, v + ": " + parts[i].type_name + (is_optional(parts[i]) ? "" : "?") + " = null");
      if (is_optional(parts[i])) line(depth, v + "_seen = false");
    }
    line(depth, "if reader._open_object():");
    line(depth + 1, "while true:");
    line(depth + 2, "key = reader._key()");
    for (size_t i = 0; i < parts.size(); ++i) {
      std::string v = prefix + number(i);
      line(depth + 2, (i ? "elif key == \"" : "if key == \"") + parts[i].name + "\":");
      line(depth + 3, "if " + (is_optional(parts[i]) ? v + "_seen" : v + " is not null") + ": raise reader._twice(key)");
      line(depth + 3, v + " = reader.read<" + parts[i].type_name + ">()");
      if (is_optional(parts[i])) line(depth + 3, v + "_seen = true");
    }
    if (parts.empty()) line(depth + 2, "reader.skip()");
    else line(depth + 2, "else: reader.skip()");
    line(depth + 2, "if not reader._more_members(): break");
    for (size_t i = 0; i < parts.size(); ++i) {
      std::string v = prefix + number(i);
      std::string value = "_intrinsic.field_default<Self>(" + number(parts[i].index) + ")";
      if (is_optional(parts[i])) {
        if (parts[i].has_default) line(depth, "if not " + v + "_seen: " + v + " = " + value);
      } else if (parts[i].has_default) {
        line(depth, "if " + v + " is null: " + v + " = " + value);
      } else {
        line(depth, "if " + v + " is null: raise reader._missing(\"" + parts[i].name + "\")");
      }
    }
  }

  void read_enum() {
    std::string names;
    for (const CaseInfo& at : info_->cases) names += (names.empty() ? "" : ", ") + at.name.str();
    line(1, "if reader._is_text():");
    line(2, "name = reader.text()");
    for (const CaseInfo& at : info_->cases)
      if (at.fields.empty()) line(2, "if name == \"" + at.name.str() + "\": return Self." + at.name.str());
    line(2, "raise reader._unknown_case(name, \"" + names + "\")");
    line(1, "case_name = reader._open_case(\"" + info_->name.str() + "\")");
    for (size_t n = 0; n < info_->cases.size(); ++n) {
      const CaseInfo& at = info_->cases[n];
      if (at.fields.empty()) continue;
      line(1, "if case_name == \"" + at.name.str() + "\":");
      std::vector<Part> parts = payload(n);
      bool unnamed = is_unnamed(at.fields[0]);
      std::string prefix = "a" + number(n) + "_", args;   // a function has one type per name
      for (size_t i = 0; i < parts.size(); ++i) args += (i ? ", " : "") + prefix + number(i);
      if (!unnamed) {
        read_object(parts, prefix, 2);
      } else {
        if (parts.size() > 1) line(2, "reader._open_tuple(" + number(parts.size()) + ")");
        for (size_t i = 0; i < parts.size(); ++i) {
          if (parts.size() > 1 && i > 0) line(2, "reader._next_in_tuple(" + number(parts.size()) + ")");
          line(2, prefix + number(i) + " = reader.read<" + parts[i].type_name + ">()");
        }
        if (parts.size() > 1) line(2, "reader._close_tuple(" + number(parts.size()) + ")");
      }
      line(2, "reader._close_case()");
      line(2, "return Self." + at.name.str() + "(" + args + ")");
    }
    line(1, "raise reader._unknown_case(case_name, \"" + names + "\")");
  }

  Checker& c_;
  NominalInfo* info_;
  std::string out_;
};

}  // namespace

std::string json_source(Checker& c, NominalInfo* info, std::string_view method) {
  Source source(c, info);
  return method == "write_json" ? source.write() : source.read();
}

std::vector<TypeParamInfo> json_type_names(Checker& c, NominalInfo* info) {
  std::vector<TypeParamInfo> names;
  auto add = [&](const std::string& name, TypeId type) {
    TypeParamInfo p;
    p.name = c.name(name);
    p.type = type;
    p.bounds_ready = true;
    names.push_back(std::move(p));
  };
  add("Reader", c.json_type("Reader"));
  add("Writer", c.json_type("Writer"));
  if (info->kind == Kind::Enum) {
    for (size_t n = 0; n < info->cases.size(); ++n)
      for (size_t i = 0; i < info->cases[n].fields.size(); ++i) add("C" + number(n) + "_" + number(i), info->cases[n].fields[i].type);
    return names;
  }
  size_t index = 0;
  for (const Checker::FlatField& field : c.flat_fields(info->self_type)) {
    if (c.kind(field.type) == Kind::Optional) add("I" + number(index), c.types.arg(c.unifier.shallow(field.type)));   // what it may hold
    add("F" + number(index++), field.type);
  }
  return names;
}

TypeId Checker::json_type(std::string_view type_name) {
  for (ModuleInfo& module : modules_) {
    if (!module.is_std || module.name != "json") continue;
    auto at = module.names.find(name(type_name));
    if (at != module.names.end() && at->second.nominal) return at->second.nominal->self_type;
  }
  return TypeId();
}

TypeId find_json_key_error(Checker& c, TypeId type) {
  type = c.resolve(type);
  NominalInfo* info = c.nominal_info(type);
  if (info && info->module->is_core && info->name.text() == "dict") {
    TypeId key = c.resolve(c.types.arg(type));
    Kind k = c.kind(key);
    if (k != Kind::Str && k != Kind::Int && k != Kind::Param && k != Kind::Var && k != Kind::Error) return key;
  }
  for (TypeId arg : c.types.get(type).args)
    if (TypeId key = find_json_key_error(c, arg); key.valid()) return key;
  // A generic class that derives it, with these arguments. Fields of such a class again are looked at where they are written.
  bool derives = info && !info->type_params.empty() && (c.kind(type) == Kind::Class || c.kind(type) == Kind::Struct) && c.has_derived_json(info);
  if (!derives) return TypeId();
  for (const Checker::FlatField& field : c.flat_fields(type))
    if (NominalInfo* of = c.nominal_info(c.resolve(field.type)); of && of->module->is_core && !field.info->is_weak)
      if (TypeId key = find_json_key_error(c, field.type); key.valid()) return key;
  return TypeId();
}

std::string json_key_help(Checker& c, TypeId key) {
  return "the keys of a JSON object are text: use `str` or a whole number as the key, not `" + c.text(key) + "`";
}

// A field without a JSON form is reported where it is declared, once.
bool Checker::check_json_fields(NominalInfo* info) {
  bool fine = true;
  auto is_open = [&](TypeId type, auto& self) -> bool {   // known only where it is used
    Kind k = kind(type);
    if (k == Kind::Param || k == Kind::Error) return true;
    for (TypeId arg : types.get(unifier.shallow(type)).args)
      if (self(arg, self)) return true;
    return false;
  };
  auto look = [&](const FieldInfo& field, TypeId type) {
    if (field.is_weak || is_open(type, is_open) || implements(type, core_type("Json"))) return;
    fine = false;
    auto& d = error(Code::InvalidDerive, field.span, "`" + field.name.str() + "` is a `" + text(type) + "`, which has no JSON form");
    d.help = "write `@derive(Json)` above its type, or give that type `write_json` and `read_json`";
    if (TypeId key = find_json_key_error(*this, type); key.valid()) d.help = json_key_help(*this, key);
  };
  if (info->kind == Kind::Enum) {
    for (CaseInfo& at : info->cases)
      for (FieldInfo& field : at.fields) look(field, field.type);
  } else {
    for (FieldInfo& field : info->fields) look(field, field.type);
  }
  return fine;
}

}  // namespace meteor::typed
