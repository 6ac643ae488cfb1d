// Does a list of patterns cover every value, and can each still match? Works on
// a matrix of patterns, column by column (Maranget, "Warnings for pattern
// matching"). Patterns that only run time can decide cover nothing.
#include <map>
#include <optional>
#include <unordered_map>

#include "compiler/typed/body.h"

namespace meteor::typed {

namespace {

constexpr size_t MAX_STEPS = 20'000;
constexpr size_t MAX_SHOWN = 6;

// Null: matches everything. The first pattern of a row in a matrix is never one with alternatives: those have rows of
// their own. In the other columns they stay together until it is their turn, since rows for all combinations would be
// exponentially many.
using Row = std::vector<const Pattern*>;

class Coverage {
 public:
  explicit Coverage(BodyChecker& body) : b(body), c(body.c), types(body.types) {}

  using Witness = std::vector<std::string>;
  // Values that no row matches, at most MAX_SHOWN.
  std::vector<Witness> missing(const std::vector<Row>& rows, const std::vector<TypeId>& columns);
  // Is there a value that `row` matches and `rows` do not?
  bool is_useful(const std::vector<Row>& rows, const Row& row, const std::vector<TypeId>& columns);
  // As one or more rows: the first pattern's alternatives apart. Nothing when only run time decides.
  void add_rows(std::vector<Row>& rows, const Row& row);
  bool gave_up() const { return steps_ > MAX_STEPS; }

 private:
  enum Form : uint8_t { Any, Constructor, Opaque };
  // The values of a column, sorted by constructor: enum cases, null and not null, true and false, or lists by length,
  // where the last one is "this long or longer".
  struct Split {
    TypeId type;
    size_t count = 0;                  // none: they can't be listed
    bool is_list = false;
    size_t front = 0, back = 0;        // elements that open-ended list patterns look at
  };
  static const Pattern* plain(const Pattern* pattern);
  Form form(const Pattern* pattern);
  const BodyChecker::ListShape& shape(const Pattern* pattern) { return b.root->list_shapes_.at(pattern); }
  Split split(const std::vector<Row>& rows, const Row* extra, TypeId type);
  std::vector<TypeId> arguments(const Split& split, size_t constructor);
  // The row's first pattern replaced by what it wants of the constructor's parts; false when it is another one.
  bool specialize(const Row& row, const Split& split, size_t constructor, size_t count, Row& out);
  // Rows by the constructor that their first pattern names.
  struct Sorted {
    std::unordered_map<size_t, std::vector<const Row*>> named;
    std::vector<const Row*> others;  // those that match any, and all rows of a split by length
  };
  Sorted sort(const std::vector<Row>& rows, const Split& split);
  static size_t own_constructor(const Pattern* pattern);
  bool names(const Sorted& sorted, const Split& split, size_t constructor, size_t count);
  std::vector<Row> specialize(const Sorted& sorted, const Split& split, size_t constructor, size_t count);
  std::vector<Row> without_first(const std::vector<Row>& rows);
  bool is_opaque(const Pattern* pattern);
  // What is left to ask after a column: two constructors may leave the same.
  using Rest = std::pair<std::vector<TypeId>, std::vector<Row>>;
  struct RestOrder {
    bool operator()(const Rest& a, const Rest& b) const {
      auto by_index = [](TypeId x, TypeId y) { return x.index < y.index; };
      if (std::lexicographical_compare(a.first.begin(), a.first.end(), b.first.begin(), b.first.end(), by_index))
        return true;
      if (std::lexicographical_compare(b.first.begin(), b.first.end(), a.first.begin(), a.first.end(), by_index))
        return false;
      return a.second < b.second;
    }
  };
  std::string text(const Split& split, size_t constructor, const Witness& parts);

  BodyChecker& b;
  Checker& c;
  types::TypeStore& types;
  size_t steps_ = 0;
};

// Looks through binders and tests that always hold.
const Pattern* Coverage::plain(const Pattern* p) {
  while (p) {
    switch (p->kind) {
      case PatternKind::Wildcard: return nullptr;
      case PatternKind::Bind: p = p->items.empty() ? nullptr : p->items[0]; continue;
      case PatternKind::Type:
        if (!p->always) return p;
        p = p->items.empty() ? nullptr : p->items[0];
        continue;
      default: return p;
    }
  }
  return nullptr;
}

Coverage::Form Coverage::form(const Pattern* p) {
  p = plain(p);
  if (!p) return Any;
  switch (p->kind) {
    case PatternKind::Case: case PatternKind::Tuple: case PatternKind::Null: case PatternKind::NotNull: return c.kind(p->type) == Kind::Any ? Opaque : Constructor;
    case PatternKind::Test: return c.kind(p->type) == Kind::Bool && (p->test->kind == ExprKind::Variable || p->test->kind == ExprKind::Not) ? Constructor : Opaque;
    case PatternKind::List: return b.root->list_shapes_.contains(p) ? Constructor : Opaque;
    default: return Opaque;
  }
}

Coverage::Split Coverage::split(const std::vector<Row>& rows, const Row* extra, TypeId type) {
  Split out;
  out.type = type;
  auto look = [&](const Row& row) {
    const Pattern* p = plain(row[0]);
    if (!p || p->kind != PatternKind::List || form(p) != Constructor) return;
    out.is_list = true;
    const BodyChecker::ListShape& s = shape(p);
    size_t fixed = s.front.size() + s.back.size();
    out.count = std::max(out.count, fixed + (s.has_rest ? 1 : 2));
    if (!s.has_rest) return;
    out.front = std::max(out.front, s.front.size());
    out.back = std::max(out.back, s.back.size());
  };
  for (const Row& row : rows) look(row);
  if (extra) look(*extra);
  if (out.is_list) {
    out.count = std::max(out.count, out.front + out.back + 1);
    return out;
  }
  switch (c.kind(type)) {
    case Kind::Enum:
      c.ensure_fields(c.nominal_info(type));
      out.count = c.nominal_info(type)->cases.size();
      break;
    case Kind::Bool: case Kind::Optional: out.count = 2; break;
    case Kind::Tuple: case Kind::Struct: case Kind::Class: out.count = 1; break;
    default: break;
  }
  return out;
}

std::vector<TypeId> Coverage::arguments(const Split& split, size_t constructor) {
  std::vector<TypeId> out;
  if (split.is_list) {
    size_t count = constructor + 1 < split.count ? constructor : split.front + split.back;
    TypeId element = types.get(split.type).args.empty() ? types.error : c.resolve(types.arg(split.type));
    return std::vector<TypeId>(count, element);
  }
  switch (c.kind(split.type)) {
    case Kind::Enum: {
      Subst subst = b.subst_of(split.type);
      for (FieldInfo& field : c.nominal_info(split.type)->cases[constructor].fields) out.push_back(c.resolve(c.apply(field.type, subst)));
      break;
    }
    case Kind::Optional:
      if (constructor == 1) out.push_back(c.resolve(types.arg(split.type)));
      break;
    case Kind::Tuple: for (TypeId part : types.get(split.type).args) out.push_back(c.resolve(part)); break;
    case Kind::Struct: case Kind::Class: for (auto& field : c.flat_fields(split.type)) out.push_back(c.resolve(field.type)); break;
    default: break;
  }
  return out;
}

bool Coverage::specialize(const Row& row, const Split& split, size_t constructor, size_t count, Row& out) {
  out.assign(count, nullptr);
  const Pattern* p = form(row[0]) == Constructor ? plain(row[0]) : nullptr;
  if (p && split.is_list) {
    const BodyChecker::ListShape& s = shape(p);
    bool is_open = constructor + 1 == split.count;
    size_t fixed = s.front.size() + s.back.size();
    if (s.has_rest ? !is_open && constructor < fixed : is_open || constructor != fixed) return false;
    for (size_t i = 0; i < s.front.size(); ++i) out[i] = s.front[i];
    for (size_t i = 0; i < s.back.size(); ++i) out[count - s.back.size() + i] = s.back[i];
  } else if (p) {
    if (own_constructor(p) != constructor) return false;
    for (size_t i = 0; i < p->items.size() && i < count; ++i) out[i] = p->items[i];
  }
  out.insert(out.end(), row.begin() + 1, row.end());
  return true;
}

size_t Coverage::own_constructor(const Pattern* p) {
  if (p->kind == PatternKind::Case) return p->case_index;
  return p->kind == PatternKind::NotNull || (p->kind == PatternKind::Test && p->test->kind == ExprKind::Variable) ? 1
                                                                                                                  : 0;
}

Coverage::Sorted Coverage::sort(const std::vector<Row>& rows, const Split& split) {
  Sorted out;
  for (const Row& row : rows) {
    bool is_named = !split.is_list && form(row[0]) == Constructor;
    (is_named ? out.named[own_constructor(plain(row[0]))] : out.others).push_back(&row);
  }
  return out;
}

bool Coverage::names(const Sorted& sorted, const Split& split, size_t constructor, size_t count) {
  if (!split.is_list) return sorted.named.contains(constructor);
  Row one;
  for (const Row* row : sorted.others)
    if (form((*row)[0]) == Constructor && specialize(*row, split, constructor, count, one)) return true;
  return false;
}

std::vector<Row> Coverage::specialize(const Sorted& sorted, const Split& split, size_t constructor, size_t count) {
  std::vector<Row> out;
  Row one;
  auto add = [&](const Row* row) {
    if (specialize(*row, split, constructor, count, one)) add_rows(out, one);
  };
  if (auto named = sorted.named.find(constructor); named != sorted.named.end())
    for (const Row* row : named->second) add(row);
  for (const Row* row : sorted.others) add(row);
  return out;
}

std::vector<Row> Coverage::without_first(const std::vector<Row>& rows) {
  std::vector<Row> out;
  for (const Row& row : rows)
    if (form(row[0]) == Any) add_rows(out, Row(row.begin() + 1, row.end()));
  return out;
}

bool Coverage::is_opaque(const Pattern* p) {
  p = plain(p);
  if (!p || p->kind != PatternKind::Or) return form(p) == Opaque;
  for (const Pattern* item : p->items)
    if (!is_opaque(item)) return false;
  return true;
}

void Coverage::add_rows(std::vector<Row>& rows, const Row& row) {
  for (const Pattern* p : row)
    if (is_opaque(p)) return;
  const Pattern* first = row.empty() ? nullptr : plain(row[0]);
  if (!first || first->kind != PatternKind::Or) return rows.push_back(row);
  for (const Pattern* item : first->items) {
    Row one = row;
    one[0] = item;
    add_rows(rows, one);
  }
}

std::string Coverage::text(const Split& split, size_t constructor, const Witness& parts) {
  TypeId type = split.type;
  auto joined = [&] {
    std::string out;
    for (size_t i = 0; i < parts.size(); ++i) out += (i ? ", " : "") + parts[i];
    return out;
  };
  if (split.is_list) {
    std::string out;
    for (size_t i = 0; i <= parts.size(); ++i) {
      if (i == split.front && constructor + 1 == split.count) out += out.empty() ? "*_" : ", *_";
      if (i < parts.size()) out += (out.empty() ? "" : ", ") + parts[i];
    }
    return "[" + out + "]";
  }
  switch (c.kind(type)) {
    case Kind::Enum: {
      CaseInfo& info = c.nominal_info(type)->cases[constructor];
      if (parts.empty()) return info.name.str();
      Witness shown = parts;
      for (size_t i = 0; i < shown.size(); ++i)
        if (shown[i] == "_" && info.fields[i].name) shown[i] = info.fields[i].name.str();
      std::string out;
      for (size_t i = 0; i < shown.size(); ++i) out += (i ? ", " : "") + shown[i];
      return info.name.str() + "(" + out + ")";
    }
    case Kind::Bool: return constructor ? "true" : "false";
    case Kind::Optional: return constructor ? parts[0] : "null";
    case Kind::Tuple: return "(" + joined() + (parts.size() == 1 ? ",)" : ")");
    default: return "_";
  }
}

std::vector<Coverage::Witness> Coverage::missing(const std::vector<Row>& rows, const std::vector<TypeId>& columns) {
  if (columns.empty()) return rows.empty() ? std::vector<Witness>{{}} : std::vector<Witness>{};
  if (++steps_ > MAX_STEPS) return {Witness(columns.size(), "_")};
  std::vector<TypeId> rest(columns.begin() + 1, columns.end());
  bool is_split = false;
  for (const Row& row : rows) is_split = is_split || form(row[0]) == Constructor;
  std::vector<Witness> out;
  if (!is_split && (!rows.empty() || c.kind(columns[0]) != Kind::Enum)) {
    for (Witness& tail : missing(without_first(rows), rest)) {
      tail.insert(tail.begin(), "_");
      out.push_back(std::move(tail));
    }
    return out;
  }
  Split by = split(rows, nullptr, columns[0]);
  Sorted sorted = sort(rows, by);
  std::optional<std::vector<Witness>>
      of_others;  // of the constructors that no row names: they need no look at their parts
  std::map<Rest, std::vector<Witness>, RestOrder> known;
  for (size_t k = 0; k < by.count && out.size() < MAX_SHOWN; ++k) {
    std::vector<TypeId> inner = arguments(by, k);
    size_t count = inner.size();
    std::vector<Witness> found;
    if (!names(sorted, by, k, count)) {
      if (!of_others) of_others = missing(without_first(rows), rest);
      found = *of_others;
      for (Witness& w : found) w.insert(w.begin(), count, "_");
    } else {
      inner.insert(inner.end(), rest.begin(), rest.end());
      auto [at, fresh] = known.try_emplace({std::move(inner), specialize(sorted, by, k, count)});
      if (fresh) at->second = missing(at->first.second, at->first.first);
      found = at->second;
    }
    for (Witness& w : found) {
      Witness parts(w.begin(), w.begin() + static_cast<ptrdiff_t>(count));
      Witness one{text(by, k, parts)};
      one.insert(one.end(), w.begin() + static_cast<ptrdiff_t>(count), w.end());
      if (out.size() < MAX_SHOWN) out.push_back(std::move(one));
    }
  }
  return out;
}

bool Coverage::is_useful(const std::vector<Row>& rows, const Row& row, const std::vector<TypeId>& columns) {
  if (columns.empty()) return rows.empty();
  if (rows.empty() || ++steps_ > MAX_STEPS) return true;
  const Pattern* head = plain(row[0]);
  if (head && head->kind == PatternKind::Or) {
    for (const Pattern* item : head->items) {
      Row one = row;
      one[0] = item;
      if (is_useful(rows, one, columns)) return true;
    }
    return false;
  }
  std::vector<TypeId> rest(columns.begin() + 1, columns.end());
  Row tail(row.begin() + 1, row.end());
  if (form(row[0]) == Opaque) return is_useful(without_first(rows), tail, rest);  // alternatives are apart by now
  bool is_split = form(row[0]) == Constructor;
  for (const Row& other : rows) is_split = is_split || form(other[0]) == Constructor;
  Split by = split(rows, &row, columns[0]);
  if (!is_split || by.count == 0) return is_useful(without_first(rows), tail, rest);
  bool names_one = form(row[0]) == Constructor && !by.is_list;
  size_t first = names_one ? own_constructor(head) : 0, end = names_one ? first + 1 : by.count;
  Sorted sorted = sort(rows, by);
  std::map<Rest, Row, RestOrder> known;
  for (size_t k = first; k < end; ++k) {
    std::vector<TypeId> inner = arguments(by, k);
    size_t count = inner.size();
    Row one;
    if (!specialize(row, by, k, count, one)) continue;
    inner.insert(inner.end(), rest.begin(), rest.end());
    auto [at, fresh] = known.try_emplace({std::move(inner), specialize(sorted, by, k, count)}, one);
    if (!fresh && at->second == one) continue;
    if (is_useful(at->first.second, one, at->first.first)) return true;
  }
  return false;
}

}  // namespace

bool BodyChecker::is_exhaustive(std::span<SwitchCase> cases, TypeId type, std::string& missing) {
  Coverage coverage(*this);
  std::vector<Row> rows;
  for (SwitchCase& one : cases)
    if (one.pattern && !one.guard) coverage.add_rows(rows, {one.pattern});
  std::vector<Coverage::Witness> found = coverage.missing(rows, {c.resolve(type)});
  for (size_t i = 0; i < found.size(); ++i) missing += (i ? ", `" : "`") + found[i][0] + "`";
  if (found.size() == MAX_SHOWN) missing += ", …";
  return found.empty() && !coverage.gave_up();
}

void BodyChecker::report_unreachable_cases(std::span<SwitchCase> cases, TypeId type) {
  Coverage coverage(*this);
  std::vector<Row> rows;
  for (SwitchCase& one : cases) {
    if (!coverage.is_useful(rows, {one.pattern}, {c.resolve(type)})) c.error(Code::UnreachablePattern, one.pattern->span, "this case can never be reached").label = "the cases above match everything it does";
    if (!one.guard) coverage.add_rows(rows, {one.pattern});
  }
}

}  // namespace meteor::typed
