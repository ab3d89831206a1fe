"""
Report why a line of a batch is refused: the key that is to blame, its value, and the form that it should have.

A function of the model raises ``InvalidInput``, or the like, with words of its own; any other exception comes of a
value of the wrong form. To blame is the first value that makes the line an input once one of another form replaces it.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from oneowner.checkers.documents import shown

UNREADABLE: Final = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError)
"""Exceptions of a wrong form; others are bugs, unless another value mends them."""
FORMS: Final[tuple[tuple[type | tuple[type, ...], str, tuple[Any, ...]], ...]] = (
    ((int, float), "it is a number", (1,)),
    (list, "it is a list", ([],)),
    (dict, "it is a mapping", ({},)),
    (str, "it is a text", ("t/n/0x00000000_0x80000000", "0_0", "b:8080")),
    (bool, "it is true or false", (True,)),
)
"""Types of values, their forms in words, and values of each form."""
MOST: Final = 300
"""Values that are tried."""

Path = tuple[str | int, ...]


class Blame(NamedTuple):
    """The reason of a refusal, and the place of the value that is to blame."""

    words: str
    path: Path = ()


def blame(error: Exception, row: Any, answer: Callable[[Any], Any]) -> Blame:
    """Return what is wrong with *row*, of which *answer* raised *error*."""
    if is_worded(error):
        return Blame(str(error))
    if isinstance(error, KeyError) and error.args and isinstance(error.args[0], str):
        return Blame(f"'{shown(error.args[0])}' is missing")
    for path, value in list(suspects(row))[:MOST]:
        for kind, form, others in FORMS:
            if type(value) is bool if kind is bool else isinstance(value, kind) and type(value) is not bool:
                continue
            if any(is_answered(replaced(row, path, other), answer) for other in others):
                return Blame(f"{named(path)} refused: {shown(value)}; {form}", path)
    if not isinstance(error, UNREADABLE):
        raise error  # no value is to blame
    return Blame("a value has an unknown form; docs/decide.md and docs/assign.md have examples")


def is_worded(error: Exception) -> bool:
    """Return whether an exception was raised for a reader, in words of its own."""
    return isinstance(error, ValueError) and type(error).__module__.startswith("oneowner.")


def is_answered(row: Any, answer: Callable[[Any], Any]) -> bool:
    """Return whether *row* is an input: an answer, or a refusal for another reason than a form."""
    try:
        answer(row)
    except Exception as error:  # whatever it raises, it is no answer
        return is_worded(error) or (isinstance(error, KeyError) and isinstance(error.args[0], str))
    return True


def suspects(row: Any) -> list[tuple[Path, Any]]:
    """Return the values within *row* with their places: scalars first, then containers from the innermost out."""
    found = [one for one in parts(row, ()) if one[0]]
    return sorted(found, key=lambda one: (isinstance(one[1], dict | list), -len(one[0])))


def parts(value: Any, at: Path) -> Iterator[tuple[Path, Any]]:
    """Yield *value*, and the values within it."""
    yield at, value
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inner:
        yield from parts(one, (*at, key))


def replaced(value: Any, path: Path, other: Any) -> Any:
    """
    Return *value* with another one at a path.

    >>> replaced({"a": [1, 2]}, ("a", 0), "x")
    {'a': ['x', 2]}
    """
    if not path:
        return other
    copy = value.copy()
    copy[path[0]] = replaced(value[path[0]], path[1:], other)
    return copy


def named(path: Path) -> str:
    """
    Return a path as people write it.

    >>> named(("owned", 2, "bundle"))
    'owned[2].bundle'
    """
    words = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return shown(words.removeprefix("."))
