#include "compiler/pipeline/module_graph.h"

#include <gtest/gtest.h>

namespace meteor::pipeline {
namespace {

struct Graph : ::testing::Test {
  source::OverlayFileSystem files;
  source::Sources sources;
  base::Arena arena;
  base::NameTable names;
  diagnostics::Sink sink;
  ModuleGraph graph{files, "/lib/std", sources, arena, names, sink};

  void SetUp() override {
    files.set("/lib/std/core/a.met", "pub const A = 1\n");
    files.set("/lib/std/core/a_test.met", "import nothing\n");
    files.set("/lib/std/math.met", "import random\n");
    files.set("/lib/std/random.met", "pass\n");
  }
  std::string order() {
    std::string text;
    for (const typed::ParsedModule& module : graph.modules()) (text += text.empty() ? "" : " ") += module.name;
    return text;
  }
  std::string first_message() { return sink.all().empty() ? "" : sink.all()[0].message; }
};

TEST_F(Graph, modules_follow_what_they_import) {
  files.set("/p/main.met", "import math\nimport x.y\nfrom z import w\n");
  files.set("/p/x/y.met", "import z\n");
  files.set("/p/z.met", "w = 1\n");
  ASSERT_TRUE(graph.load("/p/main.met").ok());
  EXPECT_EQ(order(), "core random math z x.y main");
  EXPECT_TRUE(graph.modules().back().is_main);
  EXPECT_FALSE(sink.has_errors());
}

TEST_F(Graph, the_project_comes_before_std_but_not_for_std) {
  files.set("/p/main.met", "import math\nimport random\n");
  files.set("/p/random.met", "pass\n");
  ASSERT_TRUE(graph.load("/p/main.met").ok());
  EXPECT_EQ(order(), "core random math random main");
  EXPECT_TRUE(graph.modules()[1].is_std);
  EXPECT_FALSE(graph.modules()[3].is_std);
  EXPECT_EQ(graph.inputs().absent, std::vector<std::string>{"/p/math.met"});
}

TEST_F(Graph, a_cycle_is_printed) {
  files.set("/p/a.met", "import b\n");
  files.set("/p/b.met", "import c\n");
  files.set("/p/c.met", "from b import x\n");
  ASSERT_TRUE(graph.load("/p/a.met").ok());
  EXPECT_EQ(first_message(), "modules import each other in a circle: b → c → b");
}

TEST_F(Graph, a_file_that_imports_itself) {
  files.set("/p/a.met", "import a\n");
  ASSERT_TRUE(graph.load("/p/a.met").ok());
  EXPECT_EQ(first_message(), "modules import each other in a circle: a → a");
}

TEST_F(Graph, a_misspelt_module) {
  files.set("/p/main.met", "import maths\n");
  ASSERT_TRUE(graph.load("/p/main.met").ok());
  ASSERT_EQ(first_message(), "there is no module `maths`");
  EXPECT_EQ(sink.all()[0].help, "did you mean `math`?");
}

TEST_F(Graph, a_missing_main_file_is_a_failure) {
  auto result = graph.load("/p/main.met");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.failure().path, "/p/main.met");
}

}  // namespace
}  // namespace meteor::pipeline
