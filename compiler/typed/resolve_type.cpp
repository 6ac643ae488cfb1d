// Type expressions to types. A trait named as a type means `dyn Trait`.
#include <algorithm>

#include "compiler/ast/foreign_names.h"
#include "compiler/typed/checker.h"
#include "compiler/typed/did_you_mean.h"
#include "compiler/typed/frozen.h"
#include "compiler/typed/hidden_types.h"

namespace meteor::typed {

TypeId Checker::apply(TypeId type, const Subst& subst) {
  if (!type.valid() || subst.pairs.empty() || !types.has_param(type)) return type;
  TypeId made = types.map_leaves(type, [&](TypeId leaf) { return subst.find(leaf); });
  if (!is_too_large(made)) return made;
  report_too_large(made, grows_in);
  return types.error;
}

TypeId Checker::optional_of(TypeId type) {
  Kind k = kind(type);
  if (k == Kind::Error || k == Kind::Null || k == Kind::Any) return type;
  return types.optional(type);
}

TypeId Checker::unhashable_part(TypeId type) {
  type = resolve(type);
  const types::Type& t = types.get(type);
  switch (t.kind) {
    case Kind::Optional: case Kind::Tuple:
      for (TypeId arg : t.args)
        if (TypeId part = unhashable_part(arg); part.valid()) return part;
      return {};
    case Kind::Class: case Kind::Struct: case Kind::Enum: break;
    default: return {};
  }
  NominalInfo* info = nominal_info(type);
  bool has_equality = find_member(type, name("__eq__")).kind == Member::Methods;
  if (t.kind == Kind::Class && !has_equality) return {};   // by identity
  Member hash = find_member(type, name("__hash__"));
  if (hash.kind != Member::Methods) return type;
  if (!hash.methods->front()->is_derived || !hash_guard_.insert(type).second) return {};
  TypeId found;
  Subst subst;
  for (size_t i = 0; i < info->type_params.size(); ++i) subst.add(info->type_params[i].type, t.args[i]);
  ensure_fields(info);
  auto look = [&](std::vector<FieldInfo>& fields) {
    for (FieldInfo& f : fields)
      if (!found.valid()) found = unhashable_part(apply(f.type, subst));
  };
  look(info->fields);
  for (CaseInfo& one : info->cases) look(one.fields);
  hash_guard_.erase(type);
  return found;
}

// `frozen T` where it is written. What a class, struct or enum holds may not be known yet, so it isn't asked whether it can change.
static TypeId frozen_as_written(Checker& c, TypeId inner) {
  if (is_collection(c, inner)) return frozen_type(c, inner);
  if (c.types.kind(inner) != Kind::Tuple) return c.types.wrap(Kind::Frozen, inner);
  std::vector<TypeId> parts;   // a tuple is copied: its parts are frozen
  for (TypeId part : std::vector(c.types.get(inner).args)) {
    Kind k = c.types.kind(part);
    bool is_value = k == Kind::Int || k == Kind::Float || k == Kind::Bool || k == Kind::Str || k == Kind::Bytes || k == Kind::Frozen;
    if (k == Kind::Optional) parts.push_back(c.types.optional(frozen_as_written(c, c.types.arg(part))));
    else parts.push_back(is_value ? part : frozen_as_written(c, part));
  }
  return c.types.tuple(parts);
}

bool Checker::check_key_type(TypeId key, Span span) {
  if (!keys_checkable_) {
    unchecked_keys_.emplace_back(key, span);
    return true;
  }
  TypeId part = unhashable_part(key);
  if (!part.valid()) return true;
  bool whole = part == resolve(key);
  auto& d = error(Code::TraitNotImplemented, span, "`" + text(key) + "` can't be hashed, so it can't be a dict key or in a set");
  if (!whole) d.label = "it contains a `" + text(part) + "`";
  if (NominalInfo* info = nominal_info(part); info && !info->module->is_std) d.help = "write `@derive(Eq, Hash)` above `" + info->name.str() + "`, or give it `__hash__`";
  else d.help = "use a tuple or text as the key";
  return false;
}

// `Future<void>`: what comes later may be nothing.
static bool takes_void(const Symbol& symbol) {
  static constexpr std::string_view NAMES[] = {"Future", "Task", "Poll", "PollResult", "Isolate"};
  std::string_view name;
  if (symbol.kind == SymbolKind::Nominal && symbol.nominal->module->is_core) name = symbol.nominal->name.text();
  if (symbol.kind == SymbolKind::Alias && symbol.alias->module->is_core) name = symbol.alias->decl->name.text();
  return std::ranges::find(NAMES, name) != std::end(NAMES);
}

TypeId Checker::resolve_type(ast::TypeExpr* expr, const TypeScope& scope) {
  if (!expr) return types.error;
  switch (expr->kind) {
    case ast::TypeKind::Error: return types.error;
    case ast::TypeKind::Optional: {
      TypeId inner = resolve_type(expr->inner, scope);
      return types.kind(inner) == Kind::Error ? inner : types.kind(inner) == Kind::Any ? inner : types.optional(inner);
    }
    case ast::TypeKind::Tuple: {
      std::vector<TypeId> items;
      for (ast::TypeExpr* arg : expr->args) items.push_back(resolve_type(arg, scope));
      TypeId made = types.tuple(std::move(items));
      if (!is_too_large(made)) return made;
      report_too_large(made, expr->span);
      return types.error;
    }
    case ast::TypeKind::Func: {
      std::vector<TypeId> params;
      for (ast::TypeExpr* arg : expr->args) params.push_back(resolve_type(arg, scope));
      TypeId made = types.func(std::move(params), expr->inner ? resolve_type(expr->inner, scope) : types.void_, expr->is_async);
      if (!is_too_large(made)) return made;
      report_too_large(made, expr->span);
      return types.error;
    }
    case ast::TypeKind::Dyn: {
      TypeId inner = resolve_type(expr->inner, scope);
      Kind k = types.kind(inner);
      if (k == Kind::Dyn || k == Kind::Error) return inner;
      auto& d = error(Code::InvalidTypeArgument, expr->span, "`dyn` needs a trait, and `" + text(inner) + "` is not one");
      d.help = "write `" + text(inner) + "` alone";
      return inner;
    }
    case ast::TypeKind::Frozen: {
      TypeId inner = resolve_type(expr->inner, scope);
      return frozen_as_written(*this, inner);
    }
    case ast::TypeKind::Weak: return resolve_type(expr->inner, scope);
    case ast::TypeKind::Pointer: return types.wrap(Kind::RawPtr, resolve_type(expr->inner, scope));
    case ast::TypeKind::Named: break;
  }
  if (expr->path.empty()) return types.error;
  Name last = expr->path.back();
  Symbol symbol;
  if (expr->path.size() == 1) {
    for (size_t i = scope.count; i-- > 0;)
      for (const TypeParamInfo& p : *scope.params[i])
        if (p.name == last) return p.type;
    if (last.text() == "Self" && scope.self.valid()) return scope.self;
    if (scope.locals)
      if (auto at = scope.locals->find(last); at != scope.locals->end()) {
        symbol.kind = SymbolKind::Nominal;
        symbol.nominal = at->second;
      }
    if (!symbol && scope.imports) symbol = scope.imports(last);
    if (!symbol) symbol = find_symbol(scope.module, last);
    if (symbol.kind == SymbolKind::EnumCase)  // it never hides a type where a type is meant
      if (Symbol past = find_past_cases(*this, scope.module, last)) symbol = past;
  } else {
    ModuleInfo* module = scope.module;
    for (size_t i = 0; i + 1 < expr->path.size() && module; ++i) {
      Symbol step = i == 0 && scope.imports ? scope.imports(expr->path[0]) : Symbol();
      if (!step) step = i == 0 ? find_symbol(module, expr->path[0]) : [&] {
        auto at = module->names.find(expr->path[i]);
        return at == module->names.end() ? Symbol() : at->second;
      }();
      module = step.kind == SymbolKind::Module ? step.module : nullptr;
      if (!module && i == 0) {
        auto& d = error(Code::UnknownType, expr->span, "`" + expr->path[0].str() + "` is not a module that is imported here");
        d.help = "write `import " + expr->path[0].str() + "` at the top of the file";
        return types.error;
      }
    }
    if (module) {
      auto at = module->names.find(last);
      if (at != module->names.end()) {
        symbol = at->second;
        if (!symbol.is_pub) {
          auto& d = error(Code::PrivateName, expr->span, "`" + last.str() + "` is private to module `" + module->name + "`");
          d.help = "write `pub` before its declaration";
        }
      }
    }
  }
  std::vector<TypeId> args;
  for (ast::TypeExpr* arg : expr->args) {
    bool is_void = arg->kind == ast::TypeKind::Named && arg->path.size() == 1 && arg->args.empty() && arg->path[0].text() == "void";
    args.push_back(is_void && takes_void(symbol) ? types.void_ : resolve_type(arg, scope));
  }
  auto wrong_count = [&](size_t wanted) {
    auto& d = error(Code::WrongTypeArgumentCount, expr->span,
                    "`" + last.str() + "` takes " + std::to_string(wanted) + (wanted == 1 ? " type argument" : " type arguments") + ", not " + std::to_string(args.size()));
    if (wanted == 0) d.help = "write `" + last.str() + "`";
    return types.error;
  };
  switch (symbol.kind) {
    case SymbolKind::BuiltinType: return args.empty() ? symbol.type : wrong_count(0);
    case SymbolKind::Nominal: {
      NominalInfo* info = symbol.nominal;
      if (args.empty() && !info->type_params.empty() && scope.fresh_args) {
        for (size_t i = 0; i < info->type_params.size(); ++i) args.push_back(unifier.fresh(expr->span));
      }
      if (args.size() != info->type_params.size()) return wrong_count(info->type_params.size());
      bool has_key = info->module->is_core && (info->name.text() == "dict" || info->name.text() == "set") && !scope.module->is_core;
      if (has_key && !expr->args.empty() && !check_key_type(args[0], expr->args[0]->span)) return types.error;
      TypeId type = types.nominal(info->kind, info->id, std::move(args));
      if (is_too_large(type)) {
        report_too_large(type, expr->span);
        return types.error;
      }
      return info->kind == Kind::Trait ? types.wrap(Kind::Dyn, type) : type;
    }
    case SymbolKind::Alias: {
      AliasInfo* alias = symbol.alias;
      if (args.size() != alias->type_params.size()) return wrong_count(alias->type_params.size());
      if (!alias->type.valid()) {
        if (alias->running) {
          error(Code::RecursiveType, alias->decl->span, "type `" + last.str() + "` is defined by itself").help = "use a class, struct or enum for a recursive type";
          return alias->type = types.error;
        }
        alias->running = true;
        TypeScope inner;
        inner.module = alias->module;
        inner.push(alias->type_params);
        TypeId type = resolve_type(alias->decl->type, inner);
        if (!alias->type.valid()) alias->type = type;
      }
      Subst subst;
      for (size_t i = 0; i < args.size(); ++i) subst.add(alias->type_params[i].type, args[i]);
      return apply(alias->type, subst);
    }
    default: break;
  }
  if (expr->path.size() == 1 && last.text() == "c_ptr" && args.size() == 1) return types.wrap(Kind::RawPtr, args[0]);
  std::string shown;
  for (Name n : expr->path) shown += (shown.empty() ? "" : ".") + n.str();
  auto& d = error(Code::UnknownType, expr->span, symbol ? "`" + shown + "` is not a type" : "there is no type `" + shown + "`");
  if (const ast::ForeignName* foreign = ast::find_foreign_type(last.text())) {
    d.help = ast::help_for(*foreign);
    if (!foreign->instead.empty() && args.empty()) d.edits.push_back({expr->span, std::string(foreign->instead)});
    return types.error;
  }
  std::vector<std::string> known;
  for (auto* module : {scope.module, core_})
    for (auto& [n, s] : module->names)
      if ((s.kind == SymbolKind::Nominal || s.kind == SymbolKind::Alias || s.kind == SymbolKind::BuiltinType) && (module == scope.module || s.is_pub)) known.push_back(n.str());
  if (auto guess = did_you_mean(last.text(), known); !guess.empty()) d.help = "did you mean `" + guess + "`?";
  return types.error;
}

}  // namespace meteor::typed
