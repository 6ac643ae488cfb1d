// Calls that no source has: the checker makes them of checked arguments, to methods and functions of the library; and intrinsics, the operations
// that the library asks of the compiler.
#include "compiler/base/check.h"
#include "compiler/typed/body.h"
#include "compiler/typed/frozen.h"

namespace meteor::typed {

namespace {

std::vector<BodyChecker::CallArg> as_args(std::vector<Expr*> values) {
  std::vector<BodyChecker::CallArg> out;
  for (Expr* v : values) {
    BodyChecker::CallArg a;
    a.value = v;
    out.push_back(a);
  }
  return out;
}

}  // namespace

Expr* BodyChecker::try_call_method(Expr* receiver, std::string_view method, std::vector<Expr*> args, Span span) {
  TypeId type = known(receiver->type);
  Member member = find_member(receiver->type, c.name(method));
  if (member.kind != Member::Methods) return nullptr;
  std::vector<CallArg> given = as_args(std::move(args));
  if (!settle(member, type, receiver, c.name(method), &given, span)) return poison(span);
  return call_overloads(*member.methods, member.subst, receiver, type, std::move(given), span, TypeId(), c.name(method));
}

Expr* BodyChecker::call_method(Expr* receiver, std::string_view method, std::vector<Expr*> args, Span span) {
  if (is_poison(receiver)) return receiver;
  if (Expr* call = try_call_method(receiver, method, std::move(args), span)) return call;
  auto& d = c.error(Code::UnknownMember, span, "`" + c.text(receiver->type) + "` has no method `" + std::string(method) + "`");
  (void)d;
  return poison(span);
}

// A variable keeps what it has. What was made for the literal alone goes into it as it is: nobody else may hold it when the whole of it moves.
Expr* BodyChecker::add_to(VariableId collection, std::string_view copy, std::string_view keep, std::vector<Expr*> parts, Span span) {
  bool is_made = parts.back()->kind != ExprKind::Variable && parts.back()->kind != ExprKind::Global;
  return call_method(variable_ref(collection, span), is_made ? keep : copy, std::move(parts), span);
}

Expr* BodyChecker::call_core(std::string_view function, std::vector<Expr*> args, Span span, std::vector<TypeId> type_args) {
  Overloads* found = c.core_function(function);
  if (!found) {
    c.error(Code::UnknownName, span, "the core library has no function `" + std::string(function) + "`");
    return poison(span);
  }
  Subst subst;
  for (size_t i = 0; i < type_args.size() && i < found->front()->type_params.size(); ++i) subst.add(found->front()->type_params[i].type, type_args[i]);
  return call_overloads(*found, std::move(subst), nullptr, TypeId(), as_args(std::move(args)), span, TypeId(), c.name(function));
}

Expr* BodyChecker::call_static(TypeId type, std::string_view method, std::vector<Expr*> args, Span span) {
  Member member = c.find_member(type, c.name(method));
  if (member.kind != Member::Methods) {
    c.error(Code::UnknownMember, span, "`" + c.text(type) + "` has no function `" + std::string(method) + "`");
    return poison(span);
  }
  return call_overloads(*member.methods, member.subst, nullptr, type, as_args(std::move(args)), span, TypeId(), c.name(method));
}

Expr* BodyChecker::call_intrinsic(Intrinsic op, TypeId type_arg, TypeId result, std::vector<Expr*> args, Span span) {
  auto* call = make<Call>(result, span);
  call->call = CallKind::Intrinsic;
  call->intrinsic = static_cast<uint16_t>(op);
  call->type_arg = type_arg;
  std::vector<ParamMode> modes(args.size(), ParamMode::Plain);
  if (op == Intrinsic::RawInit || op == Intrinsic::RawSet) modes[2] = ParamMode::Owned;
  call->args = keep(args);
  call->modes = keep(modes);
  return call;
}

Expr* BodyChecker::check_intrinsic_call(ast::CallExpr* expr, Name op) {
  static const std::unordered_map<std::string_view, Intrinsic> BY_NAME = {
#define INTRINSIC(name, text) {text, Intrinsic::name},
#include "compiler/typed/intrinsics.def"
#undef INTRINSIC
  };
  auto found = BY_NAME.find(op.text());
  if (found == BY_NAME.end()) {
    c.error(Code::UnknownName, expr->span, "there is no intrinsic `" + op.str() + "`");
    return poison(expr->span);
  }
  Intrinsic which = found->second;
  TypeId element = expr->type_args.empty() ? types.int_ : type_of(expr->type_args[0]);
  TypeId pointer = types.wrap(Kind::RawPtr, element);
  TypeId i = types.int_;
  std::vector<TypeId> params;
  TypeId result = types.void_;
  switch (which) {
    case Intrinsic::RawAlloc: params = {i}; result = pointer; break;
    case Intrinsic::RawRealloc: params = {pointer, i, i}; result = pointer; break;
    case Intrinsic::RawFree: params = {pointer, i}; break;
    case Intrinsic::RawNull: result = pointer; break;
    case Intrinsic::RawGet: case Intrinsic::RawPeek: case Intrinsic::RawTake: params = {pointer, i}; result = element; break;
    case Intrinsic::RawInit: case Intrinsic::RawSet: params = {pointer, i, element}; break;
    case Intrinsic::RawSwap: params = {pointer, i, i}; break;
    case Intrinsic::RawMove: params = {pointer, i, i, i}; break;
    case Intrinsic::RawCopyTo: params = {pointer, i, pointer, i, i}; break;
    case Intrinsic::RawDropAll: case Intrinsic::RawZero: params = {pointer, i, i}; break;
    case Intrinsic::RawEqualBytes: params = {pointer, pointer, i}; result = types.bool_; break;
    case Intrinsic::ConstantArray: break;   // only the compiler writes it
    case Intrinsic::SizeOf: result = i; break;
    case Intrinsic::IsPlain: case Intrinsic::CanChange: result = types.bool_; break;
    case Intrinsic::TypeName: result = types.str; break;
    case Intrinsic::DynTypeName: params = {element}; result = types.str; break;
    case Intrinsic::Address: case Intrinsic::RefCount: case Intrinsic::EnumTag: case Intrinsic::PopCount: case Intrinsic::LeadingZeros: case Intrinsic::TrailingZeros:
      params = {element}; result = i; break;
    case Intrinsic::VisitParts: params = {element, types.wrap(Kind::RawPtr, i)}; break;
    case Intrinsic::VisitPlace: params = {pointer, types.wrap(Kind::RawPtr, i)}; break;
    case Intrinsic::Make: return make_with_fields(element, expr->args, expr->span);
    case Intrinsic::FieldDefault: return field_default(element, expr->args[0].value, expr->span);
    case Intrinsic::JsonOfAny: {
      Expr* value = check_to(expr->args[0].value, types.any);
      return call_any_function(AnyFunction::Json, {value, check(expr->args[1].value)}, types.bool_, expr->span);
    }
    case Intrinsic::IsUnique: params = {element}; result = types.bool_; break;
    case Intrinsic::Unchecked: params = {i, i}; result = i; break;
    case Intrinsic::FloatBits: params = {types.float_}; result = i; break;
    case Intrinsic::BitsFloat: params = {i}; result = types.float_; break;
    case Intrinsic::Sqrt: case Intrinsic::Floor: case Intrinsic::Ceil: case Intrinsic::Trunc: case Intrinsic::FloatAbs: params = {types.float_}; result = types.float_; break;
    case Intrinsic::Truncate: params = {TypeId()}; result = element; break;
    case Intrinsic::Likely: params = {types.bool_}; result = types.bool_; break;
    case Intrinsic::Slowpath: break;
    case Intrinsic::Park:   // with an argument: it is ready again at once, behind all others
      if (expr->args.size() == 1) params = {types.bool_};
      break;
    case Intrinsic::CallSite: result = types.wrap(Kind::RawPtr, types.int_); break;
    case Intrinsic::RunFrame:   // with an error: it is raised where the frame is suspended
      params = {TypeId()};
      if (expr->args.size() == 2) params.push_back(c.core_type("Raisable"));
      break;
    case Intrinsic::ResumeGenerator: params = {TypeId()}; result = types.optional(element); break;
    case Intrinsic::FrameValue: case Intrinsic::FrameTake: case Intrinsic::FrameYield: params = {TypeId()}; result = element; break;
  }
  if (params.size() != expr->args.size()) {
    c.error(Code::WrongArgumentCount, expr->span, "intrinsic `" + op.str() + "` takes " + std::to_string(params.size()) + " arguments");
    return poison(expr->span);
  }
  std::vector<Expr*> args;
  bool reads_memory = which == Intrinsic::RawGet || which == Intrinsic::RawEqualBytes;
  TypeId frozen_memory = types.wrap(Kind::RawPtr, frozen_type(c, element));   // of a frozen collection
  bool only_looks = which == Intrinsic::EnumTag || which == Intrinsic::DynTypeName;
  for (size_t a = 0; a < params.size(); ++a) {
    ast::Expr* value = expr->args[a].value;
    if (auto* owned = value->as<ast::OwnedExpr>()) value = owned->operand;
    if (only_looks) {
      args.push_back(coerce(thaw(*this, check(value)), thawed_type(c, params[a]), value->span));
    } else if (reads_memory && params[a] == pointer) {
      args.push_back(check(value));
      TypeId memory = c.resolve(args.back()->type);
      if (memory != frozen_memory) args.back() = coerce(args.back(), pointer, value->span);
      else if (which == Intrinsic::RawGet) element = result = types.arg(frozen_memory);
    } else {
      args.push_back(params[a].valid() ? check_to(value, params[a]) : check(value));
    }
  }
  bool at_call = which == Intrinsic::CallSite && default_call_.valid();
  if (only_looks) element = thawed_type(c, element);
  return call_intrinsic(which, element, result, std::move(args), at_call ? default_call_ : expr->span);
}

Expr* BodyChecker::call_value(Expr* callee, std::vector<Expr*> values, Span span) { return call_func_value(callee, as_args(std::move(values)), span); }

}  // namespace meteor::typed
