// Objects end in the order the language promises, whatever the shape of what hangs on them.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "runtime/memory/memory.h"

namespace {

std::vector<std::string> events;

struct Node {
  met_object header;
  met_object* left;
  met_object* right;
  int64_t number;
};

void release(met_object* object) {
  if (object != nullptr && --object->strong == 0) met_object_drop(object);
}

void drop_node(met_object* object) {
  Node* node = reinterpret_cast<Node*>(object);
  release(node->left);
  release(node->right);
}

void visit_node(met_object* object, void* context, met_visit visit) {
  Node* node = reinterpret_cast<Node*>(object);
  visit(context, node->left, "left");
  visit(context, node->right, "right");
}

void log_del(met_object* object) { events.push_back(std::to_string(reinterpret_cast<Node*>(object)->number)); }

const met_type NODE = {"Node", sizeof(Node), drop_node, nullptr, visit_node, nullptr, nullptr, 0, MET_KIND_CLASS};
const met_type LOGGED = {"Logged", sizeof(Node), drop_node, log_del, visit_node, nullptr, nullptr, 0, MET_KIND_CLASS};

Node* make(const met_type& type, int64_t number = 0, Node* left = nullptr, Node* right = nullptr) {
  Node* node = reinterpret_cast<Node*>(met_object_new(&type));
  node->number = number;
  node->left = left == nullptr ? nullptr : &left->header;
  node->right = right == nullptr ? nullptr : &right->header;
  return node;
}

class ObjectTest : public testing::Test {
 protected:
  void SetUp() override {
    events.clear();
    met_leak_tracking = true;
    met_leak_reset();
  }
  void TearDown() override { met_leak_tracking = false; }
};

TEST_F(ObjectTest, is_new_with_count_one_and_zeroed) {
  for (uint64_t size = sizeof(met_object); size < 3000; size += 8) {
    met_type type = {"Sized", size, nullptr, nullptr, nullptr, nullptr, nullptr, 0, MET_KIND_CLASS};
    met_object* object = met_object_new(&type);
    EXPECT_EQ(object->strong, 1u);
    EXPECT_EQ(object->weak, 0u);
    char* payload = reinterpret_cast<char*>(object + 1);
    for (uint64_t i = 0; i < size - sizeof(met_object); i++) ASSERT_EQ(payload[i], 0) << size;
    memset(payload, 0x5a, size - sizeof(met_object));
    release(object);
  }
  EXPECT_EQ(met_live_objects(), 0);
}

TEST_F(ObjectTest, del_runs_before_the_fields_go_and_those_go_in_order) {
  release(&make(LOGGED, 1, make(LOGGED, 2, make(LOGGED, 3), make(LOGGED, 4)), make(LOGGED, 5))->header);
  EXPECT_EQ(events, (std::vector<std::string>{"1", "2", "3", "4", "5"}));
  EXPECT_EQ(met_live_objects(), 0);
}

TEST_F(ObjectTest, order_is_that_of_recursion_below_the_depth_where_drops_wait) {
  // A comb: a long chain to the left, each link with a small tree to the right.
  Node* comb = nullptr;
  std::vector<std::string> expected;
  constexpr int LINKS = 500;
  for (int i = LINKS - 1; i >= 0; i--)
    comb = make(LOGGED, i * 4, comb, make(LOGGED, i * 4 + 1, make(LOGGED, i * 4 + 2), make(LOGGED, i * 4 + 3)));
  for (int i = 0; i < LINKS; i++) expected.push_back(std::to_string(i * 4));
  for (int i = LINKS - 1; i >= 0; i--)
    for (int k = 1; k < 4; k++) expected.push_back(std::to_string(i * 4 + k));
  release(&comb->header);
  EXPECT_EQ(events, expected);
  EXPECT_EQ(met_live_objects(), 0);
}

TEST_F(ObjectTest, a_chain_of_ten_million_needs_no_stack) {
  met_leak_tracking = false;
  Node* chain = nullptr;
  for (int i = 0; i < 10'000'000; i++) chain = make(NODE, i, chain);
  release(&chain->header);
  chain = nullptr;
  for (int i = 0; i < 1'000'000; i++) chain = make(NODE, i, nullptr, chain);
  release(&chain->header);
}

TEST_F(ObjectTest, a_shared_child_goes_with_its_last_owner) {
  Node* shared = make(LOGGED, 3);
  shared->header.strong = 2;
  Node* first = make(LOGGED, 1, shared);
  Node* second = make(LOGGED, 2, shared);
  release(&first->header);
  EXPECT_EQ(events, (std::vector<std::string>{"1"}));
  release(&second->header);
  EXPECT_EQ(events, (std::vector<std::string>{"1", "2", "3"}));
}

TEST_F(ObjectTest, no_del_flag_is_honoured) {
  Node* node = make(LOGGED, 1, make(LOGGED, 2));
  node->header.weak |= MET_FLAG_NO_DEL;
  release(&node->header);
  EXPECT_EQ(events, (std::vector<std::string>{"2"}));
}

met_object* kept;

TEST_F(ObjectTest, del_may_keep_the_object_and_runs_only_once) {
  static const met_type KEEPER = {"Keeper",
                                  sizeof(Node),
                                  drop_node,
                                  [](met_object* object) {
                                    log_del(object);
                                    EXPECT_EQ(object->strong, 1u);
                                    object->strong++;
                                    kept = object;
                                  },
                                  nullptr,
                                  nullptr,
                                  nullptr,
                                  0,
                                  MET_KIND_CLASS};
  Node* node = make(KEEPER, 1, make(LOGGED, 2));
  node->header.weak++;  // a weak reference
  release(&node->header);
  EXPECT_EQ(events, (std::vector<std::string>{"1"}));
  ASSERT_EQ(kept, &node->header);
  EXPECT_EQ(kept->strong, 1u);
  met_object* again = met_weak_get(kept);
  EXPECT_EQ(again, kept);
  release(again);
  release(kept);
  EXPECT_EQ(events, (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(met_weak_get(&node->header), nullptr);
  met_weak_release(&node->header);
  EXPECT_EQ(met_live_objects(), 0);
}

TEST_F(ObjectTest, weak_references_read_null_from_del_on) {
  static met_object* watched;
  static const met_type WATCHED = {"Watched",
                                   sizeof(Node),
                                   drop_node,
                                   [](met_object* object) {
                                     EXPECT_EQ(met_weak_get(watched), nullptr);
                                     log_del(object);
                                   },
                                   nullptr,
                                   nullptr,
                                   nullptr,
                                   0,
                                   MET_KIND_CLASS};
  Node* node = make(WATCHED, 1);
  watched = &node->header;
  watched->weak += 2;
  met_object* strong = met_weak_get(watched);
  EXPECT_EQ(strong->strong, 2u);
  release(strong);
  release(watched);
  EXPECT_EQ(met_weak_get(watched), nullptr);
  EXPECT_EQ(met_live_objects(), 1);  // the memory waits for the weak references
  met_weak_release(watched);
  EXPECT_EQ(met_live_objects(), 1);
  met_weak_release(watched);
  EXPECT_EQ(met_live_objects(), 0);
  met_weak_release(nullptr);
  EXPECT_EQ(met_weak_get(nullptr), nullptr);
}

TEST_F(ObjectTest, objects_with_weak_references_may_wait_their_turn_too) {
  std::vector<met_object*> weak;
  Node* chain = nullptr;
  std::vector<std::string> expected;
  for (int i = 0; i < 1000; i++) {
    chain = make(LOGGED, i, chain);
    if (i % 3 == 0) {
      chain->header.weak++;
      weak.push_back(&chain->header);
    }
  }
  for (int i = 999; i >= 0; i--) expected.push_back(std::to_string(i));
  release(&chain->header);
  EXPECT_EQ(events, expected);
  for (met_object* object : weak) {
    EXPECT_EQ(met_weak_get(object), nullptr);
    met_weak_release(object);
  }
  EXPECT_EQ(met_live_objects(), 0);
}

TEST_F(ObjectTest, a_chain_that_del_lets_go_link_by_link_needs_no_stack_either) {
  static const met_type UNLINKS = {"Unlinks",
                                   sizeof(Node),
                                   drop_node,
                                   [](met_object* object) {
                                     Node* node = reinterpret_cast<Node*>(object);
                                     met_object* next = node->left;
                                     node->left = nullptr;
                                     release(next);
                                   },
                                   nullptr,
                                   nullptr,
                                   nullptr,
                                   0,
                                   MET_KIND_CLASS};
  Node* chain = nullptr;
  for (int i = 0; i < 1'000'000; i++) chain = make(UNLINKS, i, chain);
  release(&chain->header);
  EXPECT_EQ(met_live_objects(), 0);
}

TEST_F(ObjectTest, what_del_itself_lets_go_ends_at_once) {
  static const met_type OWNER = {"Owner",
                                 sizeof(Node),
                                 drop_node,
                                 [](met_object*) {
                                   events.push_back("begin");
                                   release(&make(LOGGED, 7, make(LOGGED, 8))->header);
                                   events.push_back("end");
                                 },
                                 nullptr,
                                 nullptr,
                                 nullptr,
                                 0,
                                 MET_KIND_CLASS};
  Node* chain = make(OWNER);
  for (int i = 0; i < 200; i++) chain = make(NODE, i, chain);  // deep enough that drops wait
  release(&chain->header);
  EXPECT_EQ(events, (std::vector<std::string>{"begin", "7", "8", "end"}));
}

TEST_F(ObjectTest, instances_know_their_ancestors) {
  met_type root = {"Root", 16, nullptr, nullptr, nullptr, nullptr, nullptr, 0, MET_KIND_CLASS};
  met_type child = root, other = root;
  const met_type* root_line[] = {&root};
  const met_type* child_line[] = {&root, &child};
  const met_type* other_line[] = {&root, &other};
  root.ancestors = root_line;
  child.ancestors = child_line;
  other.ancestors = other_line;
  child.depth = other.depth = 1;
  child.base = other.base = &root;
  met_object object = {1, 0, &child};
  EXPECT_TRUE(met_is_instance(&object, &child));
  EXPECT_TRUE(met_is_instance(&object, &root));
  EXPECT_FALSE(met_is_instance(&object, &other));
  EXPECT_FALSE(met_is_instance(nullptr, &root));
  object.type = &root;
  EXPECT_FALSE(met_is_instance(&object, &child));
}

TEST_F(ObjectTest, raw_memory_keeps_its_bytes_while_it_grows_and_shrinks) {
  EXPECT_EQ(met_raw_alloc(0), nullptr);
  for (int64_t from : {1, 15, 16, 17, 500, 1023, 1024, 1025, 5000, 200000}) {
    for (int64_t to : {1, 16, 32, 1024, 1030, 70000}) {
      char* memory = static_cast<char*>(met_raw_alloc(from));
      memset(memory, 0x33, size_t(from));
      memory = static_cast<char*>(met_raw_realloc(memory, from, to));
      for (int64_t i = 0; i < std::min(from, to); i++) ASSERT_EQ(memory[i], 0x33);
      memset(memory, 0x44, size_t(to));
      met_raw_free(memory, to);
    }
  }
  EXPECT_EQ(met_raw_realloc(met_raw_alloc(100), 100, 0), nullptr);
  EXPECT_EQ(met_live_raw_bytes(), 0);
  met_raw_free(nullptr, 0);
}

TEST_F(ObjectTest, leak_report_counts_by_type_and_shows_the_shortest_cycle) {
  Node* first = make(NODE, 1);
  Node* second = make(LOGGED, 2, first);
  first->left = &second->header;
  second->right = &make(NODE, 3)->header;
  void* buffer = met_raw_alloc(40);
  testing::internal::CaptureStderr();
  EXPECT_TRUE(met_leak_report());
  std::string report = testing::internal::GetCapturedStderr();
  EXPECT_EQ(report,
            "leak: 3 objects still alive\n"
            "  2 Node\n"
            "  1 Logged\n"
            "  a cycle keeps them: Logged.left -> Node.left -> Logged\n"
            "leak: 40 bytes of buffers still allocated\n");
  first->left = nullptr;
  release(&second->header);
  met_raw_free(buffer, 40);
  EXPECT_FALSE(met_leak_report());
}

TEST(MemoryDeathTest, running_out_is_said) {
  EXPECT_EXIT(met_raw_alloc(int64_t(1) << 60), testing::ExitedWithCode(1), "out of memory: 1152921504606846976 bytes");
  EXPECT_EXIT(met_raw_alloc(-1), testing::ExitedWithCode(1), "out of memory");
}

}  // namespace
