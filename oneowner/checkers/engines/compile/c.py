"""
``emit`` writes a traced model as C: functions on a state with one byte per slot, and its packed form.

Slots that can only have one value are left out. What an action changes it changes in both forms, so that no state
is ever packed anew. The search itself is ``checkers/engines/explore/search.c``, which includes what is written here.
"""

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from io import StringIO
from typing import ClassVar, NamedTuple

from oneowner.checkers.engines.compile.c_layout import BYTES, WORD, Layout, packing
from oneowner.checkers.engines.compile.frames import normalises
from oneowner.checkers.engines.compile.program import Place, Program
from oneowner.checkers.engines.compile.trees import Beyond, Branch, Disabled, Tree, Update, guarded, leaves
from oneowner.checkers.engines.compile.writing import Writer, roots, shared
from oneowner.checkers.trace.expressions import Expression, below

_STEP = "const uint8_t *s, uint8_t *t, const uint64_t *p, uint64_t *q"
_KEEP = "#define KEEP memcpy(t, s, SLOTS), memcpy(q, p, WORDS * sizeof *q)\n\n"


def emit(program: Program) -> str:
    """Return the model as a C header."""
    out = StringIO()
    beyond, layout = bounds_of(program), Layout(program.places)
    laws = [check.name for check in program.state_laws]
    names = list(dict.fromkeys(check.name for checks in program.step_checks for check in checks))
    out.write("#include <stdint.h>\n#include <string.h>\n\n")
    out.write(f"#define SLOTS {8 * len(layout.groups)}\n#define WORDS {layout.words}\n#define BITS {layout.size}\n")
    out.write(
        f"#define ACTIONS {len(program.actions)}\n#define STATE_LAWS {len(laws)}\n#define STEP_CHECKS {len(names)}\n"
        f"#define ASKED (ACTIONS / {WORD} + 1)\n"
    )
    out.write(f"#define INITIAL {len(program.initial)}\n")
    out.write("enum { DISABLED, TAKEN, OUTSIDE, BEYOND };\n")
    names_of = ", ".join(f'"{bound}"' for bound in beyond) or '""'
    out.write(f"static const char *const bounds[] = {{{names_of}}};\n\n")
    kept = [[codes[slot] for slot in layout.index] for codes in program.initial]
    rows = ", ".join("{" + ", ".join(map(str, codes)) + "}" for codes in kept)
    out.write(f"static const uint8_t initial[INITIAL][SLOTS + 1] = {{{rows}}};\n\n")
    out.write(BYTES + "".join(packing(layout)) + _KEEP)
    guards, effects = zip(*map(guarded, program.trees), strict=True) if program.trees else ((), ())
    out.write("".join(_ask(guards, program.places)))
    for number, tree in enumerate(effects):
        out.write("".join(_effect(f"action_{number}", tree, program.places, beyond)))
    out.write("".join(_effect("normalise", program.normalisation, program.places, beyond)))
    dispatch = ", ".join(f"action_{number}" for number in range(len(program.actions)))
    out.write(f"static int (*const act[ACTIONS])({_STEP}) = {{{dispatch}}};\n\n")
    out.write("".join(_row("const uint8_t normalises[ACTIONS]", "{:d}", normalises(program))))
    out.write("".join(_dispatch(program)))
    out.write(f"static int perturbations(const uint8_t *s)\n{{\n{_returned(program.perturbations, program.places)}}}\n")
    return out.getvalue()


def emit_laws(program: Program) -> str:
    """Return the laws as a C file of its own, which can be compiled while the model is."""
    names = checks_of(program)[1]
    return "#include <stdint.h>\n\n" + "".join([*_state_laws(program), *_step_checks(program, names)])


def checks_of(program: Program) -> tuple[list[str], list[str]]:
    """Return the names of the state laws and of the step checks, in the order of the C arrays."""
    names = dict.fromkeys(check.name for checks in program.step_checks for check in checks)
    return [check.name for check in program.state_laws], list(names)


def bounds_of(program: Program) -> list[str]:
    """Return the names of the bounds that a step can exceed."""
    return sorted({leaf.bound for tree in program.trees for leaf in leaves(tree) if isinstance(leaf, Beyond)})


def _ask(guards: Sequence[Expression], places: tuple[Place, ...]) -> Iterator[str]:
    """Yield a function whose bits mark the actions that may be enabled: no other need be tried."""
    yield "static inline void ask(const uint8_t *s, uint64_t *may)\n{\n"
    writer = _Writer(places, shared(guards))
    for first in range(0, len(guards) + 1, WORD):
        bits = ["0"]
        for at, guard in enumerate(guards[first : first + WORD]):
            yield from writer.temporaries(guard, "    ")
            bits.append(f"(uint64_t){writer.text(guard)} << {at}")
        yield f"    may[{first // WORD}] = {' | '.join(bits)};\n"
    yield "}\n\n"


def _effect(name: str, tree: Tree, places: tuple[Place, ...], beyond: list[str]) -> Iterator[str]:
    """Yield a function from a state ``s`` (packed: ``p``), whose guard is passed, to the one after, ``t`` and ``q``."""
    yield f"static int {name}({_STEP})\n{{\n"
    yield from _Writer(places, shared(roots(tree)), beyond).tree(tree, "    ")
    yield "}\n\n"


def _state_laws(program: Program) -> Iterator[str]:
    yield "void judge_state(const uint8_t *s, uint8_t *answers)\n{\n"
    yield from _answers(enumerate(check.answer for check in program.state_laws), program.places)
    yield "}\n\n"


def _step_checks(program: Program, names: list[str]) -> Iterator[str]:
    """Yield a function for every different set of checks; most actions share theirs with many others."""
    for rows, number in _judges(program, names)[0].items():
        yield f"void judge_{number}(const uint8_t *s, const uint8_t *t, uint8_t *answers)\n{{\n"
        yield from _answers(rows, program.places)
        yield "}\n\n"


def _judges(program: Program, names: list[str]) -> tuple[dict[tuple[tuple[int, Expression], ...], int], list[int]]:
    """Return the different sets of checks with their numbers, and the number of that of each action."""
    judges: dict[tuple[tuple[int, Expression], ...], int] = {}
    chosen = []
    for checks in program.step_checks:
        rows = tuple((names.index(check.name), check.answer) for check in checks)
        chosen.append(judges.setdefault(rows, len(judges)))
    return judges, chosen


def _dispatch(program: Program) -> Iterator[str]:
    """Yield, for every action, which function judges its steps, and which checks it answers."""
    judges, chosen = _judges(program, checks_of(program)[1])
    yield "void judge_state(const uint8_t *s, uint8_t *answers);\n"
    for rows, number in judges.items():
        yield f"void judge_{number}(const uint8_t *s, const uint8_t *t, uint8_t *answers);\n"
        yield f"static const uint8_t checks_{number}[] = {{{', '.join(str(at) for at, _ in rows) or '0'}}};\n\n"
    counts = [len(checks) for checks in program.step_checks]
    yield from _row("void (*const judge[ACTIONS])(const uint8_t *, const uint8_t *, uint8_t *)", "judge_{}", chosen)
    yield from _row("const uint8_t *const checks[ACTIONS]", "checks_{}", chosen)
    yield from _row("const int check_count[ACTIONS]", "{}", counts)


def _row(what: str, item: str, numbers: Iterable[int]) -> Iterator[str]:
    yield f"static {what} = {{{', '.join(map(item.format, numbers))}}};\n"


def _answers(rows: Iterable[tuple[int, Expression]], places: tuple[Place, ...]) -> Iterator[str]:
    """Yield code that puts each expression at its place among the answers."""
    rows = list(rows)
    writer = _Writer(places, shared(answer for _, answer in rows))
    askers = Counter(node for _, answer in rows for node in below([answer]))
    for at, answer in rows:
        occasion = _occasion(answer)
        own = {node for node in below([occasion.answer]) if askers[node] == 1} if occasion else set()
        if occasion is None or len(own) < _MANY:
            yield from writer.temporaries(answer, "    ")
            yield f"    answers[{at}] = {writer.text(answer)};\n"
        else:
            yield from writer.temporaries(occasion.test, "    ")
            yield from writer.temporaries(occasion.answer, "    ", own - writer.known)
            yield f"    answers[{at}] = {occasion.none};\n"
            yield f"    if ({'' if occasion.is_met else '!'}{writer.text(occasion.test)}) {{\n"
            outside = set(writer.known)
            yield from writer.temporaries(occasion.answer, "        ")
            yield f"        answers[{at}] = {writer.text(occasion.answer)};\n    }}\n"
            writer.known = outside


_MANY = 8
"""Expressions that are not worked out in vain: fewer cost less than a branch."""


class _Occasion(NamedTuple):
    """An answer that is a constant on one side of a test, as that of a law without an occasion is."""

    test: Expression
    is_met: bool
    """The test's value where more must be computed."""
    none: int
    """The answer elsewhere."""
    answer: Expression


def _occasion(answer: Expression) -> _Occasion | None:
    """Take an answer apart, if it is a constant on one side of a test."""
    if answer.operator == "choose":
        test, then, otherwise = answer.arguments
        if otherwise.is_constant:
            return _Occasion(test, True, otherwise.value, then)
        if then.is_constant:
            return _Occasion(test, False, then.value, otherwise)
    return None


def _returned(expression: Expression, places: tuple[Place, ...]) -> str:
    writer = _Writer(places, shared([expression]))
    return "".join([*writer.temporaries(expression, "    "), f"    return {writer.text(expression)};\n"])


class _Writer(Writer):
    operators: ClassVar = {"add": "+", "subtract": "-", "multiply": "*", "equal": "==", "less": "<", "and": "&"}
    """The operands of "and" are 0 or 1; && would make a branch of each, and take a third longer to compile."""
    negation = "!{0}"
    choice = "({0} ? {1} : {2})"
    definition = "const int {0} = {1};"

    def __init__(self, places: tuple[Place, ...], among: set[Expression], beyond: Sequence[str] = ()) -> None:
        super().__init__(places, among)
        self._beyond = beyond
        self._layout = Layout(places)

    def slot(self, number: int) -> str:
        return f"[{self._layout.index[number]}]"

    def temporaries(self, expression: Expression, indent: str, later: Container[Expression] = ()) -> Iterator[str]:
        """Yield the values that must be computed first, except those to be computed *later*."""
        return (f"{line}\n" for line in self.definitions(expression, indent, later))

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
        changed: dict[int, list[tuple[int, int, str]]] = {}
        for slot, expression in update.slots:
            place = self.places[slot]
            yield from self.temporaries(expression, indent)
            text = self.text(expression)
            high = place.low + place.size - 1
            if expression.low < place.low or expression.high > high:
                yield f"{indent}if ({text} < {place.low} || {text} > {high}) return OUTSIDE;\n"
            if slot not in self._layout.index:  # it stays what it is
                continue
            word, first, width = self._layout.bits(slot)
            changed.setdefault(word, []).append((first, width, f"t{self.slot(slot)} = {text}{_less(place.low)}"))
        yield f"{indent}KEEP;\n"
        for word, parts in changed.items():
            clear = sum((1 << width) - 1 << first for first, width, _ in parts)
            put = " | ".join(f"(uint64_t)({text}) << {first}" for first, _, text in parts)
            yield f"{indent}q[{word}] = p[{word}] & ~{clear:#x}ull | {put};\n"
        yield f"{indent}return TAKEN;\n"


def _less(low: int) -> str:
    return f" - {low}" if low else ""
