"""
``emit`` writes a traced model as Promela for Spin 6.5.2, an independent engine that referees ours.

A slot is a global variable; there is one process, a loop with one option per action and one that judges the laws of
states. An option is a ``d_step`` (``atomic`` where it is too long): its guard says whether the action is enabled, then
it acts, normalises and judges the step, all in one transition that ends where it began. What is computed on the way is
``hidden``, no part of the state. So a state that Spin stores is one of ours, and only ours are stored (one more where
there are several initial states: the state before the choice). The option that judges leads from every state to
itself: Spin's transitions are ours, one per state, and one for the beginning.
"""

from collections.abc import Container, Iterable, Iterator
from functools import reduce
from io import StringIO
from operator import or_
from typing import ClassVar

from oneowner.checkers.engines.compile.program import Check, Place, Program
from oneowner.checkers.engines.compile.trees import Beyond, Branch, Disabled, Tree, Update, enabled, written
from oneowner.checkers.engines.compile.writing import Writer, identifier, needed, roots, shared
from oneowner.checkers.trace.expressions import FALSE, Expression

BROKEN = 2
"""The answer of a check that fails."""

LONGEST = 2_000
"""Elements of a ``d_step``; Spin takes 2,047, counting a statement as one and a choice as two and one per option."""

LONGEST_GUARD = 100_000
"""Characters of a guard that is spelt out; a C compiler takes minutes for some millions."""


def emit(program: Program, title: str, laws: Container[str]) -> str:
    """Return the model with an assertion for each of these laws; it is valid Promela whatever the model is."""
    body = StringIO()
    body.write("active proctype model()\n{\n")
    if len(program.initial) > 1:
        body.write("    if\n")
        for codes in program.initial:
            values = [f"{name} = {value}" for name, value in _values(program.places, codes)]
            body.write(f"    :: d_step {{ {'; '.join(values)} }}\n")
        body.write("    fi;\n")
    body.write("    do\n")
    writer = _Writer(program, laws)
    body.writelines(f"{line}\n" for line in writer.judgement())
    for number in range(len(program.actions)):
        body.writelines(f"{line}\n" for line in writer.option(number))
    body.write("    od\n}\n")

    out = StringIO()
    out.write(f"/* {title}. Written by oneowner export; do not edit.\n")
    out.write(
        "   Call spin with -o2: else it takes states for equal that differ in a variable that is never read. */\n\n"
    )
    for place, (name, value) in zip(program.places, _values(program.places, program.initial[0]), strict=True):
        out.write(f"{_type(place.low, place.low + place.size - 1)} {name} = {value};\n")
    out.write("\n")
    for name in sorted(writer.hidden):
        out.write(f"hidden int {name};\n")
    out.writelines(f"\n{function}\n" for function in writer.functions)
    out.write(f"\n{body.getvalue()}")
    return out.getvalue()


def counted(stored: int, transitions: int, initial: int) -> tuple[int, int]:
    """
    Return our distinct states and transitions from Spin's, of a model with so many initial states.

    Spin counts the beginning as a transition, one more per state for the judgement of its laws, and where the initial
    state is chosen the state before the choice and each choice.

    >>> counted(stored=5032, transitions=20110, initial=1)
    (5032, 15077)
    """
    choices = initial if initial > 1 else 0
    distinct = stored - (choices > 0)
    return distinct, transitions - 1 - choices - distinct


def _values(places: Iterable[Place], codes: Iterable[int]) -> Iterator[tuple[str, int]]:
    return ((_variable(place), place.low + code) for place, code in zip(places, codes, strict=True))


def _variable(place: Place) -> str:
    return f"s_{identifier(place.name)}"  # a name of its own: neither Spin's nor C's keyword


def _type(low: int, high: int) -> str:
    """
    Return the smallest type that holds these values.

    >>> [_type(*ends) for ends in ((0, 1), (0, 2), (1, 255), (0, 256), (-1, 1))]
    ['bit', 'byte', 'byte', 'short', 'short']
    """
    if low < 0 or high > 255:
        return "short"
    return "byte" if high > 1 else "bit"


class _Writer(Writer):
    operators: ClassVar = {"add": "+", "subtract": "-", "multiply": "*", "equal": "==", "less": "<", "and": "&&"}
    negation = "!{0}"
    choice = "({0} -> {1} : {2})"
    definition = "{0} = {1};"

    def __init__(self, program: Program, laws: Container[str]) -> None:
        super().__init__(program.places, set())
        self.hidden: set[str] = set()
        """The variables for intermediate values."""
        self._program = program
        self._laws = laws
        self.functions: list[str] = []
        """Guards that are too long for Promela, in which a guard is one expression without names of its own."""
        self._names: dict[Expression, str] = {}
        self._kept: list[int] = []
        """The slots that have changed and are read as they were before the step."""

    def name(self, node: Expression) -> str:
        return self._names[node]

    def variable(self, slot: int, after: bool) -> str:
        name = _variable(self.places[slot])
        return name if after or slot not in self._kept else f"old_{name}"

    def definitions(self, expression: Expression, indent: str, later: Container[Expression] = ()) -> Iterator[str]:
        found = needed(expression, self.shared, self.known)
        return (self._named(node, indent) for node in found if node not in later)

    def _named(self, node: Expression, indent: str) -> str:
        """Assign a variable to an expression; variables of paths that ended are reused."""
        text = self.text(node)
        self._names[node] = self._hidden(f"e{len(self.known)}")
        self.known.add(node)
        return f"{indent}{self.definition.format(self._names[node], text)}"

    def _hidden(self, name: str) -> str:
        self.hidden.add(name)
        return name

    def judgement(self) -> Iterator[str]:
        """Yield the option that judges the laws of states."""
        yield from _option("true", self._checks(self._program.state_laws))

    def option(self, number: int) -> Iterator[str]:
        """Yield the option of an action."""
        tree = self._program.trees[number]
        if isinstance(tree, Disabled):
            yield f"    /* {self._program.actions[number]} is never enabled. */"
        else:
            guard = self._guard(tree)
            if len(guard) > LONGEST_GUARD:
                name = f"{identifier(str(self._program.actions[number]))}_is_enabled"
                self.functions.append(_Guard(self.places, enabled(tree)).function(name))
                guard = f"c_expr {{ {name} () }}"  # the space hides from Spin that it is a call
            yield from _option(guard, self._step(number))

    def _step(self, number: int) -> Iterator[str]:
        """Yield an action that is enabled, what follows it, and the judgement of both."""
        tree, normalisation = self._program.trees[number], self._program.normalisation
        checks = self._program.step_checks[number]
        read = reduce(or_, (check.answer.mask for check in checks if check.name in self._laws), 0)
        kept = sorted(slot for slot in written(tree) | written(normalisation) if read >> slot & 1)
        yield f'        printf("{self._program.actions[number]}\\n");'
        for slot in kept:
            name = _variable(self.places[slot])
            yield f"        {self._hidden(f'old_{name}')} = {name};"
        yield from self._tree(tree, "        ")
        if enabled(normalisation) is not FALSE:
            yield f"        do\n        :: {self._guard(normalisation)} ->"
            yield from self._tree(normalisation, "            ")
            yield "        :: else -> break\n        od;"
            yield "        skip;"  # Spin loses the way out of a loop that comes last
        self._kept = kept
        yield from self._checks(checks)
        self._kept = []

    def _guard(self, tree: Tree) -> str:
        """Return as one expression, in which nothing has a name, whether a step is enabled."""
        self.known = set()
        return self.text(enabled(tree))

    def _tree(self, tree: Tree, indent: str) -> Iterator[str]:
        """Yield what a step does that is enabled."""
        self.shared, self.known = shared(roots(tree)), set()
        yield from self._branch(tree, indent)

    def _branch(self, tree: Tree, indent: str) -> Iterator[str]:
        if isinstance(tree, Branch) and isinstance(tree.then, Disabled):
            yield from self._branch(tree.otherwise, indent)  # the guard has excluded the other side
        elif isinstance(tree, Branch) and isinstance(tree.otherwise, Disabled):
            yield from self._branch(tree.then, indent)
        elif isinstance(tree, Branch):
            outside = set(self.known)
            yield from self.definitions(tree.test, indent)
            inside = set(self.known)
            yield f"{indent}if\n{indent}:: {self.text(tree.test)} ->"
            yield from self._branch(tree.then, f"{indent}    ")
            self.known = set(inside)
            yield f"{indent}:: else ->"
            yield from self._branch(tree.otherwise, f"{indent}    ")
            yield f"{indent}fi;"
            self.known = outside
        elif isinstance(tree, Update):
            yield from self._update(tree, indent)
        else:  # what lies behind the bound is unknown
            assert isinstance(tree, Beyond)
            name = self._hidden(f"bound_{identifier(tree.bound)}_is_used_up")
            yield f"{indent}{name} = 1; assert(!{name});"

    def _update(self, update: Update, indent: str) -> Iterator[str]:
        overwritten = 0
        for slot, new in update.slots:
            yield from self.definitions(new, indent)
            place = self.places[slot]
            leaves_domain = new.low < place.low or new.high >= place.low + place.size
            if (leaves_domain or new.mask & overwritten) and new not in self.known:
                yield self._named(new, indent)
            if leaves_domain:
                yield f"{indent}assert({place.low} <= {self.text(new)} && {self.text(new)} < {place.low + place.size});"
            overwritten |= 1 << slot
        for slot, new in update.slots:
            yield f"{indent}{_variable(self.places[slot])} = {self.text(new)};"
        if not update.slots:
            yield f"{indent}skip;"

    def _checks(self, checks: Iterable[Check]) -> Iterator[str]:
        asserted = [check for check in checks if check.name in self._laws and check.answer.high >= BROKEN]
        self.shared, self.known = shared(check.answer for check in asserted), set()
        for check in asserted:
            yield from self.definitions(check.answer, "        ")
            name = self._hidden(f"law_{identifier(check.name)}")
            yield f"        {name} = {self.text(check.answer)}; assert({name} != {BROKEN});"


class _Guard(Writer):
    """A guard as a function in C, which names what it needs more than once."""

    operators: ClassVar = {"add": "+", "subtract": "-", "multiply": "*", "equal": "==", "less": "<", "and": "&&"}
    negation = "!{0}"
    choice = "({0} ? {1} : {2})"
    definition = "int {0} = {1};"

    def __init__(self, places: tuple[Place, ...], guard: Expression) -> None:
        super().__init__(places, shared([guard]))
        self._guard = guard

    def variable(self, slot: int, after: bool) -> str:
        return f"now.{_variable(self.places[slot])}"

    def function(self, name: str) -> str:
        lines = [*self.definitions(self._guard, "        "), f"        return {self.text(self._guard)};"]
        return "\n".join(["c_code {", f"    int {name}(void)", "    {", *lines, "    }", "}"])


def _option(guard: str, body: Iterable[str]) -> Iterator[str]:
    lines = [*body]
    elements = sum(line.count(sign) for line in lines for sign in (";", "::", "fi;", "od;"))
    yield f"    :: {'d_step' if elements <= LONGEST else 'atomic'} {{ {guard} ->"
    yield from lines or ["        skip"]
    yield "    }"
