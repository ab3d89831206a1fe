"""
A table of cases gives by sentence a small scene, the law that judges it, and the law's whole report.

A case without findings is quiet: the law had an occasion, found nothing, and has no doubt.
"""

from dataclasses import dataclass
from typing import Any

import pytest

from oneowner.checkers.recordings.laws.registry import SCENE_LAWS
from oneowner.checkers.recordings.laws.scene_law import LawOutcome, SceneLaw
from oneowner.checkers.recordings.read.events import Finding, Window
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.model.kernel.law import Severity

LAWS = {law.name: law for law in SCENE_LAWS}


@dataclass(frozen=True, slots=True)
class Found:
    """A finding that must be made; its other fields may be anything."""

    severity: Severity
    brokers: tuple[str, ...]
    """All that it accuses, in order; empty: any."""
    why: tuple[str, ...]
    """Words of its sentence."""
    fields: dict[str, Any]
    """Fields of it or of its window, which must be equal; and those that ``_asked`` names."""

    def assert_is(self, one: Finding) -> None:
        """Fail unless *one* is this finding."""
        assert one.severity == self.severity, one
        assert one.brokers == (self.brokers or one.brokers), one
        assert all(words in one.why for words in self.why), one.why
        for name, expected in self.fields.items():
            assert _asked(one, name, expected) == expected, (name, one)


def _asked(one: Finding, name: str, expected: Any) -> Any:
    """Return the expected *name* of a finding; an unknown name is an AttributeError."""
    match name:
        case "at":
            return one.message_id
        case "window":  # its first times
            return one.window and one.window[: len(expected)]
        case "cites":  # the message ids of its lines
            return [line.message_id for line in one.evidence]
        case "times":  # those of its lines
            return [line.time for line in one.evidence]
        case "pieces":  # the files of its lines
            return [line.origin.piece for line in one.evidence]
        case "lines":
            return len(one.evidence)
        case "shows":  # words of one of its lines
            return expected if any(expected in line.text for line in one.evidence) else None
        case "symptom":  # the only one; None: none
            return next(iter(one.symptoms), None)
        case "why_not":  # what its sentence must not say
            return None if expected in one.why else expected
    return getattr(one.window if name in Window._fields else one, name)


def violation(*brokers: str, why: str | tuple[str, ...] = (), **fields: Any) -> Found:
    """Return a finding that a law must make."""
    return _found(Severity.VIOLATION, brokers, why, fields)


def warning(*brokers: str, why: str | tuple[str, ...] = (), **fields: Any) -> Found:
    """Return a warning that a law must give."""
    return _found(Severity.WARNING, brokers, why, fields)


def note(*brokers: str, why: str | tuple[str, ...] = (), **fields: Any) -> Found:
    """Return a note that a law must make."""
    return _found(Severity.NOTE, brokers, why, fields)


def _found(severity: Severity, brokers: tuple[str, ...], why: str | tuple[str, ...], fields: dict[str, Any]) -> Found:
    return Found(severity, brokers, (why,) if isinstance(why, str) else why, fields)


@dataclass(frozen=True, slots=True)
class Case:
    """A scene, its law, and the law's expected report: neither more nor less."""

    law: SceneLaw
    given: Scene
    found: tuple[Found, ...]
    occasions: int | None
    """None: one or more."""
    doubts: int | str
    """Their number; or words of the only one."""

    def judged(self) -> LawOutcome:
        """Return the law's report."""
        return self.law.judge(self.given)

    def check(self) -> None:
        """Fail unless the law's report is as expected."""
        judged = self.judged()
        assert len(judged.findings) == len(self.found), judged
        for expected, one in zip(self.found, judged.findings, strict=True):
            expected.assert_is(one)
        assert judged.exercised == self.occasions if self.occasions is not None else judged.exercised > 0, judged
        if isinstance(self.doubts, str):
            [doubt] = judged.doubts
            assert self.doubts in doubt
        else:
            assert len(judged.doubts) == self.doubts, judged


def case(law: str, given: Scene, *found: Found, occasions: int | None = None, doubts: int | str = 0) -> Case:
    """Return the case that *law* must report *found* of *given*, in this order."""
    return Case(LAWS[law], given, found, occasions, doubts)


def each(cases: dict[str, Case]) -> pytest.MarkDecorator:
    """Parametrise a test by the cases of a table, under their sentences."""
    return pytest.mark.parametrize("case", cases.values(), ids=cases)
