#include "compiler/source/file_system.h"

#include <gtest/gtest.h>

#include <fstream>

namespace meteor::source {

TEST(FileSystem, OverlayHidesWhatLiesBelow) {
  OverlayFileSystem below;
  below.set("p/a.met", "old");
  below.set("p/b.met", "b");
  OverlayFileSystem files(&below);
  files.set("./p/x/../a.met", "new");
  EXPECT_EQ(files.read("p/a.met").value(), "new");
  EXPECT_EQ(files.read("p/b.met").value(), "b");
  EXPECT_EQ(files.list("p").value(), (std::vector<std::string>{"a.met", "b.met"}));
  files.remove("p/a.met");
  EXPECT_EQ(files.read("p/a.met").value(), "old");
  EXPECT_TRUE(files.is_directory("p"));
  EXPECT_FALSE(files.is_file("p"));
  EXPECT_FALSE(files.is_file("q.met"));
}

TEST(FileSystem, FailuresNamePathAndReason) {
  DiskFileSystem disk;
  base::Result<std::string> missing = disk.read("/no/such/file.met");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.failure().path, "/no/such/file.met");
  EXPECT_EQ(missing.failure().reason, "No such file or directory");
  base::Result<std::string> directory = disk.read("/");
  ASSERT_FALSE(directory.ok());
  EXPECT_EQ(directory.failure().reason, "is a directory");
  EXPECT_FALSE(disk.list("/no/such").ok());
  EXPECT_TRUE(disk.is_directory("/"));
}

TEST(FileSystem, ReadsWhatWasWritten) {
  std::string path = testing::TempDir() + "/file_system_test.met";
  std::string text(100'000, 'x');
  text[50'000] = '\0';
  std::ofstream(path, std::ios::binary) << text;
  DiskFileSystem disk;
  base::Result<std::string> read = disk.read(path);
  ASSERT_TRUE(read.ok()) << read.failure().text();
  EXPECT_EQ(read.value(), text);
  EXPECT_TRUE(disk.is_file(path));
  // A device has no end: it is refused.
  EXPECT_FALSE(disk.read("/dev/zero").ok());
}

}  // namespace meteor::source
