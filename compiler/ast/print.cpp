// Statements and declarations as text.
#include "compiler/ast/print.h"

#include "compiler/ast/printer.h"

namespace meteor::ast {

namespace {

template <typename T>
const T& get(const Stmt* stmt) {
  return *static_cast<const T*>(stmt);
}

std::string_view aug_text(BinaryOp op) {
  constexpr std::string_view TEXTS[] = {"+=", "-=", "*=", "/=", "//=", "%=", "**=", "&=", "|=", "^=", "<<=", ">>=", "&+=", "&-=", "&*=", "?\?="};
  return TEXTS[size_t(op)];
}

}  // namespace

void Printer::line() { (out_ += '\n').append(size_t(indent_) * 2, ' '); }

void Printer::block(Block body) {
  indent_++;
  for (const Stmt* s : body) line(), stmt(s);
  indent_--;
}

void Printer::labelled_block(std::string_view label, Block body) {
  indent_++;
  line();
  open(label);
  block(body);
  close();
  indent_--;
}

void Printer::type_params(std::span<TypeParam> params) {
  if (params.empty()) return;
  put("<");
  for (const TypeParam& param : params) {
    if (&param != params.data()) put(" ");
    put(param.name.text());
    for (size_t i = 0; i < param.bounds.size(); i++) put(i == 0 ? ": " : " + "), type(param.bounds[i]);
  }
  put(">");
}

void Printer::params(std::span<Param> params) {
  open("");
  for (const Param& param : params) {
    if (&param != params.data()) put(" ");
    constexpr std::string_view MODES[] = {"", "owned ", "ref "};
    constexpr std::string_view KINDS[] = {"", "*", "key ", "**"};
    put(KINDS[size_t(param.kind)]), put(MODES[size_t(param.mode)]), name(param.name);
    if (param.type != nullptr) put(": "), type(param.type);
    if (param.default_value != nullptr) put(" = "), expr(param.default_value);
  }
  close();
}

void Printer::function(const FunctionDecl& f) {
  open("");
  if (f.is_pub) put("pub ");
  if (!f.extern_abi.empty()) put("extern "), quoted(f.extern_abi), put(" ");
  put(f.is_async ? "async-def " : "def ");
  if (f.name) put(f.name.text());
  type_params(f.type_params);
  params(f.params);
  if (f.return_type != nullptr) put(" -> "), type(f.return_type);
  if (!f.doc.empty()) put(" doc="), quoted(f.doc);
  if (!f.has_body) put(" no-body");
  block(f.body);
  close();
}

void Printer::class_decl(const ClassDecl& decl) {
  constexpr std::string_view WORDS[] = {"class ", "struct ", "enum ", "trait "};
  open(decl.is_pub ? "pub " : "");
  put(WORDS[size_t(decl.form)]), name(decl.name);
  type_params(decl.type_params);
  for (const TypeExpr* base : decl.bases) put(" "), type(base);
  if (!decl.doc.empty()) put(" doc="), quoted(decl.doc);
  indent_++;
  for (const FieldDecl& field : decl.fields) {
    line();
    open(field.is_weak ? "weak-field " : field.is_const ? "const-field " : "field ");
    put(field.name.text());
    if (field.type != nullptr) put(": "), type(field.type);
    if (field.default_value != nullptr) put(" = "), expr(field.default_value);
    if (field.type == nullptr && field.default_value == nullptr) put(MISSING);
    if (!field.doc.empty()) put(" doc="), quoted(field.doc);
    close();
  }
  for (const EnumCaseDecl& c : decl.cases) {
    line();
    open("case ");
    put(c.name.text());
    if (!c.fields.empty()) put(" "), params(c.fields);
    if (c.value != nullptr) put(" = "), expr(c.value);
    close();
  }
  for (const FunctionDecl* method : decl.methods) line(), stmt(method);
  for (const Stmt* nested : decl.nested) line(), stmt(nested);
  indent_--;
  close();
}

void Printer::declaration(std::string_view head, Name declared, const TypeExpr* declared_type, const Expr* value, bool is_pub) {
  open(is_pub ? "pub " : "");
  put(head), put(" "), name(declared);
  if (declared_type != nullptr) put(": "), type(declared_type);
  put(" = "), expr(value);
  close();
}

void Printer::stmt(const Stmt* s) {
  auto decorators = [&](std::span<Decorator> list) {
    for (const Decorator& d : list) {
      open("@"), path(d.path), args(d.args), close();
      line();
    }
  };
  switch (s->kind) {
    case StmtKind::Function: decorators(get<FunctionDecl>(s).decorators); return function(get<FunctionDecl>(s));
    case StmtKind::Class: decorators(get<ClassDecl>(s).decorators); return class_decl(get<ClassDecl>(s));
    case StmtKind::Impl: {
      const ImplDecl& n = get<ImplDecl>(s);
      open("impl");
      type_params(n.type_params);
      put(" ");
      if (n.trait != nullptr) type(n.trait), put(" for ");
      type(n.target);
      indent_++;
      for (const FunctionDecl* method : n.methods) line(), stmt(method);
      indent_--;
      return close();
    }
    case StmtKind::If: {
      const IfStmt& n = get<IfStmt>(s);
      open("if");
      for (const IfBranch& branch : n.branches) {
        if (&branch != n.branches.data()) line(), put(" elif");
        put(" "), expr(branch.condition), block(branch.body);
      }
      if (n.has_else) labelled_block("else", n.else_body);
      return close();
    }
    case StmtKind::While: {
      const WhileStmt& n = get<WhileStmt>(s);
      open("while "), expr(n.condition), block(n.body);
      if (!n.else_body.empty()) labelled_block("else", n.else_body);
      return close();
    }
    case StmtKind::For: {
      const ForStmt& n = get<ForStmt>(s);
      open(n.is_async ? "async-for " : "for "), expr(n.target), put(" "), expr(n.iterable), block(n.body);
      if (!n.else_body.empty()) labelled_block("else", n.else_body);
      return close();
    }
    case StmtKind::Try: {
      const TryStmt& n = get<TryStmt>(s);
      open("try"), block(n.body);
      for (const CatchClause& clause : n.catches) {
        indent_++;
        line();
        open("catch");
        for (const TypeExpr* t : clause.types) put(" "), type(t);
        if (clause.name) put(" as "), put(clause.name.text());
        block(clause.body);
        close();
        indent_--;
      }
      if (!n.else_body.empty()) labelled_block("else", n.else_body);
      if (n.has_finally) labelled_block("finally", n.finally_body);
      return close();
    }
    case StmtKind::With: {
      const WithStmt& n = get<WithStmt>(s);
      open(n.is_async ? "async-with" : "with");
      for (const WithItem& item : n.items) {
        put(" "), expr(item.value);
        if (item.target != nullptr) put(" as "), expr(item.target);
      }
      block(n.body);
      return close();
    }
    case StmtKind::Switch: {
      const SwitchStmt& n = get<SwitchStmt>(s);
      open("switch "), expr(n.subject);
      indent_++;
      for (const SwitchCase& c : n.cases) {
        line();
        if (c.pattern == nullptr) open("default");
        else open("case "), pattern(c.pattern);
        if (c.guard != nullptr) put(" if "), expr(c.guard);
        block(c.body);
        close();
      }
      indent_--;
      return close();
    }
    case StmtKind::Defer: open("defer"), block(get<DeferStmt>(s).body); return close();
    case StmtKind::Shield: open("shield"), block(get<ShieldStmt>(s).body); return close();
    case StmtKind::Unsafe: open("unsafe"), block(get<UnsafeStmt>(s).body); return close();
    case StmtKind::Scope: {
      const ScopeStmt& n = get<ScopeStmt>(s);
      open("scope "), put(n.name.text()), args(n.args), block(n.body);
      return close();
    }
    case StmtKind::Select: {
      open("select"), args(get<SelectStmt>(s).args);
      indent_++;
      for (const SelectCase& c : get<SelectStmt>(s).cases) {
        line();
        open(c.awaited == nullptr ? "default" : "case");
        if (c.target != nullptr) put(" "), expr(c.target), put(" =");
        if (c.awaited != nullptr) put(" "), expr(c.awaited);
        if (c.guard != nullptr) put(" if "), expr(c.guard);
        block(c.body);
        close();
      }
      indent_--;
      return close();
    }
    default: return simple(s);
  }
}

void Printer::simple(const Stmt* s) {
  auto names = [&](std::string_view head, std::span<Name> list) {
    open(head);
    for (Name n : list) put(" "), put(n.text());
    close();
  };
  switch (s->kind) {
    case StmtKind::Expr: return expr(get<ExprStmt>(s).value);
    case StmtKind::Assign: {
      const AssignStmt& n = get<AssignStmt>(s);
      open(n.is_pub ? "pub =" : "=");
      for (const Expr* target : n.targets) put(" "), expr(target);
      if (n.type != nullptr) put(": "), type(n.type);
      if (n.value != nullptr) put(" "), expr(n.value);
      return close();
    }
    case StmtKind::AugAssign: {
      const AugAssignStmt& n = get<AugAssignStmt>(s);
      return node(aug_text(n.op), n.target, n.value);
    }
    case StmtKind::Break: return put("(break)");
    case StmtKind::Continue: return put("(continue)");
    case StmtKind::Pass: return put("(pass)");
    case StmtKind::Return: return get<ReturnStmt>(s).value != nullptr ? node("return", get<ReturnStmt>(s).value) : put("(return)");
    case StmtKind::Raise: {
      const RaiseStmt& n = get<RaiseStmt>(s);
      open("raise");
      if (n.value != nullptr) put(" "), expr(n.value);
      if (n.cause != nullptr) put(" from "), expr(n.cause);
      return close();
    }
    case StmtKind::Del: return list_of(get<DelStmt>(s).targets, "del");
    case StmtKind::Assert: {
      const AssertStmt& n = get<AssertStmt>(s);
      open("assert "), expr(n.condition);
      if (n.message != nullptr) put(" "), expr(n.message);
      return close();
    }
    case StmtKind::Global: return names("global", get<GlobalStmt>(s).names);
    case StmtKind::Nonlocal: return names("nonlocal", get<NonlocalStmt>(s).names);
    case StmtKind::Import: {
      const ImportStmt& n = get<ImportStmt>(s);
      open(n.is_from ? "from " : "import ");
      out_.append(n.relative_dots, '.');
      path(n.path);
      if (n.alias) put(" as "), put(n.alias.text());
      if (n.is_star) put(" *");
      for (const ImportedName& imported : n.names) {
        put(" "), put(imported.name.text());
        if (imported.alias) put("="), put(imported.alias.text());
      }
      return close();
    }
    case StmtKind::ImportC: {
      const ImportCStmt& n = get<ImportCStmt>(s);
      open("import-c "), quoted(n.header);
      if (n.alias) put(" as "), put(n.alias.text());
      return close();
    }
    case StmtKind::TypeAlias: {
      const TypeAliasDecl& n = get<TypeAliasDecl>(s);
      open(n.is_pub ? "pub type " : "type "), name(n.name), type_params(n.type_params), put(" = "), type(n.type);
      return close();
    }
    case StmtKind::Const: return declaration("const", get<ConstDecl>(s).name, get<ConstDecl>(s).type, get<ConstDecl>(s).value, get<ConstDecl>(s).is_pub);
    case StmtKind::Local: return declaration("local", get<LocalDecl>(s).name, get<LocalDecl>(s).type, get<LocalDecl>(s).value, get<LocalDecl>(s).is_pub);
    default: return put("(error)");
  }
}

void Printer::list_of(std::span<Expr*> items, std::string_view head) {
  open(head);
  for (const Expr* item : items) put(" "), expr(item);
  close();
}

void Printer::statements(Block body) {
  for (const Stmt* s : body) {
    stmt(s);
    out_ += '\n';
  }
}

std::string print(const Module& module, std::string_view wanted) {
  if (wanted.empty()) return print(module);
  size_t dot = wanted.rfind('.');
  std::string_view owner = dot == std::string_view::npos ? wanted : wanted.substr(0, dot);
  Printer printer;
  for (Stmt* stmt : module.body) {
    FunctionDecl* function = stmt->as<FunctionDecl>();
    ClassDecl* decl = stmt->as<ClassDecl>();
    ImplDecl* impl = stmt->as<ImplDecl>();
    if (dot == std::string_view::npos) {
      bool is_wanted = (function != nullptr && function->name.text() == wanted) || (decl != nullptr && decl->name.text() == wanted);
      if (is_wanted) printer.statements({&stmt, 1});
      continue;
    }
    std::span<FunctionDecl*> methods;
    if (decl != nullptr && decl->name.text() == owner) methods = decl->methods;
    bool is_impl = impl != nullptr && impl->target != nullptr && impl->target->path.size() == 1 && impl->target->path[0].text() == owner;
    if (is_impl) methods = impl->methods;
    for (FunctionDecl* method : methods) {
      Stmt* one = method;
      if (method->name.text() == wanted.substr(dot + 1)) printer.statements({&one, 1});
    }
  }
  return printer.take();
}

std::string print(const Module& module) {
  Printer printer;
  printer.statements(module.body);
  std::string text = printer.take();
  if (module.doc.empty()) return text;
  StrExpr doc;
  doc.value = module.doc;
  return "(doc " + print(&doc) + ")\n" + text;
}

}  // namespace meteor::ast
