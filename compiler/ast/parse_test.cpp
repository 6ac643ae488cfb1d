#include "compiler/ast/parse.h"

#include <gtest/gtest.h>

#include "compiler/ast/parsed.h"

namespace meteor::ast {

namespace {

// The tree of a correct program, without the last newline.
std::string tree(std::string source) {
  Parsed parsed(std::move(source));
  EXPECT_EQ(parsed.errors(), "") << render_text(parsed.sink, parsed.sources);
  std::string out = parsed.tree();
  if (!out.empty()) out.pop_back();
  return out;
}

std::string type(const std::string& text) {
  std::string out = tree("x: " + text + "\n");
  return out.substr(0, 5) == "(= x:" ? out.substr(6, out.size() - 7) : out;
}

std::string pattern(const std::string& text) {
  std::string out = tree("switch x:\n    case " + text + ": pass\n");
  size_t start = out.find("(case ") + 6;
  return out.substr(start, out.find("\n", start) - start);
}

}  // namespace

TEST(ParseExpr, Literals) {
  EXPECT_EQ(tree("f(1, 2.0, 1e100, \"a\", b'b', true, null, 5s)"), "(call f 1 2.0 1e+100 \"a\" b\"b\" true null 5000000000ns)");
  EXPECT_EQ(tree("f(18446744073709551616)"), "(call f <too-big>)");
  EXPECT_EQ(tree("x = \"a\" 'b' \"c\""), "(= x \"abc\")");
  EXPECT_EQ(tree("x = \"a\" f\"b{c}\""), "(= x (f \"a\" \"b\" (field c)))");
  EXPECT_EQ(tree("x = f\"{a=}{b!r:>{w}}{c, d}\""), "(= x (f (field a =\"a=\") (field b !r (spec \">\" (field w))) (field (tuple c d))))");
  EXPECT_EQ(tree("x = f\"{f\"{1}\"}{ {1: 2}[1] }{a if b else c}\""), "(= x (f (field (f (field 1))) (field (index (dict 1: 2) 1)) (field (if b a c))))");
}

TEST(ParseExpr, Precedence) {
  EXPECT_EQ(tree("a or b and not c == d"), "(or a (and b (not (c == d))))");
  EXPECT_EQ(tree("a | b ^ c & d << e + f * -g ** h"), "(| a (^ b (& c (<< d (+ e (* f (neg (** g h))))))))");
  EXPECT_EQ(tree("a - b - c"), "(- (- a b) c)");
  EXPECT_EQ(tree("a ** b ** -c"), "(** a (** b (neg c)))");
  EXPECT_EQ(tree("a ?? b ?? c == d"), "((?? a (?? b c)) == d)");
  EXPECT_EQ(tree("a ?? b as int"), "(?? a (as b int))");
  EXPECT_EQ(tree("a + 1..b * 2"), "(.. (+ a 1) (* b 2))");
  EXPECT_EQ(tree("for i in 0..n: pass"), "(for i (.. 0 n)\n  (pass))");
  EXPECT_EQ(tree("a &+ b &- c &* d // e % f"), "(&- (&+ a b) (% (// (&* c d) e) f))");
  EXPECT_EQ(tree("~a + +b"), "(+ (~ a) (plus b))");
  EXPECT_EQ(tree("await f(x) + 1"), "(+ (await (call f x)) 1)");
  EXPECT_EQ(tree("await a ** 2"), "(** (await a) 2)");
  EXPECT_EQ(tree("a if b else c if d else e"), "(if b a (if d c e))");
  EXPECT_EQ(tree("x = not a in b"), "(= x (not (a in b)))");
}

TEST(ParseExpr, ComparisonsChain) {
  EXPECT_EQ(tree("a < b <= c != d"), "(a < b <= c != d)");
  EXPECT_EQ(tree("a not in b"), "(a not-in b)");
  EXPECT_EQ(tree("a in b in c"), "(a in b in c)");
  EXPECT_EQ(tree("x is not null and y is Circle(r) or z is list<int>"), "(or (and (is-not x null) (is y (Circle r))) (is z (type list<int>)))");
  EXPECT_EQ(tree("if x is Pending: return"), "(if (is x Pending)\n  (return))");
  EXPECT_EQ(tree("x is str?"), "(is x (type str?))");
  EXPECT_EQ(tree("x is http.Error and y"), "(and (is x http.Error) y)");
}

TEST(ParseExpr, Postfix) {
  EXPECT_EQ(tree("a.b?.c(1)[2]!.d"), "(. (! (index (call (?. (. a b) c) 1) 2)) d)");
  EXPECT_EQ(tree("x! != null"), "((! x) != null)");
  EXPECT_EQ(tree("x!=null"), "(x != null)");
  EXPECT_EQ(tree("s.spawn(f()).from.class"), "(. (. (call (. s spawn) (call f)) from) class)");
  EXPECT_EQ(tree("f(a, *b, c=1, **d)"), "(call f a (* b) c=1 (** d))");
  EXPECT_EQ(tree("f(owned x, k=owned y,)"), "(call f (owned x) k=(owned y))");
  EXPECT_EQ(tree("f(x for x in xs if x)"), "(call f (generator x (for x xs) (if x)))");
  EXPECT_EQ(tree("x[1:2:3], x[:], x[::2], x[a, b:c]"),
            "(tuple (index x (slice 1 2 3)) (index x (slice - - -)) (index x (slice - - 2)) (index x (tuple a (slice b c -))))");
  EXPECT_EQ(tree("super.f(1)"), "(call (. super f) 1)");
  EXPECT_EQ(tree("spawn f(x, owned y)"), "(spawn (call f x (owned y)))");
  EXPECT_EQ(tree("1.max(2)"), "(call (. 1 max) 2)");
}

TEST(ParseExpr, TypeArguments) {
  EXPECT_EQ(tree("f<int>(x)"), "(call f <int> x)");
  EXPECT_EQ(tree("Stack<str>()"), "(call Stack <str>)");
  EXPECT_EQ(tree("r.json<list<Order>>()"), "(call (. r json) <list<Order>>)");
  EXPECT_EQ(tree("a<list<list<int>>>(1)"), "(call a <list<list<int>>> 1)");
  EXPECT_EQ(tree("Broadcast<(int, str)>(capacity=256)"), "(call Broadcast <(tuple int str)> capacity=256)");
  EXPECT_EQ(tree("f<func<int> -> str?, dyn A>(x)"), "(call f <func<int> -> str? dyn A> x)");
  EXPECT_EQ(tree("g(f<int>, [h<str>])"), "(call g (apply f <int>) (list (apply h <str>)))");
  EXPECT_EQ(tree("x = f<int>\n"), "(= x (apply f <int>))");
  EXPECT_EQ(tree("Box<int>.make()"), "(call (. (apply Box <int>) make))");
}

TEST(ParseExpr, ComparisonsAreNotTypeArguments) {
  EXPECT_EQ(tree("i < len(x)"), "(i < (call len x))");
  EXPECT_EQ(tree("a < b > (c)"), "(a < b > c)");
  EXPECT_EQ(tree("a<b>c"), "(a < b > c)");
  EXPECT_EQ(tree("f(a<b, c>d)"), "(call f (a < b) (c > d))");
  EXPECT_EQ(tree("f(a < b, c > (d))"), "(call f (a < b) (c > d))");
  EXPECT_EQ(tree("a<b>>c"), "(a < (>> b c))");
  EXPECT_EQ(tree("while i<n: pass"), "(while (i < n)\n  (pass))");
}

TEST(ParseExpr, Displays) {
  EXPECT_EQ(tree("x = [1, *a, 2,]"), "(= x (list 1 (* a) 2))");
  EXPECT_EQ(tree("x = {}, {1}, {1: 2, **d}, (), (1,), (1)"), "(= x (tuple (dict) (set 1) (dict 1: 2 **d) (tuple) (tuple 1) 1))");
  EXPECT_EQ(tree("x = [a for a, b in c if a if b for d in e]"), "(= x (list-of a (for (tuple a b) c) (if a) (if b) (for d e)))");
  EXPECT_EQ(tree("x = {a: b for a in c}, {a for a in c}, (a async for a in c)"),
            "(= x (tuple (dict-of a: b (for a c)) (set-of a (for a c)) (generator a (async-for a c))))");
  EXPECT_EQ(tree("x = [a if b else c for a in d or e]"), "(= x (list-of (if b a c) (for a (or d e))))");
}

TEST(ParseExpr, Lambdas) {
  EXPECT_EQ(tree("f(x -> x * 2, (a, b) -> a, () -> 1)"), "(call f (lambda (x) (* x 2)) (lambda (a b) a) (lambda () 1))");
  EXPECT_EQ(tree("f(async x -> await g(x))"), "(call f (async-lambda (x) (await (call g x))))");
  EXPECT_EQ(tree("f((a: int, b: int = 2) -> a + b)"), "(call f (lambda (a: int b: int = 2) (+ a b)))");
  EXPECT_EQ(tree("f = x -> y -> x if y else (x, y)"), "(= f (lambda (x) (lambda (y) (if y x (tuple x y)))))");
  EXPECT_EQ(tree("f(key=p -> (-p[1], p[0]))"), "(call f key=(lambda (p) (tuple (neg (index p 1)) (index p 0))))");
}

TEST(ParseExpr, AnonymousDef) {
  EXPECT_EQ(tree("f(def (x: int) -> int:\n    y = x\n    return y\n)\nz"), "(call f (def (x: int) -> int\n  (= y x)\n  (return y)))\nz");
  EXPECT_EQ(tree("f(1, def (x):\n        return x, 2)\nz"), "(call f 1 (def (x)\n  (return (tuple x 2))))\nz");
  EXPECT_EQ(tree("f(def (x): return x, 2)"), "(call f (def (x)\n  (return x)) 2)");
  EXPECT_EQ(tree("f(def (x)\n    if x:\n        pass\n, 2)"), "(call f (def (x)\n  (if x\n    (pass))) 2)");
  EXPECT_EQ(tree("g = def (x):\n    return x\nh"), "(= g (def (x)\n  (return x)))\nh");
  EXPECT_EQ(tree("g = async def ():\n    await x\nh"), "(= g (async-def ()\n  (await x)))\nh");
  EXPECT_EQ(tree("f(def ():\n    g(def ():\n        a\n    )\n    b\n)"), "(call f (def ()\n  (call g (def ()\n    a))\n  b))");
}

TEST(ParseType, Forms) {
  EXPECT_EQ(type("int"), "int");
  EXPECT_EQ(type("http.Request?"), "http.Request?");
  EXPECT_EQ(type("dict<str, list<int>>"), "dict<str list<int>>");
  EXPECT_EQ(type("list<list<list<int>>>"), "list<list<list<int>>>");
  EXPECT_EQ(type("(A, B)"), "(tuple A B)");
  EXPECT_EQ(type("(A)"), "A");
  EXPECT_EQ(type("(A,)"), "(tuple A)");
  EXPECT_EQ(type("func<A, B> -> R"), "func<A B> -> R");
  EXPECT_EQ(type("func<> -> R?"), "func<> -> R?");
  EXPECT_EQ(type("func<A>"), "func<A>");
  EXPECT_EQ(type("async func<A> -> func<B> -> C"), "async func<A> -> func<B> -> C");
  EXPECT_EQ(type("(func<A> -> R)?"), "func<A> -> R?");
  EXPECT_EQ(type("dyn Shape?"), "dyn Shape?");
  EXPECT_EQ(type("frozen list<int>"), "frozen list<int>");
  EXPECT_EQ(type("c_ptr<int8>"), "c_ptr<int8>");
  EXPECT_EQ(type("null"), "null");
  EXPECT_EQ(tree("x: list<int>= []"), "(= x: list<int> (list))");
  EXPECT_EQ(tree("x: list<list<int>>= []"), "(= x: list<list<int>> (list))");
}

TEST(ParsePattern, Forms) {
  EXPECT_EQ(pattern("_"), "_");
  EXPECT_EQ(pattern("Circle(r) if r > 0"), "(Circle r) if (r > 0)");
  EXPECT_EQ(pattern("1 | 2 | -3"), "(| 1 2 (neg 3))");
  EXPECT_EQ(pattern("1..5"), "(.. 1 5)");
  EXPECT_EQ(pattern("\"a\" | null | true"), "(| \"a\" null true)");
  EXPECT_EQ(pattern("str as s"), "(as str s)");
  EXPECT_EQ(pattern("list<int> as xs"), "(as (type list<int>) xs)");
  EXPECT_EQ(pattern("(a, [b, *rest], *_)"), "(tuple a (list b *rest) *_)");
  EXPECT_EQ(pattern("Shape.Rect(w=1, h=_)"), "(Shape.Rect w=1 h=_)");
  EXPECT_EQ(pattern("a, b"), "(tuple a b)");
  EXPECT_EQ(pattern("(A | B) as x"), "(as (| A B) x)");
  EXPECT_EQ(pattern("[]"), "(list)");
  EXPECT_EQ(pattern("dyn Shape"), "(type dyn Shape)");
  EXPECT_EQ(pattern("func<int> -> int"), "(type func<int> -> int)");
}

TEST(ParseStmt, Assignments) {
  EXPECT_EQ(tree("x = y = 1"), "(= x y 1)");
  EXPECT_EQ(tree("x: float = 1\ny: int"), "(= x: float 1)\n(= y: int)");
  EXPECT_EQ(tree("a, *b = f()\n(a, b), [c] = d\nx.y[0] = 1"), "(= (tuple a (* b)) (call f))\n(= (tuple (tuple a b) (list c)) d)\n(= (index (. x y) 0) 1)");
  EXPECT_EQ(tree("a += 1; b -= 2; c ?\?= 3; d //= 4; e &+= 5; f **= 6; g >>= 7"), "(+= a 1)\n(-= b 2)\n(?\?= c 3)\n(//= d 4)\n(&+= e 5)\n(**= f 6)\n(>>= g 7)");
  EXPECT_EQ(tree("pub x = 1\npub y: int = 2"), "(pub = x 1)\n(pub = y: int 2)");
  EXPECT_EQ(tree("x = yield y\nyield\nyield 1, 2\nyield from z"), "(= x (yield y))\n(yield)\n(yield (tuple 1 2))\n(yield-from z)");
}

TEST(ParseStmt, Simple) {
  EXPECT_EQ(tree("pass; break; continue;"), "(pass)\n(break)\n(continue)");
  EXPECT_EQ(tree("return\nreturn 1, 2\nraise\nraise E(1) from e"), "(return)\n(return (tuple 1 2))\n(raise)\n(raise (call E 1) from e)");
  EXPECT_EQ(tree("del d[k], x.y\nassert a, \"m\"\nassert(a, \"m\")\nassert (a) == b"), "(del (index d k) (. x y))\n(assert a \"m\")\n(assert a \"m\")\n(assert (a == b))");
  EXPECT_EQ(tree("global a, b\nnonlocal c"), "(global a b)\n(nonlocal c)");
  EXPECT_EQ(tree("const N: int = 3\npub const M = 4\nlocal cache = {}\ntype Pair<T> = (T, T)\npub type A = int"),
            "(const N: int = 3)\n(pub const M = 4)\n(local cache = (dict))\n(type Pair<T> = (tuple T T))\n(pub type A = int)");
  EXPECT_EQ(tree("defer f(1)\ndefer:\n    a\n    b\ndefer x = 1"), "(defer\n  (call f 1))\n(defer\n  a\n  b)\n(defer\n  (= x 1))");
}

TEST(ParseStmt, SoftKeywordsAreNames) {
  EXPECT_EQ(tree("assert = del = default = func = local = scope = select = shield = type = unsafe = 1"),
            "(= assert del default func local scope select shield type unsafe 1)");
  EXPECT_EQ(tree("type(x); scope.spawn(f()); x.default; select(1); local + 1; match(x); print(let)"),
            "(call type x)\n(call (. scope spawn) (call f))\n(. x default)\n(call select 1)\n(+ local 1)\n(call match x)\n(call print let)");
}

TEST(ParseStmt, Imports) {
  EXPECT_EQ(tree("import http\nimport a.b as c, d\nimport c \"math.h\"\nimport c \"zlib.h\" as z\nimport c"),
            "(import http)\n(import a.b as c)\n(import d)\n(import-c \"math.h\")\n(import-c \"zlib.h\" as z)\n(import c)");
  EXPECT_EQ(tree("from a.b import x, y as z\nfrom a import (\n    x,\n    y,\n)\nfrom a import *\nfrom . import x\nfrom ...b import y"),
            "(from a.b x y=z)\n(from a x y)\n(from a *)\n(from . x)\n(from ...b y)");
}

TEST(ParseFlow, If) {
  EXPECT_EQ(tree("if a: b\nelif c:\n    d\nelse if e: f\nelse: g"), "(if a\n  b\n elif c\n  d\n elif e\n  f\n  (else\n    g))");
  EXPECT_EQ(tree("if a\n    b\nelse\n    c"), "(if a\n  b\n  (else\n    c))");
}

TEST(ParseFlow, Loops) {
  EXPECT_EQ(tree("while a: b\nelse: c"), "(while a\n  b\n  (else\n    c))");
  EXPECT_EQ(tree("for a, (b, *c) in d, e: f\nelse: g"), "(for (tuple a (tuple b (* c))) (tuple d e)\n  f\n  (else\n    g))");
  EXPECT_EQ(tree("async for x in y\n    z"), "(async-for x y\n  z)");
}

TEST(ParseFlow, Try) {
  EXPECT_EQ(tree("try:\n    a\ncatch A | b.B as e:\n    c\ncatch: d\nelse: e\nfinally: f"),
            "(try\n  a\n  (catch A b.B as e\n    c)\n  (catch\n    d)\n  (else\n    e)\n  (finally\n    f))");
}

TEST(ParseFlow, With) {
  EXPECT_EQ(tree("with a as b, c(1): d"), "(with a as b (call c 1)\n  d)");
  EXPECT_EQ(tree("async with (a as b, c as d):\n    e"), "(async-with a as b c as d\n  e)");
  EXPECT_EQ(tree("with (a): b"), "(with a\n  b)");
  EXPECT_EQ(tree("with f(x as int) as y: pass"), "(with (call f (as x int)) as y\n  (pass))");
}

TEST(ParseSwitch, Cases) {
  EXPECT_EQ(tree("switch x:\n    case 1: a\n    case 2:\n        b\n        c\n    default: d\ne"),
            "(switch x\n  (case 1\n    a)\n  (case 2\n    b\n    c)\n  (default\n    d))\ne");
  EXPECT_EQ(tree("switch a, b\n    case _\n        c\n    default\n        d"), "(switch (tuple a b)\n  (case _\n    c)\n  (default\n    d))");
}

TEST(ParseAsync, Statements) {
  EXPECT_EQ(tree("await scope:\n    a"), "(scope scope\n  a)");
  EXPECT_EQ(tree("await scope(timeout=2s, limit=1) as s\n    a"), "(scope s timeout=2000000000ns limit=1\n  a)");
  EXPECT_EQ(tree("await scope(1)\nx = await scope(2)"), "(await (call scope 1))\n(= x (await (call scope 2)))");
  EXPECT_EQ(tree("select:\n    case m = await a.recv(): b\n    case await sleep(1s):\n        c\n    default: d"),
            "(select\n  (case m = (call (. a recv))\n    b)\n  (case (call sleep 1000000000ns)\n    c)\n  (default\n    d))");
  EXPECT_EQ(tree("select(fair=true):\n    case m = await a.recv() if is_open: b\n    case await f() if x or y: c"),
            "(select fair=true\n  (case m = (call (. a recv)) if is_open\n    b)\n  (case (call f) if (or x y)\n    c))");
  EXPECT_EQ(tree("shield:\n    a\nunsafe\n    b"), "(shield\n  a)\n(unsafe\n  b)");
}

TEST(ParseFunction, Parameters) {
  EXPECT_EQ(tree("def f(a, b: int = 1, *args: str, c, **d): pass"), "(def f(a b: int = 1 *args: str key c **d)\n  (pass))");
  EXPECT_EQ(tree("def f(owned a: T, ref b, *, c: int = 2) -> (int, str)\n    pass"), "(def f(owned a: T ref b key c: int = 2) -> (tuple int str)\n  (pass))");
  EXPECT_EQ(tree("pub async def f<T: Ord + Hash, U>(\n    x: T,\n) -> U?: pass"), "(pub async-def f<T: Ord + Hash U>(x: T) -> U?\n  (pass))");
  EXPECT_EQ(tree("def f():\n    \"doc\"\n    g()"), "(def f() doc=\"doc\"\n  (call g))");
  EXPECT_EQ(tree("@link(\"m\")\nextern \"C\" def abs(x: int32) -> int32"), "(@link \"m\")\n(extern \"C\" def abs(x: int32) -> int32 no-body)");
  EXPECT_EQ(tree("@a.b(1, k=2)\n@extern(\"met_x\")\ndef f() -> int"), "(@a.b 1 k=2)\n(@extern \"met_x\")\n(def f() -> int no-body)");
}

TEST(ParseClass, Members) {
  EXPECT_EQ(tree("class A<T>(B, c.D<T>):\n    \"doc\"\n    x: int\n    \"of x\"\n    y = 1\n    weak z: A?\n    const w: int\n    const N = 3\n    def f(self): pass\n    @property\n    def "
                 "g(self) -> int: return 1\n    enum E: P; Q"),
            "(class A<T> B c.D<T> doc=\"doc\"\n  (field x: int doc=\"of x\")\n  (field y = 1)\n  (weak-field z: A?)\n  (const-field w: int)\n  (def f(self)\n    (pass))\n  "
            "(@property)\n  (def g(self) -> int\n    (return 1))\n  (const N = 3)\n  (enum E\n    (case P)\n    (case Q)))");
  EXPECT_EQ(tree("struct Point: x: float; y: float = 1"), "(struct Point\n  (field x: float)\n  (field y: float = 1))");
  EXPECT_EQ(tree("class E(Error): path: str\npub class F\n    pass"), "(class E Error\n  (field path: str))\n(pub class F)");
  EXPECT_EQ(tree("enum Shape: Circle(r: float); Rect(w: float, h: float); Unit"), "(enum Shape\n  (case Circle (r: float))\n  (case Rect (w: float h: float))\n  (case Unit))");
  EXPECT_EQ(tree("enum Shape<T>\n    Some(T)\n    Pair(T, int)\n    Code = 3\n    def f(self): pass"),
            "(enum Shape<T>\n  (case Some (_: T))\n  (case Pair (_: T _: int))\n  (case Code = 3)\n  (def f(self)\n    (pass)))");
  EXPECT_EQ(tree("trait P:\n    def text(self) -> str\n    def show(self): print(self)"), "(trait P\n  (def text(self) -> str no-body)\n  (def show(self)\n    (call print self)))");
  EXPECT_EQ(tree("impl P for int: pass\nimpl<T> P for list<T>:\n    def f(self): pass\nimpl int:\n    def spawn(self): pass"),
            "(impl P for int)\n(impl<T> P for list<T>\n  (def f(self)\n    (pass)))\n(impl int\n  (def spawn(self)\n    (pass)))");
  EXPECT_EQ(tree("@derive(Eq, Hash)\nclass A: x: int"), "(@derive Eq Hash)\n(class A\n  (field x: int))");
}

TEST(Parse, ModuleDocAndNesting) {
  EXPECT_EQ(tree("\"\"\"doc\"\"\"\nif a:\n    if b:\n        c\nd"), "(doc \"doc\")\n(if a\n  (if b\n    c))\nd");
  EXPECT_EQ(tree(""), "");
}

TEST(Parse, SpansCoverTheSource) {
  Parsed parsed("x = f(a, (b))\nif c:\n    d()\n");
  Span assign = parsed.module->body[0]->span;
  EXPECT_EQ(parsed.sources.text(assign), "x = f(a, (b))");
  auto* call = static_cast<AssignStmt*>(parsed.module->body[0])->value->as<CallExpr>();
  ASSERT_NE(call, nullptr);
  EXPECT_EQ(parsed.sources.text(call->span), "f(a, (b))");
  EXPECT_EQ(parsed.sources.text(call->args[1].value->span), "(b)");
  EXPECT_EQ(parsed.sources.text(parsed.module->body[1]->span), "if c:\n    d()");
}

}  // namespace meteor::ast
