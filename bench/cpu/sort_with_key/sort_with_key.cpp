#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

struct Person { std::string name; int64_t age; double score; };
using People = std::vector<std::shared_ptr<Person>>;

int main(int argc, char** argv) {
  int64_t n = argc > 1 ? std::atoi(argv[1]) : 500000, seed = 7;
  People people;
  for (int64_t i = 0; i < n; ++i) {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    people.push_back(std::make_shared<Person>(Person{"p" + std::to_string(seed % 100003), seed / 1000 % 90, double(seed % 1000) / 8.0}));
  }
  People by_age = people, by_name = people;
  std::stable_sort(by_age.begin(), by_age.end(), [](const auto& a, const auto& b) { return a->age < b->age; });
  std::stable_sort(by_name.begin(), by_name.end(), [](const auto& a, const auto& b) { return a->name < b->name; });
  std::stable_sort(people.begin(), people.end(), [](const auto& a, const auto& b) { return a->score != b->score ? a->score > b->score : a->age < b->age; });
  int64_t check = 0;
  for (int64_t i = 0; i < n; i += 1000) check = (check * 31 + by_age[i]->age + int64_t(by_name[i]->name.size()) + int64_t(people[i]->score)) % 1000000007;
  std::printf("%lld %s %.3f %lld\n", (long long)by_age[0]->age, by_name[0]->name.c_str(), people[0]->score, (long long)check);
}
