"""
From a traced model to C: functions on a state with one byte per slot, and its packed form.

The search itself is ``checkers/explore/search.c``, which includes what is written here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from typing import ClassVar

from checkers.compile.expressions import Expression
from checkers.compile.program import Check, Place, Program
from checkers.compile.trees import Beyond, Branch, Disabled, Tree, Update, leaves
from checkers.compile.writing import Writer, roots, shared

WORD = 64


def emit(program: Program) -> str:
    """Return the model as a C header."""
    out = StringIO()
    beyond = bounds_of(program)
    laws = [check.name for check in program.state_laws]
    names = list(dict.fromkeys(check.name for checks in program.step_checks for check in checks))
    out.write("#include <stdint.h>\n#include <string.h>\n\n")
    out.write(f"#define SLOTS {len(program.places)}\n#define WORDS {words_of(program.places)}\n")
    out.write(
        f"#define ACTIONS {len(program.actions)}\n#define STATE_LAWS {len(laws)}\n#define STEP_CHECKS {len(names)}\n"
    )
    out.write(f"#define INITIAL {len(program.initial)}\n")
    out.write("enum { DISABLED, TAKEN, OUTSIDE, BEYOND };\n")
    names_of = ", ".join(f'"{bound}"' for bound in beyond) or '""'
    out.write(f"static const char *const bounds[] = {{{names_of}}};\n\n")
    rows = ", ".join("{" + ", ".join(map(str, codes)) + "}" for codes in program.initial)
    out.write(f"static const uint8_t initial[INITIAL][SLOTS] = {{{rows}}};\n\n")
    out.write("".join(_packing(program.places)))
    for number, tree in enumerate(program.trees):
        out.write("".join(_effect(f"action_{number}", tree, program.places, beyond)))
    out.write("".join(_effect("normalise", program.normalisation, program.places, beyond)))
    dispatch = ", ".join(f"action_{number}" for number in range(len(program.actions)))
    out.write(f"static int (*const act[ACTIONS])(const uint8_t *, uint8_t *) = {{{dispatch}}};\n\n")
    out.write("".join(_state_laws(program)))
    out.write("".join(_step_checks(program, names)))
    out.write(f"static int perturbations(const uint8_t *s)\n{{\n{_returned(program.perturbations, program.places)}}}\n")
    return out.getvalue()


def checks_of(program: Program) -> tuple[list[str], list[str]]:
    """Return the names of the state laws and of the step checks, in the order of the C arrays."""
    names = dict.fromkeys(check.name for checks in program.step_checks for check in checks)
    return [check.name for check in program.state_laws], list(names)


def bounds_of(program: Program) -> list[str]:
    """Return the names of the bounds that a step can exceed."""
    return sorted({leaf.bound for tree in program.trees for leaf in leaves(tree) if isinstance(leaf, Beyond)})


def bits(place: Place) -> int:
    """Return how many bits a slot needs."""
    return (place.size - 1).bit_length()


def words_of(places: Iterable[Place]) -> int:
    """Return how many 64-bit words a packed state needs; no slot lies across two of them."""
    return max((word for word, _, _ in layout(places)), default=0) + 1


def layout(places: Iterable[Place]) -> Iterator[tuple[int, int, int]]:
    """Yield word, first bit and number of bits of every slot."""
    word = used = 0
    for place in places:
        width = bits(place)
        if used + width > WORD:
            word, used = word + 1, 0
        yield word, used, width
        used += width


def _packing(places: tuple[Place, ...]) -> Iterator[str]:
    yield "static inline void pack(const uint8_t *s, uint64_t *p)\n{\n"
    parts: dict[int, list[str]] = {}
    for slot, (word, first, width) in enumerate(layout(places)):
        if width:
            parts.setdefault(word, []).append(f"(uint64_t)s[{slot}] << {first}")
    for word in range(words_of(places)):
        yield f"    p[{word}] = {' | '.join(parts.get(word, ['0']))};\n"
    yield "}\n\nstatic inline void unpack(const uint64_t *p, uint8_t *s)\n{\n"
    for slot, (word, first, width) in enumerate(layout(places)):
        yield f"    s[{slot}] = {f'p[{word}] >> {first} & {(1 << width) - 1}' if width else '0'};\n"
    yield "}\n\n"


def _effect(name: str, tree: Tree, places: tuple[Place, ...], beyond: list[str]) -> Iterator[str]:
    """Yield a function that writes the state after into ``t``, which the caller has made a copy of ``s``."""
    yield f"static int {name}(const uint8_t *s, uint8_t *t)\n{{\n"
    yield from _Writer(places, shared(roots(tree)), beyond).tree(tree, "    ")
    yield "}\n\n"


def _state_laws(program: Program) -> Iterator[str]:
    yield "static void judge_state(const uint8_t *s, uint8_t *answers)\n{\n"
    yield from _answers(program.state_laws, list(range(len(program.state_laws))), program.places)
    yield "}\n\n"


def _step_checks(program: Program, names: list[str]) -> Iterator[str]:
    for number, checks in enumerate(program.step_checks):
        yield f"static void judge_{number}(const uint8_t *s, const uint8_t *t, uint8_t *answers)\n{{\n"
        yield "    (void)s; (void)t; (void)answers;\n"
        yield from _answers(checks, [names.index(check.name) for check in checks], program.places)
        yield "}\n\n"
    dispatch = ", ".join(f"judge_{number}" for number in range(len(program.actions)))
    yield f"static void (*const judge[ACTIONS])(const uint8_t *, const uint8_t *, uint8_t *) = {{{dispatch}}};\n\n"
    for number, checks in enumerate(program.step_checks):
        indices = ", ".join(str(names.index(check.name)) for check in checks) or "0"
        yield f"static const uint8_t checks_{number}[] = {{{indices}}};\n"
    yield "static const uint8_t *const checks[ACTIONS] = {"
    yield ", ".join(f"checks_{number}" for number in range(len(program.actions)))
    yield "};\nstatic const int check_count[ACTIONS] = {"
    yield ", ".join(str(len(checks)) for checks in program.step_checks)
    yield "};\n\n"


def _answers(checks: Iterable[Check], places_of: list[int], places: tuple[Place, ...]) -> Iterator[str]:
    checks = list(checks)
    writer = _Writer(places, shared(check.answer for check in checks))
    for check, at in zip(checks, places_of, strict=True):
        yield from writer.temporaries(check.answer, "    ")
        yield f"    answers[{at}] = {writer.text(check.answer)};\n"


def _returned(expression: Expression, places: tuple[Place, ...]) -> str:
    writer = _Writer(places, shared([expression]))
    return "".join([*writer.temporaries(expression, "    "), f"    return {writer.text(expression)};\n"])


class _Writer(Writer):
    operators: ClassVar = {"add": "+", "subtract": "-", "equal": "==", "less": "<", "and": "&&"}
    negation = "!{0}"
    choice = "({0} ? {1} : {2})"
    definition = "const int {0} = {1};"

    def __init__(self, places: tuple[Place, ...], among: set[Expression], beyond: Sequence[str] = ()) -> None:
        super().__init__(places, among)
        self._beyond = beyond

    def temporaries(self, expression: Expression, indent: str) -> Iterator[str]:
        """Yield what must be computed first."""
        return (f"{line}\n" for line in self.definitions(expression, indent))

    def tree(self, tree: Tree, indent: str) -> Iterator[str]:
        if isinstance(tree, Branch):
            outside = set(self.known)
            yield from self.temporaries(tree.test, indent)
            yield f"{indent}if ({self.text(tree.test)}) {{\n"
            inside = set(self.known)
            yield from self.tree(tree.then, indent + "    ")
            self.known = set(inside)
            yield f"{indent}}} else {{\n"
            yield from self.tree(tree.otherwise, indent + "    ")
            yield f"{indent}}}\n"
            self.known = outside
        elif isinstance(tree, Update):
            yield from self._update(tree, indent)
        elif isinstance(tree, Disabled):
            yield f"{indent}return DISABLED;\n"
        else:
            assert isinstance(tree, Beyond)
            yield f"{indent}return BEYOND + {self._beyond.index(tree.bound)};\n"

    def _update(self, update: Update, indent: str) -> Iterator[str]:
        for slot, expression in update.slots:
            place = self.places[slot]
            yield from self.temporaries(expression, indent)
            text = self.text(expression)
            high = place.low + place.size - 1
            if expression.low < place.low or expression.high > high:
                yield f"{indent}if ({text} < {place.low} || {text} > {high}) return OUTSIDE;\n"
            yield f"{indent}t[{slot}] = {text}{f' - {place.low}' if place.low else ''};\n"
        yield f"{indent}return TAKEN;\n"
