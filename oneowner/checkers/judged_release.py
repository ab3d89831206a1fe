"""A release that is not known is judged by the nearest older one, and the output begins with a line that reports it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from oneowner.checkers.documents import shown, suggestion
from oneowner.checkers.verdict import Misuse
from oneowner.model.kernel.releases import nearest, version


class JudgedRelease(NamedTuple):
    """A release of which the rules are known."""

    name: str
    note: str = ""
    """The release that was named instead; empty if it is this one."""


def judged_release(name: str, known: Iterable[str], of: str = "") -> JudgedRelease:
    """
    Return by which of the *known* releases *name* is judged; raise Misuse for no release, and for one that is older.

    *of* names what the rules are of, where that is less than the whole product.

    >>> judged_release("4.2.9", ["4.0.6", "4.2.5"])
    JudgedRelease(name='4.2.5', note='release 4.2.9 is not known; it is judged by the rules of 4.2.5')
    """
    there = tuple(known)
    by = nearest(name, there)
    if by == name:
        return JudgedRelease(name)
    if by is not None:
        rules = f"the {of} rules" if of else "the rules"
        return JudgedRelease(by, f"release {shown(name)} is not known; it is judged by {rules} of {by}")
    if version(name) is None:
        raise Misuse(f"no such release: {shown(name)}; {suggestion(name, there)}")
    if of:
        raise Misuse(f"{of} is not modelled for {shown(name)}; it is modelled for {', '.join(there)}")
    raise Misuse(f"release refused: {shown(name)}; it is older than all that are known; there are: {', '.join(there)}")
