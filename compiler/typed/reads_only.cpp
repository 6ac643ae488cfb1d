#include "compiler/typed/reads_only.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <unordered_set>

#include "compiler/typed/frozen.h"
#include "compiler/typed/scan_names.h"

namespace meteor::typed {

namespace {

// A parameter of a function; or from FIELDS on, what `self` has in a field of its class.
using Key = std::pair<FunctionInfo*, size_t>;

constexpr size_t FIELDS = 1 << 16;
constexpr int MAX_STEPS = 8;  // from a name to the field that it has

// Intrinsics that write what their first argument points to.
constexpr std::array<std::string_view, 9> WRITERS = {"raw_realloc", "raw_free", "raw_take",    "raw_init",    "raw_set",
                                                     "raw_swap",    "raw_move", "raw_copy_to", "raw_drop_all"};
constexpr std::string_view ZEROES = "raw_zero";

class Search {
 public:
  explicit Search(Checker& c, std::map<Key, bool>& known) : c_(c), known_(known) {}

  // A function that calls itself is taken to read until something else shows that it writes; then all that relied on it
  // is asked again.
  bool ask(Key key) {
    while (true) {
      std::set<Key> before = writers_;
      assumed_.clear();
      bool reads = look(key);
      if (!reads || writers_ == before) {
        for (const Key& writer : writers_) known_[writer] = false;
        if (reads)
          for (const Key& reader : assumed_) known_[reader] = true;
        return reads;
      }
    }
  }

 private:
  bool look(Key key) {
    if (auto known = known_.find(key); known != known_.end()) return known->second;
    if (writers_.contains(key)) return false;
    if (!assumed_.insert(key).second) return true;
    bool reads = key.first->only_reads || (key.first->decl->has_body && body_reads(key));
    if (!reads) {
      writers_.insert(key);
      assumed_.erase(key);
    }
    return reads;
  }

  // What is followed through a body: names, and perhaps a field of `self`.
  struct Aliases {
    FunctionInfo* function = nullptr;
    std::unordered_set<base::Name> names;
    base::Name field;
  };

  bool body_reads(Key key) {
    auto [function, param] = key;
    Aliases aliases{.function = function};
    if (param >= FIELDS)
      aliases.field = function->owner->fields[param - FIELDS].name;
    else
      aliases.names.insert(function->decl->params[param].name);
    find_aliases(function->decl->body, aliases);
    bool reads = true;
    auto rooted = [&](ast::Expr* e) { return is_rooted(e, aliases); };
    std::unordered_set<ast::Expr*> looked_at;  // where a value is only looked at, or followed further
    auto looks = [&](ast::Expr* e) {
      if (e) looked_at.insert(e);
    };
    TreeVisitor visitor;
    visitor.on_stmt = [&](ast::Stmt* s) {
      auto target = [&](ast::Expr* t) {
        reads = reads && !(t->kind != ast::ExprKind::Name && is_inside(t, aliases));
        if (auto* index = t->as<ast::IndexExpr>()) reads = reads && !rooted(index->index);  // a key is kept
        looks(t);
      };
      if (auto* a = s->as<ast::AssignStmt>()) {
        for (ast::Expr* t : a->targets) target(t);
        bool is_followed = std::ranges::all_of(a->targets, [&](ast::Expr* t) {
          return t->kind == ast::ExprKind::Name || (a->value && rooted(a->value) && is_read_field(function, t));
        });
        if (is_followed) looks(a->value);
      }
      if (auto* a = s->as<ast::AugAssignStmt>()) {
        target(a->target);
        reads = reads && !rooted(a->target);
        looks(a->value);
      }
      if (auto* d = s->as<ast::DelStmt>())
        for (ast::Expr* t : d->targets) target(t);
      if (auto* e = s->as<ast::ExprStmt>()) looks(e->value);
      if (auto* i = s->as<ast::IfStmt>())
        for (ast::IfBranch& branch : i->branches) looks(branch.condition);
      if (auto* w = s->as<ast::WhileStmt>()) looks(w->condition);
      if (auto* a = s->as<ast::AssertStmt>()) looks(a->condition);
      if (auto* f = s->as<ast::ForStmt>()) looks(f->iterable);
    };
    visitor.on_expr = [&](ast::Expr* e) {
      if (!reads) return;
      if (rooted(e) && !looked_at.contains(e)) {  // kept, given back or put into something
        reads = false;
        return;
      }
      look_inside(e, looks);
      if (auto* call = e->as<ast::CallExpr>()) reads = call_reads(function, call, aliases);
    };
    visitor.visit(function->decl->body);
    return reads;
  }

  // The parts of an expression that it only looks at, calls with (call_reads) or has as its value.
  static void look_inside(ast::Expr* e, const std::function<void(ast::Expr*)>& looks) {
    if (auto* member = e->as<ast::MemberExpr>()) looks(member->object);
    if (auto* index = e->as<ast::IndexExpr>()) looks(index->object), looks(index->index);
    if (auto* slice = e->as<ast::SliceExpr>()) looks(slice->lower), looks(slice->upper), looks(slice->step);
    if (auto* range = e->as<ast::RangeExpr>()) looks(range->lower), looks(range->upper);
    if (auto* unary = e->as<ast::UnaryExpr>()) looks(unary->operand);
    if (auto* binary = e->as<ast::BinaryExpr>()) looks(binary->left), looks(binary->right);
    if (auto* is = e->as<ast::IsExpr>()) looks(is->value);
    if (auto* both = e->as<ast::AndExpr>()) looks(both->left), looks(both->right);
    if (auto* either = e->as<ast::OrExpr>()) looks(either->left), looks(either->right);
    if (auto* unwrap = e->as<ast::UnwrapExpr>()) looks(unwrap->operand);
    if (auto* as = e->as<ast::AsExpr>()) looks(as->value);
    if (auto* owned = e->as<ast::OwnedExpr>()) looks(owned->operand);
    if (auto* star = e->as<ast::StarExpr>()) looks(star->operand);
    if (auto* two = e->as<ast::CoalesceExpr>()) looks(two->left), looks(two->right);
    if (auto* choice = e->as<ast::TernaryExpr>())
      looks(choice->condition), looks(choice->then_value), looks(choice->else_value);
    if (auto* yield = e->as<ast::YieldExpr>(); yield && yield->from) looks(yield->value);
    if (auto* compare = e->as<ast::CompareExpr>())
      for (ast::Expr* operand : compare->operands) looks(operand);
    if (auto* text = e->as<ast::FStringExpr>())
      for (ast::FStringPart& part : text->parts) looks(part.value);
    if (auto* made = e->as<ast::ComprehensionExpr>())
      for (ast::ComprehensionClause& clause : made->clauses) looks(clause.iterable), looks(clause.condition);
    if (auto* call = e->as<ast::CallExpr>()) {
      looks(call->callee);
      for (ast::Arg& arg : call->args) looks(arg.value);
    }
  }

  void find_aliases(ast::Block body, Aliases& aliases) {
    bool grew = true;
    while (grew) {
      grew = false;
      TreeVisitor visitor;
      visitor.on_stmt = [&](ast::Stmt* s) {
        auto* assign = s->as<ast::AssignStmt>();
        if (!assign || !assign->value || !is_rooted(assign->value, aliases)) return;
        for (ast::Expr* t : assign->targets)
          if (auto* name = t->as<ast::NameExpr>()) grew |= aliases.names.insert(name->name).second;
      };
      visitor.on_expr = [&](ast::Expr* e) {
        auto* walrus = e->as<ast::WalrusExpr>();
        if (walrus && is_rooted(walrus->value, aliases)) grew |= aliases.names.insert(walrus->target->name).second;
      };
      visitor.visit(body);
    }
  }

  static bool is_field(ast::Expr* e, const Aliases& aliases) {
    auto* member = e->as<ast::MemberExpr>();
    auto* object = member ? member->object->as<ast::NameExpr>() : nullptr;
    return object && object->name.text() == "self" && member->name == aliases.field;
  }

  // The parameter itself, or a field of it (the memory of a collection is one). Elements are frozen by their type.
  bool is_rooted(ast::Expr* e, const Aliases& aliases) {
    if (auto* name = e->as<ast::NameExpr>()) return aliases.names.contains(name->name);
    if (auto* member = e->as<ast::MemberExpr>()) {
      if (is_number_field(member, aliases)) return false;
      return is_field(e, aliases) || is_rooted(member->object, aliases);
    }
    if (auto* unwrap = e->as<ast::UnwrapExpr>()) return is_rooted(unwrap->operand, aliases);
    if (auto* owned = e->as<ast::OwnedExpr>()) return is_rooted(owned->operand, aliases);
    if (auto* as = e->as<ast::AsExpr>()) return is_rooted(as->value, aliases);
    if (auto* two = e->as<ast::CoalesceExpr>()) return is_rooted(two->left, aliases) || is_rooted(two->right, aliases);
    if (auto* choice = e->as<ast::TernaryExpr>())
      return is_rooted(choice->then_value, aliases) || is_rooted(choice->else_value, aliases);
    if (auto* walrus = e->as<ast::WalrusExpr>())
      return is_rooted(walrus->value, aliases) || aliases.names.contains(walrus->target->name);
    return false;
  }

  bool is_inside(ast::Expr* e, const Aliases& aliases) {
    if (auto* index = e->as<ast::IndexExpr>()) return is_inside(index->object, aliases);
    if (auto* tuple = e->as<ast::TupleExpr>()) {
      for (ast::Expr* item : tuple->items)
        if (is_inside(item, aliases)) return true;
      return false;
    }
    if (auto* member = e->as<ast::MemberExpr>(); member && is_inside(member->object, aliases)) return true;
    return is_rooted(e, aliases);
  }

  bool call_reads(FunctionInfo* caller, ast::CallExpr* call, const Aliases& aliases) {
    auto* member = call->callee->as<ast::MemberExpr>();
    if (auto* object = member ? member->object->as<ast::NameExpr>() : nullptr;
        object && object->name.text() == "_intrinsic") {
      bool writes = member->name.text() == ZEROES || std::ranges::find(WRITERS, member->name.text()) != WRITERS.end();
      bool keeps = member->name.text() == "raw_init" || member->name.text() == "raw_set";
      if (keeps && is_rooted(call->args[2].value, aliases)) return false;
      return !writes || call->args.empty() || !is_rooted(call->args[0].value, aliases);
    }
    Overloads candidates;
    bool receives = member && is_rooted(member->object, aliases);
    bool builds = false;
    NominalInfo* made = nullptr;
    if (member) {
      if (receives && is_field(member->object, aliases))
        candidates = field_methods(caller, aliases.field, member->name);
      else if (receives && member->object->kind == ast::ExprKind::Name)
        candidates = own_methods(caller->owner, member->name);
      else
        candidates = methods_named(member->name);
      if (receives && candidates.empty()) return false;
      if (receives)
        for (FunctionInfo* f : candidates)
          if (f->has_self && !look({f, 0})) return false;
    } else if (auto* name = call->callee->as<ast::NameExpr>()) {
      candidates = functions_named(name->name, builds, made);
    }
    for (size_t i = 0; i < call->args.size(); ++i) {
      const ast::Arg& arg = call->args[i];
      if (!is_rooted(arg.value, aliases)) continue;
      if (candidates.empty() && made && !made_reads(made, arg, i)) return false;
      if (candidates.empty() && !builds) return false;
      for (FunctionInfo* f : candidates) {
        std::optional<size_t> at = param_for(f, arg, i);
        if (!at) continue;  // another overload takes it
        ast::ParamKind kind = f->decl->params[*at].kind;
        bool is_element = kind == ast::ParamKind::VarArgs || kind == ast::ParamKind::KwArgs;
        if (is_element || !look({f, *at})) return false;
      }
    }
    return true;
  }

  // Which parameter takes an argument of a call, if any does.
  static std::optional<size_t> param_for(FunctionInfo* f, const ast::Arg& arg, size_t place) {
    place += f->has_self ? 1 : 0;
    for (size_t p = 0; p < f->decl->params.size(); ++p) {
      const ast::Param& param = f->decl->params[p];
      bool takes = arg.name ? param.name == arg.name || param.kind == ast::ParamKind::KwArgs
                            : (param.kind == ast::ParamKind::Normal && p == place) ||
                                  (param.kind == ast::ParamKind::VarArgs && p <= place);
      if (takes) return p;
    }
    return std::nullopt;
  }

  // `self._len`: a number, which is copied.
  bool is_number_field(ast::MemberExpr* member, const Aliases& aliases) {
    TypeId type = type_of(member, aliases, 0);
    return type.valid() && (c_.kind(type) == Kind::Int || c_.kind(type) == Kind::Bool);
  }

  // The type of what is_rooted follows, as far as declarations tell it; else invalid.
  TypeId type_of(ast::Expr* e, const Aliases& aliases, int depth) {
    if (depth > MAX_STEPS) return {};
    auto inner = [&](ast::Expr* part) { return type_of(part, aliases, depth + 1); };
    auto either = [&](ast::Expr* one, ast::Expr* other) {
      return common(one, inner(one), other, inner(other), aliases);
    };
    if (auto* name = e->as<ast::NameExpr>()) return type_of_name(name->name, aliases, depth);
    if (auto* member = e->as<ast::MemberExpr>()) return type_of_field(inner(member->object), member->name);
    if (auto* unwrap = e->as<ast::UnwrapExpr>()) return inner(unwrap->operand);
    if (auto* owned = e->as<ast::OwnedExpr>()) return inner(owned->operand);
    if (auto* walrus = e->as<ast::WalrusExpr>()) return inner(walrus->value);
    if (auto* two = e->as<ast::CoalesceExpr>()) return either(two->left, two->right);
    if (auto* choice = e->as<ast::TernaryExpr>()) return either(choice->then_value, choice->else_value);
    return {};
  }

  // Of two values, only those that are followed count: the other one is of the same type, or its use is no concern
  // here.
  TypeId common(ast::Expr* one, TypeId one_type, ast::Expr* other, TypeId other_type, const Aliases& aliases) {
    if (!is_rooted(one, aliases)) return other_type;
    if (!is_rooted(other, aliases)) return one_type;
    return one_type == other_type ? one_type : TypeId();
  }

  TypeId type_of_field(TypeId object, base::Name name) {
    if (object.valid() && c_.kind(object) == Kind::Optional) object = c_.types.arg(c_.resolve(object));
    for (NominalInfo* at = object.valid() ? c_.nominal_info(c_.resolve(object)) : nullptr; at;
         at = at->base.valid() ? c_.nominal_info(at->base) : nullptr) {
      c_.ensure_fields(at);
      auto field = std::ranges::find(at->fields, name, &FieldInfo::name);
      if (field != at->fields.end()) return field->type;
    }
    return {};
  }

  // A parameter's type, or the one of all that is assigned to the name.
  TypeId type_of_name(base::Name name, const Aliases& aliases, int depth) {
    FunctionInfo* function = aliases.function;
    c_.ensure_signature(function);
    if (name.text() == "self" && function->owner) return function->owner->self_type;
    for (const ParamInfo& param : function->params)
      if (param.name == name) return param.type;
    TypeId type;
    bool is_clear = true;
    auto add = [&](ast::Expr* value) {
      TypeId one = value ? type_of(value, aliases, depth + 1) : TypeId();
      is_clear = is_clear && one.valid() && (!type.valid() || type == one);
      type = one;
    };
    TreeVisitor visitor;
    visitor.on_stmt = [&](ast::Stmt* s) {
      auto* assign = s->as<ast::AssignStmt>();
      if (!assign) return;
      for (ast::Expr* target : assign->targets)
        if (auto* named = target->as<ast::NameExpr>(); named && named->name == name) add(assign->value);
    };
    visitor.on_expr = [&](ast::Expr* e) {
      if (auto* walrus = e->as<ast::WalrusExpr>(); walrus && walrus->target->name == name) add(walrus->value);
    };
    visitor.visit(function->decl->body);
    return is_clear ? type : TypeId();
  }

  // `self._list = items` in the `__init__` of an iterator.
  bool is_read_field(FunctionInfo* function, ast::Expr* target) {
    auto* member = target->as<ast::MemberExpr>();
    auto* object = member ? member->object->as<ast::NameExpr>() : nullptr;
    if (!object || !function->owner || object->name.text() != "self") return false;
    return function->name().text() == "__init__" && field_reads(function->owner, member->name);
  }

  // The same of a class without `__init__`, which gets its fields in order.
  bool made_reads(NominalInfo* made, const ast::Arg& arg, size_t at) {
    c_.ensure_fields(made);
    if (arg.name) return field_reads(made, arg.name);
    if (made->base.valid() && !c_.nominal_info(made->base)->fields.empty()) return false;
    return at < made->fields.size() && field_reads(made, made->fields[at].name);
  }

  // An iterator or a view: it looks at a collection that it has, and does not let it out.
  bool field_reads(NominalInfo* holder, base::Name name) {
    c_.ensure_fields(holder);
    size_t at = static_cast<size_t>(std::ranges::find(holder->fields, name, &FieldInfo::name) - holder->fields.begin());
    if (at == holder->fields.size() || !is_collection(c_, holder->fields[at].type)) return false;
    return std::ranges::all_of(holder->method_order, [&](FunctionInfo* method) {
      return !method->has_self || method->name().text() == "__init__" || look({method, FIELDS + at});
    });
  }

  Overloads field_methods(FunctionInfo* caller, base::Name field, base::Name name) {
    auto found = std::ranges::find(caller->owner->fields, field, &FieldInfo::name);
    return own_methods(c_.nominal_info(c_.resolve(found->type)), name);
  }

  Overloads own_methods(NominalInfo* owner, base::Name name) {
    for (NominalInfo* at = owner; at; at = at->base.valid() ? c_.nominal_info(at->base) : nullptr) {
      c_.ensure_header(at);
      if (Overloads* found = at->find_method(name)) return *found;
    }
    return methods_named(name);
  }

  Overloads methods_named(base::Name name) {
    Overloads out;
    for (NominalInfo* info : c_.all_nominals()) {
      if (!info->module->is_core) continue;
      if (Overloads* found = info->find_method(name)) out.insert(out.end(), found->begin(), found->end());
    }
    return out;
  }

  Overloads functions_named(base::Name name, bool& builds, NominalInfo*& made) {
    Symbol symbol = c_.find_symbol(c_.core_module(), name);
    if (symbol.kind == SymbolKind::Functions) return *symbol.functions;
    if (symbol.kind != SymbolKind::Nominal) {
      builds = name.text() == "same" || name.text() == "len" || name.text() == "id" ||
               name.text() == "type";  // looks at the reference only
      return {};
    }
    builds = true;
    made = symbol.nominal;
    Overloads* inits = symbol.nominal->find_method(c_.name("__init__"));
    return inits ? *inits : Overloads();
  }

  Checker& c_;
  std::map<Key, bool>& known_;
  std::set<Key> writers_, assumed_;
};

}  // namespace

bool reads_only(Checker& checker, FunctionInfo* function, size_t param) {
  return Search(checker, checker.reads_only_known).ask({function, param});
}

}  // namespace meteor::typed
