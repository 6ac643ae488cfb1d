// Facts that hold at a point of a body, and what is left of them where paths meet.
#include "compiler/typed/flow.h"

#include "compiler/typed/checker.h"

namespace meteor::typed {

namespace {

bool passes_through(const PlaceKey& key, std::string_view field) {
  size_t at = key.find('.');
  while (at != PlaceKey::npos) {
    size_t end = key.find('.', at + 1);
    std::string_view part = std::string_view(key).substr(at + 1, end == PlaceKey::npos ? PlaceKey::npos : end - at - 1);
    if (part.substr(0, part.find('#')) == field) return true;
    at = end;
  }
  return false;
}

// A class known here as one type and there as a subclass of it is the former where the paths meet.
TypeId wider_of(Checker* checker, const PlaceKey& place, TypeId a, TypeId b) {
  if (!checker || place.find('#') != PlaceKey::npos) return TypeId();
  if (checker->kind(a) != types::Kind::Class || checker->kind(b) != types::Kind::Class) return TypeId();
  if (checker->could_be_subclass(a, b)) return b;
  if (checker->could_be_subclass(b, a)) return a;
  return TypeId();
}

}  // namespace

void Flow::forget(const PlaceKey& place) {
  if (place.empty()) return;
  ended.erase(place);
  for (auto it = narrowed.lower_bound(place); it != narrowed.end() && it->first.starts_with(place);) {
    bool inside = it->first.size() == place.size() || it->first[place.size()] == '.' || it->first[place.size()] == '#';
    it = inside ? narrowed.erase(it) : std::next(it);
  }
}

void Flow::end(const PlaceKey& place, Ended why) {
  if (!find(place) && !find(place + "#case")) {
    if (auto earlier = ended.find(place); earlier != ended.end())
      why = earlier->second;
    else
      return forget(place);
  }
  forget(place);
  ended[place] = why;
}

void Flow::field_written(std::string_view field, source::Span at, TypeId present) {
  for (auto it = narrowed.begin(); it != narrowed.end();) {
    const auto& [place, known] = *it;
    size_t last = place.rfind('.');
    std::string_view part = last == PlaceKey::npos ? std::string_view() : std::string_view(place).substr(last + 1);
    bool is_it = last != PlaceKey::npos && part.substr(0, part.find('#')) == field;
    bool is_kept = part == field && present.valid() && known.type == present && !passes_through(place.substr(0, last), field);
    if (is_kept || !passes_through(place, field)) {
      ++it;
      continue;
    }
    if (is_it) ended[place] = {at, EndedBy::SameField};
    it = narrowed.erase(it);
  }
}

bool is_shared_place(const PlaceKey& place) {
  return place[0] == 'g' || place[0] == 'r' || place[0] == 's' || place.find('.') != PlaceKey::npos;
}

void Flow::doubt_lent() {
  for (auto it = narrowed.lower_bound("r"); it != narrowed.end() && it->first[0] == 'r'; ++it) it->second.in_doubt = true;
}

void Flow::doubt_shared() {
  for (auto& [place, known] : narrowed)
    if (is_shared_place(place)) known.in_doubt = true;
}

void Flow::add_functions(const Flow& other) {
  for (auto& [index, held] : other.functions) functions[index].insert(held.begin(), held.end());
  for (auto& [index, held] : other.global_functions) global_functions[index].insert(held.begin(), held.end());
}

Flow merge(const Flow& a, const Flow& b) {
  if (!a.reachable) return b;
  if (!b.reachable) return a;
  auto both = [](const std::vector<bool>& x, const std::vector<bool>& y) {
    std::vector<bool> out(std::min(x.size(), y.size()));
    for (size_t i = 0; i < out.size(); ++i) out[i] = x[i] && y[i];
    return out;
  };
  Flow out;
  out.checker = a.checker;
  out.assigned = both(a.assigned, b.assigned);
  out.assigned_globals = both(a.assigned_globals, b.assigned_globals);
  out.fields_assigned = both(a.fields_assigned, b.fields_assigned);
  out.base_made = a.base_made.valid() ? a.base_made : b.base_made;
  out.moved = a.moved;
  out.moved.insert(b.moved.begin(), b.moved.end());
  out.moved_globals = a.moved_globals;
  out.moved_globals.insert(b.moved_globals.begin(), b.moved_globals.end());
  out.add_functions(a);
  out.add_functions(b);
  out.deferred = a.deferred;
  out.deferred.insert(b.deferred.begin(), b.deferred.end());
  out.lost = a.lost;
  out.lost.insert(b.lost.begin(), b.lost.end());
  for (auto& [place, known] : a.narrowed) {
    auto other = b.narrowed.find(place);
    if (other == b.narrowed.end()) continue;
    bool in_doubt = known.in_doubt || other->second.in_doubt;
    if (other->second.type == known.type) out.know(place, known.type, in_doubt);
    else if (TypeId wider = wider_of(a.checker, place, known.type, other->second.type); wider.valid()) out.know(place, wider, in_doubt);
  }
  out.ended = a.ended;
  out.ended.insert(b.ended.begin(), b.ended.end());
  return out;
}

}  // namespace meteor::typed
