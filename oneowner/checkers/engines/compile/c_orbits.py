"""
``emit_orbits`` writes C that lets two interchangeable things change places, and signatures to put them in order by.

The search that uses them is ``checkers/engines/explore/orbits.h``.
"""

import hashlib
from collections.abc import Iterator, Sequence
from itertools import combinations

from oneowner.checkers.engines.compile.c_layout import Layout
from oneowner.checkers.engines.compile.exchange import Exchange, Interchangeable
from oneowner.checkers.engines.compile.program import Program

_SIGNED = 3
"""A class of fewer members is not put in order by signatures: trying its permutations costs less."""


def emit_orbits(program: Program, classes: Sequence[Interchangeable]) -> str:
    """Return the definitions of classes that ``orbits.h`` needs; they come after the model."""
    most = max(len(same.members) for same in classes)
    sizes = ", ".join(str(len(same.members)) for same in classes)
    parts = [f"\n#define CLASSES {len(classes)}\n#define MOST_ALIKE {most}\n"]
    parts.append(f"static const int class_size[CLASSES] = {{{sizes}}};\n\n")
    layout = Layout(program.places)
    swaps, signs = [], []
    for number, same in enumerate(classes):
        for one, other in combinations(range(len(same.members)), 2):
            name = f"swap_{number}_{one}_{other}"
            exchange = Exchange(same.kind, same.members[one], same.members[other], program.places, program.sorts)
            parts += [f"static void {name}(uint8_t *s)\n{{\n    uint8_t x;\n", *_swap(exchange, layout), "}\n\n"]
            swaps.append(f"[{number}][{one}][{other}] = {name}")
        for member in range(len(same.members)) if len(same.members) >= _SIGNED else ():
            name = f"sign_{number}_{member}"
            parts += [f"static uint64_t {name}(const uint8_t *s)\n{{\n", *_sign(program, classes, same, member, layout)]
            signs.append(f"[{number}][{member}] = {name}")
    parts.append(f"static void (*const swap[CLASSES][MOST_ALIKE][MOST_ALIKE])(uint8_t *) = {{{', '.join(swaps)}}};\n")
    parts.append(
        f"static uint64_t (*const sign[CLASSES][MOST_ALIKE])(const uint8_t *) = {{{', '.join(signs) or '0'}}};\n"
    )
    return "".join(parts)


def _swap(exchange: Exchange, layout: Layout) -> Iterator[str]:
    """Yield the exchange slot by slot; first what depends on the length of a sequence, while that is in its place."""
    rows = sorted(enumerate(exchange.origin), key=lambda row: exchange.length_of(row[0]) is None)
    for slot, origin in rows:
        place = exchange.places[slot]
        if slot not in layout.index or origin < slot:
            continue
        one, other = f"s[{layout.index[slot]}]", f"s[{layout.index[origin]}]"
        if place.kind == exchange.kind:
            yield f"    x = {one}; {one} = {_renamed(exchange, layout, origin, other)};"
            yield f" {other} = {_renamed(exchange, layout, slot, 'x')};\n"
        elif origin != slot:
            yield f"    x = {one}; {one} = {other}; {other} = x;\n"


def _renamed(exchange: Exchange, layout: Layout, slot: int, text: str) -> str:
    """Return what becomes of *text*, the value of a slot."""
    low, used = exchange.places[slot].low, exchange.length_of(slot)
    one, other = exchange.one - low, exchange.other - low
    renamed = f"({text} == {one} ? {other} : {text} == {other} ? {one} : {text})"
    return renamed if used is None else f"(s[{layout.index[used[0]]}] >= {used[1]} ? {renamed} : {text})"


def _sign(
    program: Program, classes: Sequence[Interchangeable], same: Interchangeable, member: int, layout: Layout
) -> Iterator[str]:
    """
    Yield a sum over slots that does not depend on what interchangeable things are called, only on what is *member*.

    What is alike in a state has one signature. That other things have different ones is likely; it only saves time.
    """
    me = same.kind, same.members[member]
    yield "    uint64_t sum = 0;\n"
    for slot, place in enumerate(program.places):
        if slot not in layout.index or (me not in place.path and place.kind != same.kind):
            continue
        where = tuple(_nameless(step, classes, me) for step in place.path)
        weights = [_weight(where, _nameless((place.kind, code + place.low), classes, me)) for code in range(place.size)]
        yield f"    {{ static const uint64_t w[] = {{{', '.join(weights)}}}; sum += w[s[{layout.index[slot]}]]; }}\n"
    yield "    return sum;\n}\n\n"


def _nameless(step: object, classes: Sequence[Interchangeable], me: tuple[str, int]) -> object:
    if step == me:
        return "this"
    for same in classes:
        if isinstance(step, tuple) and step[0] == same.kind and step[1] in same.members:
            return f"another {same.kind}"
    return step


def _weight(*what: object) -> str:
    return f"0x{hashlib.sha256(repr(what).encode()).hexdigest()[:16]}ull"
