"""What std keeps or gives back, with frozen and plain values mixed in every position.

A row is what is written with holes, and what leads from `r` to the elements that went in. A hole is a letter for the type wanted there: E a `list<int>`, L a
`list<list<int>>`, D a `dict<int, list<int>>`. Each hole gets something plain or something frozen. Then two things must hold: no way leads to a write of what is
frozen, and what is plain is never seen as frozen.
"""
import itertools
import re

ELEMENT = ["r"]
ELEMENTS = ["r[0]", "r[-1]", "list(r)[0]", "[q for q in r][-1]"]
VALUES = ["r[1]", "r[2]", "list(r.values())[-1]", "list(r.items())[0][1]"]
PAIRS = ["list(r)[0][0]", "list(r)[0][1]"]

ROWS = [
    # lists
    ("r = {L} + {L}", ELEMENTS), ("r = {L}\nr += {L}", ELEMENTS), ("r = {L}\nr = r + {L}", ELEMENTS), ("r = {L}.__add__({L})", ELEMENTS), ("r = {L}\nr.append({E})", ELEMENTS), ("r = {L}\nr.insert(0, {E})", ELEMENTS),
    ("r = {L}\nr.extend({L})", ELEMENTS), ("r = {L}\nr[0] = {E}", ELEMENTS), ("r = {L}\nr[0:1] = {L}", ELEMENTS), ("r = {L}\nr[::2] = {L}", ELEMENTS), ("r = list<list<int>>({L})", ELEMENTS), ("r = list({L})", ELEMENTS), ("r = [*{L}, *{L}]", ELEMENTS),
    ("r = {L} * 2", ELEMENTS), ("r = {L}.copy()", ELEMENTS), ("r = {L}.sorted()", ELEMENTS), ("r = {L}.reversed()", ELEMENTS), ("r = {L}[:]", ELEMENTS), ("r = {L}.zip({L})", PAIRS), ("r = zip({L}, {L})", PAIRS),
    ("r = {L}.iter().chain({L}.iter()).to_list()", ELEMENTS), ("r = {L}.reduce({E}, (x, y) -> y)", ELEMENT), ("r = {L}.reduce({E}, (x, y) -> x)", ELEMENT), ("r = {L}.reduce((x, y) -> y, {E})", ELEMENT), ("r = {L}.reduce((x, y) -> x)", ELEMENT), ("r = {L}.filter(q -> true)", ELEMENTS),
    ("r = {L}.map(q -> q)", ELEMENTS), ("r = {L}.flat_map(q -> [q])", ELEMENTS), ("r = {L}.find(q -> true)!", ELEMENT), ("r = {L}.first()!", ELEMENT), ("r = {L}.last()!", ELEMENT), ("r = {L}.first() ?? {E}", ELEMENT), ("r = {L}.group_by(q -> 1)[1]", ELEMENTS),
    ("r = {L}.enumerate()[0]", ["r[1]"]), ("r = sorted({L})", ELEMENTS), ("r = reversed({L})", ["list(r)[0]"]), ("r = sum([{L}], {L})", ELEMENTS), ("r = sum([{L}, {L}], {L})", ELEMENTS), ("r = next({L}.iter())", ELEMENT),
    ("r = next({L}.iter(), {E})", ELEMENT), ("r = [{E}]\nr.append({E})\nr.sort()", ELEMENTS), ("r = [{E}, {E}]", ELEMENTS), ("r = [{E}, {E}]\nr.sort(key=q -> len(q))", ELEMENTS), ("r = [q for q in {L}] + [q for q in {L}]", ELEMENTS),
    # the least and the greatest
    ("r = min({E}, {E})", ELEMENT), ("r = max({E}, {E})", ELEMENT), ("r = min({E}, {E}, {E})", ELEMENT), ("r = max({E}, {E}, {E})", ELEMENT), ("r = min({E}, {E}, key=q -> len(q))", ELEMENT), ("r = max({E}, {E}, {E}, key=q -> -len(q))", ELEMENT),
    ("r = min({L})", ELEMENT), ("r = max({L})", ELEMENT), ("r = min({L}, default={E})", ELEMENT), ("r = max({L}, default={E})", ELEMENT), ("r = min({L}, key=q -> len(q), default={E})", ELEMENT), ("r = max({L}, key=q -> len(q))", ELEMENT),
    # dicts
    ("r = dict<int, list<int>>.fromkeys([1, 2], {E})", VALUES), ("r = {D}\nr.update({D})", VALUES), ("r = {D} | {D}", VALUES), ("r = {D}\nr |= {D}", VALUES), ("r = {**{D}, **{D}}", VALUES), ("r = dict({D})", VALUES), ("r = dict<int, list<int>>({D})", VALUES),
    ("r = {D}.copy()", VALUES), ("r = {D}\nr[1] = {E}", VALUES), ("r = {D}.setdefault(7, {E})", ELEMENT), ("r = {D}\nr.setdefault(2, {E})", VALUES), ("r = {D}.get(7, {E})", ELEMENT), ("r = {D}.get(1, {E})", ELEMENT), ("r = {D}.get(7) ?? {E}", ELEMENT), ("r = {D}.get_or_add(7, () -> {E})", ELEMENT),
    ("r = {D}.pop(1, {E})", ELEMENT), ("r = {D}.pop(7, {E})", ELEMENT), ("r = {D}\nr.update([(2, {E})])", VALUES), ("r = dict([(1, {E}), (2, {E})])", VALUES), ("r = {1: {E}, 2: {E}}", VALUES), ("r = {D}.map_values(q -> q)", VALUES), ("r = {D}.filter((k, v) -> true)", VALUES),
    # functions over iterables
    ("r = list(map(q -> q, {L}))", ELEMENTS), ("r = list(filter(q -> true, {L}))", ELEMENTS), ("r = list(enumerate({L}))[0]", ["r[1]"]), ("r = zip(*[{L}, {L}])[0]", ELEMENTS), ("r = list(iter({L}))", ELEMENTS), ("r = {L}.iter().map(q -> q).to_list()", ELEMENTS),
    ("r = {L}.iter().reduce({E}, (x, y) -> x)", ELEMENT), ("r = {L}.iter().first() ?? {E}", ELEMENT), ("r = {L}.iter().min()", ELEMENT), ("r = {L}.iter().zip({L})", PAIRS), ("r = {D}.reduce({E}, (x, k, v) -> v)", ELEMENT), ("r = {D}.reduce({E}, (x, k, v) -> x)", ELEMENT),
    # what is shared or waited for
    ("w = Watch({E})\nw.set({E})\nr = w.get()", ELEMENT), ("r = Watch<list<int>>({E}).value", ELEMENT), ("w = Watch({E})\ns = w.subscribe()\nw.set({E})\nr = s.value", ELEMENT), ("t = TaskLocal<list<int>>({E})\nr = t.get()", ELEMENT), ("t = TaskLocal({E})\nt.set({E})\nr = t.get()", ELEMENT),
    ("t = TaskLocal({E})\nr = t.get()\nwith t.set({E}): r = t.get()", ELEMENT), ("c = Channel<list<int>>(2)\nc.send({E})\nr = c.recv()", ELEMENT), ("c = Channel<list<int>>(2)\nc.try_send({E})\nr = c.recv()", ELEMENT), ("o = OneShot<list<int>>()\no.send({E})\nr = block_on(o.recv())", ELEMENT),
    ("u = Broadcast<list<int>>(4)\ns = u.subscribe()\nu.send({E})\nr = block_on(s.recv())", ELEMENT),
]

HOLE = re.compile(r"\{([ELD])\}")
PLAIN = {"E": "[2]", "L": "[[2], [4]]", "D": "{1: [2], 3: [4]}"}
FROZEN = {"E": "b", "L": "bl", "D": "bd"}
SET_UP = "b = freeze([1])\nbl = freeze([[1], [3]])\nbd = freeze({1: [1], 2: [3]})\nx = [2]\nxl = [[2], [4]]\nxd = {1: [2], 3: [4]}"
STATE = 'f"{b} {bl} {bd}"'
NAMED = {"E": "x", "L": "xl", "D": "xd"}


def fill(text, values):
    values = iter(values)
    return HOLE.sub(lambda _: next(values), text)


def every():
    """Each row, each mixture, each way out: the body of a function, which prints WRONG when a frozen value has changed."""
    for text, ways in ROWS:
        kinds = HOLE.findall(text)
        for mixture in itertools.product([False, True], repeat=len(kinds)):
            if any(mixture):
                given = [FROZEN[kind] if frozen else PLAIN[kind] for kind, frozen in zip(kinds, mixture)]
                for way in ways:
                    yield f"{SET_UP}\nbefore = {STATE}\n{fill(text, given)}\n{way}.append(9)\nprint(\"fine\" if {STATE} == before else \"WRONG\")"
            given = [FROZEN[kind] if frozen else NAMED[kind] for kind, frozen in zip(kinds, mixture)]
            for way in ways:
                yield f"{SET_UP}\n{fill(text, given)}\nseen: frozen list<int> = {way}\nbefore = str(seen)\nx.append(9)\nfor q in xl: q.append(9)\nfor q in xd.values(): q.append(9)\nprint(\"fine\" if str(seen) == before else \"WRONG\")"
