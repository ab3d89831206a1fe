"""The decisions of two releases on one snapshot of loads (``oneowner upgrade LOADS``)."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from oneowner.checkers.cli.decide import decisions, judges
from oneowner.checkers.cli.decide_snapshot import SNAPSHOTS, Answer, check
from oneowner.checkers.cli.snapshot_documents import Given, snapshot_in
from oneowner.checkers.upgrade.upgrade_item import Area, UpgradeItem, Weight
from oneowner.checkers.verdict import Misuse
from oneowner.spec.settings.conf import Conf, shedder

TRANSFER: Final = "transfer"
SHEDDERS: Final = {
    "impl.ThresholdShedder": "threshold", "impl.OverloadShedder": "overload", "impl.UniformLoadShedder": "uniform",
    "impl.AvgShedder": "avg", "extensions.scheduler.TransferShedder": TRANSFER,
}  # fmt: skip
"""The names of ``oneowner decide --shedder``, by class."""


def decision_changes(path: Path, before: Conf, after: Conf) -> Iterator[UpgradeItem]:
    """
    Yield the differences of the decisions for a snapshot of loads.

    A snapshot for TransferShedder is decided by it, and any other by the shedder that each release would use.
    """
    releases = before.facts.release, after.facts.release
    names = SHEDDERS.get(shedder(before), ""), SHEDDERS.get(shedder(after), "")
    if _is_of_transfer(path):
        names = TRANSFER, TRANSFER
    if "" in names:
        unknown = before if not names[0] else after
        raise Misuse(
            f"{path}: no decision is computed for the shedder of {unknown.facts.release}, {shedder(unknown)!r}"
        )
    if names[0] == names[1]:
        _, _, lines = _decided(path, names[0], releases)
        is_same = any("decide the same" in line for line in lines)
        weight = Weight.NOTE if is_same else Weight.MIND
        yield from (_item(weight, f"{names[0]}: {line.strip()}", path) for line in lines)
        return
    found = [_answer(path, name, release) for release, name in zip(releases, names, strict=True)]
    weight = Weight.NOTE if found[0].moves == found[1].moves else Weight.MIND
    for release, name, answer in zip(releases, names, found, strict=True):
        shown = "; ".join(answer.moves[:MOST]) or [*answer.lines()][-1]
        more = f" and {len(answer.moves) - MOST} more" if len(answer.moves) > MOST else ""
        yield _item(weight, f"{name} of {release}: {shown}{more}", path)


MOST: Final = 5
"""Moves that an item names."""


def _is_of_transfer(path: Path) -> bool:
    """Return whether a snapshot has the loads that TransferShedder reads."""
    read = snapshot_in(path, None)
    if read.shedder != TRANSFER:
        return False
    try:
        check(read.document, TRANSFER, is_placed=False)
    except Misuse:
        return False
    return True


def _decided(path: Path, name: str, releases: Sequence[str]) -> tuple[Given, list[str], list[str]]:
    """Return a snapshot, the releases by which it is judged, and the decisions, or their differences, as lines."""
    read = _read(path, name)
    by = [one.name for one in judges(read, None, tuple(releases))]
    return read, by, decisions(read, by, False, None)[0]


def _answer(path: Path, name: str, release: str) -> Answer:
    read, by, _ = _decided(path, name, [release])
    asked = SNAPSHOTS[name]
    return asked.answer(read.document.data, asked.rules[by[0]])


def _read(path: Path, name: str) -> Given:
    read = snapshot_in(path, name)
    if not read.is_known:
        raise Misuse(f"{path}:1: no broker has a load for {name}: no decision is possible")
    return read


def _item(weight: Weight, what: str, path: Path) -> UpgradeItem:
    return UpgradeItem(Area.DECISIONS, weight, what, "", str(path))
