#include "compiler/typed/reads_only.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <unordered_set>

#include "compiler/typed/scan_names.h"

namespace meteor::typed {

namespace {

using Key = std::pair<FunctionInfo*, size_t>;

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

  bool body_reads(Key key) {
    FunctionInfo* function = key.first;
    std::unordered_set<base::Name> aliases{function->decl->params[key.second].name};
    find_aliases(function->decl->body, aliases);
    bool reads = true;
    auto rooted = [&](ast::Expr* e) { return is_rooted(e, aliases); };
    TreeVisitor visitor;
    visitor.on_stmt = [&](ast::Stmt* s) {
      auto target = [&](ast::Expr* t) { reads = reads && !(t->kind != ast::ExprKind::Name && is_inside(t, aliases)); };
      if (auto* a = s->as<ast::AssignStmt>())
        for (ast::Expr* t : a->targets) target(t);
      if (auto* a = s->as<ast::AugAssignStmt>()) target(a->target);
      if (auto* d = s->as<ast::DelStmt>())
        for (ast::Expr* t : d->targets) target(t);
      if (auto* r = s->as<ast::ReturnStmt>();
          r && r->value && r->value->kind == ast::ExprKind::Name && rooted(r->value))
        reads = false;
    };
    visitor.on_expr = [&](ast::Expr* e) {
      if (auto* call = e->as<ast::CallExpr>(); call && reads) reads = call_reads(function, call, aliases);
    };
    visitor.visit(function->decl->body);
    return reads;
  }

  static void find_aliases(ast::Block body, std::unordered_set<base::Name>& aliases) {
    bool grew = true;
    while (grew) {
      grew = false;
      TreeVisitor visitor;
      visitor.on_stmt = [&](ast::Stmt* s) {
        auto* assign = s->as<ast::AssignStmt>();
        if (!assign || !assign->value || !is_rooted(assign->value, aliases)) return;
        for (ast::Expr* t : assign->targets)
          if (auto* name = t->as<ast::NameExpr>()) grew |= aliases.insert(name->name).second;
      };
      visitor.on_expr = [&](ast::Expr* e) {
        auto* walrus = e->as<ast::WalrusExpr>();
        if (walrus && is_rooted(walrus->value, aliases)) grew |= aliases.insert(walrus->target->name).second;
      };
      visitor.visit(body);
    }
  }

  // The parameter itself, or a field of it (the memory of a collection is one). Elements are frozen by their type.
  static bool is_rooted(ast::Expr* e, const std::unordered_set<base::Name>& aliases) {
    if (auto* name = e->as<ast::NameExpr>()) return aliases.contains(name->name);
    if (auto* member = e->as<ast::MemberExpr>()) return is_rooted(member->object, aliases);
    if (auto* unwrap = e->as<ast::UnwrapExpr>()) return is_rooted(unwrap->operand, aliases);
    if (auto* owned = e->as<ast::OwnedExpr>()) return is_rooted(owned->operand, aliases);
    if (auto* walrus = e->as<ast::WalrusExpr>())
      return is_rooted(walrus->value, aliases) || aliases.contains(walrus->target->name);
    return false;
  }

  static bool is_inside(ast::Expr* e, const std::unordered_set<base::Name>& aliases) {
    if (auto* index = e->as<ast::IndexExpr>()) return is_inside(index->object, aliases);
    if (auto* tuple = e->as<ast::TupleExpr>()) {
      for (ast::Expr* item : tuple->items)
        if (is_inside(item, aliases)) return true;
      return false;
    }
    if (auto* member = e->as<ast::MemberExpr>(); member && is_inside(member->object, aliases)) return true;
    return is_rooted(e, aliases);
  }

  bool call_reads(FunctionInfo* caller, ast::CallExpr* call, const std::unordered_set<base::Name>& aliases) {
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
    if (member) {
      candidates = receives && member->object->kind == ast::ExprKind::Name ? own_methods(caller, member->name)
                                                                           : methods_named(member->name);
      if (receives && candidates.empty()) return false;
      if (receives)
        for (FunctionInfo* f : candidates)
          if (f->has_self && !look({f, 0})) return false;
    } else if (auto* name = call->callee->as<ast::NameExpr>()) {
      candidates = functions_named(name->name, builds);
    }
    for (size_t i = 0; i < call->args.size(); ++i) {
      const ast::Arg& arg = call->args[i];
      if (!is_rooted(arg.value, aliases) || is_plain_field(caller, arg.value)) continue;
      if (candidates.empty() && !builds) return false;
      for (FunctionInfo* f : candidates) {
        size_t at = i + (f->has_self ? 1 : 0);
        if (arg.name)
          for (size_t p = 0; p < f->decl->params.size(); ++p)
            if (f->decl->params[p].name == arg.name) at = p;
        if (at >= f->decl->params.size()) continue;  // another overload
        if (!look({f, at})) return false;
      }
    }
    return true;
  }

  // `self._len`: a number, which is copied.
  bool is_plain_field(FunctionInfo* caller, ast::Expr* e) {
    auto* member = e->as<ast::MemberExpr>();
    if (!member || member->object->kind != ast::ExprKind::Name) return false;
    for (NominalInfo* at = caller->owner; at; at = at->base.valid() ? c_.nominal_info(at->base) : nullptr) {
      c_.ensure_fields(at);
      for (const FieldInfo& field : at->fields)
        if (field.name == member->name) return c_.kind(field.type) == Kind::Int || c_.kind(field.type) == Kind::Bool;
    }
    return false;
  }

  Overloads own_methods(FunctionInfo* caller, base::Name name) {
    for (NominalInfo* at = caller->owner; at; at = at->base.valid() ? c_.nominal_info(at->base) : nullptr) {
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

  Overloads functions_named(base::Name name, bool& builds) {
    Symbol symbol = c_.find_symbol(c_.core_module(), name);
    if (symbol.kind == SymbolKind::Functions) return *symbol.functions;
    if (symbol.kind != SymbolKind::Nominal) {
      builds = name.text() == "same" || name.text() == "len" || name.text() == "id" ||
               name.text() == "type";  // looks at the reference only
      return {};
    }
    builds = true;  // an iterator or a view over it; the library's never write
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
