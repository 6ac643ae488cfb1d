// Types that double with every step, functions that need ever new instances, values as wide as a table: reported where
// they pass a limit, since whatever comes later takes time and memory by their size.
#include <algorithm>

#include "compiler/typed/checker.h"

namespace meteor::typed {

namespace {

constexpr uint32_t MOST_PARTS = 3000;  // of a type; a call may have as many arguments
constexpr uint32_t MOST_DEPTH = 120;
constexpr uint32_t MOST_INSIDE_ITSELF = 60;  // instances of one function, each of which the one before asked for
constexpr uint32_t MOST_INSTANCES = 20'000;  // of one function
constexpr size_t MOST_IN_PROGRAM = 200'000;  // instances of all functions together
constexpr uint64_t MOST_WORDS = 2048;        // of a value, which is copied as a whole

// The functions that have most of them: a chain of generic functions, each of which uses the next with several types.
void report_too_many(Checker& c, std::deque<FunctionInfo>& functions, Instance* last) {
  constexpr size_t SHOWN = 4;
  std::vector<FunctionInfo*> most;
  for (FunctionInfo& one : functions)
    if (one.instances > 0) most.push_back(&one);
  size_t count = std::min(SHOWN, most.size());
  std::partial_sort(most.begin(), most.begin() + static_cast<ptrdiff_t>(count), most.end(),
                    [](FunctionInfo* a, FunctionInfo* b) { return a->instances > b->instances; });
  if (count == 0) return;
  auto& d = c.error(Code::InstantiationTooDeep, most[0]->decl->name_span,
                    "the program uses its functions with more than " + std::to_string(MOST_IN_PROGRAM) +
                        " sets of types; `" + most[0]->name().str() + "` with " + std::to_string(most[0]->instances));
  for (size_t i = 1; i < count; ++i)
    d.labels.push_back({most[i]->decl->name_span, "this one with " + std::to_string(most[i]->instances)});
  c.show_chain(d, last);
  d.help = "a generic function that uses another with two types doubles what that one has: annotate the parameters";
}

// `grow(list<int>)`, with no more of its types than a line has room for.
std::string shown_with_types(Checker& c, Instance* instance, std::string out) {
  constexpr size_t ROOM = 60;
  if (instance->info->type_params.empty() && !instance->self_type.valid()) {
    out += "(";
    for (size_t i = 0; i < instance->param_types.size(); ++i) out += (i ? ", " : "") + c.text(instance->param_types[i]);
    out += ")";
  }
  if (out.size() <= ROOM) return "`" + out + "`";
  size_t end = ROOM;
  while (end > 0 && (static_cast<unsigned char>(out[end]) & 0xc0) == 0x80) --end;  // not inside a character
  return "`" + out.substr(0, end) + "…`";
}

}  // namespace

void Checker::show_chain(Diagnostic& d, Instance* last) {
  constexpr size_t FIRST = 4, LAST = 1;
  std::vector<Instance*> chain;
  for (Instance* at = last; at; at = at->asked_by) chain.push_back(at);
  if (chain.size() < 2) return;
  std::ranges::reverse(chain);
  std::string text;
  for (size_t i = 0; i < chain.size(); ++i) {
    size_t left = chain.size() - i;
    if (i == FIRST && left > LAST + 1) {
      text += ", which needs " + std::to_string(left - LAST) + " more and in the end ";
      i = chain.size() - LAST;
    } else if (i > 0) {
      text += i == 1 ? " needs " : ", which needs ";
    }
    text += shown_with_types(*this, chain[i], instance_name(chain[i]));
  }
  d.notes.push_back(text);
}

bool Checker::is_too_large(TypeId type) const {
  return types.parts(type) > MOST_PARTS || types.depth(type) > MOST_DEPTH;
}

Diagnostic& Checker::report_too_large(TypeId type, Span span, uint32_t most_depth) {
  if (said_too_large_) return ignored_ = Diagnostic();
  said_too_large_ = true;
  bool deep = most_depth != 0 || types.depth(type) > MOST_DEPTH;
  if (most_depth == 0) most_depth = MOST_DEPTH;
  Diagnostic& d = error(Code::TypeTooLarge, span,
                        deep ? "this type is nested more than " + std::to_string(most_depth) + " levels deep"
                             : "this type has more than " + std::to_string(MOST_PARTS) + " parts");
  d.help = "declare a class for a part of it: its name is one part, whatever it holds";
  return d;
}

bool Checker::has_endless_types(Instance* instance) {
  FunctionInfo* info = instance->info;
  if (said_too_many_) return true;
  if (instances_.size() > MOST_IN_PROGRAM) {
    said_too_many_ = true;
    report_too_many(*this, functions_, instance);
    return true;
  }
  if (info->bodies_under_way < MOST_INSIDE_ITSELF && info->instances < MOST_INSTANCES) return false;
  auto& d = error(Code::InstantiationTooDeep, info->decl->name_span,
                  "`" + info->name().str() + "` is used with ever new types without end");
  show_chain(d, instance);
  d.help = "annotate its parameters and its result";
  return true;
}

uint64_t Checker::value_words(TypeId type) {
  auto [found, fresh] = value_words_.emplace(type, 1);  // what contains itself is behind a reference
  if (!fresh) return found->second;
  const types::Type& t = types.get(type);
  uint64_t words = 0;
  switch (t.kind) {
    case Kind::Tuple:
    case Kind::Optional:
    case Kind::Frozen:
      for (TypeId part : t.args) words += value_words(part);
      break;
    case Kind::Struct:
      for (const FlatField& field : flat_fields(type)) words += value_words(field.type);
      break;
    case Kind::Enum: {
      NominalInfo* info = nominal_info(type);
      ensure_fields(info);
      Subst subst = arguments_of(type);
      for (CaseInfo& one : info->cases) {
        uint64_t own = 0;
        for (FieldInfo& field : one.fields) own += value_words(apply(field.type, subst));
        words = std::max(words, own);
      }
      break;
    }
    default: words = 1;
  }
  return value_words_[type] = std::min<uint64_t>(words, types::TypeStore::MOST_COUNTED);
}

void Checker::check_value_size(TypeId type) {
  if (value_words(type) <= MOST_WORDS || said_too_large_) return;
  said_too_large_ = true;
  NominalInfo* info = nominal_info(type);
  Diagnostic& d = error(Code::TypeTooLarge, info ? info->decl->name_span : grows_in,
                        "a value of this type has more than " + std::to_string(MOST_WORDS) +
                            " fields, with those of the values inside it");
  d.help = info && info->kind == Kind::Struct ? "make it a class: then it is a reference, and not copied"
                                              : "keep a part of it in a class or a list";
}

}  // namespace meteor::typed
