// Heads of HTTP/1, read and written: whatever is cut off is not whole, and what is odd has a name.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "runtime/http/field.h"
#include "runtime/http/parts.h"

using meteor::net::Answer;
using meteor::net::Head;

extern "C" {
int64_t met_http_read_head(met_str data, int64_t at, int64_t end, bool is_request, Head* head);
int64_t met_http_find(met_str data, met_str spots, met_str name, int64_t i);
int64_t met_http_put_head(Answer* answer, uint8_t* data, int64_t at, int64_t capacity);
}

namespace {

met_str make(const std::string& s) {
  return meteor::text::make(reinterpret_cast<const uint8_t*>(s.data()), int64_t(s.size()));
}

// A head that was read from the bytes behind `before`, which are no part of it.
struct Read {
  Read(const std::string& text, bool is_request, size_t end = std::string::npos, const std::string& before = "") {
    head.method = head.target = head.spots = meteor::text::EMPTY;
    data = make(before + text);
    size = met_http_read_head(data, int64_t(before.size()), int64_t(before.size() + std::min(end, text.size())),
                              is_request, &head);
  }
  ~Read() {
    for (met_str s : {head.method, head.target, head.spots, data}) met_str_release(s);
  }
  Read(const Read&) = delete;

  Head head = {};
  met_str data;
  int64_t size;
};

const std::string REQUEST =
    "POST /a%20b?c=d HTTP/1.1\r\nHost: example.org\r\nContent-Length: 12\r\nX-Long: a value beyond fifteen bytes "
    "\t\r\nConnection: close\r\n\r\n";
const std::string ANSWER = "HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\nX: \xe9\r\n\r\n";

TEST(HttpHead, EveryCutOfARequestIsNotWholeAndNotWrong) {
  for (size_t end = 0; end < REQUEST.size(); ++end) {
    Read read(REQUEST, true, end);
    ASSERT_EQ(read.size, 0) << end;
    ASSERT_EQ(read.head.problem, Head::FINE) << REQUEST.substr(0, end);
  }
  for (size_t end = 0; end < ANSWER.size(); ++end) {
    Read read(ANSWER, false, end);
    ASSERT_EQ(read.size, 0) << end;
    ASSERT_EQ(read.head.problem, Head::FINE) << ANSWER.substr(0, end);
  }
}

TEST(HttpHead, AWholeRequestIsReadWhereverItLies) {
  for (const std::string& before : {std::string(), std::string("x"), std::string(1000, '\n')}) {
    Read read(REQUEST + "the body", true, std::string::npos, before);
    EXPECT_EQ(read.size, int64_t(REQUEST.size()));
    EXPECT_EQ(read.head.length, 12);
    EXPECT_EQ(read.head.version, 1);
    EXPECT_EQ(read.head.hosts, 1);
    EXPECT_TRUE(read.head.flags & Head::CLOSE);
    EXPECT_TRUE(read.head.flags & Head::ESCAPED);
    EXPECT_FALSE(read.head.flags & Head::CHUNKED);
    met_str name = make("x-LONG");
    EXPECT_EQ(met_http_find(read.data, read.head.spots, name, 0), 2);
    EXPECT_EQ(met_http_find(read.data, read.head.spots, name, 3), -1);
    met_str_release(name);
  }
}

TEST(HttpHead, MoreHeadersThanFitTheStackAreAllFound) {
  std::string text = "GET / HTTP/1.1\r\n";
  for (int i = 0; i < 1000; ++i) text += "H" + std::to_string(i) + ": " + std::to_string(i * i) + "\r\n";
  Read read(text + "\r\n", true);
  ASSERT_EQ(read.size, int64_t(text.size() + 2));
  EXPECT_EQ(meteor::net::spot_count(read.head.spots), 1000);
  for (int i : {0, 31, 32, 33, 63, 64, 65, 127, 128, 999}) {
    met_str name = make("h" + std::to_string(i));
    EXPECT_EQ(met_http_find(read.data, read.head.spots, name, 0), i);
    met_str_release(name);
  }
}

TEST(HttpHead, WhatIsWrongHasAName) {
  struct Row {
    const char* text;
    bool is_request;
    int64_t problem;
  };
  const Row rows[] = {
      {"G T / HTTP/1.1\r\n\r\n", true, Head::BAD_VERSION},
      {"G(T / HTTP/1.1\r\n\r\n", true, Head::BAD_METHOD},
      {"GET / HTTP/2.0\r\n\r\n", true, Head::OTHER_VERSION},
      {"GET / HTTX/1.1\r\n\r\n", true, Head::BAD_VERSION},
      {"GET / HTTP/1.1\nA: b\r\n\r\n", true, Head::BARE_END},
      {"GET / HTTP/1.1\r\nA: b\n\r\n", true, Head::BARE_END},
      {"GET / HTTP/1.1\r\n folded: b\r\n\r\n", true, Head::FOLDED},
      {"GET / HTTP/1.1\r\nA b: c\r\n\r\n", true, Head::BAD_NAME},
      {"GET / HTTP/1.1\r\nA : c\r\n\r\n", true, Head::BAD_NAME},
      {"GET / HTTP/1.1\r\n: c\r\n\r\n", true, Head::BAD_NAME},
      {"GET / HTTP/1.1\r\nA: \x01\r\n\r\n", true, Head::BAD_VALUE},
      {"GET / HTTP/1.1\r\nA: b\rc\r\n\r\n", true, Head::BAD_VALUE},
      {"SSH-2.0-OpenSSH\r\n\r\n", false, Head::NO_HTTP},
      {"HTTP/1.1 20 OK\r\n\r\n", false, Head::BAD_STATUS_LINE},
  };
  for (const Row& row : rows) {
    Read read(row.text, row.is_request);
    EXPECT_EQ(read.size, 0) << row.text;
    EXPECT_EQ(read.head.problem, row.problem) << row.text;
  }
}

// What two programs could take for different lengths is marked, never guessed.
TEST(HttpHead, LengthsThatCouldBeReadTwoWaysAreOdd) {
  for (const char* field :
       {"Content-Length: +5", "Content-Length: 5, 5", "Content-Length: 0x5", "Content-Length: ", "Content-Length: 5 5",
        "Content-Length: 99999999999999999999", "Content-Length: 5\r\nContent-Length: 6"}) {
    Read read(std::string("POST / HTTP/1.1\r\nHost: a\r\n") + field + "\r\n\r\n", true);
    EXPECT_TRUE(read.size == 0 || (read.head.flags & Head::ODD_LENGTH)) << field;
  }
  Read coded("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", true);
  EXPECT_TRUE(coded.head.flags & Head::ODD_CODING);
}

struct Written {
  explicit Written(int64_t status, int64_t length, int64_t flags) {
    answer.status = status;
    answer.length = length;
    answer.flags = flags;
    answer.reason = make("Some Reason That Is Long");
    answer.name = make("X-Name");
    answer.value = make("a value beyond fifteen bytes");
    answer.raw = answer.spots = meteor::text::EMPTY;
  }
  ~Written() {
    for (met_str s : {answer.reason, answer.name, answer.value}) met_str_release(s);
  }
  Answer answer = {};
};

TEST(HttpHead, WithTooLittleRoomNothingIsWritten) {
  Written written(503, 1234567, Answer::CLOSE);
  int64_t room = -met_http_put_head(&written.answer, nullptr, 0, 0);
  ASSERT_GT(room, 0);
  for (int64_t capacity : {int64_t(1), room / 2, room - 1}) {
    std::vector<uint8_t> memory(size_t(capacity), 0xaa);
    EXPECT_EQ(met_http_put_head(&written.answer, memory.data(), 0, capacity), -room);
    for (uint8_t byte : memory) EXPECT_EQ(byte, 0xaa);
  }
  std::vector<uint8_t> memory(size_t(room + 8), 0xaa);
  int64_t size = met_http_put_head(&written.answer, memory.data(), 5, room + 5);
  ASSERT_GT(size, 0);
  EXPECT_LE(size, room);
  for (size_t i : {size_t(0), size_t(4), size_t(room + 5), size_t(room + 7)}) EXPECT_EQ(memory[i], 0xaa) << i;
}

// What is written is read again as it was meant.
TEST(HttpHead, AWrittenHeadIsReadAsItWasMeant) {
  for (int64_t status : {int64_t(100), int64_t(200), int64_t(404), int64_t(599)}) {
    for (int64_t flags : {int64_t(0), int64_t(Answer::CLOSE), int64_t(Answer::CHUNKED), int64_t(Answer::KEEP)}) {
      Written written(status, flags & Answer::CHUNKED ? -1 : 42, flags);
      uint8_t memory[1024];
      int64_t size = met_http_put_head(&written.answer, memory, 0, sizeof memory);
      ASSERT_GT(size, 0);
      std::string text(reinterpret_cast<char*>(memory), size_t(size));
      if (!text.ends_with("\r\n\r\n")) text += "\r\n";
      Read read(text, false);
      ASSERT_EQ(read.head.problem, Head::FINE) << text;
      ASSERT_EQ(read.size, int64_t(text.size())) << text;
      EXPECT_EQ(read.head.status, status);
      EXPECT_EQ(read.head.length, flags & Answer::CHUNKED ? -1 : 42);
      EXPECT_EQ((read.head.flags & Head::CHUNKED) != 0, (flags & Answer::CHUNKED) != 0) << text;
      EXPECT_EQ((read.head.flags & Head::CLOSE) != 0, (flags & Answer::CLOSE) != 0) << text;
      EXPECT_EQ((read.head.flags & Head::KEEP_ALIVE) != 0, (flags & Answer::KEEP) != 0) << text;
    }
  }
}

}  // namespace
