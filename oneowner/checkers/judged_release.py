"""A release that is not known is judged by the nearest older one, and the output begins with a line that reports it."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from oneowner.checkers.documents import shown, suggestion
from oneowner.checkers.verdict import Misuse
from oneowner.model.kernel.batch import never
from oneowner.model.kernel.releases import is_line, nearest, oldest_of_major, version


class JudgedRelease(NamedTuple):
    """A release of which the rules are known."""

    name: str
    note: str = ""
    """The release that was named instead; empty if it is this one."""


def judged_release(
    name: str, known: Iterable[str], of: str = "", lacks: Callable[[str], bool] = never
) -> JudgedRelease:
    """
    Return the one of the *known* releases whose rules judge *name*; raise Misuse for no release, and for an older one.

    An older one of the same major line, or one that has the classes, is judged by the oldest. *of* names the subject of
    the rules, where that is less than the whole product, and *lacks* reports releases without it, which are refused.

    >>> judged_release("4.2.9", ["4.0.6", "4.2.5"])
    JudgedRelease(name='4.2.5', note='release 4.2.9 is not known; it is judged by the rules of 4.2.5')
    >>> judged_release("2.6.1", ["2.9.1", "4.0.6"]).note
    'release 2.6.1 is not known; it is judged by the rules of 2.9.1, the oldest known'
    """
    there = tuple(known)
    if name not in there and version(name) is not None and lacks(name):
        raise Misuse(
            f"{of} is not modelled for {shown(name)}; it is modelled for {', '.join(there)}, which have such a class"
        )
    by = nearest(name, there)
    oldest = oldest_of_major(name, there)
    if oldest is None and lacks is not never and version(name) is not None:
        oldest = _oldest(there)  # it is known to have these classes
    if by is None and oldest is not None:
        found = _judged_by(oldest, name, of)
        return found._replace(note=f"{found.note}, the oldest known")
    if by is not None:
        return _judged_by(by, name, of)
    if version(name) is None:
        raise Misuse(f"no such release: {shown(name)}; {suggestion(name, there)}")
    if of:
        raise Misuse(f"{of} is not modelled for {shown(name)}; it is modelled for {', '.join(there)}")
    raise Misuse(f"release refused: {shown(name)}; the oldest known release is {_oldest(there)}")


def recorded_release(name: str, known: Iterable[str], default: str, of: str = "") -> JudgedRelease:
    """
    Return the one of the *known* releases whose rules judge a run with *name* in its manifest; no name is refused.

    A run without a release, or with a name that is none, goes by *default*, and one of an older release by the oldest.

    >>> [recorded_release(name, ["4.0.6", "4.2.5"], "4.2.5").name for name in ("", "v4.0.6", "3.0.0", "4.0.99")]
    ['4.2.5', '4.0.6', '4.0.6', '4.0.6']
    """
    there = tuple(known)
    by = nearest(name, there) or (_oldest(there) if version(name) else default)
    return _judged_by(by, name, of) if name else JudgedRelease(default)


def _judged_by(by: str, name: str, of: str = "") -> JudgedRelease:
    if by == name:
        return JudgedRelease(name)
    rules, why = f"the {of} rules" if of else "the rules", "is not known"
    if is_line(name):
        why = "has no patch number"
    return JudgedRelease(by, f"release {shown(name)} {why}; it is judged by {rules} of {by}")


def _oldest(known: Iterable[str]) -> str:
    return min((at, name) for name in known if (at := version(name)) is not None)[1]
