// The walk for loop_facts.h. Where it does not know, a place counts as one that may be null.
#include "compiler/typed/loop_facts.h"

#include <algorithm>
#include <map>
#include <set>

#include "compiler/typed/scan_names.h"

namespace meteor::typed {

namespace {

// Places that hold a value at a point: a name, or a name and fields, `n.next`.
struct Present {
  bool reachable = true;
  std::set<std::string> places;

  bool has(const std::string& place) const { return !place.empty() && places.contains(place); }
  void add(const std::string& place) {
    if (!place.empty()) places.insert(place);
  }
  void remove(const std::string& name) {
    std::erase_if(places, [&](const std::string& p) {
      return p.starts_with(name) && (p.size() == name.size() || p[name.size()] == '.');
    });
  }
  void remove_through(const std::string& field) {
    std::erase_if(places, [&](const std::string& p) { return (p + ".").find("." + field + ".") != std::string::npos; });
  }
  void remove_fields() {
    std::erase_if(places, [](const std::string& p) { return p.find('.') != std::string::npos; });
  }
};

Present meet(const Present& a, const Present& b) {
  if (!a.reachable) return b;
  if (!b.reachable) return a;
  Present out;
  for (const std::string& place : a.places)
    if (b.places.contains(place)) out.places.insert(place);
  return out;
}

class LoopWalk {
 public:
  LoopWalk(BodyChecker& body) : b_(body), c_(body.c), runs_hooks_(!body.c.written_names().hooks.is_empty()) {}

  // What holds at the loop's head when it is entered with `entry`.
  Present head_of(const BodyChecker::LoopParts& loop, const Present& entry) {
    if (loop.target) elements_[loop.target] = loop.element;
    for (int pass = 0; pass < MAX_PASSES; ++pass) {
      changed_ = false;
      now_ = entry;
      walk_loop(loop.body_ast.data(), loop.condition_ast, loop.target, loop.body_ast, {});
      if (!changed_) return heads_[loop.body_ast.data()];
    }
    return {};
  }

 private:
  static constexpr int MAX_PASSES = 12;  // each takes away at least one fact; more than a few is no ordinary loop
  struct Jumps {
    Present at_break{.reachable = false}, at_continue{.reachable = false};
  };

  // ---- Types, as far as they can be told without checking anything

  bool is_value(TypeId type) {
    if (!type.valid()) return false;
    switch (c_.kind(type)) {
      case Kind::Bool:
      case Kind::Int:
      case Kind::Float:
      case Kind::Str:
      case Kind::Bytes:
      case Kind::Class:
      case Kind::Struct:
      case Kind::Enum:
      case Kind::Tuple: return true;
      case Kind::Frozen: return is_value(c_.resolve(b_.types.arg(c_.resolve(type))));
      default: return false;
    }
  }

  bool is_builtin(TypeId type) {
    Kind kind = type.valid() ? c_.kind(type) : Kind::Error;
    return kind == Kind::Int || kind == Kind::Float || kind == Kind::Str || kind == Kind::Bytes || kind == Kind::Bool;
  }

  // What the name means unless this function or one around it has a variable of that name.
  Symbol symbol_of(Name name) {
    for (BodyChecker* at = &b_; at; at = at->parent)
      if (at->find_local(name).kind != BindingKind::None || (at->local_names_.contains(name) && !at->is_module_body))
        return {};
    return b_.find_symbol(name);
  }

  TypeId name_type(Name name) {
    if (auto seen = types_.find(name); seen != types_.end()) return seen->second;
    Binding binding = b_.find_local(name);
    if (binding.kind == BindingKind::Variable)
      return binding.variable.valid() ? b_.var(binding.variable).type : TypeId();
    Symbol symbol = symbol_of(name);
    return symbol.kind == SymbolKind::Global ? symbol.global->type : TypeId();
  }

  TypeId result_of(FunctionInfo* f, const Subst& subst) {
    c_.ensure_signature(f);
    return f->result.valid() && f->type_params.empty() && f->frame == FrameKind::None ? c_.apply(f->result, subst)
                                                                                      : TypeId();
  }

  // `max(a, b)`: every argument is a `T`, and so is the result.
  bool gives_an_argument(FunctionInfo* f) {
    c_.ensure_signature(f);
    bool is_generic = f->type_params.size() == 1 && f->result == f->type_params[0].type && f->frame == FrameKind::None;
    for (const ParamInfo& param : f->params)
      is_generic &= param.kind == ast::ParamKind::VarArgs || param.type == f->result;
    return is_generic;
  }

  TypeId result_of(const Overloads& functions, const Subst& subst, ast::CallExpr* call) {
    if (functions.size() == 1 && functions.front()->type_params.empty()) return result_of(functions.front(), subst);
    TypeId given;
    for (ast::Arg& arg : call->args) {
      TypeId type = type_of(arg.value);
      if (arg.name || !is_builtin(type) || (given.valid() && given != type)) return {};
      given = type;
    }
    std::vector<BodyChecker::CallArg> args = b_.call_args(call->args);
    for (FunctionInfo* f : functions)
      if (b_.accepts(f, args) && !gives_an_argument(f)) return {};
    return given;
  }

  TypeId builtin_call_type(std::string_view name) {
    if (name == "len" || name == "hash" || name == "id") return b_.types.int_;
    return name == "str" || name == "repr" ? b_.types.str : TypeId();
  }

  TypeId call_type(ast::CallExpr* call) {
    if (auto* name = call->callee->as<ast::NameExpr>()) {
      Symbol symbol = symbol_of(name->name);
      if (symbol.kind == SymbolKind::None && b_.lookup(name->name).kind == BindingKind::None)
        return builtin_call_type(name->name.text());
      if (symbol.kind == SymbolKind::Functions) return result_of(*symbol.functions, {}, call);
      if (symbol.kind == SymbolKind::Nominal && symbol.nominal->kind != Kind::Trait &&
          symbol.nominal->type_params.empty())
        return symbol.nominal->self_type;
      return symbol.kind == SymbolKind::BuiltinType ? symbol.type : TypeId();
    }
    auto* member = call->callee->as<ast::MemberExpr>();
    if (!member || member->optional || member->object->kind == ast::ExprKind::Super) return {};
    Member found = member_of(type_of(member->object), member->name);
    return found.kind == Member::Methods && !found.methods->front()->is_property
               ? result_of(*found.methods, found.subst, call)
               : TypeId();
  }

  Member member_of(TypeId type, Name name) {
    if (!is_value(type)) return {};
    type = c_.resolve(type);
    if (c_.kind(type) == Kind::Frozen) type = c_.resolve(b_.types.arg(type));  // its fields are there as those of a plain one are
    return b_.types.has_var(type) ? Member() : c_.find_member(type, name);
  }

  // The type of the value, without `?` where it is known to be there; invalid: not known.
  TypeId type_of(ast::Expr* expr) {
    TypeId type = declared_type(expr);
    if (!type.valid()) return type;
    type = c_.resolve(type);
    if (c_.kind(type) == Kind::Optional && now_.has(place_of(expr))) type = c_.resolve(b_.types.arg(type));
    return type;
  }

  TypeId declared_type(ast::Expr* expr) {
    switch (expr->kind) {
      case ast::ExprKind::Name: return name_type(expr->as<ast::NameExpr>()->name);
      case ast::ExprKind::Member: {
        auto* member = expr->as<ast::MemberExpr>();
        if (member->optional || member->object->kind == ast::ExprKind::Super) return {};
        Member found = member_of(type_of(member->object), member->name);
        if (found.kind == Member::Field) return found.field_type;
        bool is_property = found.kind == Member::Methods && found.methods->front()->is_property;
        return is_property ? result_of(found.methods->front(), found.subst) : TypeId();
      }
      case ast::ExprKind::Index: {
        TypeId of = type_of(expr->as<ast::IndexExpr>()->object);
        if (!of.valid()) return {};
        NominalInfo* info = c_.nominal_info(of);
        bool is_element = info && (info == c_.core_nominal("list") || info == c_.core_nominal("dict"));
        return is_element && expr->as<ast::IndexExpr>()->index->kind != ast::ExprKind::Slice
                   ? b_.types.get(of).args.back()
                   : TypeId();
      }
      case ast::ExprKind::Call: return call_type(expr->as<ast::CallExpr>());
      case ast::ExprKind::Await: {
        auto* call = expr->as<ast::AwaitExpr>()->operand->as<ast::CallExpr>();
        auto* name = call ? call->callee->as<ast::NameExpr>() : nullptr;
        Symbol symbol = name ? symbol_of(name->name) : Symbol();
        if (symbol.kind != SymbolKind::Functions || symbol.functions->size() != 1) return {};
        FunctionInfo* f = symbol.functions->front();
        c_.ensure_signature(f);
        if (f->frame != FrameKind::Async || !f->type_params.empty() || !f->result.valid()) return {};
        TypeId awaited = c_.future_value(f->result);
        return awaited.valid() ? awaited : f->result;
      }
      case ast::ExprKind::Unwrap: {
        TypeId type = type_of(expr->as<ast::UnwrapExpr>()->operand);
        return type.valid() && c_.kind(type) == Kind::Optional ? b_.types.arg(type) : type;
      }
      case ast::ExprKind::Unary: {
        TypeId type = type_of(expr->as<ast::UnaryExpr>()->operand);
        return is_builtin(type) ? type : TypeId();
      }
      case ast::ExprKind::Binary: {
        auto* binary = expr->as<ast::BinaryExpr>();
        TypeId left = type_of(binary->left), right = type_of(binary->right);
        if (is_builtin(left) && is_builtin(right)) return left;
        bool is_list = left.valid() && c_.nominal_info(left) == c_.core_nominal("list");
        return is_list && (left == right || binary->right->kind == ast::ExprKind::List) ? left : TypeId();
      }
      default: return b_.literal_type(expr);
    }
  }

  // A name, or fields followed from one; else empty.
  std::string place_of(ast::Expr* expr) {
    if (auto* name = expr->as<ast::NameExpr>()) return name->name.str();
    if (auto* walrus = expr->as<ast::WalrusExpr>()) return walrus->target->name.str();
    auto* member = expr->as<ast::MemberExpr>();
    if (!member || member->optional) return {};
    std::string object = place_of(member->object);
    if (object.empty()) return {};
    Member found = member_of(type_of(member->object), member->name);
    bool is_kept = found.kind == Member::Field && !found.field->is_weak;
    return is_kept ? object + "." + member->name.str() : std::string();
  }

  // Can the value not be null?
  bool is_present(ast::Expr* expr) {
    switch (expr->kind) {
      case ast::ExprKind::Int:
      case ast::ExprKind::Float:
      case ast::ExprKind::Bool:
      case ast::ExprKind::Str:
      case ast::ExprKind::Bytes:
      case ast::ExprKind::FString:
      case ast::ExprKind::Duration:
      case ast::ExprKind::List:
      case ast::ExprKind::Set:
      case ast::ExprKind::Dict:
      case ast::ExprKind::Tuple:
      case ast::ExprKind::Comprehension:
      case ast::ExprKind::Compare:
      case ast::ExprKind::Is: return true;
      case ast::ExprKind::Unwrap: return is_value(type_of(expr));
      case ast::ExprKind::Coalesce: return is_present(expr->as<ast::CoalesceExpr>()->right);
      case ast::ExprKind::Ternary: {
        auto* choice = expr->as<ast::TernaryExpr>();
        Present before = now_, no;
        condition(choice->condition, no);
        bool both = is_present(choice->then_value);
        now_ = no;
        both = both && is_present(choice->else_value);
        now_ = before;
        return both;
      }
      default: {
        TypeId type = type_of(expr);
        return type.valid() ? is_value(type) : now_.has(place_of(expr)) || gives_a_value(expr);
      }
    }
  }

  // A call whose result is there whatever the types of its arguments are: `sorted(xs)` is a list.
  bool gives_a_value(ast::Expr* expr) {
    auto* call = expr->as<ast::CallExpr>();
    if (!call) return false;
    Overloads* functions = nullptr;
    Member found;
    if (auto* name = call->callee->as<ast::NameExpr>()) {
      Symbol symbol = symbol_of(name->name);
      if (symbol.kind == SymbolKind::EnumCase) return true;
      if (symbol.kind == SymbolKind::Nominal) return symbol.nominal->kind != Kind::Trait;
      if (symbol.kind == SymbolKind::Functions) functions = symbol.functions;
      // Declared without a result, since it takes whatever can be iterated over.
      if (functions && functions->front()->module->is_core && name->name.text() == "sorted") return true;
    } else if (auto* member = call->callee->as<ast::MemberExpr>();
               member && !member->optional && member->object->kind != ast::ExprKind::Super) {
      found = member_of(type_of(member->object), member->name);
      if (found.kind == Member::Methods && !found.methods->front()->is_property) functions = found.methods;
    }
    return functions && std::ranges::all_of(*functions, [&](FunctionInfo* f) {
             c_.ensure_signature(f);
             bool is_future = f->frame == FrameKind::Async;  // which the variable could not take
             return is_future || (f->frame == FrameKind::None && is_value(f->result));
           });
  }

  // ---- Statements

  // The target of a `for` gets an element.
  void bind(ast::Expr* target) {
    if (!target) return;
    scan_target(target, [&](const AssignedName& name) { now_.remove(name.name.str()); }, false);
    auto element = elements_.find(target);
    if (element == elements_.end() || !element->second.valid()) return;
    TypeId type = c_.resolve(element->second);
    if (auto* name = target->as<ast::NameExpr>()) return assign_name(name->name, is_value(type), type);
    auto* parts = target->as<ast::TupleExpr>();
    if (!parts || c_.kind(type) != Kind::Tuple || b_.types.get(type).args.size() != parts->items.size()) return;
    for (size_t i = 0; i < parts->items.size(); ++i) {
      TypeId part = c_.resolve(b_.types.get(type).args[i]);
      if (auto* name = parts->items[i]->as<ast::NameExpr>()) assign_name(name->name, is_value(part), part);
    }
  }

  // Code that the expression runs, operands and all.
  void run(ast::Expr* expr) {
    if (!expr) return;
    TreeVisitor visitor;
    visitor.into_functions = false;
    visitor.on_expr = [&](ast::Expr* e) {
      switch (e->kind) {
        case ast::ExprKind::Name:
        case ast::ExprKind::Int:
        case ast::ExprKind::Float:
        case ast::ExprKind::Bool:
        case ast::ExprKind::Null:
        case ast::ExprKind::Str:
        case ast::ExprKind::Member:
        case ast::ExprKind::Is:
        case ast::ExprKind::And:
        case ast::ExprKind::Or:
        case ast::ExprKind::Unwrap:
        case ast::ExprKind::Coalesce:
        case ast::ExprKind::Ternary: break;
        case ast::ExprKind::Walrus: now_.remove(e->as<ast::WalrusExpr>()->target->name.str()); break;
        case ast::ExprKind::Call:
          now_.remove_fields();
          for (ast::Arg& arg : e->as<ast::CallExpr>()->args) lend(e->as<ast::CallExpr>(), arg.value);
          break;
        case ast::ExprKind::Await:
        case ast::ExprKind::Yield:
        case ast::ExprKind::Spawn:
        case ast::ExprKind::TakeOver: now_.remove_fields(); break;
        default:
          if (runs_hooks_) now_.remove_fields();
      }
    };
    visitor.visit(expr);
  }

  // A variable that the callee may assign or take away.
  void lend(ast::CallExpr* call, ast::Expr* arg) {
    auto* owned = arg->as<ast::OwnedExpr>();
    auto* name = (owned ? owned->operand : arg)->as<ast::NameExpr>();
    if (!name) return;
    auto* callee = call->callee->as<ast::NameExpr>();
    bool is_known = call->callee->kind == ast::ExprKind::Member ||
                    (callee && b_.find_local(callee->name).kind == BindingKind::None);
    if (owned || !is_known || !c_.lending_functions().is_empty()) now_.remove(name->name.str());
  }

  // Leaves what holds where it was true in now_.
  void condition(ast::Expr* expr, Present& no) {
    auto* unary = expr->as<ast::UnaryExpr>();
    if (unary && unary->op == ast::UnaryOp::Not) {
      condition(unary->operand, no);
      std::swap(now_, no);
    } else if (auto* both = expr->as<ast::AndExpr>()) {
      Present left_no, right_no;
      condition(both->left, left_no);
      condition(both->right, right_no);
      no = meet(left_no, right_no);
    } else if (auto* either = expr->as<ast::OrExpr>()) {
      condition(either->left, no);
      Present left_yes = std::move(now_);
      now_ = no;
      condition(either->right, no);
      now_ = meet(left_yes, now_);
    } else {
      test(expr, no);
    }
  }

  void test(ast::Expr* expr, Present& no) {
    ast::Expr* of = nullptr;  // what is compared with null
    bool is_null = false;
    if (auto* is = expr->as<ast::IsExpr>();
        is && is->pattern->kind == ast::PatternKind::Literal && is->pattern->literal->kind == ast::ExprKind::Null) {
      of = is->value;
      is_null = !is->negated;
    } else if (auto* compare = expr->as<ast::CompareExpr>(); compare && compare->operands.size() == 2) {
      bool is_equality = compare->ops[0] == ast::CompareOp::Eq || compare->ops[0] == ast::CompareOp::Ne;
      if (is_equality && compare->operands[1]->kind == ast::ExprKind::Null) of = compare->operands[0];
      if (is_equality && compare->operands[0]->kind == ast::ExprKind::Null) of = compare->operands[1];
      is_null = compare->ops[0] == ast::CompareOp::Eq;
    } else if (expr->kind == ast::ExprKind::Name || expr->kind == ast::ExprKind::Member ||
               expr->kind == ast::ExprKind::Walrus) {
      if (!runs_hooks_) of = expr;  // `__bool__` may change the place
    }
    run(expr);
    std::string place = of ? place_of(of) : std::string();
    no = now_;
    if (auto* constant = expr->as<ast::BoolExpr>()) (constant->value ? no : now_).reachable = false;
    (is_null ? no : now_).add(place);
  }

  void assign_name(Name name, bool is_present, TypeId type) {
    now_.remove(name.str());
    // Its type may turn out to be optional: it has a value where now_ says so.
    if (type.valid() && !name_type(name).valid())
      types_[name] = c_.kind(type) == Kind::Optional ? type : c_.optional_of(type);
    if (is_present) now_.add(name.str());
  }

  // `case Pair(a, b)` of an enum: what the case holds.
  void bind_payload(ast::Pattern* pattern, TypeId type) {
    type = type.valid() ? c_.resolve(type) : type;
    if (!pattern || pattern->kind != ast::PatternKind::Call || !type.valid() || c_.kind(type) != Kind::Enum) return;
    NominalInfo* info = c_.nominal_info(type);
    c_.ensure_fields(info);
    auto one = std::ranges::find(info->cases, pattern->path.back(), &CaseInfo::name);
    if (one == info->cases.end() || b_.types.has_var(type)) return;
    for (size_t i = 0; i < pattern->args.size() && i < one->fields.size(); ++i) {
      const ast::PatternArg& arg = pattern->args[i];
      if (arg.name || arg.pattern->kind != ast::PatternKind::Path || arg.pattern->path.size() != 1) continue;
      Name name = arg.pattern->path[0];
      // One that hides a variable ends with the case.
      bool is_new = b_.find_local(name).kind == BindingKind::None && symbol_of(name).kind == SymbolKind::None;
      TypeId part = c_.resolve(c_.apply(one->fields[i].type, c_.arguments_of(type)));
      if (is_new) assign_name(name, is_value(part), part);
    }
  }

  void assign(ast::Expr* target, ast::Expr* value) {
    auto* targets = target->as<ast::TupleExpr>();
    auto* values = value ? value->as<ast::TupleExpr>() : nullptr;
    if (targets && values && targets->items.size() == values->items.size()) {
      std::vector<std::pair<bool, TypeId>> held;
      for (ast::Expr* item : values->items) held.emplace_back(is_present(item), type_of(item));
      for (size_t i = 0; i < held.size(); ++i) assign_part(targets->items[i], held[i].first, held[i].second);
      return;
    }
    if (!value || targets) return assign_part(target, false, TypeId());
    bool present = is_present(value);
    assign_part(target, present, type_of(value));
  }

  void assign_part(ast::Expr* target, bool is_present, TypeId type) {
    if (auto* name = target->as<ast::NameExpr>()) return assign_name(name->name, is_present, type);
    if (target->kind == ast::ExprKind::Member || target->kind == ast::ExprKind::Index) {
      run(target);
      // Of whatever object this one may be. An element's hooks are run by `run`.
      if (auto* member = target->as<ast::MemberExpr>()) now_.remove_through(member->name.str());
      if (is_present && target->kind == ast::ExprKind::Member) now_.add(place_of(target));
      return;
    }
    bind(target);
  }

  void walk_loop(const void* key, ast::Expr* test, ast::Expr* target, ast::Block body, ast::Block else_body) {
    auto [known, is_new] = heads_.try_emplace(key, now_);
    if (!is_new) narrow(known->second, now_);
    now_ = known->second;
    Present no = now_;
    if (test)
      condition(test, no);
    else if (runs_hooks_)
      now_.remove_fields();
    jumps_.emplace_back();
    bind(target);
    walk(body);
    Jumps jumps = std::move(jumps_.back());
    jumps_.pop_back();
    narrow(heads_[key], meet(now_, jumps.at_continue));
    now_ = std::move(no);
    walk(else_body);
    now_ = meet(now_, jumps.at_break);
  }

  void narrow(Present& head, const Present& by) {
    Present met = meet(head, by);
    changed_ |= met.places != head.places;
    head = std::move(met);
  }

  static void remove_assigned(Present& from, ast::Block body) {
    from.remove_fields();
    scan_assigned(body, [&](const AssignedName& name) { from.remove(name.name.str()); });
  }

  void walk(ast::Block body) {
    for (ast::Stmt* stmt : body)
      if (now_.reachable) walk(stmt);
  }

  void walk(ast::Stmt* stmt) {
    switch (stmt->kind) {
      case ast::StmtKind::Expr: return run(stmt->as<ast::ExprStmt>()->value);
      case ast::StmtKind::Assign: {
        auto* s = stmt->as<ast::AssignStmt>();
        run(s->value);
        for (ast::Expr* target : s->targets) assign(target, s->value);
        return;
      }
      case ast::StmtKind::AugAssign: return walk_update(stmt->as<ast::AugAssignStmt>());
      case ast::StmtKind::If: return walk_if(stmt->as<ast::IfStmt>());
      case ast::StmtKind::While: {
        auto* s = stmt->as<ast::WhileStmt>();
        return walk_loop(stmt, s->condition, nullptr, s->body, s->else_body);
      }
      case ast::StmtKind::For: {
        auto* s = stmt->as<ast::ForStmt>();
        run(s->iterable);
        elements_[s->target] = s->is_async ? TypeId() : element_of(s->iterable);
        if (s->is_async) now_.remove_fields();
        return walk_loop(stmt, nullptr, s->target, s->body, s->else_body);
      }
      case ast::StmtKind::Break:
      case ast::StmtKind::Continue:
        if (!jumps_.empty()) {
          Present& to = stmt->kind == ast::StmtKind::Break ? jumps_.back().at_break : jumps_.back().at_continue;
          to = meet(to, now_);
        }
        now_.reachable = false;
        return;
      case ast::StmtKind::Return:
      case ast::StmtKind::Raise: now_.reachable = false; return;
      case ast::StmtKind::Assert: {
        Present no;
        return condition(stmt->as<ast::AssertStmt>()->condition, no);
      }
      case ast::StmtKind::Switch: return walk_switch(stmt->as<ast::SwitchStmt>());
      case ast::StmtKind::Try: return walk_try(stmt->as<ast::TryStmt>());
      case ast::StmtKind::Unsafe: return walk(stmt->as<ast::UnsafeStmt>()->body);
      case ast::StmtKind::Del:
        for (ast::Expr* target : stmt->as<ast::DelStmt>()->targets) assign_part(target, false, TypeId());
        return;
      case ast::StmtKind::Pass:
      case ast::StmtKind::Global:
      case ast::StmtKind::Nonlocal: return;
      default: return walk_unknown(stmt);
    }
  }

  void walk_update(ast::AugAssignStmt* s) {
    run(s->value);
    TypeId type = type_of(s->target), value = type_of(s->value);
    bool is_list =
        type.valid() && c_.nominal_info(type) == c_.core_nominal("list") && s->value->kind == ast::ExprKind::List;
    bool is_there =
        s->op == ast::BinaryOp::Coalesce ? is_present(s->value) : is_list || (is_builtin(type) && is_builtin(value));
    assign_part(s->target, is_there, type);
  }

  void walk_if(ast::IfStmt* s) {
    Present end{.reachable = false};
    for (ast::IfBranch& branch : s->branches) {
      Present no;
      condition(branch.condition, no);
      walk(branch.body);
      end = meet(end, now_);
      now_ = std::move(no);
    }
    walk(s->else_body);
    now_ = meet(end, now_);
  }

  void walk_switch(ast::SwitchStmt* s) {
    TypeId subject = type_of(s->subject);
    run(s->subject);
    Present end{.reachable = false};
    bool has_default = false;
    for (ast::SwitchCase& one : s->cases) {
      Present before = now_, no = now_;
      has_default |= !one.pattern;
      ast::Stmt* as_written = s;  // whose patterns bind names
      scan_assigned(ast::Block(&as_written, 1), [&](const AssignedName& name) {
        if (one.pattern && name.span.start >= one.pattern->span.start && name.span.end <= one.pattern->span.end)
          now_.remove(name.name.str());
      });
      bind_payload(one.pattern, subject);
      if (one.guard) condition(one.guard, no);
      walk(one.body);
      end = meet(end, now_);
      now_ = one.guard ? meet(before, no) : std::move(before);
    }
    now_ = has_default ? std::move(end) : meet(end, now_);
  }

  void walk_try(ast::TryStmt* s) {
    Present cut = now_;
    remove_assigned(cut, s->body);
    walk(s->body);
    walk(s->else_body);
    Present end = now_;
    for (ast::CatchClause& clause : s->catches) {
      now_ = cut;
      if (clause.name) now_.remove(clause.name.str());
      walk(clause.body);
      end = meet(end, now_);
    }
    now_ = std::move(end);
    if (!s->has_finally) return;
    remove_assigned(now_, s->finally_body);
    for (Jumps& jumps : jumps_) {
      remove_assigned(jumps.at_break, s->finally_body);
      remove_assigned(jumps.at_continue, s->finally_body);
    }
  }

  // A statement that this walk does not follow: it may be left anywhere.
  void walk_unknown(ast::Stmt* stmt) {
    remove_assigned(now_, ast::Block(&stmt, 1));
    TreeVisitor visitor;
    visitor.into_functions = false;
    visitor.on_stmt = [&](ast::Stmt* inner) {
      if (jumps_.empty()) return;
      if (inner->kind == ast::StmtKind::Break) jumps_.back().at_break = meet(jumps_.back().at_break, now_);
      if (inner->kind == ast::StmtKind::Continue) jumps_.back().at_continue = meet(jumps_.back().at_continue, now_);
    };
    visitor.on_expr = [&](ast::Expr* e) {
      if (auto* call = e->as<ast::CallExpr>())
        for (ast::Arg& arg : call->args) lend(call, arg.value);
    };
    visitor.visit(stmt);
  }

  TypeId element_of(ast::Expr* iterable) {
    if (iterable->kind == ast::ExprKind::Range) return b_.types.int_;
    if (auto* call = iterable->as<ast::CallExpr>()) {
      auto* name = call->callee->as<ast::NameExpr>();
      bool is_range = name && name->name.text() == "range" && symbol_of(name->name).kind != SymbolKind::Global &&
                      b_.lookup(name->name).kind == BindingKind::None;
      if (is_range) return b_.types.int_;
    }
    TypeId type = type_of(iterable);
    NominalInfo* info = type.valid() ? c_.nominal_info(type) : nullptr;
    bool is_collection =
        info && (info == c_.core_nominal("list") || info == c_.core_nominal("set") || info == c_.core_nominal("dict"));
    return is_collection ? b_.types.arg(type) : TypeId();
  }

  BodyChecker& b_;
  Checker& c_;
  bool runs_hooks_;  // operators, loops and drops may change fields
  Present now_;
  bool changed_ = false;
  std::map<const void*, Present> heads_;    // by loop; they only shrink
  std::vector<Jumps> jumps_;                // of the loops around, innermost last
  std::unordered_map<Name, TypeId> types_;  // of names that are first assigned in here
  std::map<ast::Expr*, TypeId> elements_;   // by the target of a `for`
};

}  // namespace

std::unordered_set<Name> present_in_every_pass(BodyChecker& body, const BodyChecker::LoopParts& loop,
                                               const std::unordered_set<Name>& variables) {
  // A name that something else than an assignment binds may be another variable there.
  std::unordered_map<Name, int> other_sites;
  scan_assigned(loop.body_ast, [&](const AssignedName& name) { ++other_sites[name.name]; });
  TreeVisitor assignments;
  assignments.into_functions = false;
  assignments.on_stmt = [&](ast::Stmt* stmt) {
    auto take = [&](const AssignedName& name) { --other_sites[name.name]; };
    if (auto* assign = stmt->as<ast::AssignStmt>())
      for (ast::Expr* target : assign->targets) scan_target(target, take, false);
    if (auto* update = stmt->as<ast::AugAssignStmt>()) scan_target(update->target, take, false);
  };
  assignments.visit(loop.body_ast);
  Present entry;
  for (Name name : variables)
    if (other_sites[name] == 0) entry.add(name.str());
  if (entry.places.empty()) return {};
  Present head = LoopWalk(body).head_of(loop, entry);
  std::unordered_set<Name> out;
  for (Name name : variables)
    if (head.has(name.str())) out.insert(name);
  return out;
}

TypeId element_given_by(BodyChecker& b, TypeId iterator) {
  if (b.types.has_var(iterator)) return {};
  Member next = b.c.find_member(iterator, b.c.name("next"));
  if (next.kind != Member::Methods || next.methods->size() != 1) return {};
  FunctionInfo* method = next.methods->front();
  b.c.ensure_signature(method);
  TypeId result = method->result.valid() ? b.c.resolve(b.c.apply(method->result, next.subst)) : TypeId();
  if (result.valid() && method->frame == FrameKind::Async)
    if (TypeId awaited = b.c.future_value(result); awaited.valid()) result = b.c.resolve(awaited);
  return result.valid() && b.c.kind(result) == Kind::Optional ? b.types.arg(result) : TypeId();
}

}  // namespace meteor::typed
