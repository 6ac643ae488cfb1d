// Streams, files, environment, and how a program begins and ends.
#include "runtime/system/system.h"

#include <errno.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "runtime/memory/memory.h"
#include "runtime/os/files.h"
#include "runtime/os/os.h"
#include "runtime/text/text.h"

namespace {

using meteor::os::OpenTo;

struct Text {
  Text(const std::string& s) : value(met_str_make(reinterpret_cast<const uint8_t*>(s.data()), int64_t(s.size()))) {}
  Text(const char* s) : Text(std::string(s)) {}
  Text(met_str owned) : value(owned) {}
  Text(const Text&) = delete;
  ~Text() { met_str_release(value); }
  operator met_str() const { return value; }
  std::string str() const {
    std::string s(size_t(met_str_size(value)), 0);
    met_str_copy_to(value, reinterpret_cast<uint8_t*>(s.data()));
    return s;
  }
  met_str value;
};

int64_t write_text(int64_t fd, const std::string& text) {
  return met_file_write(fd, reinterpret_cast<const uint8_t*>(text.data()), int64_t(text.size()));
}

std::string read_rest(int64_t fd) {
  std::string text;
  char room[5];  // less than there is
  for (int64_t got; (got = met_file_read(fd, reinterpret_cast<uint8_t*>(room), sizeof room)) > 0;)
    text.append(room, size_t(got));
  return text;
}

class FilesTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/meteor_system_test_XXXXXX";
    folder_ = mkdtemp(name);
  }
  void TearDown() override { EXPECT_EQ(met_dir_remove(Text(folder_)), 0); }
  std::string folder_;
};

TEST_F(FilesTest, write_read_seek_list_remove) {
  Text path(folder_ + "/data.txt");
  EXPECT_FALSE(met_path_exists(path));
  int64_t fd = met_file_open(path, int64_t(OpenTo::Write));
  ASSERT_GE(fd, 0);
  EXPECT_EQ(write_text(fd, "hello\nwörld"), 12);
  EXPECT_EQ(met_file_close(fd), 0);
  EXPECT_EQ(met_path_size(path), 12);
  EXPECT_TRUE(met_path_is_file(path));
  EXPECT_TRUE(met_path_is_dir(Text(folder_)));

  int64_t status = 1;
  fd = met_file_open(path, int64_t(OpenTo::ReadAndAppend));
  write_text(fd, "!");
  EXPECT_EQ(met_file_seek(fd, 6, 0), 6);
  EXPECT_EQ(read_rest(fd), "wörld!");
  met_file_close(fd);
  EXPECT_EQ(met_file_open(path, int64_t(OpenTo::Create)), -EEXIST);

  void* dir = met_dir_open(Text(folder_), &status);
  ASSERT_NE(dir, nullptr);
  met_str name = {0, MET_STR_SMALL};
  ASSERT_TRUE(met_dir_next(dir, &name));
  EXPECT_EQ(Text(name).str(), "data.txt");
  name = {0, MET_STR_SMALL};
  EXPECT_FALSE(met_dir_next(dir, &name));
  met_dir_close(dir);

  Text moved(folder_ + "/moved");
  EXPECT_EQ(met_path_rename(path, moved), 0);
  EXPECT_EQ(met_path_remove(moved), 0);
  EXPECT_EQ(met_path_remove(moved), -ENOENT);
}

TEST_F(FilesTest, a_path_that_is_the_beginning_of_a_longer_text) {
  Text name(met_str_repeat(Text("long_name_"), 20));
  Text folder(folder_ + "/");
  met_str parts[] = {folder, name};
  Text path(met_str_concat(parts, 2));
  met_str longer_parts[] = {path, Text("x")};
  Text longer(met_str_concat(longer_parts, 2));
  int64_t fd = met_file_open(path, int64_t(OpenTo::Write));
  ASSERT_GE(fd, 0);
  met_file_close(fd);
  EXPECT_TRUE(met_path_exists(path));
  EXPECT_FALSE(met_path_exists(longer));
  EXPECT_EQ(met_path_remove(path), 0);
}

TEST_F(FilesTest, failures_have_a_reason) {
  int64_t status = met_file_open(Text(folder_ + "/none"), int64_t(OpenTo::Read));
  EXPECT_EQ(status, -ENOENT);
  EXPECT_EQ(met_errno_kind(-status), MET_IO_NOT_FOUND);
  EXPECT_EQ(Text(met_errno_text(-status)).str(), "No such file or directory");
  EXPECT_EQ(met_file_open(Text(std::string("a\0b", 3)), int64_t(OpenTo::Read)), -EINVAL);
  EXPECT_EQ(met_dir_open(Text(folder_ + "/none"), &status), nullptr);
  EXPECT_EQ(status, -ENOENT);
  EXPECT_EQ(met_file_open(Text(folder_), int64_t(OpenTo::Write)), -EISDIR);
}

TEST(ProcessTest, environment) {
  met_str value = {0, MET_STR_SMALL};
  EXPECT_FALSE(met_env_get(Text("METEOR_TEST_VARIABLE"), &value));
  EXPECT_EQ(met_env_set(Text("METEOR_TEST_VARIABLE"), Text("a value longer than fifteen bytes")), 0);
  EXPECT_TRUE(met_env_get(Text("METEOR_TEST_VARIABLE"), &value));
  EXPECT_EQ(Text(value).str(), "a value longer than fifteen bytes");
  bool found = false;
  for (int64_t i = 0; i < met_env_count(); i++)
    if (Text(met_env_name(i)).str() == "METEOR_TEST_VARIABLE")
      found = Text(met_env_value(i)).str().starts_with("a value");
  EXPECT_TRUE(found);
  EXPECT_EQ(met_env_unset(Text("METEOR_TEST_VARIABLE")), 0);
  EXPECT_EQ(met_env_set(Text(""), Text("x")), -EINVAL);
}

TEST(ProcessTest, clocks_go_forward) {
  int64_t before = met_clock_monotonic_ns();
  usleep(2000);
  EXPECT_GE(met_clock_monotonic_ns() - before, 2'000'000);
  EXPECT_GT(met_clock_wall_ns(), int64_t(1'600'000'000) * 1'000'000'000);
  EXPECT_NE(met_random_seed_value(), met_random_seed_value());
}

// Runs `program` in a child with its own stdin; what it wrote to stdout comes back.
template <class Program>
std::string run(const std::string& input, Program program, int* status = nullptr) {
  int in[2], out[2];
  if (pipe(in) != 0 || pipe(out) != 0) abort();
  pid_t child = fork();
  if (child == 0) {
    dup2(in[0], 0);
    dup2(out[1], 1);
    for (int fd : {in[0], in[1], out[0], out[1]}) close(fd);
    program();
    met_flush();
    _exit(0);
  }
  close(in[0]);
  close(out[1]);
  if (write(in[1], input.data(), input.size()) < 0) abort();
  close(in[1]);
  std::string text;
  char room[4096];
  for (ssize_t got; (got = read(out[0], room, sizeof room)) > 0;) text.append(room, size_t(got));
  close(out[0]);
  int result = 0;
  waitpid(child, &result, 0);
  if (status != nullptr) *status = result;
  return text;
}

TEST(StreamsTest, lines_come_without_their_ends) {
  std::string seen = run("one\r\ntwo\n\n" + std::string(200'000, 'x') +
                             "\nb\xff"
                             "d\nlast",
                         [] {
                           met_str line = {0, MET_STR_SMALL};
                           while (met_read_line(&line) > 0) {
                             met_str size = met_str_size(line) > 100
                                                ? met_str_make(reinterpret_cast<const uint8_t*>("long"), 4)
                                                : met_str{0, MET_STR_SMALL};
                             if (met_str_size(line) > 100 && met_str_size(line) != 200'000) _exit(3);
                             met_print(met_str_size(line) > 100 ? size : line);
                             met_print(Text("|"));
                           }
                           met_str_release(line);
                         });
  EXPECT_EQ(seen,
            "one|two||long|b\ufffd"
            "d|last|");
}

TEST(StreamsTest, big_output_is_complete) {
  std::string seen = run("", [] {
    for (int i = 0; i < 3; i++) {
      met_print(Text(std::string(50'000, char('a' + i))));
      met_print(Text(std::string(100'000, char('A' + i))));
    }
  });
  EXPECT_EQ(seen.size(), 450'000u);
  EXPECT_EQ(seen[449'999], 'C');
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 'b'), 50'000);
}

char* no_arguments[] = {const_cast<char*>("program"), const_cast<char*>("a"), const_cast<char*>("b\xff"), nullptr};

TEST(StartDeathTest, arguments_and_exit_codes) {
  EXPECT_EXIT(
      {
        met_runtime_start(3, no_arguments);
        bool fine =
            met_args_count() == 2 && Text(met_arg(1)).str() == "b\ufffd" && Text(met_program_name()).str() == "program";
        _exit(met_runtime_finish(fine ? 7 : 1));
      },
      testing::ExitedWithCode(7), "");
  EXPECT_EXIT(met_exit(5), testing::ExitedWithCode(5), "");
  EXPECT_EXIT(met_panic("it went wrong"), testing::ExitedWithCode(1), "error: it went wrong");
}

TEST(StartDeathTest, leaks_make_the_exit_code_one) {
  EXPECT_EXIT(
      {
        setenv("METEOR_LEAKS", "1", 1);
        met_runtime_start(1, no_arguments);
        met_str lost = met_str_repeat(Text("leaked "), 5);
        _exit(met_runtime_finish(met_str_size(lost) == 35 ? 0 : 2));
      },
      testing::ExitedWithCode(1), "leak: 1 object still alive\n  1 str");
}

#if !defined(__SANITIZE_ADDRESS__) && !__has_feature(address_sanitizer)
int64_t recurse(int64_t n) {
  volatile char room[200];
  room[0] = char(n);
  return n < 0 ? 0 : recurse(n + 1) + room[0];
}

TEST(StartDeathTest, stack_overflow_is_reported) {
  EXPECT_EXIT(
      {
        met_runtime_start(1, no_arguments);
        recurse(0);
      },
      testing::ExitedWithCode(1), "error: StackOverflow: the call stack");
}

#if !__has_feature(thread_sanitizer)  // which reports them itself
TEST(StartDeathTest, other_bad_accesses_end_with_the_signal) {
  EXPECT_EXIT(
      {
        met_runtime_start(1, no_arguments);
        *reinterpret_cast<volatile int*>(8) = 1;
      },
      testing::KilledBySignal(SIGSEGV), "memory that is not its own");
}
#endif
#endif

}  // namespace
