#include "compiler/pipeline/unit_store.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "compiler/pipeline/cache.h"

namespace meteor::pipeline {
namespace {

constexpr uint64_t PLENTY = 1 << 20;

struct Units : ::testing::Test {
  std::string path = ::testing::TempDir() + "meteor_units_test_" + std::to_string(::getpid());

  void SetUp() override { std::filesystem::remove(path); }
  void TearDown() override { std::filesystem::remove(path); }

  static std::string key(const std::string& name) { return content_hash(name); }
  void add(const std::string& name, const std::string& content, uint64_t limit = PLENTY) {
    UnitStore(path).add({{key(name), content}}, {}, limit);
  }
  std::string find(const std::string& name) { return std::string(UnitStore(path).find(key(name)).value_or("none")); }
  std::string read() {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void write(const std::string& text) { std::ofstream(path) << text; }
};

TEST_F(Units, what_was_added_is_found) {
  EXPECT_EQ(find("a"), "none");
  add("a", "one");
  add("b", "two");
  EXPECT_EQ(find("a"), "one");
  EXPECT_EQ(find("b"), "two");
  EXPECT_EQ(find("c"), "none");
}

TEST_F(Units, a_damaged_entry_is_not_there_until_it_is_made_anew) {
  add("a", "one");
  add("b", "two");
  std::string text = read();
  text[text.find("one")] = 'x';
  write(text);
  EXPECT_EQ(find("a"), "none");
  EXPECT_EQ(find("b"), "two");
  add("a", "one");
  EXPECT_EQ(find("a"), "one");
}

TEST_F(Units, a_file_that_is_cut_off_or_is_none_is_replaced) {
  for (const std::string& damaged : {std::string("meteor"), std::string(200, 'x'), std::string()}) {
    write(damaged);
    EXPECT_EQ(find("a"), "none");
    add("a", "one");
    EXPECT_EQ(find("a"), "one");
  }
  std::string text = read();
  write(text.substr(0, text.size() - 1));
  EXPECT_EQ(find("a"), "none");
  add("a", "one");
  EXPECT_EQ(find("a"), "one");
}

TEST_F(Units, what_an_interrupted_compiler_left_is_overwritten) {
  add("a", "one");
  write(read() + "half of an entry");
  EXPECT_EQ(find("a"), "one");
  add("b", "two");
  EXPECT_EQ(find("a"), "one");
  EXPECT_EQ(find("b"), "two");
}

TEST_F(Units, a_full_store_keeps_what_the_last_program_used) {
  add("a", std::string(400, 'a'));
  add("b", std::string(400, 'b'));
  {
    UnitStore store(path);
    store.add({{key("c"), "new"}}, {{key("b"), *store.find(key("b"))}}, 1000);
    EXPECT_EQ(store.find(key("a")), std::string(400, 'a'));  // as it was opened
  }
  EXPECT_EQ(find("a"), "none");
  EXPECT_EQ(find("b"), std::string(400, 'b'));
  EXPECT_EQ(find("c"), "new");
  EXPECT_LT(read().size(), 1000U);
}

TEST_F(Units, several_add_at_once) {
  constexpr int THREADS = 4, EACH = 50;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < THREADS; ++thread)
    threads.emplace_back([&, thread] {
      for (int i = 0; i < EACH; ++i)
        add(std::to_string(thread) + " " + std::to_string(i), std::to_string(thread * EACH + i));
    });
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < THREADS * EACH; ++i)
    EXPECT_EQ(find(std::to_string(i / EACH) + " " + std::to_string(i % EACH)), std::to_string(i));
}

}  // namespace
}  // namespace meteor::pipeline
