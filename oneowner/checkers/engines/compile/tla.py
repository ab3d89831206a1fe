"""
``emit`` writes a traced model as TLA+ for TLC 2.15, an independent engine that referees ours.

A state is the tuple ``s`` of all slots; names such as ``view_2_1_version`` are its indices. It is read as the variable,
not as a parameter: TLC finds a parameter by walking past every LET between, and there are hundreds. All laws are
invariants, so TLC shows the run that breaks one. A law of steps is judged with the states before and after at hand, and
``broken`` keeps the names of those that a step broke; an action property would compute every action again. While none
is broken, states and steps are those of ``s`` alone. Where nothing is enabled the model stutters, so TLC's generated
states are our initial states, transitions and terminal states.
"""

from collections.abc import Container, Iterator
from io import StringIO

from oneowner.checkers.engines.compile.program import Place, Program
from oneowner.checkers.engines.compile.trees import Beyond, Branch, Tree, Update
from oneowner.checkers.engines.compile.writing import identifier, needed, roots, shared
from oneowner.checkers.trace.expressions import Expression

WIDTH = 120
NAME_AFTER = "s'"
_TRUTHS = frozenset(("equal", "less", "not", "and"))


def emit(program: Program, module: str, title: str, laws: Container[str]) -> str:
    """Return the module, which judges the steps by those of these laws that are of steps."""
    out = StringIO()
    out.write(f"---- MODULE {module} ----\n(* {title}. Written by oneowner export; do not edit. *)\n")
    out.write("EXTENDS Integers, TLC\nVARIABLES s, broken\n\n")
    names = [identifier(place.name) for place in program.places]
    for number, name in enumerate(names, 1):
        out.write(f"{name} == {number}\n")
    writer = _Writer(program.places, names)
    initial = " \\/ ".join(
        f"s = <<{', '.join(str(c + p.low) for c, p in zip(codes, program.places, strict=True))}>>"
        for codes in program.initial
    )
    out.write(f"\nInit == broken = {{}} /\\ ({initial})\n\nDisabled == <<>>\n\n")
    for number, tree in enumerate(program.trees):
        out.write(f"\\* {program.actions[number]}\nAction{number} ==\n{writer.tree(tree, 's')}\n\n")
    out.write(f"Normalise(x) ==\n{writer.tree(program.normalisation, 'x')}\n\n")
    out.write("RECURSIVE Normal(_)\nNormal(x) == LET y == Normalise(x) IN IF y = Disabled THEN x ELSE Normal(y)\n\n")
    judged = [[check for check in checks if check.name in laws] for checks in program.step_checks]
    for number, checks in enumerate(judged):
        if checks:
            sets = [
                f'    (IF\n{writer.holds(check.answer)}\n    THEN {{}} ELSE {{"{identifier(check.name)}"}})\n'
                for check in checks
            ]
            out.write(f"Broken{number} ==\n" + "    \\cup\n".join(sets) + "\n")
    out.write("Next == LET\n")
    for number in range(len(program.actions)):
        out.write(f"    a{number} == Action{number}\n")
    out.write("    IN\n")
    for number, checks in enumerate(judged):
        found = f"Broken{number}" if checks else "{}"
        out.write(f"    \\/ a{number} # Disabled /\\ s' = Normal(a{number}) /\\ broken' = {found}\n")
    disabled = "".join(f"a{number} = Disabled /\\ " for number in range(len(program.actions)))
    out.write(f"    \\/ {disabled}s' = s /\\ broken' = {{}}\n\n")
    for name in _step_laws(program, laws):
        out.write(f'{name} == "{name}" \\notin broken\n\n')
    for check in program.state_laws:
        out.write(f"{identifier(check.name)} ==\n{writer.holds(check.answer)}\n\n")
    out.write("====\n")
    return "".join(f"{short}\n" for line in out.getvalue().splitlines() for short in _wrapped(line))


def _wrapped(line: str) -> Iterator[str]:
    r"""
    Yield a line as several of at most 120 characters: TLC's parser takes minutes for lines of many thousands.

    A conjunction never begins a line, which would make it the item of a list.

    >>> list(_wrapped("  (a = 1)" + r" /\ (b = 1)" * 11))[1]
    '    1) /\\ (b = 1)'
    """
    indent = " " * (len(line) - len(line.lstrip()))
    while len(line) > WIDTH:
        at = line.rfind(" ", len(indent) + 3, WIDTH)
        while at > 0 and line.startswith("/\\", at + 1):
            at = line.rfind(" ", len(indent) + 3, at)
        if at < 0:
            break
        yield line[:at].rstrip()
        line = f"{indent}  {line[at:].lstrip()}"
    yield line


def configuration(program: Program, laws: Container[str]) -> str:
    """Return the configuration under which TLC checks these laws."""
    lines = ["INIT Init", "NEXT Next"]
    names = [identifier(check.name) for check in program.state_laws if check.name in laws]
    lines += [f"INVARIANT {name}" for name in [*names, *_step_laws(program, laws)]]
    return "\n".join(lines) + "\n"


def _step_laws(program: Program, laws: Container[str]) -> list[str]:
    """Return, each once, those of *laws* by which some action's steps are judged."""
    checks = (check for checks in program.step_checks for check in checks)
    return list(dict.fromkeys(identifier(check.name) for check in checks if check.name in laws))


class _Writer:
    def __init__(self, places: tuple[Place, ...], names: list[str]) -> None:
        self._places = places
        self._names = names
        self._before = "s"
        self._shared: set[Expression] = set()
        self._named: set[Expression] = set()

    def tree(self, tree: Tree, before: str) -> str:
        """Return the state after, or Disabled; of a state that goes by the name *before*."""
        self._before, self._shared, self._named = before, shared(roots(tree)), set()
        return "".join(self._tree(tree, "    "))

    def holds(self, answer: Expression) -> str:
        """Return that the answer of a law is not that it is broken."""
        self._before, self._shared, self._named = "s", shared([answer]), set()
        return f"        {self._let(answer)}{self._number(answer)} # 2"

    def _tree(self, tree: Tree, indent: str) -> Iterator[str]:
        if isinstance(tree, Branch):
            outside = set(self._named)
            yield f"{indent}{self._let(tree.test)}IF {self._truth(tree.test)} THEN\n"
            inside = set(self._named)
            yield from self._tree(tree.then, indent + "  ")
            self._named = inside
            yield f"\n{indent}ELSE\n"
            yield from self._tree(tree.otherwise, indent + "  ")
            self._named = outside
        elif isinstance(tree, Update) and tree.slots:
            outside = set(self._named)
            lets = "".join(self._let(expression) for _, expression in tree.slots)
            changes = ", ".join(f"![{self._names[slot]}] = {self._number(new)}" for slot, new in tree.slots)
            yield f"{indent}{lets}[{self._before} EXCEPT {changes}]"
            self._named = outside
        elif isinstance(tree, Update):
            yield f"{indent}{self._before}"
        elif isinstance(tree, Beyond):  # what lies behind it is unknown
            yield f'{indent}Assert(FALSE, "the bound {tree.bound} is used up")'
        else:
            yield f"{indent}Disabled"

    def _let(self, expression: Expression) -> str:
        words = []
        for node in needed(expression, self._shared, self._named):
            self._named.add(node)
            text = self._spelt_truth(node) if node.operator in _TRUTHS else self._spelt_number(node)
            words.append(f"LET e{node.number} == {text} IN ")
        return "".join(words)

    def _truth(self, node: Expression) -> str:
        if node in self._named:
            return f"e{node.number}" if node.operator in _TRUTHS else f"(e{node.number} = 1)"
        return self._spelt_truth(node)

    def _number(self, node: Expression) -> str:
        if node in self._named:
            return f"(IF e{node.number} THEN 1 ELSE 0)" if node.operator in _TRUTHS else f"e{node.number}"
        return self._spelt_number(node)

    def _spelt_truth(self, node: Expression) -> str:
        if node.operator == "constant":
            return "TRUE" if node.value else "FALSE"
        if node.operator == "not":
            return f"~{self._truth(node.arguments[0])}"
        if node.operator == "and":
            return f"({self._truth(node.arguments[0])} /\\ {self._truth(node.arguments[1])})"
        if node.operator in ("equal", "less"):
            sign = "=" if node.operator == "equal" else "<"
            return f"({self._number(node.arguments[0])} {sign} {self._number(node.arguments[1])})"
        return f"({self._spelt_number(node)} = 1)"

    def _spelt_number(self, node: Expression) -> str:
        if node.operator == "constant":
            return str(node.value) if node.value >= 0 else f"(0 - {-node.value})"
        if node.operator == "variable":
            after, slot = divmod(node.value, len(self._places))
            return f"{NAME_AFTER if after else self._before}[{self._names[slot]}]"
        if node.operator in _TRUTHS:
            return f"(IF {self._spelt_truth(node)} THEN 1 ELSE 0)"
        if node.operator == "choose":
            test, then, otherwise = node.arguments
            return f"(IF {self._truth(test)} THEN {self._number(then)} ELSE {self._number(otherwise)})"
        sign = {"add": "+", "subtract": "-", "multiply": "*"}[node.operator]
        return f"({self._number(node.arguments[0])} {sign} {self._number(node.arguments[1])})"
