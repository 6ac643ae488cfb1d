// `extern "C"`: only what C has too can go there. A `str` or a list is an object of Meteor with its own counts, about
// which C knows nothing.
#include "compiler/typed/program_check.h"

namespace meteor::typed {

namespace {

bool is_c_type(Checker& c, TypeId type) {
  switch (c.kind(type)) {
    case Kind::Bool:
    case Kind::Int:
    case Kind::Float:
    case Kind::RawPtr:
    case Kind::Error: return true;
    default: return false;
  }
}

constexpr const char* C_TYPES = "C takes and gives numbers (`int32`, `float`, …), `bool` and pointers (`c_ptr<uint8>`)";

}  // namespace

void check_c_types(Checker& c, FunctionInfo* info) {
  c.ensure_signature(info);
  std::string shown = "`" + info->name().str() + "`";
  if (!info->type_params.empty()) {
    c.error(Code::NotACType, info->decl->name_span, shown + " is a function of C, so it can't have type parameters")
        .help = "declare it once for each type, with numbers and pointers";
    return;
  }
  for (const ParamInfo& p : info->params) {
    if (p.kind == ast::ParamKind::VarArgs || p.kind == ast::ParamKind::KwArgs) {
      c.error(Code::NotACType, p.span, "a function of C can't take a list of arguments by `*`").help =
          "declare it with the arguments that you pass";
      continue;
    }
    if (p.type.valid() && is_c_type(c, p.type)) continue;
    auto& d = c.error(Code::NotACType, p.span,
                      p.type.valid() ? "`" + c.text(p.type) + "` is no type of C, so " + shown + " can't take it"
                                     : "a parameter of a function of C needs a type");
    d.help = C_TYPES;
  }
  if (!info->result.valid() || c.kind(info->result) == Kind::Void || is_c_type(c, info->result)) return;
  auto& d = c.error(Code::NotACType, info->decl->return_type ? info->decl->return_type->span : info->decl->name_span,
                    "`" + c.text(info->result) + "` is no type of C, so " + shown + " can't give it");
  d.help = C_TYPES;
}

}  // namespace meteor::typed
