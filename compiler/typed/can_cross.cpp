// Which values may leave their isolate: nothing in them may belong to its event loop, and they must be the sender's to give.
//
// A function literal that goes takes along what it captures, so its captures are looked at as the values are that go by themselves.
#include <algorithm>
#include <set>

#include "compiler/typed/body.h"
#include "compiler/typed/captured_writes.h"
#include "compiler/typed/crossing.h"

namespace meteor::typed {

namespace {

// Where a value of this type holds something that belongs to its isolate.
struct Pinned {
  std::string path;    // `.steps[].conn`, after the name of the value
  std::string field;   // `Job.steps`: the last field on the way, with the class that has it; empty: the value itself
  TypeId type;
};

class PinnedSearch {
 public:
  explicit PinnedSearch(Checker& checker) : c_(checker) {}

  bool find(TypeId type, Pinned& found) { return find(type, found, 0); }

 private:
  static constexpr int DEPTH_MAX = 200;

  bool find(TypeId type, Pinned& found, int depth) {
    type = c_.resolve(type);
    const types::Type t = c_.types.get(type);
    if (depth > DEPTH_MAX) return false;
    switch (t.kind) {
      case Kind::Tuple: case Kind::Optional:
        return std::ranges::any_of(t.args, [&](TypeId arg) { return find(arg, found, depth + 1); });
      case Kind::RawPtr: found.type = type; return true;
      case Kind::Dyn: {
        NominalInfo* info = c_.nominal_info(t.args[0]);
        if (!info || !info->module->is_core || info->name.text() != "Iterator") return false;   // of others it is seen when they move
        found.type = type;
        return true;
      }
      case Kind::Class: case Kind::Struct: case Kind::Enum: return find_in(type, t, found, depth);
      default: return false;   // what `any`, a trait object or a function holds is looked at when it moves
    }
  }

  bool find_in(TypeId type, const types::Type& t, Pinned& found, int depth) {
    NominalInfo* info = c_.nominal_info(type);
    if (!seen_.insert(type.index).second) return false;
    if (c_.is_pinned(type) || is_iteration(info)) {
      found.type = type;
      return true;
    }
    if (info->module->is_std) return find_in_library(type, t, info, found, depth);
    c_.ensure_fields(info);
    Subst subst = c_.arguments_of(type);
    auto look = [&](const FieldInfo& field) {
      if (field.is_weak || !find(c_.apply(field.type, subst), found, depth + 1)) return false;
      if (found.field.empty()) found.field = info->name.str() + "." + field.name.str();
      found.path = "." + field.name.str() + found.path;
      return true;
    };
    if (std::ranges::any_of(info->fields, look)) return true;
    for (const CaseInfo& one : info->cases)
      if (std::ranges::any_of(one.fields, look)) return true;
    return info->base.valid() && find(c_.apply(info->base, subst), found, depth + 1);
  }

  // Its fields are its own affair: it is the whole of it that belongs here. What it holds for its user is not.
  bool find_in_library(TypeId type, const types::Type& t, NominalInfo* info, Pinned& found, int depth) {
    for (TypeId arg : t.args) {
      if (!find(arg, found, depth + 1)) continue;
      found.path = "[]" + found.path;
      return true;
    }
    if (info->kind == Kind::Enum || info->is_shareable) return false;
    c_.ensure_fields(info);
    Subst subst = c_.arguments_of(type);
    for (const FieldInfo& field : info->fields) {
      TypeId of_field = c_.resolve(c_.apply(field.type, subst));
      while (c_.types.kind(of_field) == Kind::Optional) of_field = c_.resolve(c_.types.arg(of_field));
      Kind kind = c_.types.kind(of_field);
      Pinned inner;
      if (field.is_weak || (kind != Kind::Class && kind != Kind::Struct) || !find(of_field, inner, depth + 1)) continue;
      found = {"", "", type};
      return true;
    }
    return info->base.valid() && find(c_.apply(info->base, subst), found, depth + 1);
  }

  // The library's iterators are in the middle of something that stays here.
  bool is_iteration(NominalInfo* info) {
    if (!info->module->is_std || info->is_shareable) return false;
    if (info->module->is_core && (info->name.text() == "Generator" || info->name.text() == "Stream")) return true;
    return std::ranges::any_of(info->traits, [&](TypeId trait) {
      NominalInfo* of = c_.nominal_info(trait);
      return of && of->module->is_core && of->name.text() == "Iterator";
    });
  }

  Checker& c_;
  std::set<uint32_t> seen_;
};

// The variable; of another value its type, where a path follows.
std::string shown(Expr* value, const Pinned& pinned, BodyChecker& b) {
  auto* ref = value->as<VariableRef>();
  if (ref && b.var(ref->variable).name) return b.var(ref->variable).name.str();
  return pinned.path.empty() ? "it" : b.c.text(value->type);
}

void report_pinned(BodyChecker& b, const Pinned& pinned, Span span, const std::string& beginning, const std::string& place) {
  Checker& c = b.c;
  bool is_address = c.types.kind(pinned.type) == Kind::RawPtr;
  auto& d = c.error(Code::CannotCross, span, beginning + ": `" + place + pinned.path + "` is " + c.text_with_article(pinned.type) + ", which " + (is_address ? "means nothing there" : "belongs to the isolate that made it"));
  if (!pinned.field.empty()) d.notes.push_back("by the field `" + pinned.field + "`");
  NominalInfo* holder = is_address ? nullptr : c.nominal_info(c.types.kind(pinned.type) == Kind::Dyn ? c.types.arg(pinned.type) : pinned.type);
  bool iterates = holder && holder->module->is_core && (holder->name.text() == "Generator" || holder->name.text() == "Iterator");
  if (is_address) d.help = "send what it points to";
  else if (holder && holder->gives_to_many) d.help = "everyone gets the same `" + c.text(c.types.arg(pinned.type)) + "` from it, so that must be something that can't change: text, numbers, a struct of these, or `frozen`";
  else if (iterates) d.help = "make a list of it with `list(…)` and send that, or send what it gives over a `Channel`";
  else d.help = "send what it is made from, or talk to it over a `Channel`";
}

void report_borrowed(BodyChecker& b, const Variable& v, Span span, const std::string& how) {
  auto& d = b.c.error(Code::CannotCross, span, "`" + v.name.str() + "` is borrowed: whoever called this function still has it" + how);
  d.labels.push_back({v.span, "a plain parameter"});
  d.help = "take it as `owned " + v.name.str() + "`, or send a copy";
}

bool is_borrowed(const Variable& v) { return v.kind == VariableKind::Param && v.mode == ParamMode::Plain; }

}  // namespace

// The captures of a function literal that this body has just made, as this body's variables.
static std::vector<VariableId> captures_of(BodyChecker& b, const std::vector<std::tuple<MakeClosure*, BodyChecker*, BodyChecker*>>& incomplete, MakeClosure* closure) {
  std::vector<VariableId> out;
  for (auto& [made, maker, body] : incomplete) {
    if (made != closure || maker != &b) continue;
    for (VariableId capture : body->fn.captures) out.push_back(body->facts(capture).outer);
    break;
  }
  return out;
}

bool BodyChecker::can_cross(Expr* value, Span span) {
  Pinned pinned;
  if (PinnedSearch(c).find(value->type, pinned)) {
    report_pinned(*this, pinned, span, "this can't go to another isolate", shown(value, pinned, *this));
    return false;
  }
  if (auto* closure = value->as<MakeClosure>()) {
    for (VariableId own : captures_of(*this, root->incomplete_, closure)) {
      const Variable& v = var(own);
      if (PinnedSearch(c).find(v.type, pinned)) {
        report_pinned(*this, pinned, span, "this function can't go to another isolate, because it uses `" + v.name.str() + "`", v.name.str());
        return false;
      }
      if (is_copied_type(v.type)) continue;
      if (is_borrowed(v)) {
        report_borrowed(*this, v, span, ", and this function would take it along");
        return false;
      }
      note_moved(variable_ref(own, span), span);
    }
    return true;
  }
  if (is_copied_type(value->type)) return true;
  auto* variable = value->as<VariableRef>();
  if (variable && is_borrowed(var(variable->variable))) {
    report_borrowed(*this, var(variable->variable), span, "");
    return false;
  }
  if (value->kind == ExprKind::Field || value->kind == ExprKind::Global) {
    auto& d = c.error(Code::CannotCross, span, "this value is still held here, so it can't move to another isolate");
    d.help = "put a new value into a variable and move that, or send a copy";
    return false;
  }
  return true;
}

bool can_come_back(BodyChecker& b, TypeId result, Span span) {
  Pinned pinned;
  if (!PinnedSearch(b.c).find(result, pinned)) return true;
  std::string_view path = pinned.path;
  if (path.starts_with(".")) path.remove_prefix(1);
  pinned.path = path.empty() ? "it" : std::string(path);
  report_pinned(b, pinned, span, "what this function gives can't come back from another isolate", "");
  return false;
}

bool can_be_const(BodyChecker& b, TypeId type, Span span) {
  Pinned pinned;
  if (b.module->is_std || !PinnedSearch(b.c).find(type, pinned) || b.c.types.kind(pinned.type) == Kind::RawPtr)
    return true;
  std::string_view path = pinned.path;
  if (path.starts_with(".")) path.remove_prefix(1);
  pinned.path = path.empty() ? "it" : std::string(path);
  report_pinned(b, pinned, span, "every isolate can see a const", "");
  return false;
}

// A function that several isolates call: what it captures is seen by all of them.
static bool can_be_shared(Checker& c, MakeClosure* closure, Span span) {
  if (!closure->function.valid()) return true;   // its types are not known yet
  const Function& body = c.program.functions[closure->function.index];
  for (VariableId capture : body.captures) {
    const Variable& v = body.variables[capture.index];
    Kind kind = c.kind(v.type);
    if (kind == Kind::Func || kind == Kind::Any || kind == Kind::Dyn || kind == Kind::Var || c.may_be_held_by_many(v.type)) continue;
    auto& d = c.error(Code::CannotCross, span, "several isolates would use this function at once, and it uses `" + v.name.str() + "`, a `" + c.text(v.type) + "`, which can change");
    d.labels.push_back({v.span, "declared here"});
    d.help = "make it `frozen` or a `const`, pass it as an argument, or talk over a `Channel`";
    return false;
  }
  return true;
}

bool check_crossings_of(BodyChecker& b, const FunctionInfo* callee, Expr* call) {
  if (!callee->module->is_core || b.module->is_std) return true;
  if (!std::ranges::any_of(callee->decl->decorators, [](const ast::Decorator& d) { return d.path.size() == 1 && d.path[0].text() == "crossing"; })) return true;
  auto* made = call->as<Call>();
  if (!made) return true;
  bool fine = true;
  bool is_freeze = callee->name().text() == "freeze";
  size_t first = made->args.size() - callee->params.size();   // after the receiver
  for (size_t i = 0; i < made->args.size() && fine; ++i) {
    Expr* arg = made->args[i];
    if (made->modes[i] == ParamMode::Owned) fine = b.can_cross(arg, arg->span) && (!is_freeze || check_frozen_function(b, arg));
    else if (auto* closure = arg->as<MakeClosure>()) fine = can_be_shared(b.c, closure, arg->span);
    bool is_called_there = i >= first && (b.c.kind(callee->params[i - first].type) == Kind::Func || callee->params[i - first].mode == ParamMode::Owned);
    if (is_called_there && !is_freeze) b.c.reach.entries.push_back({{}, b.fn.id, arg, arg->span});
  }
  return fine;
}

}  // namespace meteor::typed
