"""
A verdict is valid, invalid or unknown, and several become one.

Unknown is never green. A verdict always comes with its reasons, and a process ends with the exit code of
the worst thing that happened: 2 misuse or an unreadable line, 1 invalid, 3 unknown, 0 valid.
"""

from collections.abc import Iterable
from enum import StrEnum


class Verdict(StrEnum):
    """The verdict on a claim."""

    VALID = "valid"
    INVALID = "invalid"
    UNKNOWN = "unknown"


EXIT_CODES = {Verdict.VALID: 0, Verdict.INVALID: 1, Verdict.UNKNOWN: 3}
MISUSE = 2
INTERRUPTED = 130
"""Interrupted by Ctrl-C, as in shells: 128 + SIGINT."""
UNREAD = 141
"""The reader of the output, such as ``head``, has closed it: 128 + SIGPIPE."""

_WORST_FIRST = (Verdict.INVALID, Verdict.UNKNOWN, Verdict.VALID)


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """
    Return the worst verdict; of none at all it is unknown.

    >>> worst([Verdict.VALID, Verdict.UNKNOWN]), worst([])
    (<Verdict.UNKNOWN: 'unknown'>, <Verdict.UNKNOWN: 'unknown'>)
    """
    found = set(verdicts)
    for verdict in _WORST_FIRST:
        if verdict in found:
            return verdict
    return Verdict.UNKNOWN


class Misuse(Exception):
    """
    Something that the caller has to correct: the message is one line, with file and line if there are any.

    >>> print(Misuse("no such family: transfr; did you mean transfer?"))
    no such family: transfr; did you mean transfer?
    """


class UnreadableInput(Misuse):
    """
    A line of a recorded run that cannot be read, with file and line.

    The exit code is that of misuse, but a verb that judges runs makes a result of it: unknown, and written as JSON.
    """


class EngineError(Exception):
    """An engine failed, or gave an answer that the native interpreter does not confirm: nothing is known then."""


EXIT_HELP = """\b
Exit codes: 0 valid, 1 invalid, 2 misuse or an unreadable line in a channel dump, 3 unknown (a hit budget,
a law never exercised, damaged input). Several causes: 2 before 1 before 3 before 0."""
