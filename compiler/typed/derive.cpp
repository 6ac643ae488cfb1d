// Methods the compiler writes: text, equality, hash and order of nominal types
// and tuples. They are written as Meteor source and checked like the user's.
#include <algorithm>

#include "compiler/ast/parse.h"
#include "compiler/typed/checker.h"
#include "compiler/typed/derive_json.h"
#include "compiler/typed/derive_row.h"
#include "compiler/typed/enum_cases.h"
#include "compiler/typed/program_check.h"

namespace meteor::typed {

namespace {

bool has_user_method(Checker& c, NominalInfo* info, std::string_view method) {
  for (NominalInfo* at = info; at; at = at->base.valid() ? c.nominal_info(at->base) : nullptr)
    if (at->find_method(c.name(method))) return true;
  return false;
}

std::string positional(const char* prefix, size_t count) {
  std::string out;
  for (size_t i = 0; i < count; ++i) out += (i ? ", " : "") + std::string(prefix) + std::to_string(i);
  return out;
}

// `if a < b: return true` for each pair; equal so far goes on to the next.
std::string lexicographic(const std::vector<std::pair<std::string, std::string>>& pairs, const std::string& indent) {
  std::string out;
  for (auto& [a, b] : pairs) out += indent + "if " + a + " < " + b + ": return true\n" + indent + "if " + b + " < " + a + ": return false\n";
  return out + indent + "return false\n";
}

std::string all_equal(const std::vector<std::pair<std::string, std::string>>& pairs) {
  std::string out;
  constexpr size_t GROUP = 100;   // a chain is as deep as it is long
  for (size_t i = 0; i < pairs.size(); ++i) {
    bool starts = i % GROUP == 0;
    out += std::string(i == 0 ? "" : starts ? ") and " : " and ") + (starts ? "(" : "") + pairs[i].first + " == " + pairs[i].second;
  }
  if (!out.empty()) out += ")";
  return out.empty() ? "true" : out;
}

std::string fields_source(Checker& c, NominalInfo* info, std::string_view method) {
  std::vector<std::string> shown;
  for (Checker::FlatField field : c.flat_fields(info->self_type))
    if (!field.info->is_weak) shown.push_back(field.info->name.str());
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const std::string& f : shown) pairs.emplace_back("self." + f, "other." + f);
  if (method == "__str__") {
    // How a type of the library works inside is nobody's business.
    if (info->module->is_std) {
      bool is_open = std::erase_if(shown, [](const std::string& f) { return f[0] == '_'; }) == 0 || !shown.empty();
      if (!is_open) return "def __str__(self) -> str: return \"<" + (info->name.text()[0] == '_' ? "iterator" : info->name.str()) + ">\"\n";
    }
    std::string out = "def __str__(self) -> str: return f\"" + info->name.str() + "(";
    for (size_t i = 0; i < shown.size(); ++i) out += (i ? ", " : "") + shown[i] + "={self." + shown[i] + "!r}";
    return out + ")\"\n";
  }
  if (method == "__eq__") return "def __eq__(self, other: Self) -> bool: return " + all_equal(pairs) + "\n";
  if (method == "__lt__") return "def __lt__(self, other: Self) -> bool:\n" + lexicographic(pairs, "    ");
  std::string out = "def __hash__(self) -> int:\n    h = " + std::to_string(info->id.index + 7) + "\n";
  for (const std::string& f : shown) out += "    h = _hash_combine(h, hash(self." + f + "))\n";
  return out + "    return h\n";
}

std::string enum_source(NominalInfo* info, std::string_view method) {
  std::string out;
  auto head = [&](const CaseInfo& c, const char* prefix) {
    return "case Self." + c.name.str() + (c.fields.empty() ? "" : "(" + positional(prefix, c.fields.size()) + ")") +
           ":";
  };
  auto pairs_of = [&](const CaseInfo& c) {
    std::vector<std::pair<std::string, std::string>> pairs;
    for (size_t i = 0; i < c.fields.size(); ++i) pairs.emplace_back("a" + std::to_string(i), "b" + std::to_string(i));
    return pairs;
  };
  if (method == "__str__") {
    out = "def __str__(self) -> str:\n    switch self:\n";
    for (const CaseInfo& c : info->cases) {
      out += "        " + head(c, "a") + " return f\"" + c.name.str();
      if (!c.fields.empty()) out += "(";
      for (size_t i = 0; i < c.fields.size(); ++i) {
        std::string field = c.fields[i].name.str();
        bool unnamed = field[0] == '_' && field.size() > 1 && isdigit(static_cast<unsigned char>(field[1]));
        out += (i ? ", " : "") + (unnamed ? "" : field + "=") + "{a" + std::to_string(i) + "!r}";
      }
      out += c.fields.empty() ? "\"\n" : ")\"\n";
    }
    return out;
  }
  if (method == "__hash__") {
    out = "def __hash__(self) -> int:\n    h = _intrinsic.enum_tag<Self>(self) + 11\n    switch self:\n";
    for (const CaseInfo& c : info->cases) {
      out += "        " + head(c, "a") + "\n";
      for (size_t i = 0; i < c.fields.size(); ++i) out += "            h = _hash_combine(h, hash(a" + std::to_string(i) + "))\n";
      out += "            pass\n";
    }
    return out + "    return h\n";
  }
  bool order = method == "__lt__";
  out = "def " + std::string(method) + "(self, other: Self) -> bool:\n    s = _intrinsic.enum_tag<Self>(self)\n    o = _intrinsic.enum_tag<Self>(other)\n";
  out += order ? "    if s != o: return s < o\n" : "    if s != o: return false\n";
  out += "    switch self:\n";
  for (const CaseInfo& c : info->cases) {
    if (c.fields.empty()) continue;
    out += "        " + head(c, "a") + "\n            switch other:\n                " + head(c, "b") + "\n";
    if (order) out += lexicographic(pairs_of(c), "                    ");
    else out += "                    return " + all_equal(pairs_of(c)) + "\n";
    out += "                default: return false\n";
  }
  return out + "        default: return " + (order ? "false" : "true") + "\n";
}

std::string tuple_source(size_t count, std::string_view method) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (size_t i = 0; i < count; ++i) pairs.emplace_back("self[" + std::to_string(i) + "]", "other[" + std::to_string(i) + "]");
  if (method == "__str__") {
    std::string out = "def __str__(self) -> str: return f\"(";
    for (size_t i = 0; i < count; ++i) out += std::string(i ? ", " : "") + "{self[" + std::to_string(i) + "]!r}";
    return out + (count == 1 ? ",)\"\n" : ")\"\n");
  }
  if (method == "__eq__") return "def __eq__(self, other: Self) -> bool: return " + all_equal(pairs) + "\n";
  if (method == "__lt__") return "def __lt__(self, other: Self) -> bool:\n" + lexicographic(pairs, "    ");
  if (method == "__iter__") {
    std::string items;
    for (auto& [a, b] : pairs) items += (items.empty() ? "" : ", ") + a;
    return "def __iter__(self): return [" + items + "].__iter__()\n";
  }
  std::string out = "def __hash__(self) -> int:\n    h = 3\n";
  for (auto& [a, b] : pairs) out += "    h = _hash_combine(h, hash(" + a + "))\n";
  return out + "    return h\n";
}

}  // namespace

void check_derived_order(Checker& c, NominalInfo* info) {
  if (info->module->is_std || !info->derives.contains("Ord") || has_user_method(c, info, "__lt__")) return;
  auto holds_null = [&](TypeId type, auto& self) -> bool {
    Kind k = c.kind(type);
    NominalInfo* nominal = c.nominal_info(type);
    bool is_list = nominal && nominal == c.core_nominal("list");
    if (k == Kind::Optional) return true;
    if (k != Kind::Tuple && !is_list) return false;
    return std::ranges::any_of(c.types.get(c.unifier.shallow(type)).args, [&](TypeId arg) { return self(arg, self); });
  };
  auto look = [&](const FieldInfo& field) {
    if (field.is_weak || !holds_null(field.type, holds_null)) return;
    auto& d = c.error(Code::InvalidDerive, field.span,
                      "`Ord` can't be derived for `" + info->name.str() + "`: `" + field.name.str() + "` is a `" +
                          c.text(field.type) + "`, and null has no place in an order");
    d.help = "give it a type that is never null, or write `__lt__` for `" + info->name.str() + "`";
  };
  for (const FieldInfo& field : info->fields) look(field);
  for (const CaseInfo& one : info->cases)
    for (const FieldInfo& field : one.fields) look(field);
}

bool Checker::may_derive(TypeId type, std::string_view trait) {
  NominalInfo* info = nominal_info(type);
  if (!info) return kind(type) == Kind::Tuple;
  if (trait == "Str") return info->kind != Kind::Trait;
  auto asked = [&](const std::string& t) {
    for (NominalInfo* at = info; at; at = at->base.valid() ? nominal_info(at->base) : nullptr)
      if (at->derives.count(t)) return true;
    return false;
  };
  if (trait == "Eq") {
    if (info->kind == Kind::Struct || info->kind == Kind::Enum) return true;
    return asked("Eq") || asked("Ord") || asked("Hash");
  }
  if (trait == "Hash") {
    if (has_user_method(*this, info, "__eq__")) return asked("Hash");
    return info->kind == Kind::Struct || info->kind == Kind::Enum || asked("Hash");
  }
  return asked(std::string(trait));
}

Overloads* Checker::derived_method(TypeId type, Name n) {
  std::string_view method = n.text();
  std::string_view trait = method == "__str__" ? "Str" : method == "__eq__" ? "Eq" : method == "__hash__" ? "Hash" : method == "__lt__" ? "Ord" : method == "__iter__" && kind(type) == Kind::Tuple && !types.get(unifier.shallow(type)).args.empty() ? "Iterator" : "";
  bool json = method == "write_json" || method == "read_json";
  bool row = method == "_from_row";
  if (json) trait = "Json";
  type = unifier.shallow(type);
  Kind k = types.kind(type);
  bool of_cases = k == Kind::Enum && (method == "name" || method == "index" || method == "value" ||
                                      method == "_cases" || method == "_of_value");
  if (trait.empty() && !row && !of_cases) return nullptr;
  NominalInfo* info = nominal_info(type);
  if (!info && k != Kind::Tuple) return nullptr;
  if (!row && !of_cases && !may_derive(type, trait)) return nullptr;
  if ((json || row) && (!info || !json_type("Reader").valid())) return nullptr;
  std::string key = (info ? "n" + std::to_string(info->id.index) : "t" + std::to_string(types.get(type).args.size())) + n.str();
  if (auto found = derived_.find(key); found != derived_.end()) return &found->second;
  std::string source;
  if (!info) source = tuple_source(types.get(type).args.size(), method);
  else {
    ensure_fields(info);
    if (json) source = json_source(*this, info, method);
    else if (of_cases)
      source = case_member_source(*this, info, method);
    else if (row) source = row_source(*this, info, has_user_method(*this, info, "read_json"));
    else source = info->kind == Kind::Enum ? enum_source(info, method) : fields_source(*this, info, method);
  }
  if (source.empty()) return nullptr;
  return parse_derived(source, key, type, info ? info->module : core_, info);
}

Overloads* Checker::parse_derived(const std::string& source, const std::string& key, TypeId type, ModuleInfo* module, NominalInfo* owner) {
  std::string where = "<derived for " + (owner ? owner->name.str() : std::string("tuples")) + ">";
  source::FileId file = input.sources.add(where, source);
  ast::Module* tree = ast::parse(file, input.sources, program.arena, names, sink);
  ast::FunctionDecl* decl = nullptr;
  for (ast::Stmt* stmt : tree->body)
    if (auto* f = stmt->as<ast::FunctionDecl>()) decl = f;
  if (!decl) return nullptr;
  // Derived code may use core's private names.
  FunctionInfo* info = make_function(decl, module);
  info->has_self = !decl->params.empty() && decl->params[0].name.text() == "self";
  info->owner = owner;
  info->is_derived = true;
  if (decl->name.text().ends_with("_json")) {
    info->type_names = json_type_names(*this, owner);
    derived_[key] = Overloads{info};   // before the look at the fields, which may lead back here
    if (!check_json_fields(owner)) {   // reported where the field stands, so what would use it stays away
      bool writes = decl->name.text() == "write_json";
      file = input.sources.add(where, writes ? "def write_json(self, out: Writer): pass\n" : "def read_json(reader: Reader) -> Self: return reader.read<Self>()\n");
      info->decl = ast::parse(file, input.sources, program.arena, names, sink)->body[0]->as<ast::FunctionDecl>();
    }
  }
  if (decl->name.text() == "_from_row") info->type_names = json_type_names(*this, owner);
  if (!owner) {
    impls_.emplace_back();
    ImplInfo* impl = &impls_.back();
    impl->module = core_;
    impl->header_ready = true;
    uint32_t id = next_param_owner_++;
    std::vector<TypeId> items;
    for (uint32_t i = 0; i < types.get(type).args.size(); ++i) {
      TypeParamInfo p;
      p.name = name("T" + std::to_string(i));
      p.type = types.param(p.name, id, i);
      p.bounds_ready = true;
      items.push_back(p.type);
      impl->type_params.push_back(std::move(p));
    }
    impl->target = types.tuple(items);
    info->impl = impl;
  }
  return &(derived_[key] = Overloads{info});
}

}  // namespace meteor::typed
