"""``classes_of`` reports by which release's rules each system and shedder judges a release, and the evidence."""

from collections.abc import Callable, Container, Iterator
from functools import partial
from typing import Any, Final, NamedTuple

from rich.console import Console

from oneowner.checkers.report.text import table
from oneowner.model.balancer.batch import transfer
from oneowner.model.balancer.batch.shedders import MEASURED, SHEDDERS
from oneowner.model.balancer.local_broker_data import LOAD_RULES
from oneowner.model.kernel.releases import nearest, version
from oneowner.model.kernel.system import Known, System
from oneowner.model.pulsar.classes import ROWS
from oneowner.model.pulsar.releases import RELEASES
from oneowner.model.pulsar.variants import VARIANTS
from oneowner.spec.systems import systems

TRANSFER: Final = "TransferShedder", "TransferShedder's thresholds"
UNREAD: Final = frozenset({Known.EQUAL, Known.NOTES})
"""The evidence that leans on another release, or on none of its code."""


class Subject(NamedTuple):
    """A system, or a shedder."""

    name: str
    rows: tuple[str, ...]
    """The rows of the measured table that decide."""
    releases: tuple[str, ...]
    """Those whose rules are known."""
    how: Callable[[str], str]
    """Returns the evidence for the rules of one of them."""


class Judged(NamedTuple):
    """The release by whose rules a subject judges another; empty if it has no such class."""

    subject: str
    by: str
    why: str


def _subjects() -> Iterator[Subject]:
    for name, rows in ROWS.items():
        system = systems()[name]
        how = partial(_known, system, next(iter(system.rules.__dataclass_fields__)))
        yield Subject(name, rows, tuple(one for one in system.releases if version(one) is not None), how)
    for name, rows in MEASURED.items():
        yield Subject(name, rows, tuple(SHEDDERS[name].rules), partial(_read, LOAD_RULES))
    yield Subject("transfer", TRANSFER, tuple(transfer.RULES), partial(_read, transfer.READ))


def _known(system: System, switch: str, release: str) -> str:
    return system.known(release, switch)


def _read(those: Container[str], release: str) -> str:
    return Known.SOURCE if release in those else Known.EQUAL


def classes_of(release: str) -> Iterator[Judged]:
    """Yield for each system and shedder the rules by which *release* is judged."""
    for subject in _subjects():
        yield Judged(subject.name, *_judged(subject, release))


def _judged(subject: Subject, release: str) -> tuple[str, str]:
    if VARIANTS.lacks(release, subject.rows[0]):
        return "", "no such class"
    at = RELEASES.index(release) if release in RELEASES else len(RELEASES)
    others = [one for one in subject.releases if one != release and subject.how(one) not in UNREAD]
    others.sort(key=lambda one: abs(RELEASES.index(one) - at) if one in RELEASES else len(RELEASES))
    equal = VARIANTS.equal_to(release, others, *subject.rows)
    if release in subject.releases:
        how = subject.how(release)
        if equal is None:
            return release, how
        return release, f"classes equal to those of {equal}" + (f"; {how}" if how != Known.EQUAL else "")
    by = nearest(release, subject.releases) or subject.releases[0]
    return by, f"the nearest; {_difference(subject, release, by)}"


def _difference(subject: Subject, release: str, by: str) -> str:
    if release not in VARIANTS.releases:
        return "its classes were not measured"
    differs = [row for row in subject.rows if VARIANTS.code(release, row) != VARIANTS.code(by, row)]
    return f"other code in {', '.join(differs)}"


def print_classes(out: Console, release: str) -> None:
    """Print by which rules each system and shedder judges a release."""
    made = table("system", "by the rules of", "how known")
    for row in classes_of(release):
        made.add_row(row.subject, row.by or "-", row.why)
    out.print(made)
    out.print()


def as_json(release: str) -> list[dict[str, Any]]:
    """Return the same with the keys of ``result.schema.json``."""
    return [{"release": release, "system": row.subject, "by": row.by, "why": row.why} for row in classes_of(release)]
