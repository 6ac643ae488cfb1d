#include "compiler/base/name.h"

#include <gtest/gtest.h>

#include <set>

namespace meteor::base {

TEST(Name, EqualTextIsTheSameName) {
  NameTable names;
  Name a = names.intern("alpha");
  EXPECT_EQ(a, names.intern(std::string("alp") + "ha"));
  EXPECT_FALSE(a == names.intern("alphb"));
  EXPECT_EQ(a.text(), "alpha");
  EXPECT_EQ(names.intern(""), Name());
  EXPECT_TRUE(Name().empty());
}

TEST(Name, StaysValidWhileTheTableGrows) {
  NameTable names;
  std::vector<Name> all;
  for (int i = 0; i < 50'000; i++) all.push_back(names.intern("name_" + std::to_string(i)));
  for (int i = 0; i < 50'000; i++) {
    ASSERT_EQ(all[size_t(i)].text(), "name_" + std::to_string(i));
    ASSERT_EQ(all[size_t(i)], names.intern("name_" + std::to_string(i)));
  }
}

}  // namespace meteor::base
