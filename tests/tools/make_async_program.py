#!/usr/bin/env python3
"""make_async_program.py SEED: a random program whose output depends on where its tasks suspend, fail and are cancelled only in ways that
the language fixes: awaits in odd places, loops, errors, finally, defer, scopes, generators, select, cancels at the k-th await.

Time plays no part: everything waits with `pause(n)`, which gives up the turn n times."""
import random
import sys

PRELUDE = '''
class Mark:
    name: str
    def __del__(self): print("drop", self.name)

struct Pair:
    a: int
    b: str

class Boom(Error): n: int

class Steps(Future<int>):
    left: int
    value: int
    def poll(self, cx: Context) -> Poll<int>:
        if self.left == 0: return Ready(self.value)
        self.left -= 1
        cx.waker.wake()
        return Pending
    def cancel(self): print("cancel", self.value)

async def pause(n: int) -> int:
    for i in range(n): await yield_now()
    return n

async def fuse(n: int, k: int) -> int:
    await pause(n)
    if k % 3 == 0: raise Boom("boom", n=k)
    return k

async def numbers(n: int, k: int) -> Stream<int>:
    try:
        for i in range(n):
            await pause(i % 2)
            yield i * k
    finally:
        await pause(1)
        print("stream ends", n, k)

def counts(n: int) -> Iterator<int>:
    m = Mark(f"gen{n}")
    try:
        for i in range(n): yield i
    finally: print("counted", n)
'''


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.next = 0
        self.functions = []

    def fresh(self, prefix):
        self.next += 1
        return f"{prefix}{self.next}"

    def emit(self, depth, text): self.lines.append("    " * depth + text)

    # ---- expressions of type int; `names` are int variables in sight
    def value(self, names, depth=0):
        pick = self.random.randrange(16 if depth < 3 else 3)
        if pick < 2 or not names and pick == 2: return str(self.random.randrange(10))
        if pick == 2: return self.random.choice(names)
        sub = lambda: self.value(names, depth + 1)
        if pick == 3: return f"({sub()} + {sub()})"
        if pick == 4: return f"(await pause({self.random.randrange(3)}) * 10 + {sub()})"
        if pick == 5: return f"(await pause({self.random.randrange(2)}) if {sub()} > {sub()} else {sub()})"
        if pick == 6: return f"sum([{sub()}, await pause({self.random.randrange(3)}), {sub()}])"
        if pick == 7: return f"len([await pause(x % 2) for x in range({self.random.randrange(4)})])"
        if pick == 8: return f'len(f"{{{sub()}}}-{{await pause(1)}}")'
        if pick == 9: return f"await Steps({self.random.randrange(3)}, {sub()})"
        if pick == 10: return f"(await gather([pause({self.random.randrange(3)}), Steps(1, {sub()})]))[{self.random.randrange(2)}]"
        if pick == 11: return f"Pair({sub()}, str(await pause(1))).a"
        if pick == 12: return f"{{1: {sub()}, 2: await pause(1)}}[{self.random.choice([1, 2])}]"
        if pick == 13 and self.functions:
            return f"await {self.random.choice(self.functions)}({sub()}, {sub()})"
        if pick == 14: return f"len([y async for y in numbers({self.random.randrange(3)}, {self.random.randrange(3)})])"
        return f"await fuse({self.random.randrange(3)}, {sub()} % 7 + 1)"

    def condition(self, names): return f"{self.value(names, 2)} % {self.random.randrange(2, 4)} {self.random.choice(['==', '!='])} {self.random.randrange(2)}"

    def block(self, depth, names, level, in_loop, in_scope):
        names = list(names)
        for _ in range(self.random.randrange(1, 4)): self.statement(depth, names, level, in_loop, in_scope)

    def statement(self, depth, names, level, in_loop, in_scope):
        pick = self.random.randrange(22 if level < 3 else 7)
        nested = lambda **k: self.block(depth + 1, names, level + 1, k.get("in_loop", in_loop), k.get("in_scope", in_scope))
        if pick <= 1:
            name = self.fresh("v")
            self.emit(depth, f"{name} = {self.value(names)}")
            names.append(name)
        elif pick == 2: self.emit(depth, f'print("at {self.fresh("p")}", {self.value(names, 1)})')
        elif pick == 3 and names: self.emit(depth, f"{self.random.choice(names)} {self.random.choice(['=', '+=', '-='])} {self.value(names, 1)} % 100")
        elif pick == 4:
            name = self.fresh("m")
            self.emit(depth, f'{name} = Mark("{name}")')
            self.emit(depth, f"await pause({self.random.randrange(3)})")
        elif pick == 5: self.emit(depth, f"await pause({self.random.randrange(4)})")
        elif pick == 6:
            if in_loop and self.random.randrange(3) == 0:
                self.emit(depth, f"if {self.condition(names)}: {self.random.choice(['break', 'continue'])}")
            elif self.random.randrange(4) == 0: self.emit(depth, f"if {self.condition(names)}: return {self.value(names, 1)}")
            else: self.emit(depth, f'if {self.condition(names)}: raise Boom("here", n={self.value(names, 2)})')
        elif pick == 7:
            self.emit(depth, f"if {self.condition(names)}:")
            nested()
            if self.random.randrange(2):
                self.emit(depth, "else:")
                nested()
        elif pick == 8:
            name = self.fresh("i")
            source = self.random.choice([f"range({self.random.randrange(1, 4)})", f"counts({self.random.randrange(1, 4)})", f"[{self.value(names, 2)}, {self.value(names, 2)}]"])
            self.emit(depth, f"for {name} in {source}:")
            self.block(depth + 1, names + [name], level + 1, True, in_scope)
        elif pick == 9:
            name = self.fresh("w")
            self.emit(depth, f"{name} = 0")
            self.emit(depth, f"while {name} < {self.random.randrange(1, 4)} and await pause(1) == 1:")
            self.emit(depth + 1, f"{name} += 1")
            self.block(depth + 1, names + [name], level + 1, True, in_scope)
        elif pick == 10:
            name = self.fresh("x")
            self.emit(depth, f"async for {name} in numbers({self.random.randrange(1, 4)}, {self.random.randrange(4)}):")
            self.block(depth + 1, names + [name], level + 1, True, in_scope)
        elif pick in (11, 12, 13):
            self.emit(depth, "try:")
            nested()
            if self.random.randrange(3):
                caught = self.fresh("e")
                self.emit(depth, f"catch Boom as {caught}:")
                self.emit(depth + 1, f'print("caught", {caught}.n, len({caught}.suppressed))')
                nested()
                if self.random.randrange(3) == 0:
                    self.emit(depth, "catch Cancelled:")
                    self.emit(depth + 1, f'print("stopped {self.fresh("c")}")')
                    self.emit(depth + 1, self.random.choice(["raise", "raise", f"await pause(1)"]))
                final = self.random.randrange(2)
            else: final = 1
            if final:
                self.emit(depth, "finally:")
                self.emit(depth + 1, f'print("finally {self.fresh("f")}", await pause({self.random.randrange(2)}))')
                for _ in range(self.random.randrange(2)): self.statement(depth + 1, list(names), 3, False, False)
        elif pick == 14: self.emit(depth, f'defer print("defer {self.fresh("d")}", {self.random.choice(names) if names else 0})')
        elif pick in (15, 16, 17):
            scope = self.fresh("s")
            limit = self.random.choice(["", "", f"(limit={self.random.randrange(1, 3)})"])
            self.emit(depth, f"await scope{limit} as {scope}:")
            for _ in range(self.random.randrange(1, 4)):
                starts = self.random.choice(["spawn", "spawn", "spawn", "service"])
                call = f"{self.random.choice(self.functions)}({self.value(names, 2)}, {self.value(names, 2)})" if self.functions else f"pause({self.random.randrange(5)})"
                task = self.fresh("t")
                self.emit(depth + 1, f"{task} = {scope}.{starts}({call})")
                if self.random.randrange(3) == 0:
                    self.emit(depth + 1, f"await pause({self.random.randrange(4)})")
                    self.emit(depth + 1, f"{task}.cancel()")
                elif self.random.randrange(4) == 0:
                    self.emit(depth + 1, f"try: print(await {task})")
                    self.emit(depth + 1, f'catch TaskCancelled: print("{task} was cancelled")')
            nested(in_scope=True)
            if self.random.randrange(4) == 0:
                self.emit(depth + 1, f"{scope}.cancel()")
                self.emit(depth + 1, f"await pause({self.random.randrange(3)})")
        elif pick == 18:
            self.emit(depth, "select:")
            for _ in range(self.random.randrange(1, 3)):
                name = self.fresh("q")
                awaited = self.random.choice([f"pause({self.random.randrange(4)})", f"Steps({self.random.randrange(4)}, {self.random.randrange(9)})", f"fuse({self.random.randrange(3)}, {self.random.randrange(1, 7)})"])
                self.emit(depth + 1, f"case {name} = await {awaited}:")
                self.block(depth + 2, names + [name], level + 1, in_loop, in_scope)
            if self.random.randrange(3) == 0:
                self.emit(depth + 1, "default:")
                self.block(depth + 2, names, level + 1, in_loop, in_scope)
        elif pick == 19:
            self.emit(depth, "shield:")
            nested()
        elif pick == 20:
            function = self.fresh("g")
            self.emit(depth, f"async def {function}(a: int) -> int:")
            self.emit(depth + 1, f"await pause({self.random.randrange(2)})")
            self.emit(depth + 1, f"return a + {self.random.choice(names) if names else 1}")
            self.emit(depth, f'print("nested", await {function}({self.value(names, 2)}))')
        else:
            function = self.fresh("h")
            self.emit(depth, f"{function} = async a -> a + await pause({self.random.randrange(3)})")
            self.emit(depth, f'print("lambda", await {function}({self.value(names, 2)}))')

    def program(self):
        for k in range(self.random.randrange(2, 5)):
            name = f"f{k}"
            self.emit(0, f"async def {name}(a: int, b: int) -> int:")
            if self.random.randrange(2): self.emit(1, f'mark = Mark("{name}")')
            self.block(1, ["a", "b"], 0, False, False)
            self.block(1, ["a", "b"], 0, False, False)
            self.emit(1, f'print("end {name}", a, b)')
            self.emit(1, f"return {self.value(['a', 'b'], 1)} % 50")
            self.emit(0, "")
            self.functions.append(name)
        # Each function by itself, and cancelled at its k-th turn.
        self.emit(0, "async def once(name: str, f: Future<int>, turns: int):")
        self.emit(1, 'print("==", name, turns)')
        self.emit(1, "try:")
        self.emit(2, "await scope as s:")
        self.emit(3, "t = s.spawn(f)")
        self.emit(3, "if turns >= 0:")
        self.emit(4, "await pause(turns)")
        self.emit(4, "t.cancel()")
        self.emit(2, 'print("cancelled" if t.cancelled else str(t.result))')
        self.emit(1, 'catch Boom as e: print("failed", e.n, len(e.suppressed))')
        self.emit(1, 'catch TaskCancelled: print("task cancelled")')
        self.emit(1, 'catch StateError as e: print("state", e.message)')
        self.emit(0, "async def main():")
        for name in self.functions:
            a, b = self.random.randrange(9), self.random.randrange(9)
            for turns in [-1] + sorted(self.random.sample(range(12), 4)):
                self.emit(1, f'await once("{name}", {name}({a}, {b}), {turns})')
        return PRELUDE + "\n" + "\n".join(self.lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(Maker(int(sys.argv[1])).program())
