"""``check_declaration`` refuses a law that its author has declared wrongly, with file and line, when it is declared."""

import dis
import re
from collections.abc import Mapping, Sequence
from inspect import signature
from types import FunctionType
from typing import Any, Final

NAME: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


class WrongDeclaration(ValueError):
    """A law or a witness that cannot be judged as it is declared."""

    def __init__(self, predicate: Any, why: str) -> None:
        code = predicate.__code__ if isinstance(predicate, FunctionType) else None
        super().__init__(why)
        self.file = code.co_filename if code else ""
        self.line = code.co_firstlineno if code else 0


def check_declaration(
    predicate: Any, name: str, statement: str, asked: Mapping[str, Any], arguments: Sequence[str] | None
) -> None:
    """
    Raise WrongDeclaration for a law that could not be found or judged.

    The functions *asked*, by their role, must take *arguments*, unless these are None.
    """
    if not isinstance(predicate, FunctionType):
        raise WrongDeclaration(predicate, f"{name} refused: it declares {predicate!r}; a law is declared by a function")
    if not NAME.fullmatch(name):
        raise WrongDeclaration(predicate, f"name refused: {name!r}; words in lower case joined by hyphens are allowed")
    if predicate.__name__.startswith("_"):
        raise WrongDeclaration(predicate, f"{name} refused: {predicate.__name__} is private, and no law is found there")
    if not statement:
        raise WrongDeclaration(predicate, f"{name} refused: the function has no docstring; it states the law")
    if _may_end_without_answer(predicate):
        raise WrongDeclaration(predicate, f"{name} refused: the function can end without True or False")
    for role, one in asked.items():
        if arguments is not None and not _takes(one, len(arguments)):
            raise WrongDeclaration(predicate, f"{name} refused: {role} must be a function of ({', '.join(arguments)})")


def _takes(function: Any, number: int) -> bool:
    if not callable(function):
        return False
    try:
        signature(function).bind(*[None] * number)
    except TypeError:
        return False
    return True


def _may_end_without_answer(function: FunctionType) -> bool:
    """
    Return whether a function returns None on some path, as one that lacks a ``return`` does.

    >>> def forgetful(state: int) -> bool | None:
    ...     if state:
    ...         return True
    >>> _may_end_without_answer(forgetful), _may_end_without_answer(_takes)
    (True, False)
    """
    if None not in function.__code__.co_consts:
        return False
    before = None
    for at in dis.get_instructions(function):
        is_none = at.opname == "RETURN_CONST" and at.argval is None
        if is_none or (at.opname == "RETURN_VALUE" and before is not None and _loads_none(before)):
            return True
        before = at
    return False


def _loads_none(at: Any) -> bool:
    return at.opname == "LOAD_CONST" and at.argval is None
