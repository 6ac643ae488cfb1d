// The tables of other languages' library names. A row is an answer: nothing else has to be written to give one.
#include "compiler/ast/foreign_names.h"

#include <algorithm>
#include <iterator>
#include <span>

namespace meteor::ast {

namespace {

constexpr std::string_view ERROR_ADVICE = "write `Error`, or a class of your own that extends it";
constexpr std::string_view UNION_ADVICE = "a value of one of several types is an `enum` with a case for each, or `any`";

constexpr ForeignName VALUES[] = {
    {"True", "true"},
    {"False", "false"},
    {"None", "null"},
    {"nil", "null"},
    {"undefined", "null"},
    {"NULL", "null"},
    {"nullptr", "null"},
    {"this", "self"},
    {"isinstance", "", "write `x is Type`"},
    {"console", "", "write `print(…)`"},
    {"println", "print"},
    {"printf", "print"},
    {"puts", "print"},
    {"echo", "print"},
    {"scope", "", "write `await scope as s:`"},
    {"Exception", "Error"},
    {"BaseException", "Error"},
    {"RuntimeError", "Error", ERROR_ADVICE},
    {"StandardError", "Error", ERROR_ADVICE},
    {"OSError", "IOError"},
    {"NotImplementedError", "Error", ERROR_ADVICE},
    {"OrderedDict", "dict", "write `dict`: it keeps the order of its keys"},
    {"defaultdict", "", "write `import collections` and `collections.DefaultDict(…)`"},
    {"namedtuple", "", "write a `struct` with the fields"},
    {"lru_cache", "cache"},
    {"functools", "", "a decorator that keeps results is `@cache`; `reduce` is in the module `iter`"},
    {"asyncio", "", "tasks need no module: `gather`, `sleep`, `timeout` and `await scope as s:` are always there"},
    {"sys", "", "the program's arguments are `args` of the module `os`, and `os.exit(code)` ends it"},
    {"typeof", "type", "write `type(x)`"},
    {"parseInt", "int"},
    {"parseFloat", "float"},
    {"Math", "", "write `import math` and `math.…`"},
    {"JSON", "", "write `import json`, `json.encode(x)` and `json.decode(text)`"},
};

constexpr ForeignName TYPES[] = {
    {"string", "str"},
    {"String", "str"},
    {"Str", "str"},
    {"char", "str", "write `str`: a character is a text of length 1"},
    {"Int", "int"},
    {"integer", "int"},
    {"Integer", "int"},
    {"long", "int"},
    {"usize", "int"},
    {"size_t", "int"},
    {"i64", "int"},
    {"i32", "int32"},
    {"u8", "uint8"},
    {"u32", "uint32"},
    {"u64", "uint64"},
    {"f64", "float"},
    {"f32", "float32"},
    {"double", "float"},
    {"number", "float", "write `int`, or `float` for numbers with a fraction"},
    {"boolean", "bool"},
    {"Boolean", "bool"},
    {"Bool", "bool"},
    {"List", "list"},
    {"Dict", "dict"},
    {"Set", "set"},
    {"map", "dict"},
    {"Map", "dict"},
    {"HashMap", "dict"},
    {"OrderedDict", "dict", "write `dict`: it keeps the order of its keys"},
    {"Vec", "list"},
    {"array", "list"},
    {"Array", "list"},
    {"object", "any"},
    {"Any", "any"},
    {"void", "", "a function without a result has no `->` part, its future is a `Future<void>`"},
    {"None", "", "a function without a result has no `->` part, its future is a `Future<void>`"},
    {"null", "", "a function without a result has no `->` part, its future is a `Future<void>`"},
    {"nothing", "", "a function without a result has no `->` part, its future is a `Future<void>`"},
    {"tuple", "", "write `(A, B)`"},
    {"Tuple", "", "write `(A, B)`"},
    {"Optional", "", "write `T?`"},
    {"Option", "", "write `T?`"},
    {"Union", "", UNION_ADVICE},
    {"Result", "", "write the type of the value: an error is raised, and caught with `try`"},
    {"Callable", "", "write `func<A> -> R`"},
    {"Generator", "Iterator"},
    {"AsyncIterator", "Stream"},
    {"AsyncGenerator", "Stream"},
    {"Awaitable", "Future"},
    {"Coroutine", "Future"},
    {"Promise", "Future"},
    {"bytearray", "Buffer"},
    {"Exception", "Error"},
    {"BaseException", "Error"},
    {"RuntimeError", "Error", ERROR_ADVICE},
    {"OSError", "IOError"},
};

constexpr ForeignName MODULES[] = {
    {"sys", "os", "the program's arguments are `args` of the module `os`, and `os.exit(code)` ends it"},
    {"fmt", "", "leave it out: `print(…)` is always there, and f-strings give a value its format: `f\"{x:.2f}\"`"},
    {"heapq", "", "a heap is `Heap` of the module `collections`"},
    {"functools", "", "leave it out: `@cache` is always there; `reduce` is in the module `iter`"},
    {"itertools", "iter", "these functions are in the module `iter`"},
    {"logging", "log", "write `import log`"},
    {"abc", "", "leave it out: what a class must have is written as a `trait`"},
    {"enum", "", "leave it out: an enum is declared with `enum Colour:` and a line for each case"},
    {"typing", "", "leave it out: types need no import; `T?`, `list<T>` and `func<A> -> R` are always there"},
    {"asyncio", "", "leave it out: `gather`, `sleep`, `timeout` and `await scope as s:` are always there"},
    {"datetime", "time", "dates and times are in the module `time`"},
    {"argparse", "args", "the command line is read by the module `args`"},
    {"hashlib", "hash", "digests are in the module `hash`: `hash.sha256(data)`"},
    {"socket", "net", "connections are made by the module `net`"},
    {"tempfile", "fs", "write `import fs`: `fs.temp_file()` and `fs.temp_dir()`"},
    {"pathlib", "path", "paths are text; the module `path` takes them apart, `fs` reads what is there"},
    {"shutil", "fs", "write `import fs`: `fs.copy`, `fs.rename` and `fs.remove`"},
    {"subprocess", "process", "other programs are started by the module `process`"},
    {"threading", "", "tasks are started with `s.spawn(f())` in `await scope as s:`, other threads with `spawn f()`"},
    {"multiprocessing", "", "work in another thread is started with `spawn f(…)`"},
    {"concurrent", "", "tasks are started with `s.spawn(f())` in `await scope as s:`"},
    {"queue", "", "leave it out: `Channel<T>()` is always there"},
    {"dataclasses", "", "leave it out: a class or struct gets its constructor from its fields"},
    {"contextlib", "", "leave it out: `defer` runs at the end of a block, and `with` takes what has `__enter__`"},
    {"copy", "", "leave it out: write `x.copy()`"},
    {"string", "", "leave it out: the methods of `str` are always there"},
    {"unittest", "test", "write `import test`"},
    {"pytest", "test", "write `import test`"},
    {"requests", "http", "write `import http` and `await http.get(url)`"},
    {"aiohttp", "http", "write `import http` and `await http.get(url)`"},
    {"urllib", "url", "addresses are taken apart by the module `url`, fetched by `http`"},
    {"sqlite3", "db", "databases are in the module `db`"},
    {"secrets", "crypto", "random bytes for secrets are in the module `crypto`"},
    {"struct", "", "leave it out: `Buffer` has `write_int` and `read_int`, numbers have `to_bytes`"},
    {"gzip", "compress", "write `import compress`"},
    {"zlib", "compress", "write `import compress`"},
};

constexpr ForeignName MEMBERS[] = {
    {"push", "append"},
    {"push_back", "append"},
    {"add", "append"},
    {"length", "", "write `len(…)`"},
    {"size", "", "write `len(…)`"},
    {"len", "", "write `len(…)`"},
    {"count", "", "write `len(…)`"},
    {"toString", "", "write `str(…)`"},
    {"to_string", "", "write `str(…)`"},
    {"contains", "", "write `… in …`"},
    {"has_key", "", "write `… in …`"},
    {"includes", "", "write `… in …`"},
    {"iteritems", "items"},
    {"toUpperCase", "upper"},
    {"toLowerCase", "lower"},
    {"trim", "strip"},
    {"forEach", "each"},
    {"for_each", "each"},
    {"unwrap", "", "write `!` after a value that may be null; an error needs nothing, it is raised"},
};

struct OwnedName {
  std::string_view owner;
  ForeignName name;
};

constexpr std::string_view IN_DICT = "write `key in {}`";

constexpr OwnedName MEMBERS_OF[] = {
    {"dict", {"has_key", "", IN_DICT}},
    {"dict", {"contains", "", IN_DICT}},
    {"dict", {"containsKey", "", IN_DICT}},
    {"dict", {"contains_key", "", IN_DICT}},
    {"dict", {"has", "", IN_DICT}},
    {"dict", {"includes", "", IN_DICT}},
    {"dict", {"iteritems", "items"}},
    {"dict", {"entries", "items"}},
    {"dict", {"len", "", "write `len({})`"}},
    {"dict", {"insert", "", "write `{}[key] = value`"}},
    {"dict", {"put", "", "write `{}[key] = value`"}},
    {"dict", {"remove", "", "write `del {}[key]`, or `pop(key)` for its value"}},
    {"Mutex", {"lock", "", "write `async with {}:` around what only one may do at a time"}},
    {"Mutex", {"unlock", "release"}},
    {"RwLock", {"lock", "", "write `async with {}:` around what only one may do at a time"}},
    {"Channel", {"put", "send"}},
    {"Channel", {"get", "recv"}},
    {"Buffer", {"write_uint8", "", "write `append(…)`, or `write_int(…, size=1)`"}},
    {"Buffer", {"write_uint16", "", "write `write_int(…, size=2)`"}},
    {"Buffer", {"write_uint32", "", "write `write_int(…, size=4)`"}},
    {"Buffer", {"write_uint64", "", "write `write_int(…, size=8)`"}},
    {"Buffer", {"write_int8", "", "write `write_int(…, size=1)`"}},
    {"Buffer", {"write_int16", "", "write `write_int(…, size=2)`"}},
    {"Buffer", {"write_int32", "", "write `write_int(…, size=4)`"}},
    {"Buffer", {"write_int64", "", "write `write_int(…, size=8)`"}},
    {"Task", {"join", "", "write `await {}`"}},
    {"Task", {"done", "", "write `await {}` to have its result"}},
};

constexpr OwnedName FUNCTIONS_OF[] = {
    {"json", {"dumps", "encode"}},
    {"json", {"loads", "parse", "write `parse`, or `decode<T>` for a type of yours"}},
    {"json", {"stringify", "encode"}},
    {"json", {"dump", "", "write `json.encode(x)`, which gives the text"}},
    {"json", {"load", "", "write `json.parse(text)`, or `json.decode<T>(text)` for a type of yours"}},
    {"csv", {"DictReader", "", "write `csv.parse_dicts(text)`"}},
    {"csv", {"reader", "", "write `csv.parse(text)`"}},
    {"csv", {"writer", "", "write `csv.format(rows)`, or use `csv.Writer()`"}},
    {"csv", {"DictWriter", "", "write `csv.format(rows)`, or use `csv.Writer()`"}},
    {"os", {"environ", "env"}},
    {"os", {"path", "", "paths are taken apart by the module `path`: write `import path`"}},
    {"os", {"makedirs", "mkdir"}},
    {"os", {"system", "", "other programs are started by the module `process`"}},
    {"time", {"sleep", "", "`sleep` needs no module: write `await sleep(1s)`"}},
    {"random", {"rand", "random"}},
};

const ForeignName* find_in(std::span<const ForeignName> table, std::string_view word) {
  auto found = std::ranges::find(table, word, &ForeignName::word);
  return found == table.end() ? nullptr : &*found;
}

const ForeignName* find_owned(std::span<const OwnedName> table, std::string_view owner, std::string_view word) {
  auto is_meant = [&](const OwnedName& row) { return row.owner == owner && row.name.word == word; };
  auto found = std::ranges::find_if(table, is_meant);
  return found == table.end() ? nullptr : &found->name;
}

}  // namespace

std::string help_for(const ForeignName& found, std::string_view object) {
  if (found.advice.empty()) return "write `" + std::string(found.instead) + "`";
  std::string help(found.advice);
  if (size_t at = help.find("{}"); at != std::string::npos) help.replace(at, 2, object);
  return help;
}

const ForeignName* find_foreign_value(std::string_view word) { return find_in(VALUES, word); }
const ForeignName* find_foreign_type(std::string_view word) { return find_in(TYPES, word); }
const ForeignName* find_foreign_module(std::string_view word) { return find_in(MODULES, word); }
const ForeignName* find_foreign_member(std::string_view word) { return find_in(MEMBERS, word); }
const ForeignName* find_foreign_member_of(std::string_view type, std::string_view word) { return find_owned(MEMBERS_OF, type, word); }
const ForeignName* find_foreign_function_of(std::string_view module, std::string_view word) {
  return find_owned(FUNCTIONS_OF, module, word);
}

}  // namespace meteor::ast
