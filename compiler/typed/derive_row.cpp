// `query<User>(…)`: writes `_from_row` of a class or struct as Meteor source over the Row of std/db/rows.met. Columns fill the
// fields of the same name; what is no simple value is read as JSON.
#include "compiler/typed/derive_row.h"

namespace meteor::typed {

namespace {

// How the Row gives a value of the type; empty: it has no way.
std::string read_column(Checker& c, TypeId type, const std::string& type_name, const std::string& quoted) {
  switch (c.kind(type)) {
    case Kind::Int: return "row._int(" + quoted + ") as " + type_name;
    case Kind::Float: return "row._float(" + quoted + ") as " + type_name;
    case Kind::Bool: return "row._bool(" + quoted + ")";
    case Kind::Str: return "row._text(" + quoted + ")";
    case Kind::Bytes: return "row._bytes(" + quoted + ")";
    case Kind::Any: return "row[" + quoted + "]";
    case Kind::Param: return "row._decoded<" + type_name + ">(" + quoted + ")";
    default: return c.implements(type, c.core_type("Json")) ? "row._decoded<" + type_name + ">(" + quoted + ")" : "";
  }
}

}  // namespace

std::string row_source(Checker& c, NominalInfo* info, bool has_own_json) {
  bool is_simple = (info->kind == Kind::Class || info->kind == Kind::Struct) && !info->module->is_std && !has_own_json;
  if (!is_simple) return "def _from_row(row) -> Self: return row._decoded_row<Self>()\n";
  std::string out = "def _from_row(row) -> Self:\n", args;
  uint32_t index = 0;
  for (const Checker::FlatField& field : c.flat_fields(info->self_type)) {
    std::string at = std::to_string(index++);
    bool is_bookkeeping = field.info->owner->self_type == c.program.raisable && field.info->name.text() != "message";
    if (field.info->is_weak || is_bookkeeping) continue;
    std::string quoted = "\"" + field.info->name.str() + "\"";
    bool is_optional = c.kind(field.type) == Kind::Optional;
    TypeId type = is_optional ? c.types.arg(c.unifier.shallow(field.type)) : field.type;
    std::string read = read_column(c, type, (is_optional ? "I" : "F") + at, quoted);
    if (read.empty()) {
      auto& d = c.error(diagnostics::Code::InvalidDerive, field.info->span, "`" + field.info->name.str() + "` is a `" + c.text(field.type) + "`, which no column of a table can fill");
      d.help = "give it a simple type, or write `@derive(Json)` above its type to read it from a column of JSON";
      return "def _from_row(row) -> Self: return Self._from_row(row)\n";
    }
    if (is_optional) read = "null if row._is_null(" + quoted + ") else " + read;
    if (field.info->default_value) read = "(" + read + ") if " + quoted + " in row else _intrinsic.field_default<Self>(" + at + ")";
    out += "    f" + at + ": F" + at + " = " + read + "\n";
    args += (args.empty() ? "f" : ", f") + at;
  }
  return out + "    return _intrinsic.make<Self>(" + args + ")\n";
}

}  // namespace meteor::typed
