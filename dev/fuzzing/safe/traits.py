"""Several impls: of a generic trait for one type, of traits with methods of one name, beside own methods; called directly, by bound and through `dyn`.

Every impl gives a text of its own, so the program knows which one it must have reached.
"""


def make(s):
    pick = s.pick
    form = s.choose("generic trait", "generic trait", "same name", "own method", "default", "blanket", "base class", "async", "inherited", "numbers")
    expect = lambda expr, wanted: s.say(f"print({s.number}, \"fine\" if {expr} == {wanted} else \"WRONG\")")
    if form == "generic trait":
        events = ["E0_", "E1_", "E2_"][:pick.randrange(2, 4)]
        s.declare("trait Handler_<E>:\n    def handle(self, e: E) -> str\n    def twice(self, e: E) -> str: return self.handle(e) + self.handle(e)")
        shapes = pick.sample(["class E{i}_:\n    a: str", "class E{i}_:\n    id: int", "struct E{i}_:\n    a: str\n    b: int", "class E{i}_:\n    xs: list<int>", "enum E{i}_:\n    One\n    Two(s: str)"], len(events))
        values = []
        for i, shape in enumerate(shapes):
            s.declare(shape.format(i=i))
            values.append({"a: str\n": "E{i}_(\"text\", 1)", "id:": "E{i}_(7)", "xs:": "E{i}_([1])", "One": "E{i}_.Two(\"two\")", "a: str": "E{i}_(\"text\" * 5)"}[next(k for k in ("a: str\n", "id:", "xs:", "One", "a: str") if k in shape)].format(i=i))
        kind = s.choose("class A_:\n    n: int = 0", "struct A_:\n    n: int = 0", "class A0_:\n    n: int = 0\nclass A_(A0_): pass")
        s.declare(kind)
        for i in range(len(events)):
            body = f"\"h{i}\" + type_name_(e)" if False else f"\"h{i}\""
            s.declare(f"impl Handler_<E{i}_> for A_:\n    def handle(self, e: E{i}_) -> str: return {body}")
            s.declare(f"def by_bound{i}_<H: Handler_<E{i}_>>(h: H, e: E{i}_) -> str: return h.handle(e)")
        for i in pick.sample(range(len(events)), len(events)):
            way = s.choose("dyn", "direct", "bound", "list", "twice", "param", "field")
            if way == "dyn": s.say(f"d{i}: dyn Handler_<E{i}_> = A_()"), expect(f"d{i}.handle({values[i]})", f"\"h{i}\"")
            if way == "direct": expect(f"A_().handle({values[i]})", f"\"h{i}\"")
            if way == "bound": expect(f"by_bound{i}_(A_(), {values[i]})", f"\"h{i}\"")
            if way == "list": s.say(f"l{i}: list<dyn Handler_<E{i}_>> = [A_()]"), expect(f"[h.handle({values[i]}) for h in l{i}]", f"[\"h{i}\"]")
            if way == "twice": s.say(f"t{i}: dyn Handler_<E{i}_> = A_()"), expect(f"t{i}.twice({values[i]})", f"\"h{i}h{i}\"")
            if way == "param":
                s.declare(f"def given{i}_(h: dyn Handler_<E{i}_>, e: E{i}_) -> str: return h.handle(e)")
                expect(f"given{i}_(A_(), {values[i]})", f"\"h{i}\"")
            if way == "field":
                s.declare(f"class Keep{i}_:\n    h: dyn Handler_<E{i}_>")
                expect(f"Keep{i}_(A_()).h.handle({values[i]})", f"\"h{i}\"")
    elif form in ("same name", "own method"):
        results = [s.choose(("str", f"\"t{i}\" * 5", f"\"t{i}\" * 5"), ("int", str(i + 5), str(i + 5)), ("list<int>", f"[{i}]", f"[{i}]")) for i in range(2)]
        if form == "own method" and s.chance(0.5):
            results[1] = results[0][0], results[1][1] if results[1][0] == results[0][0] else results[0][1], results[1][2] if results[1][0] == results[0][0] else results[0][2]
        for i, (type_, _, _) in enumerate(results):
            s.declare(f"trait T{i}_:\n    def go(self) -> {type_}\ndef f{i}_<X: T{i}_>(x: X) -> {type_}: return x.go()\ndef g{i}_(x: dyn T{i}_) -> {type_}: return x.go()")
        kind = s.choose("class", "struct")
        if form == "own method":
            own = s.choose("A_(T0_)", "A_") if kind == "class" else "A_"
            s.declare(f"{kind} {own}:\n    n: int = 1\n    def go(self) -> {results[0][0]}: return {results[0][1]}")
            first = 0 if "T0_" in own else None
        else:
            s.declare(f"{kind} A_:\n    n: int = 1")
            first = None
        for i, (type_, value, _) in enumerate(results):
            if first != i and not (form == "own method" and first is None and i == 0):
                s.declare(f"impl T{i}_ for A_:\n    def go(self) -> {type_}: return {value}")
        for i in pick.sample(range(2), 2):
            if form == "own method" and first is None and i == 0:
                expect("A_().go()", results[0][2])
                continue
            way = s.choose(f"f{i}_(A_())", f"g{i}_(A_())", f"T{i}_.go(A_())", "dyn")
            if way == "dyn":
                s.say(f"d{i}: dyn T{i}_ = A_()")
                way = f"d{i}.go()"
            expect(way, results[i][2])
    elif form == "default":
        s.declare("trait T_:\n    def go(self) -> str: return \"default\"\n    def both(self) -> str: return self.go() + \"!\"\nclass A_: pass\nclass B_: pass\nimpl T_ for A_:\n    def go(self) -> str: return \"A\"\nimpl T_ for B_: pass\ndef f_<X: T_>(x: X) -> str: return x.both()")
        expect("f_(A_())", "\"A!\"")
        expect("f_(B_())", "\"default!\"")
        s.say("xs: list<dyn T_> = [A_(), B_()]")
        expect("[x.both() for x in xs]", "[\"A!\", \"default!\"]")
    elif form == "blanket":
        s.declare("trait T_:\n    def go(self) -> str\nimpl T_ for int:\n    def go(self) -> str: return \"int\"\nimpl T_ for str:\n    def go(self) -> str: return \"str\"\nimpl T_ for list<int>:\n    def go(self) -> str: return \"ints\"\nimpl T_ for list<str>:\n    def go(self) -> str: return \"strs\"\ndef f_<X: T_>(x: X) -> str: return x.go()")
        for value, wanted in pick.sample([("5", "int"), ("\"x\"", "str"), ("[1]", "ints"), ("[\"a\"]", "strs")], 3):
            way = s.choose(f"f_({value})", "dyn")
            if way == "dyn":
                s.say(f"d{wanted}: dyn T_ = {value}")
                way = f"d{wanted}.go()"
            expect(way, f"\"{wanted}\"")
    elif form == "base class":
        s.declare("trait T_:\n    def go(self) -> str\nclass A_(T_):\n    def go(self) -> str: return \"A\" + self.tail()\n    def tail(self) -> str: return \"a\"\nclass B_(A_):\n    def tail(self) -> str: return \"b\"\nclass C_(B_):\n    def go(self) -> str: return \"C\" + super.go()\ndef f_<X: T_>(x: X) -> str: return x.go()")
        for name, wanted in (("A_", "Aa"), ("B_", "Ab"), ("C_", "CAb")):
            way = s.choose(f"f_({name}())", f"{name}().go()", "dyn", "base")
            if way == "dyn": s.say(f"d{name}: dyn T_ = {name}()"); way = f"d{name}.go()"
            if way == "base": s.say(f"b{name}: A_ = {name}()"); way = s.choose(f"b{name}.go()", f"f_(b{name})")
            expect(way, f"\"{wanted}\"")
    elif form == "async":
        s.is_async = True
        word = s.choose("async def", "async def", "def")
        s.declare(f"trait T_:\n    async def go(self) -> str\nclass A_(T_):\n    name: str\n    {word} go(self) -> str: return self.name * 3\nclass B_(T_):\n    async def go(self) -> str:\n        await yield_now()\n        return \"B\" * 20")
        s.say("d: dyn T_ = A_(\"a long name \")")
        expect("(await d.go())", "\"a long name \" * 3")
        s.say("e: dyn T_ = B_()")
        expect("(await e.go())", "\"B\" * 20")
    elif form == "inherited":
        s.declare("trait P_:\n    def a(self) -> str\ntrait Q_(P_):\n    def b(self) -> str: return self.a() + \"q\"\nclass A_(Q_):\n    def a(self) -> str: return \"A\"\ndef f_<X: P_>(x: X) -> str: return x.a()\ndef g_<X: Q_>(x: X) -> str: return x.b()")
        expect("f_(A_())", "\"A\"")
        expect("g_(A_())", "\"Aq\"")
        s.say("d: dyn Q_ = A_()")
        expect("d.b()", "\"Aq\"")
    else:
        s.declare("trait Sized_:\n    def size(self) -> int\nimpl Sized_ for int:\n    def size(self) -> int: return self\nclass Box_<T: Sized_>:\n    v: T\n    def total(self) -> int: return self.v.size()\nclass S_(Sized_):\n    xs: list<int>\n    def size(self) -> int: return len(self.xs)")
        expect("Box_(4).total()", "4")
        expect("Box_(S_([1, 2])).total()", "2")
