// Declarations of special methods against special_methods.def. See special_methods.h.
#include "compiler/typed/special_methods.h"

#include <algorithm>

#include "compiler/typed/did_you_mean.h"

namespace meteor::typed {

namespace {

enum class Gives : uint8_t { Anything, Nothing, NothingOrBool, Bool, Int, Float, Text, Optional };
enum class Forms : uint8_t { Plain, Awaitable, Iterating, Streaming, Any };
enum class Places : uint8_t { Everywhere, Class, ClassOrStruct, Library };

struct SpecialMethod {
  std::string_view name, params;
  size_t needed;
  Gives gives;
  Forms forms;
  Places places;

  bool takes_any() const { return params == "…"; }
  size_t most() const { return params.empty() ? 0 : static_cast<size_t>(std::ranges::count(params, ',')) + 1; }
};

constexpr SpecialMethod SPECIAL_METHODS[] = {
#define SPECIAL_METHOD(name, params, needed, gives, forms, places) \
  {name, params, needed, Gives::gives, Forms::forms, Places::places},
#include "compiler/typed/special_methods.def"
#undef SPECIAL_METHOD
};

bool looks_special(std::string_view name) { return name.size() > 4 && name.starts_with("__") && name.ends_with("__"); }

const SpecialMethod* find_special_method(std::string_view name) {
  if (!looks_special(name)) return nullptr;
  auto found = std::ranges::find(SPECIAL_METHODS, name, &SpecialMethod::name);
  return found == std::end(SPECIAL_METHODS) ? nullptr : found;
}

std::string_view text_of(Gives gives) {
  switch (gives) {
    case Gives::Bool: return " -> bool";
    case Gives::Int: return " -> int";
    case Gives::Float: return " -> float";
    case Gives::Text: return " -> str";
    case Gives::Optional: return " -> T?";
    case Gives::Anything:
    case Gives::Nothing:
    case Gives::NothingOrBool: break;
  }
  return "";
}

std::string_view described(Gives gives) {
  switch (gives) {
    case Gives::Nothing: return "nothing";
    case Gives::NothingOrBool: return "nothing, or a `bool` that says whether the error ends here";
    case Gives::Bool: return "a `bool`";
    case Gives::Int: return "an `int`";
    case Gives::Float: return "a `float`";
    case Gives::Text: return "a `str`";
    case Gives::Optional: return "an optional, null at the end";
    case Gives::Anything: break;
  }
  return "a value";
}

bool may_have(Forms forms, FrameKind frame) {
  switch (frame) {
    case FrameKind::None: return true;
    case FrameKind::Async: return forms == Forms::Awaitable || forms == Forms::Streaming || forms == Forms::Any;
    case FrameKind::Generator: return forms == Forms::Iterating || forms == Forms::Any;
    case FrameKind::AsyncGenerator: return forms == Forms::Streaming || forms == Forms::Any;
  }
  return false;
}

class Declaration {
 public:
  Declaration(Checker& c, FunctionInfo* info, const SpecialMethod& special)
      : c_(c), info_(info), special_(special), name_("`" + std::string(special.name) + "`") {}

  void check() {
    if (!check_place() || !check_form() || !check_params()) return;
    if (!info_->result.valid() || is_left_out()) fill_result();
    check_result(info_->result, info_->decl->return_type ? info_->decl->return_type->span : info_->decl->name_span);
  }

  void check_result(TypeId result, Span span) {
    if (!result.valid() || c_.kind(result) == Kind::Error) return;
    bool framed = info_->frame != FrameKind::None;
    TypeId given = c_.unifier.shallow(framed ? c_.produced_of(result) : result);
    if (fits(given)) return;
    refuse(span, name_ + " must give " + std::string(described(special_.gives))).found =
        c_.kind(given) == Kind::Void ? "nothing" : c_.text(given);
  }

 private:
  Diagnostic& refuse(Span span, const std::string& what) {
    auto& d = c_.error(Code::InvalidSpecialMethod, span, what);
    d.help = "write `" + declaration() + "`";
    info_->is_refused = true;
    info_->result = c_.types.error;
    info_->frame = FrameKind::None;
    return d;
  }

  std::string declaration() const {
    bool waits = info_->frame == FrameKind::Async && may_have(special_.forms, FrameKind::Async);
    std::string params(special_.params);
    return std::string(waits ? "async " : "") + "def " + std::string(special_.name) + "(self" +
           (params.empty() ? "" : ", ") + params + ")" + std::string(text_of(special_.gives));
  }

  bool check_place() {
    NominalInfo* owner = info_->owner;
    std::string_view where = !owner                        ? "an `impl`"
                             : owner->kind == Kind::Class  ? "a class"
                             : owner->kind == Kind::Struct ? "a struct"
                             : owner->kind == Kind::Enum   ? "an enum"
                                                           : "a trait";
    bool is_class = owner && owner->kind == Kind::Class, is_struct = owner && owner->kind == Kind::Struct;
    Span at = info_->decl->name_span;
    switch (special_.places) {
      case Places::Everywhere: return true;
      case Places::Class:
        if (is_class) return true;
        refuse(at, std::string(where) + " can't have " + name_ + ": only an object of a class has an end of its own")
            .help =
            is_struct || (owner && owner->kind == Kind::Enum)
                ? "make it a `class`, or keep what has to be released in a field that is an object with `__del__`"
                : "declare it in the class itself";
        return false;
      case Places::ClassOrStruct:
        if (is_class || is_struct) return true;
        refuse(at, std::string(where) + " can't have " + name_).help =
            owner && owner->kind == Kind::Enum ? "an enum is made by its cases: give them the values they carry"
                                               : "declare it in the class itself";
        return false;
      case Places::Library:
        if (info_->module->is_std) return true;
        refuse(at, name_ + " belongs to the standard library").help = "write `def __del__(self)`";
        return false;
    }
    return true;
  }

  bool check_form() {
    Span at = info_->decl->name_span;
    if (info_->is_property) {
      refuse(at, name_ + " can't be a property").help = "remove `@property`";
    } else if (info_->self_mode != ParamMode::Plain && special_.gives != Gives::Anything &&
               (info_->self_mode == ParamMode::Owned || special_.places != Places::Everywhere)) {
      refuse(at, name_ + " can't take `self` away from its owner").help = "write `self` alone";
    } else if (!may_have(special_.forms, info_->frame)) {
      refuse_frame(at);
    } else if (!info_->type_params.empty() &&
               (special_.params.empty() || special_.params.find(':') != std::string_view::npos)) {
      refuse(at, name_ + " can't have type parameters: no argument would say what they are");
    } else {
      return true;
    }
    return false;
  }

  void refuse_frame(Span at) {
    bool waits = info_->frame == FrameKind::Async;
    auto& d = refuse(at, name_ + (waits ? " can't be async: nothing awaits what it gives"
                                        : " can't yield: nothing goes through what it gives"));
    std::string_view n = special_.name;
    std::string_view instead = n == "__enter__"  ? "async def __aenter__(self)"
                               : n == "__exit__" ? "async def __aexit__(self, error: Error?)"
                               : n == "__iter__" ? "def __aiter__(self)"
                               : n == "__next__" ? "async def __anext__(self) -> T?"
                                                 : "";
    if (waits && !instead.empty()) {
      std::string user = n == "__enter__" || n == "__exit__" ? "async with" : "async for";
      d.help = "write `" + std::string(instead) + "`, which `" + user + "` calls";
    } else if (waits && n == "__init__") {
      d.help = "write an `async def` beside the class that awaits first and then makes the object";
    } else if (waits) {
      d.help = "write `" + declaration() + "`, and an async method of another name for what has to be awaited";
    }
  }

  bool check_params() {
    if (special_.takes_any()) return true;
    auto is_plain = [](const ParamInfo& p) { return p.kind == ast::ParamKind::Normal && p.mode != ParamMode::Ref; };
    size_t most = special_.most(), count = info_->params.size();
    if (count < special_.needed || count > most || !std::ranges::all_of(info_->params, is_plain)) {
      std::string number = special_.needed == most ? std::to_string(most)
                                                   : std::to_string(special_.needed) + " or " + std::to_string(most);
      auto& d =
          refuse(info_->decl->name_span,
                 most == 0 ? name_ + " takes nothing but `self`"
                           : name_ + " takes " + number + (most == 1 ? " parameter" : " parameters") + " after `self`");
      if (count >= special_.needed && count <= most) d.label = "a parameter with `ref` or `*`";
      return false;
    }
    if (count == 0) return true;
    if (special_.params.ends_with(": str")) return check_param(c_.types.str);
    if (special_.params.ends_with(": Error?")) return check_param(c_.optional_of(c_.core_type("Error")));
    return true;
  }

  bool check_param(TypeId wanted) {
    ParamInfo& param = info_->params[0];
    if (!param.type.valid()) param.type = wanted;
    TypeId have = c_.unifier.shallow(param.type);
    if (have == wanted || c_.kind(have) == Kind::Error || c_.kind(have) == Kind::Any) return true;
    if (c_.kind(wanted) == Kind::Optional && c_.kind(have) == Kind::Optional &&
        c_.resolve(c_.types.arg(have)) == c_.core_type("Raisable"))
      return true;
    auto& d = refuse(param.span, name_ + " is given another type than this parameter has");
    d.expected = c_.text(wanted);
    d.found = c_.text(have);
    return false;
  }

  // A declaration without a body and without a result gives nothing, unless the language knows better.
  bool is_left_out() const { return !info_->decl->return_type && !info_->decl->has_body; }

  void fill_result() {
    if (info_->frame != FrameKind::None) return;
    switch (special_.gives) {
      case Gives::Nothing: info_->result = c_.types.void_; break;
      case Gives::Bool: info_->result = c_.types.bool_; break;
      case Gives::Int: info_->result = c_.types.int_; break;
      case Gives::Float: info_->result = c_.types.float_; break;
      case Gives::Text: info_->result = c_.types.str; break;
      case Gives::Anything:
      case Gives::NothingOrBool:
      case Gives::Optional: break;
    }
  }

  bool fits(TypeId given) {
    Kind kind = c_.kind(given);
    if (kind == Kind::Error || kind == Kind::Var) return true;
    switch (special_.gives) {
      case Gives::Anything: return true;
      case Gives::Nothing: return kind == Kind::Void;
      case Gives::NothingOrBool: return kind == Kind::Void || kind == Kind::Bool;
      case Gives::Bool: return kind == Kind::Bool;
      case Gives::Int: return given == c_.types.int_;
      case Gives::Float: return given == c_.types.float_;
      case Gives::Text: return kind == Kind::Str;
      case Gives::Optional: return kind == Kind::Optional;
    }
    return false;
  }

  Checker& c_;
  FunctionInfo* info_;
  const SpecialMethod& special_;
  std::string name_;
};

void check_unknown_name(Checker& c, FunctionInfo* info) {
  std::string_view name = info->name().text();
  if (!looks_special(name)) return;
  auto without_marks = [](std::string_view whole) { return std::string(whole.substr(2, whole.size() - 4)); };
  std::vector<std::string> known;
  for (const SpecialMethod& special : SPECIAL_METHODS)
    if (special.places != Places::Library) known.push_back(without_marks(special.name));
  std::string near = did_you_mean(without_marks(name), known);   // the marks, which all have, would make any two look alike
  if (near.empty()) return;
  c.error(Code::InvalidSpecialMethod, info->decl->name_span, "nothing calls `" + std::string(name) + "` by itself")
      .help = "did you mean `__" + near + "__`? A method of your own has a name without `__`";
}

}  // namespace

void check_special_method(Checker& c, FunctionInfo* info) {
  if (!info->owner && !info->impl) return;
  const SpecialMethod* special = find_special_method(info->name().text());
  if (special)
    Declaration(c, info, *special).check();
  else if (!info->module->is_std && !info->is_derived)
    check_unknown_name(c, info);
}

void check_special_result(Checker& c, const Instance& instance) {
  FunctionInfo* info = instance.info;
  if ((!info->owner && !info->impl) || info->is_refused || !instance.result_inferred) return;
  if (const SpecialMethod* special = find_special_method(info->name().text()))
    Declaration(c, info, *special).check_result(instance.result, info->decl->name_span);
}

}  // namespace meteor::typed
