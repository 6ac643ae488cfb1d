#include "compiler/pipeline/cache.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace meteor::pipeline {
namespace {

struct Cache : ::testing::Test {
  std::string folder = ::testing::TempDir() + "meteor_cache_test_" + std::to_string(::getpid());
  ProgramCache cache{folder + "/cache"};
  RunRequest request{folder + "/main.met", "O2"};

  void SetUp() override {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    write("main.met", "print(1)\n");
    write("tool", "compiler");
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  void write(const std::string& name, const std::string& text) { std::ofstream(folder + "/" + name) << text; }
  std::string read(const std::string& name) {
    std::ifstream file(folder + "/" + name);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  Inputs inputs() {
    std::string main = folder + "/main.met", tool = folder + "/tool";
    Stamp stamp = stamp_before_reading(main);
    return {{{main, content_hash(read("main.met")), stamp}}, {folder + "/absent.met"}, {{tool, stamp_of(tool)}}};
  }
  std::string store(size_t size = 10) {
    std::string path = cache.path_for(request, inputs());
    std::ofstream(path) << std::string(size, 'x');
    ::chmod(path.c_str(), 0755);
    cache.store(request, inputs());
    return path;
  }
};

TEST_F(Cache, nothing_is_found_before_it_was_stored) {
  EXPECT_FALSE(cache.find(request));
  EXPECT_FALSE(cache.find(request, inputs()));
}

TEST_F(Cache, units_of_the_library_are_kept_by_options_and_compiler) {
  std::string path = cache.unit_store("O2", folder + "/tool");
  EXPECT_EQ(cache.unit_store("O2", folder + "/tool"), path);
  EXPECT_NE(cache.unit_store("O0", folder + "/tool"), path);
  write("tool", "another compiler");
  EXPECT_NE(cache.unit_store("O2", folder + "/tool"), path);
}

TEST_F(Cache, an_unchanged_request_finds_its_program) {
  std::string path = store();
  EXPECT_EQ(cache.find(request), path);
  EXPECT_EQ(cache.find(request, inputs()), path);
  EXPECT_FALSE(cache.find(RunRequest{request.main_file, "O0"}));
}

TEST_F(Cache, another_installation_does_not_get_this_ones_program) {
  store();
  EXPECT_FALSE(cache.find(RunRequest{request.main_file, request.flags, "/opt/other/lib/meteor/meteor-compiler"}));
}

TEST_F(Cache, a_change_of_the_same_length_is_seen) {
  store();
  write("main.met", "print(2)\n");
  EXPECT_FALSE(cache.find(request));
}

TEST_F(Cache, a_change_between_reading_and_storing_is_seen) {
  for (int hours : {0, 5}) {
    write("main.met", "print(1)\n");
    std::filesystem::last_write_time(folder + "/main.met", std::filesystem::file_time_type::clock::now() - std::chrono::hours(hours));
    Inputs read_before = inputs();
    std::ofstream(cache.path_for(request, read_before)) << "program";
    write("main.met", "print(2)\n");
    std::filesystem::last_write_time(folder + "/main.met", std::filesystem::file_time_type::clock::now() - std::chrono::hours(4));
    cache.store(request, read_before);
    EXPECT_FALSE(cache.find(request));
  }
}

TEST_F(Cache, the_same_text_with_another_time_is_no_change) {
  std::string path = store();
  std::filesystem::last_write_time(folder + "/main.met", std::filesystem::file_time_type::clock::now() - std::chrono::hours(5));
  EXPECT_EQ(cache.find(request), path);
}

TEST_F(Cache, a_file_that_would_now_be_imported_is_a_change) {
  store();
  write("absent.met", "pass\n");
  EXPECT_FALSE(cache.find(request));
}

TEST_F(Cache, a_new_compiler_is_a_change) {
  store();
  write("tool", "another compiler");
  EXPECT_FALSE(cache.find(request));
}

TEST_F(Cache, damaged_files_are_not_used) {
  std::string path = store();
  std::ofstream{path};
  EXPECT_FALSE(cache.find(request));
  EXPECT_FALSE(cache.find(request, inputs()));
  store();
  for (auto& entry : std::filesystem::directory_iterator(folder + "/cache/requests")) std::ofstream(entry.path()) << "meteor-request 2\nprogram";
  EXPECT_FALSE(cache.find(request));
}

TEST_F(Cache, the_oldest_programs_go_first) {
  ::setenv("METEOR_CACHE_LIMIT_MB", "1", 1);
  std::vector<std::string> paths;
  for (int i = 0; i < 4; ++i) {
    write("main.met", "print(" + std::to_string(i) + ")\n");
    paths.push_back(store(400'000));
    std::filesystem::last_write_time(paths.back(), std::filesystem::file_time_type::clock::now() - std::chrono::hours(10 - i));
  }
  store(400'000);
  ::unsetenv("METEOR_CACHE_LIMIT_MB");
  EXPECT_FALSE(std::filesystem::exists(paths[0]));
  EXPECT_TRUE(std::filesystem::exists(paths[3]));
}

}  // namespace
}  // namespace meteor::pipeline
