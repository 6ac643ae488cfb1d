"""Random programs aimed at what safe code promises. Each file holds many scenarios (scenario.py); a family of them stands for one rule."""
import random

from . import construct, ends, frozen, functions, lent, narrow, numbers, pairs, places, refs, shared, tasks, traits, views
from .scenario import Scenario

FAMILIES = {"narrow": narrow.make, "construct": construct.make, "views": views.make, "frozen": frozen.make, "traits": traits.make, "refs": refs.make, "lent": lent.make, "places": places.make, "pairs": pairs.make, "functions": functions.make, "numbers": numbers.make,
            "tasks": tasks.make, "ends": ends.make, "shared": shared.make}


def make_scenarios(seed, count, families):
    """`count` scenarios of the seed; each can be made again alone."""
    return [make_scenario(seed * 1000 + index, index, families) for index in range(count)]


def make_scenario(seed, number, families):
    pick = random.Random(seed)
    family = pick.choice(families)
    scenario = Scenario(pick, number, family)
    FAMILIES[family](scenario)
    return scenario


def assemble(scenarios):
    """The program's lines, and for each line the number of the scenario that it belongs to (None: the frame)."""
    lines, owners = [], []

    def add(new, owner):
        lines.extend(new)
        owners.extend([owner] * len(new))

    for scenario in scenarios:
        add(scenario.lines(), scenario.number)
    add(["async def main(args: list<str>):", "    wanted = {int(arg) for arg in args}"], None)
    for scenario in scenarios:
        add([f"    if not wanted or {scenario.number} in wanted:", *("    " + line for line in scenario.call())], scenario.number)
    return lines, owners
