// Whether a space stands between two neighbouring tokens.
#pragma once

#include "compiler/ast/token_roles.h"

namespace meteor::format {

class Spacing {
 public:
  explicit Spacing(const ast::TokenRoles& roles) : tokens_(roles.tokens.tokens), roles_(roles.roles) {}

  // Between token `index` and the one before it, both on one line.
  bool space_before(uint32_t index) const;
  // A bracket after this token is a call or an index of what it ends.
  bool ends_operand(uint32_t index) const;

 private:
  bool is_name(uint32_t index) const;
  bool is_relative_dot(uint32_t index) const;

  const std::vector<tokens::Token>& tokens_;
  const std::vector<ast::TokenRole>& roles_;
};

}  // namespace meteor::format
