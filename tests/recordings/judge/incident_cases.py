"""Incidents of runs written out by hand: happenings, findings and clients; times in milliseconds from 0."""

from collections.abc import Sequence
from typing import Any

from oneowner.checkers.recordings.judge.incidents import Incident, Numbered, incidents
from oneowner.checkers.recordings.laws.scene_verdict import Background
from oneowner.checkers.recordings.read.events import NOWHERE, Cause, Finding, Origin, Window
from oneowner.checkers.recordings.scene.happening import Happening
from oneowner.checkers.recordings.scene.timeline import END
from oneowner.model.kernel.law import Severity

RECORDED = 400_000
"""The last observation of every run here."""
UNITS = tuple(f"t/n/0x{number}0000000_0x{number + 1}0000000" for number in range(8))
VIOLATION, WARNING = Severity.VIOLATION, Severity.WARNING


def happened(cause: Cause, until: int = END, *behind: Cause) -> Happening:
    """A happening with its causes *behind* it."""
    return Happening(cause, until, f"{cause.subject or 'ZooKeeper'}: {cause.kind}", (cause.subject,), (), behind)


def found(
    law: str, severity: Severity, units: Sequence[str], since: int, until: int, *causes: Cause, brokers: Any = ()
) -> Finding:
    """A finding of *law* about *units*, with the time that it was seen to last."""
    last = RECORDED if until == END else until
    return Finding(
        law, severity, None, NOWHERE, Origin(0, 0, 0), None, since, tuple(brokers), law, None, None, law, "",
        window=Window(since, last, since, until), causes=causes, units=tuple(units),
    )  # fmt: skip


def made(happenings: Sequence[Happening], *findings: Finding, **fields: Any) -> list[Incident]:
    """The incidents of these."""
    background = Background(tuple(happenings), end=RECORDED, **fields)
    return incidents([Numbered(number, one) for number, one in enumerate(findings)], background)


def kind_of(one: Incident) -> str:
    """The kind of an incident's root, which it has."""
    assert one.root is not None
    return one.root.cause.kind
