// Does a list of patterns cover every value, and can each still match? Works on
// a matrix of patterns, column by column (Maranget, "Warnings for pattern
// matching"). Patterns that only run time can decide cover nothing.
#include <optional>

#include "compiler/typed/body.h"

namespace meteor::typed {

namespace {

constexpr size_t MAX_STEPS = 20'000;
constexpr size_t MAX_SHOWN = 6;

using Row = std::vector<const Pattern*>;   // null: matches everything

class Coverage {
 public:
  explicit Coverage(BodyChecker& body) : b(body), c(body.c), types(body.types) {}

  using Witness = std::vector<std::string>;
  // Values that no row matches, at most MAX_SHOWN.
  std::vector<Witness> missing(const std::vector<Row>& rows, const std::vector<TypeId>& columns);
  // Is there a value that `row` matches and `rows` do not?
  bool is_useful(const std::vector<Row>& rows, const Row& row, const std::vector<TypeId>& columns);
  // As one or more rows: alternatives apart, binders gone. Nothing when only run time decides.
  void add_rows(std::vector<Row>& rows, const Row& row);
  bool gave_up() const { return steps_ > MAX_STEPS; }

 private:
  enum Form : uint8_t { Any, Constructor, Opaque };
  static const Pattern* plain(const Pattern* pattern);
  Form form(const Pattern* pattern);
  // The constructors of a type; none: they can't be listed.
  size_t constructor_count(TypeId type);
  size_t constructor_of(const Pattern* pattern);
  std::vector<TypeId> arguments(TypeId type, size_t constructor);
  Row arguments(const Pattern* pattern, size_t count);
  bool specialize(const Row& row, TypeId type, size_t constructor, size_t count, Row& out);
  std::vector<Row> specialize(const std::vector<Row>& rows, TypeId type, size_t constructor, size_t count);
  std::vector<Row> without_first(const std::vector<Row>& rows);
  std::string text(TypeId type, size_t constructor, const Witness& parts);

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
      case PatternKind::List: {
        auto* test = p->length_test->as<BoolConst>();
        return test && test->value && p->items.empty() ? nullptr : p;
      }
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
    case PatternKind::List: {
      // `[*rest]` takes every list.
      auto* test = p->length_test->as<BoolConst>();
      if (!test || !test->value) return Opaque;
      for (const Pattern* item : p->items)
        if (form(item) != Any) return Opaque;
      return Any;
    }
    default: return Opaque;
  }
}

size_t Coverage::constructor_count(TypeId type) {
  switch (c.kind(type)) {
    case Kind::Enum: c.ensure_fields(c.nominal_info(type)); return c.nominal_info(type)->cases.size();
    case Kind::Bool: case Kind::Optional: return 2;
    case Kind::Tuple: case Kind::Struct: case Kind::Class: return 1;
    default: return 0;
  }
}

size_t Coverage::constructor_of(const Pattern* p) {
  p = plain(p);
  switch (p->kind) {
    case PatternKind::Case: return p->case_index;
    case PatternKind::Test: return p->test->kind == ExprKind::Variable ? 1 : 0;
    case PatternKind::NotNull: return 1;
    default: return 0;
  }
}

std::vector<TypeId> Coverage::arguments(TypeId type, size_t constructor) {
  std::vector<TypeId> out;
  switch (c.kind(type)) {
    case Kind::Enum: {
      Subst subst = b.subst_of(type);
      for (FieldInfo& field : c.nominal_info(type)->cases[constructor].fields) out.push_back(c.resolve(c.apply(field.type, subst)));
      break;
    }
    case Kind::Optional:
      if (constructor == 1) out.push_back(c.resolve(types.arg(type)));
      break;
    case Kind::Tuple: for (TypeId part : types.get(type).args) out.push_back(c.resolve(part)); break;
    case Kind::Struct: case Kind::Class: for (auto& field : c.flat_fields(type)) out.push_back(c.resolve(field.type)); break;
    default: break;
  }
  return out;
}

Row Coverage::arguments(const Pattern* p, size_t count) {
  Row out(count);
  p = plain(p);
  if (!p) return out;
  for (size_t i = 0; i < p->items.size() && i < count; ++i) out[i] = p->items[i];
  return out;
}

bool Coverage::specialize(const Row& row, TypeId, size_t constructor, size_t count, Row& out) {
  if (form(row[0]) == Constructor && constructor_of(row[0]) != constructor) return false;
  out = arguments(form(row[0]) == Constructor ? row[0] : nullptr, count);
  out.insert(out.end(), row.begin() + 1, row.end());
  return true;
}

std::vector<Row> Coverage::specialize(const std::vector<Row>& rows, TypeId type, size_t constructor, size_t count) {
  std::vector<Row> out;
  for (const Row& row : rows) {
    Row one;
    if (specialize(row, type, constructor, count, one)) add_rows(out, one);
  }
  return out;
}

std::vector<Row> Coverage::without_first(const std::vector<Row>& rows) {
  std::vector<Row> out;
  for (const Row& row : rows)
    if (form(row[0]) == Any) out.emplace_back(row.begin() + 1, row.end());
  return out;
}

void Coverage::add_rows(std::vector<Row>& rows, const Row& row) {
  for (size_t i = 0; i < row.size(); ++i) {
    const Pattern* p = plain(row[i]);
    if (p && p->kind == PatternKind::Or) {
      for (const Pattern* item : p->items) {
        Row one = row;
        one[i] = item;
        add_rows(rows, one);
      }
      return;
    }
    if (form(row[i]) == Opaque) return;
  }
  rows.push_back(row);
}

std::string Coverage::text(TypeId type, size_t constructor, const Witness& parts) {
  auto joined = [&] {
    std::string out;
    for (size_t i = 0; i < parts.size(); ++i) out += (i ? ", " : "") + parts[i];
    return out;
  };
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
  bool split = false;
  for (const Row& row : rows) split = split || form(row[0]) == Constructor;
  std::vector<Witness> out;
  if (!split && (!rows.empty() || c.kind(columns[0]) != Kind::Enum)) {
    for (Witness& tail : missing(without_first(rows), rest)) {
      tail.insert(tail.begin(), "_");
      out.push_back(std::move(tail));
    }
    return out;
  }
  for (size_t k = 0; k < constructor_count(columns[0]) && out.size() < MAX_SHOWN; ++k) {
    std::vector<TypeId> inner = arguments(columns[0], k);
    size_t count = inner.size();
    std::vector<Row> left = specialize(rows, columns[0], k, count);
    // An untouched constructor needs no look at its parts.
    bool named = false;
    for (const Row& row : rows) named = named || (form(row[0]) == Constructor && constructor_of(row[0]) == k);
    std::vector<Witness> found;
    if (!named) {
      found = missing(without_first(rows), rest);
      for (Witness& w : found) w.insert(w.begin(), count, "_");
    } else {
      std::vector<TypeId> next = inner;
      next.insert(next.end(), rest.begin(), rest.end());
      found = missing(left, next);
    }
    for (Witness& w : found) {
      Witness parts(w.begin(), w.begin() + static_cast<ptrdiff_t>(count));
      Witness one{text(columns[0], k, parts)};
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
  auto with = [&](size_t k) {
    std::vector<TypeId> inner = arguments(columns[0], k);
    Row one = arguments(form(row[0]) == Constructor ? row[0] : nullptr, inner.size());
    one.insert(one.end(), tail.begin(), tail.end());
    std::vector<Row> left = specialize(rows, columns[0], k, inner.size());
    inner.insert(inner.end(), rest.begin(), rest.end());
    return is_useful(left, one, inner);
  };
  switch (form(row[0])) {
    case Constructor: return with(constructor_of(row[0]));
    case Opaque: return is_useful(without_first(rows), tail, rest);
    case Any: break;
  }
  bool split = false;
  for (const Row& other : rows) split = split || form(other[0]) == Constructor;
  if (!split || constructor_count(columns[0]) == 0) return is_useful(without_first(rows), tail, rest);
  for (size_t k = 0; k < constructor_count(columns[0]); ++k)
    if (with(k)) return true;
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
