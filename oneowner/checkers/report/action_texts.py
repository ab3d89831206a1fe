"""
``action_text`` parses a docstring for ``oneowner list actions NAME`` and the tables of docs/reference/protocol.md.

The docstring of an action is a sentence, perhaps reasons; its last paragraph has the parts *Enabled*, *Changes*, *Log*
and *Mirrors*, each on a line of its own. The channel's actions have no *Log*: a table binds them to log statements.
"""

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from oneowner.model.kernel.action import Declared
from oneowner.model.kernel.system import System

PARTS = ("Enabled", "Changes", "Log", "Mirrors")


@dataclass(frozen=True, slots=True)
class ActionText:
    """The text of an action, in the notation of docstrings, without line ends."""

    name: str
    """With its parameters, as in ``notify(broker, unit)``."""
    summary: str
    reasons: str
    """Empty if there are none."""
    parts: dict[str, str]
    """The text of each of PARTS that the docstring has."""
    bounds: str
    """In which bounds there are instances, as an expression; empty for all."""
    spends: str
    """The budget that it spends; empty for none."""


def summary_of(run: Callable[..., None]) -> str:
    """Return the first sentence of an action's docstring."""
    return inspect.cleandoc(run.__doc__ or "").partition("\n\n")[0]


def action_text(declared: Declared) -> ActionText:
    """Parse the docstring of an action; raise ValueError unless it has PARTS in their order, perhaps without Log."""
    rest = inspect.cleandoc(declared.run.__doc__ or "").partition("\n\n")[2]
    reasons, *split = re.split(rf"^({'|'.join(PARTS)}): ", rest, flags=re.MULTILINE)
    if [part for part in PARTS if part != "Log" or part in split] != split[::2]:
        said = ", ".join(split[::2]) or "nothing"
        needed = f"{', '.join(PARTS)} are needed, in this order, or all but Log"
        raise ValueError(f"docstring of {declared.name} refused: it has {said}; {needed}")
    parts = {part: _line(said) for part, said in zip(split[::2], split[1::2], strict=True)}
    name = f"{declared.name}({', '.join(declared.parameters)})"
    return ActionText(name, summary_of(declared.run), _line(reasons), parts, *_bounds_and_budget(declared))


def _line(text: str) -> str:
    return " ".join(text.split())


def _bounds_and_budget(declared: Declared) -> tuple[str, str]:
    """Return the bounds in which an action exists, as in its declaration, and the budget that it spends."""
    source = textwrap.dedent(inspect.getsource(declared.run))
    (function,) = ast.parse(source).body
    assert isinstance(function, ast.FunctionDef)
    spent = ", ".join(re.findall(r"state\.(\w+)_left = ", source))
    given = {word.arg: word.value for call in function.decorator_list for word in getattr(call, "keywords", ())}
    if isinstance(condition := given.get("when"), ast.Lambda):
        return re.sub(r"\bbounds\.|\b[A-Z]\w*\.", "", ast.unparse(condition.body)), spent
    return declared.budget, spent


# ---- Markdown ----


def markdown(system: System) -> Iterator[str]:
    """Yield the lines of a table of actions per module of *system*, in the order in which ties are broken."""
    by_module: dict[str, list[Declared]] = {}
    for one in system.declared:
        by_module.setdefault(one.run.__module__, []).append(one)
    for module, declared in by_module.items():
        yield from (
            f"### {module.rpartition('.')[2]}",
            "",
            "| action | bounds | enabled | changes |",
            "|---|---|---|---|",
        )
        for text in map(action_text, declared):
            bounds = f"`{text.bounds}`" if text.bounds and text.bounds != text.spends else ""
            bounds += f"{', ' * bool(bounds)}spends `{text.spends}`" if text.spends else ""
            cells = (f"`{text.name}`", bounds, *(_marked(text.parts[part]) for part in ("Enabled", "Changes")))
            yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
        yield ""


def _marked(text: str) -> str:
    """Convert the text of a docstring to Markdown."""
    return _line(text).replace("``", "`")
