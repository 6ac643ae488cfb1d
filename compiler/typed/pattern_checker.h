// One pattern of a `case` or `is`, with what it binds: patterns.cpp, pattern_sequences.cpp for tuples and lists, pattern_dict.cpp for dicts.
#pragma once

#include "compiler/typed/body.h"

namespace meteor::typed {

struct Alias { Name name; Span span; };   // the `as x` around a pattern

class PatternChecker {
 public:
  explicit PatternChecker(BodyChecker& body) : b(body), c(body.c), types(body.types) {}

  Pattern* check_frozen(ast::Pattern* pattern, TypeId type, const Alias* as, TypeId& matched);
  // `matched` becomes what the value is known to be once the pattern matched.
  Pattern* check(ast::Pattern* pattern, TypeId type, const Alias* as, TypeId& matched);

 private:
  struct Bound { Name name; VariableId variable; Span span; };
  enum class Meaning : uint8_t { Bad, Bind, Case, Value, Type };
  struct Reference {
    Meaning meaning = Meaning::Bad;
    NominalInfo* nominal = nullptr;
    uint32_t case_index = 0;
    Expr* value = nullptr;
    TypeId type;
  };

  Reference classify(ast::Pattern* pattern, TypeId type, bool is_call);
  Pattern* bind(Name name, TypeId type, Span span, Pattern* inner);
  Pattern* alias(const Alias* as, TypeId type, Pattern* inner, Span span);
  Pattern* lift(TypeId type, Span span, TypeId& matched, const std::function<Pattern*(TypeId inner)>& make);
  Pattern* wildcard(TypeId type, Span span) { return b.make_pattern(PatternKind::Wildcard, type, span); }
  Pattern* impossible(TypeId type, Span span, const std::string& wanted);
  Pattern* enum_case(ast::Pattern* pattern, const Reference& ref, TypeId type, const Alias* as, TypeId& matched);
  TypeId written_type(ast::Pattern* pattern);
  Pattern* type_test(ast::Pattern* pattern, TypeId tested, TypeId type, const Alias* as, TypeId& matched);
  Pattern* fields(ast::Pattern* pattern, TypeId type);
  Pattern* equality(Expr* value, TypeId type, const Alias* as, Span span);
  Pattern* literal(ast::Pattern* pattern, TypeId type, const Alias* as, TypeId& matched);
  Pattern* tuple(ast::Pattern* pattern, TypeId type, const Alias* as);
  Pattern* list(ast::Pattern* pattern, TypeId type, const Alias* as);
  Pattern* dict(ast::Pattern* pattern, TypeId type, const Alias* as);
  Pattern* boxed_dict(ast::Pattern* pattern, TypeId type, const Alias* as);
  Pattern* boxed_list(ast::Pattern* pattern, TypeId type, const Alias* as);
  Pattern* alternatives(ast::Pattern* pattern, TypeId type, const Alias* as, TypeId& matched);
  bool takes_null(ast::Pattern* pattern, TypeId type);   // may match the null of an optional
  void poison_names(ast::Pattern* pattern);

  BodyChecker& b;
  Checker& c;
  types::TypeStore& types;
  std::vector<Bound> bound_;
  const std::vector<Bound>* shared_ = nullptr;   // what the first alternative bound
  bool never_ = false;
  bool frozen_ = false;                          // what is matched is part of something frozen: so is what is bound

 public:
  bool never() const { return never_; }
};

}  // namespace meteor::typed
