// Heads of HTTP/1 requests read by the runtime and by llhttp: how long each takes, and over millions of damaged heads whether they agree.
//
// Agreeing means: a head that the runtime takes is taken by llhttp too, with as many headers, the same length of the body and the same coding.
// That llhttp takes more than the runtime is expected, and only counted.
#include <llhttp.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "runtime/text/text.h"

struct Head {
  met_str method, target, spots;
  int64_t status, version, length, hosts, flags, mark, problem;
};
enum : int64_t { CHUNKED = 1, ODD_CODING = 32, ODD_LENGTH = 64, ODD_TARGET = 512 };
extern "C" int64_t met_http_read_head(met_str data, int64_t at, int64_t end, bool is_request, Head* head);

namespace {

const char SMALL[] = "GET /hello HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n";
const char BROWSER[] =
    "GET /some/page?with=a&few=parameters HTTP/1.1\r\nHost: www.example.org\r\nConnection: keep-alive\r\nCache-Control: max-age=0\r\n"
    "sec-ch-ua: \"Chromium\";v=\"128\", \"Not;A=Brand\";v=\"24\"\r\nsec-ch-ua-mobile: ?0\r\nsec-ch-ua-platform: \"Linux\"\r\nUpgrade-Insecure-Requests: 1\r\n"
    "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/128.0.0.0 Safari/537.36\r\n"
    "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8\r\nSec-Fetch-Site: same-origin\r\n"
    "Sec-Fetch-Mode: navigate\r\nSec-Fetch-User: ?1\r\nSec-Fetch-Dest: document\r\nReferer: https://www.example.org/some/other/page\r\n"
    "Accept-Encoding: gzip, deflate, br, zstd\r\nAccept-Language: en-GB,en;q=0.9\r\nCookie: session=0123456789abcdef0123456789abcdef; theme=dark\r\n\r\n";
const char* const SEEDS[] = {
    SMALL, BROWSER,
    "POST /form HTTP/1.1\r\nHost: x\r\nContent-Length: 12\r\nContent-Type: text/plain\r\n\r\n",
    "POST /form HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n",
    "PUT /a%20b HTTP/1.0\r\nHost: x\r\nContent-Length: 3\r\nConnection: close\r\nX: \t y \r\n\r\n",
    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: x\r\nFolded: a\r\n b\r\nEmpty:\r\n\r\n",
};

struct Seen {
  int64_t fields = 0;
  bool whole = false;
};
int on_field_end(llhttp_t* parser) {
  ++static_cast<Seen*>(parser->data)->fields;
  return 0;
}
int on_span(llhttp_t*, const char*, size_t) { return 0; }
int on_whole(llhttp_t* parser) {
  static_cast<Seen*>(parser->data)->whole = true;
  return HPE_PAUSED;
}

llhttp_settings_t settings;

llhttp_errno_t read_by_llhttp(llhttp_t& parser, const char* data, size_t size, Seen& seen) {
  llhttp_init(&parser, HTTP_REQUEST, &settings);
  parser.data = &seen;
  return llhttp_execute(&parser, data, size);
}

void release(Head& head) {
  met_str_release(head.method);
  met_str_release(head.target);
  met_str_release(head.spots);
}

template <class F>
double nanoseconds(F&& f) {
  constexpr int TIMES = 300'000;
  double best = 1e9;
  for (int round = 0; round < 5; ++round) {
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < TIMES; ++i) f();
    best = std::min(best, std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() / TIMES);
  }
  return best;
}

void measure(const char* name, const char* text) {
  int64_t size = int64_t(strlen(text));
  met_str bytes = met_bytes_make(reinterpret_cast<const uint8_t*>(text), size);
  int64_t total = 0;
  double ours = nanoseconds([&] {
    Head head = {};
    total += met_http_read_head(bytes, 0, size, true, &head);
    release(head);
  });
  double theirs = nanoseconds([&] {
    Seen seen;
    llhttp_t parser;
    read_by_llhttp(parser, text, size_t(size), seen);
    total += seen.fields;
  });
  met_str_release(bytes);
  printf("%-28s %5lld bytes  runtime %6.0f ns  llhttp %6.0f ns%s\n", name, static_cast<long long>(size), ours, theirs, total == 0 ? " ?" : "");
}

std::string damaged(std::mt19937_64& random) {
  static const char* const PIECES[] = {"\r\n", "\n", "\r", " ", "\t", ":", ",", "0", "chunked", "Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n", "Transfer-Encoding: gzip, chunked\r\n", "\r\n\r\n", "+", "-1", "HTTP/1.1", "%", "?", "\x7f", "\x80", "#"};
  std::string text = SEEDS[random() % (sizeof SEEDS / sizeof *SEEDS)];
  for (int n = int(random() % 4); n >= 0; --n) {
    size_t at = random() % text.size();
    switch (random() % 4) {
      case 0: text[at] = char(random()); break;
      case 1: text.erase(at, 1 + random() % 3); break;
      case 2: text.insert(at, PIECES[random() % (sizeof PIECES / sizeof *PIECES)]); break;
      default: text.insert(at, 1, char(random())); break;
    }
    if (text.empty()) return text;
  }
  return text;
}

int compare(int64_t count) {
  std::mt19937_64 random(1);
  int64_t both = 0, neither = 0, only_theirs = 0, unknown_method = 0, different = 0;
  for (int64_t i = 0; i < count; ++i) {
    std::string text = damaged(random);
    met_str bytes = met_bytes_make(reinterpret_cast<const uint8_t*>(text.data()), int64_t(text.size()));
    Head head = {};
    int64_t size = met_http_read_head(bytes, 0, int64_t(text.size()), true, &head);
    bool has_length = head.length >= 0, is_chunked = head.flags & CHUNKED;
    bool ours = size > 0 && !(head.flags & (ODD_CODING | ODD_LENGTH | ODD_TARGET)) && !(has_length && is_chunked);   // as std/http/head.met has it
    Seen seen;
    llhttp_t parser;
    llhttp_errno_t error = read_by_llhttp(parser, text.data(), text.size(), seen);
    if (ours && !seen.whole && error == HPE_INVALID_METHOD) {
      ++unknown_method;
    } else if (ours && !seen.whole) {
      if (++different < 10) printf("only the runtime takes (llhttp: %s): %s\n---\n", llhttp_get_error_reason(&parser), text.c_str());
    } else if (ours) {
      bool agree = seen.fields == met_str_size(head.spots) / 4 && bool(parser.flags & F_CHUNKED) == is_chunked && (!has_length || parser.content_length == uint64_t(head.length));
      both += agree;
      if (!agree && ++different < 10) printf("read differently: %s\n---\n", text.c_str());
    } else {
      (seen.whole ? only_theirs : neither)++;
    }
    release(head);
    met_str_release(bytes);
  }
  printf("%lld damaged heads: both take %lld alike, neither %lld, llhttp alone %lld, a method that llhttp does not know %lld, differently %lld\n", static_cast<long long>(count),
         static_cast<long long>(both), static_cast<long long>(neither), static_cast<long long>(only_theirs), static_cast<long long>(unknown_method), static_cast<long long>(different));
  return different != 0;
}

}  // namespace

int main(int argc, char** argv) {
  llhttp_settings_init(&settings);
  settings.on_url = settings.on_header_field = settings.on_header_value = on_span;
  settings.on_header_value_complete = on_field_end;
  settings.on_headers_complete = on_whole;
  measure("a small request", SMALL);
  measure("a browser's request", BROWSER);
  return compare(argc > 1 ? atoll(argv[1]) : 2'000'000);
}
