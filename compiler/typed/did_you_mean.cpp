// Optimal string alignment distance, so that swapped letters count once.
#include "compiler/typed/did_you_mean.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace meteor::typed {

namespace {

size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), previous(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t same = std::tolower(a[i - 1]) == std::tolower(b[j - 1]) ? 0 : 1;
      row[j] = std::min({previous[j] + 1, row[j - 1] + 1, previous[j - 1] + same});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = previous;
    previous = row;
  }
  return previous[b.size()];
}

}  // namespace

std::string did_you_mean(std::string_view wanted, const std::vector<std::string>& known, const std::function<bool(const std::string&)>& fits) {
  if (wanted.size() > 64) return {};
  std::string best;
  size_t limit = std::max<size_t>((wanted.size() + 1) / 3, 1);
  size_t best_distance = std::min(limit + 1, std::max<size_t>(wanted.size(), 1));
  auto starts_alike = [&](const std::string& name) { return std::islower(name[0]) == std::islower(wanted[0]); };   // `info`, not `Info`
  for (const std::string& name : known) {
    if (name.size() > 64 || name == wanted) continue;
    size_t longer = std::max(name.size(), wanted.size()), shorter = std::min(name.size(), wanted.size());
    if (longer - shorter > limit) continue;  // so many letters are to be added
    size_t d = distance(wanted, name);
    if (d > limit) continue;
    if (fits && !fits(name)) d++;
    bool is_nearer = d == best_distance && !best.empty() && std::pair(!starts_alike(name), std::string_view(name)) < std::pair(!starts_alike(best), std::string_view(best));
    if (d < best_distance || is_nearer) {
      best = name;
      best_distance = d;
    }
  }
  return best;
}

}  // namespace meteor::typed
