"""The harm of a law that a bug breaks (``spec/harms.yaml``), by which bugs are sorted."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from oneowner.checkers.catalogue.faults import DEFAULT_SYSTEM, Fault, LogFault, Unkilled
from oneowner.checkers.documents import Part, read_document, read_once
from oneowner.checkers.places import PACKAGE
from oneowner.spec.channel.registry import LOG_LAWS
from oneowner.spec.systems import systems

Row = TypeVar("Row", bound=Fault | LogFault | Unkilled)


@dataclass(frozen=True, slots=True)
class Harm:
    """A kind of harm; the greatest has rank 0."""

    rank: int
    name: str
    meaning: str


_FILE = PACKAGE / "spec" / "harms.yaml"


@read_once(lambda: [str(_FILE)])
def harms() -> dict[str, Harm]:
    """Return the harm of each listed law, by ``SYSTEM/LAW``; raise Misuse for a law that is in no system."""
    document = read_document(_FILE)
    found: dict[str, Harm] = {}
    for rank, part in enumerate(Part(document, document.data).items()):
        row = part.mapping(["harm", "meaning", "laws"])
        harm = Harm(rank, row["harm"].line(), row["meaning"].line())
        for name, laws in row["laws"].mapping((), systems()).items():
            of_logs = [law.name for law in LOG_LAWS] if name == DEFAULT_SYSTEM else []
            known = {law: law for law in (*systems()[name].statuses, *of_logs)}
            for law in laws.items():
                full = f"{name}/{law.one_of(known, 'law')}"
                if full in found:
                    raise law.complaint(f"law refused: {full}; its harm is {found[full].name} already")
                found[full] = harm
    return found


LEAST = Harm(99, "no harm listed", "the law is not in spec/harms.yaml")


def harm_of(row: Fault | LogFault | Unkilled) -> Harm:
    """Return the harm of the law that a bug breaks."""
    return LEAST if isinstance(row, Unkilled) else harms().get(f"{row.system}/{row.law}", LEAST)


def by_harm(rows: Iterable[Row]) -> list[Row]:
    """Return rows with the greatest harm first, in their order within one harm."""
    return sorted(rows, key=lambda row: harm_of(row).rank)
