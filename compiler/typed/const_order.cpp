// The order in which consts get their values: each after those that its initializer may read, itself or through code
// that it may run. Objects and functions that exist while consts are made were made by an initializer, so what an
// initializer may run is what it calls, the functions it makes values of, and the methods of what it creates.
//
// Consts that reach each other by plain calls are an error. Where the way leads through a function value or a method
// that may never be called, the program is told when it runs: reads of a const that is not `is_safe` look whether it
// has its value.
#include <algorithm>
#include <deque>
#include <unordered_map>

#include "compiler/typed/program_check.h"
#include "compiler/typed/scan_names.h"
#include "compiler/typed/walk.h"
#include "compiler/typed/written_names.h"

namespace meteor::typed {

namespace {

class ConstOrder {
 public:
  explicit ConstOrder(Checker& checker)
      : c_(checker), program_(checker.program), state_(program_.globals.size()), is_reported_(program_.globals.size()) {
    for (uint32_t i = 0; i < program_.globals.size(); ++i)
      if (program_.globals[i].is_const && program_.globals[i].initializer.valid())
        const_of_[program_.globals[i].initializer.index] = i;
  }

  std::vector<FunctionId> run(const std::vector<FunctionId>& initializers) {
    for (FunctionId initializer : initializers) visit(const_of_.at(initializer.index));
    return std::move(ordered_);
  }

 private:
  enum State : uint8_t { New, Open, Done };
  // A place in `from` that runs `to`. `is_call`: it does so itself, rather than make something that may be called.
  struct Step {
    uint32_t from, to;
    Span span;
    bool is_call;
  };
  struct Read {
    uint32_t from, global;
    Span span;
  };
  struct Body {
    std::vector<Step> steps;
    std::vector<Read> reads;
  };
  struct Visit {
    uint32_t global;
    std::vector<uint32_t> needed;
    size_t at = 0;
  };

  void visit(uint32_t first) {
    if (state_[first] != New) return;
    std::vector<Visit> open;
    auto enter = [&](uint32_t global) {
      state_[global] = Open;
      open.push_back({global, consts_reached_from(global)});
    };
    enter(first);
    while (!open.empty()) {
      Visit& top = open.back();
      if (top.at == top.needed.size()) {
        state_[top.global] = Done;
        ordered_.push_back(program_.globals[top.global].initializer);
        open.pop_back();
        continue;
      }
      uint32_t next = top.needed[top.at++];
      if (state_[next] == New)
        enter(next);
      else if (state_[next] == Open)
        cycle(next);
    }
  }

  std::vector<uint32_t> consts_reached_from(uint32_t global) {
    std::vector<uint32_t> found, open{program_.globals[global].initializer.index};
    std::vector<bool> seen(program_.functions.size()), is_found(program_.globals.size());
    seen[open[0]] = true;
    for (size_t i = 0; i < open.size(); ++i) {
      const Body& body = body_of(open[i]);
      for (const Read& read : body.reads) {
        if (!is_found[read.global]) found.push_back(read.global);
        is_found[read.global] = true;
      }
      for (const Step& step : body.steps) {
        if (!seen[step.to]) open.push_back(step.to);
        seen[step.to] = true;
      }
    }
    return found;
  }

  // The const may be read before it has its value.
  void cycle(uint32_t global) {
    if (is_reported_[global]) return;
    is_reported_[global] = true;
    std::unordered_map<uint32_t, Step> came_by;
    std::vector<uint32_t> open{program_.globals[global].initializer.index};
    came_by[open[0]] = {};
    for (size_t i = 0; i < open.size(); ++i) {  // breadth first: the shortest way is told
      auto enter = [&](const Step& step) {
        if (came_by.emplace(step.to, step).second) open.push_back(step.to);
      };
      const Body& body = body_of(open[i]);
      for (const Read& read : body.reads) {
        if (read.global == global) return report(global, read, came_by);
        enter({read.from, program_.globals[read.global].initializer.index, read.span, true});
      }
      for (const Step& step : body.steps)
        if (step.is_call) enter(step);
    }
  }

  void report(uint32_t global, const Read& read, const std::unordered_map<uint32_t, Step>& came_by) {
    constexpr size_t STEPS_MAX = 6;
    std::string name = "`" + program_.globals[global].name.str() + "`";
    Diagnostic& d = c_.error(Code::CannotInfer, program_.globals[global].span, name + " is defined by itself");
    std::vector<const Step*> path;
    uint32_t start = program_.globals[global].initializer.index;
    for (uint32_t at = read.from; at != start; at = came_by.at(at).from) path.push_back(&came_by.at(at));
    std::reverse(path.begin(), path.end());
    for (const Step* step : path) {
      if (d.labels.size() == STEPS_MAX || !step->span.valid() || c_.is_of_library(step->span)) continue;
      auto made = const_of_.find(step->to);
      d.labels.push_back({step->span, made == const_of_.end()
                                          ? "`" + program_.functions[step->to].name + "` is called here"
                                          : "`" + program_.globals[made->second].name.str() + "` is read here"});
    }
    d.labels.push_back({read.span, name + " is read here, before it has its value"});
    d.help = "pass the value that it needs as an argument, or put it into a const of its own";
  }

  const Body& body_of(uint32_t function) {
    auto [found, is_new] = bodies_.try_emplace(function);
    Body& body = found->second;
    if (!is_new) return body;
    auto own = const_of_.find(function);
    bool decides_late =
        !program_.functions[function]
             .span.valid();  // no source stands for it: text, `==` or hash of an `any`, whatever that has
    auto step = [&](FunctionId to, Span span, bool is_call) {
      if (to.valid()) body.steps.push_back({function, to.index, span, is_call && !decides_late});
    };
    auto methods_of = [&](const Expr& made) {
      auto nominal = program_.nominals.find(c_.resolve(made.type));
      if (nominal == program_.nominals.end()) return;
      for (FunctionId method : nominal->second.vtable) step(method, made.span, false);
      step(nominal->second.del, made.span, false);
    };
    auto look_at = [&](const Expr& e) {
      if (auto* call = e.as<Call>(); call && call->call != CallKind::Intrinsic)
        step(call->function, e.span, call->call == CallKind::Direct);
      if (auto* closure = e.as<MakeClosure>()) step(closure->function, e.span, false);
      if (e.kind == ExprKind::New || e.kind == ExprKind::MakeEnum) methods_of(e);
      if (auto* convert = e.as<Convert>(); convert && convert->vtable != UINT32_MAX)
        for (FunctionId slot : program_.trait_tables[convert->vtable].slots) step(slot, e.span, false);
      if (auto* ref = e.as<GlobalRef>()) {
        const Global& global = program_.globals[ref->global.index];
        bool is_target = own != const_of_.end() && own->second == ref->global.index;
        if (global.is_const && global.initializer.valid() && !is_target)
          body.reads.push_back({function, ref->global.index, e.span});
        if (global.is_local) step(global.initializer, e.span, false);
      }
      return false;
    };
    Seq whole;
    whole.stmts = program_.functions[function].body;
    any_inside(&whole, look_at, [](const Stmt&) { return false; });
    return body;
  }

  Checker& c_;
  Program& program_;
  std::vector<uint8_t> state_;                       // by global
  std::unordered_map<uint32_t, uint32_t> const_of_;  // its initializer -> the const
  std::unordered_map<uint32_t, Body> bodies_;
  std::vector<bool> is_reported_;  // by global
  std::vector<FunctionId> ordered_;
};

}  // namespace

namespace {

// Which names the code that initializers of consts and locals may run mentions: found on the syntax trees, by name,
// before bodies are checked.
class EarlyNames {
 public:
  explicit EarlyNames(Checker& c) : names_(c.written_names()) {
    visitor_.on_expr = [this](ast::Expr* e) {
      if (auto* name = e->as<ast::NameExpr>()) mention(name->name);
      if (auto* member = e->as<ast::MemberExpr>()) mention(member->name);
    };
    add_other_names(c);
  }
  // The library calls methods by names that the program need not mention.
  void add_hooks(Checker& c) {
    for (auto& [name, bodies] : names_.bodies)
      if (name == c.name("next") || name.text().starts_with("__")) mention(name);
    for (NominalInfo* info : c.all_nominals())
      if (info->kind == Kind::Trait)
        for (FunctionInfo* method : info->method_order) mention(method->name());
  }
  void visit(ast::Expr* initializer) {
    visitor_.visit(initializer);
    while (!open_.empty()) {
      Name name = open_.back();
      open_.pop_back();
      auto bodies = names_.bodies.find(name);
      if (bodies == names_.bodies.end()) continue;
      for (ast::FunctionDecl* decl : bodies->second) {
        visitor_.visit(decl->body);
        for (ast::Param& param : decl->params)
          if (param.default_value) visitor_.visit(param.default_value);
      }
    }
  }
  std::unordered_set<Name> take() { return std::move(mentioned_); }

 private:
  // What imports and `type` rename is taken for mentioned.
  void add_other_names(Checker& c) {
    bool has_aliases = false;
    TreeVisitor visitor;
    visitor.on_stmt = [&](ast::Stmt* stmt) {
      has_aliases |= stmt->kind == ast::StmtKind::TypeAlias;
      if (auto* import = stmt->as<ast::ImportStmt>())
        for (ast::ImportedName& imported : import->names)
          if (imported.alias) mention(imported.name);
    };
    for (const ParsedModule& module : c.input.modules)
      if (!module.is_std && !module.is_core) visitor.visit(module.tree->body);
    for (NominalInfo* info : c.all_nominals())
      if (has_aliases && !info->module->is_std) mention(info->name);
  }
  void mention(Name name) {
    if (mentioned_.insert(name).second) open_.push_back(name);
  }
  const WrittenNames& names_;
  TreeVisitor visitor_;
  std::unordered_set<Name> mentioned_;
  std::vector<Name> open_;
};

bool has_part(ast::Expr* value, auto is_wanted) {
  bool found = false;
  TreeVisitor visitor;
  visitor.on_expr = [&](ast::Expr* e) { found |= is_wanted(e->kind); };
  visitor.visit(value);
  return found;
}

// A literal, or a list or tuple of what else there is.
bool is_literal(ast::ExprKind kind) {
  switch (kind) {
    case ast::ExprKind::Int:
    case ast::ExprKind::Float:
    case ast::ExprKind::Bool:
    case ast::ExprKind::Null:
    case ast::ExprKind::Str:
    case ast::ExprKind::Bytes:
    case ast::ExprKind::Duration:
    case ast::ExprKind::List:
    case ast::ExprKind::Tuple: return true;
    default: return false;
  }
}

bool runs_code(ast::Expr* initializer) {
  return has_part(initializer, [](ast::ExprKind kind) { return !is_literal(kind) && kind != ast::ExprKind::Name; });
}

// Literals and what the language itself makes of them: no name is read, so no code of the program runs.
bool is_plain_value(ast::Expr* initializer) {
  return !has_part(initializer, [](ast::ExprKind kind) {
    switch (kind) {
      case ast::ExprKind::Dict:
      case ast::ExprKind::Set:
      case ast::ExprKind::Unary:
      case ast::ExprKind::Binary: return false;
      default: return !is_literal(kind);
    }
  });
}

}  // namespace

// What may run before or between the statements of modules: the initializers of consts, also of those in types, and of
// locals. A generic type's consts run where they are read.
static std::vector<ast::Expr*> find_early_initializers(Checker& c) {
  std::vector<ast::Expr*> found;
  for (GlobalInfo& global : c.globals())
    if (global.value && !global.module->is_std) found.push_back(global.value);
  TreeVisitor classes;   // those inside functions are collected later
  classes.on_stmt = [&](ast::Stmt* stmt) {
    auto* decl = stmt->as<ast::ClassDecl>();
    if (!decl) return;
    for (ast::Stmt* nested : decl->nested)
      if (auto* constant = nested->as<ast::ConstDecl>()) found.push_back(constant->value);
  };
  for (const ParsedModule& module : c.input.modules)
    if (!module.is_std && !module.is_core) classes.visit(module.tree->body);
  std::erase_if(found, [](ast::Expr* value) { return is_plain_value(value); });
  return found;
}

void find_early_names(Checker& c) {
  std::vector<ast::Expr*> initializers = find_early_initializers(c);
  if (!initializers.empty()) {
    EarlyNames early(c);
    if (std::ranges::any_of(initializers, runs_code)) early.add_hooks(c);
    for (ast::Expr* value : initializers) early.visit(value);
    c.early_names = early.take();
  }
  for (GlobalInfo& global : c.globals())
    if (global.is_const)
      global.is_safe = global.module->is_std || !global.value || !runs_code(global.value) || !c.early_names.contains(global.last_name);
}

std::vector<FunctionId> order_consts(Checker& c, const std::vector<FunctionId>& initializers) {
  return ConstOrder(c).run(initializers);
}

}  // namespace meteor::typed
