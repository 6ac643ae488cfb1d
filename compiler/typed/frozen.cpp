#include "compiler/typed/frozen.h"

#include "compiler/typed/const_writes.h"

namespace meteor::typed {

namespace {

TypeId frozen_type(BodyChecker& b, TypeId type) {
  type = b.c.resolve(type);
  if (b.is_copied_type(type)) return type;
  switch (b.c.kind(type)) {
    case Kind::Optional: return b.types.optional(frozen_type(b, b.types.arg(type)));
    case Kind::Tuple: {
      std::vector<TypeId> parts;
      for (TypeId part : b.types.get(type).args) parts.push_back(frozen_type(b, part));
      return b.types.tuple(parts);
    }
    case Kind::Class: case Kind::Struct: case Kind::Enum: case Kind::Dyn: return b.types.wrap(Kind::Frozen, type);
    default: return type;
  }
}

bool is_collection(std::string_view name) { return name == "list" || name == "dict" || name == "set"; }

}  // namespace

Expr* thaw(BodyChecker& b, Expr* value) {
  TypeId type = b.c.resolve(value->type);
  return b.c.kind(type) == Kind::Frozen ? b.make_convert(ConvertKind::Reinterpret, value, b.types.arg(type)) : value;
}

Expr* freeze_part(BodyChecker& b, Expr* value) {
  if (b.is_poison(value)) return value;
  TypeId type = frozen_type(b, value->type);
  return type == b.c.resolve(value->type) ? value : b.make_convert(ConvertKind::Reinterpret, value, type);
}

Expr* freeze_result(BodyChecker& b, Expr* value, FunctionInfo* method) {
  if (b.is_poison(value)) return value;
  TypeId type = b.c.resolve(value->type);
  NominalInfo* info = b.c.nominal_info(type);
  if (method->module->is_core && info && info->module->is_core) {
    if (!is_collection(info->name.text())) return value;   // an iterator
    bool own = true;
    for (TypeId arg : b.types.get(type).args) own = own && b.is_copied_type(arg);
    if (own) return value;
  }
  return freeze_part(b, value);
}

bool refuse_frozen_write(BodyChecker& b, TypeId type, Span span, FunctionInfo* method) {
  if (method && !changes_object(b.c, method)) return false;
  auto& d = b.c.error(Code::AssignToConst, span, "a frozen value can't be changed");
  d.label = "`frozen " + b.c.text(type) + "`";
  d.help = "change the value before it is frozen, or change a copy";
  return true;
}

}  // namespace meteor::typed
