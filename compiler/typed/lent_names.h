// Which calls may assign a variable that they are given: those of functions with `ref` parameters. Found on the syntax
// trees, by name and position, before anything is checked; what it says is true of more calls than really do.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "compiler/ast/ast.h"
#include "compiler/typed/written_names.h"

namespace meteor::typed {

class LendingFunctions {
 public:
  explicit LendingFunctions(const WrittenNames& names) : names_(names) {}

  // Two looks at every module of the program: all are added, then all are searched.
  void add(const ast::Module& module);
  void find_other_uses(const ast::Module& module);  // names given by imports; functions used as values

  bool is_empty() const { return by_name_.empty() && values_.is_empty() && constructors_.is_empty(); }
  // May the call assign the place that is its argument `index`?
  bool may_assign(const ast::CallExpr* call, size_t index) const;

 private:
  struct Params {  // what is taken by `ref`
    std::unordered_set<size_t> positions;
    std::unordered_set<Name> names;

    void add(const ast::FunctionDecl* function, bool is_method);
    void add(const Params& others);
    bool is_empty() const { return positions.empty(); }
    bool take(const ast::CallExpr* call, size_t index) const;
  };
  void add(const ast::FunctionDecl* function, bool is_method);

  const WrittenNames& names_;
  std::unordered_map<Name, Params> by_name_;
  Params constructors_;  // of all classes: a name may stand for a subclass or be an alias
  std::unordered_set<Name> types_;
  Params values_;  // of functions that are used as values
};

// The variables that calls in `block`, nested functions included, may assign: those passed to `ref` parameters.
void scan_lent_names(ast::Block block, const LendingFunctions& functions, std::unordered_set<Name>& lent);

}  // namespace meteor::typed
