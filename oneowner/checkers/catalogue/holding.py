"""
The laws that hold in a family, as its file pins them: their number, and a fingerprint of each name.

``holds: 3 laws, 5LQKzXw1_`` is one line for any number of laws. A fingerprint is three characters of the digest of a
name, so that a law which is new there, or gone, can be named without a search; ``oneowner list families NAME`` prints
the names.
"""

import re
from base64 import urlsafe_b64encode
from collections.abc import Iterable
from hashlib import sha256

from oneowner.checkers.documents import Part
from oneowner.checkers.verdict import Misuse

WIDTH = 3
"""Characters of a fingerprint: 262,144 of them, and no system has more than 200 laws."""
_READS = re.compile(rf"(\d+) laws?(?:, ((?:[\w-]{{{WIDTH}}})+))?")


def fingerprint(law: str) -> str:
    """
    Return the fingerprint of a law.

    >>> fingerprint("single-server") == fingerprint("single-server-always")
    False
    """
    return urlsafe_b64encode(sha256(law.encode()).digest())[:WIDTH].decode()


def in_fingerprints(laws: Iterable[str]) -> str:
    """
    Return the value of ``holds``.

    >>> in_fingerprints(["one-owner"]) == f"1 law, {fingerprint('one-owner')}"
    True
    """
    them = sorted(map(fingerprint, laws))
    number = f"{len(them)} law{'' if len(them) == 1 else 's'}"
    return f"{number}, {''.join(them)}" if them else number


def fingerprints_in(text: str) -> list[str] | None:
    """
    Return the fingerprints in a value of ``holds``; None for one that is damaged.

    >>> fingerprints_in("2 laws, abcdef"), fingerprints_in("2 laws, abc"), fingerprints_in("0 laws")
    (['abc', 'def'], None, [])
    """
    match = _READS.fullmatch(text)
    if match is None:
        return None
    them = [match[2][at : at + WIDTH] for at in range(0, len(match[2]), WIDTH)] if match[2] else []
    return them if int(match[1]) == len(set(them)) == len(them) else None


def split(fingerprints: Iterable[str], known: Iterable[str]) -> tuple[list[str], list[str]]:
    """
    Return the *known* laws with these fingerprints, in their order, and the fingerprints of no known law.

    Raise Misuse if two known laws have the same one.
    """
    laws: dict[str, str] = {}
    for law in known:
        if (other := laws.setdefault(fingerprint(law), law)) != law:
            raise Misuse(f"{law} and {other} have the same fingerprint; another name for one of them is needed")
    them = set(fingerprints)
    return [law for mark, law in laws.items() if mark in them], sorted(them - laws.keys())


def holding(part: Part, known: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return what ``split`` does for the value of ``holds``; raise Misuse with file and line if it is damaged."""
    them = fingerprints_in(part.text())
    if them is None:
        raise part.refuse("a number of laws and as many fingerprints, which oneowner bless writes")
    return split(them, known)
