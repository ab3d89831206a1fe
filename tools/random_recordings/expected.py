"""
The expected report of an audit on a run of the model: by the contract's words, from the model's channel, step by step.

Nothing of the audit is imported: not its fold, not its laws, not its intervals.
"""

from typing import NamedTuple

from oneowner.model.channel.record import (
    ASSIGNING,
    DELETED,
    NOBODY,
    OWNED,
    RELEASING,
    SPLITTING,
    Record,
    is_absent,
    is_active,
    next_version,
    owner,
)
from oneowner.model.channel.ring import overlap
from tools.render.channel_dump import Rendered, broker_id
from tools.render.dump_files import Json
from tools.render.model_runs import Appended, ModelRun


class Expected(NamedTuple):
    """The model's report on its own run, in the audit's words."""

    intervals: list[Json]
    refused: list[str]
    """Message ids of records that the channel did not take, in order."""
    broken: list[tuple[str, str]]
    """Law and message id where the contract's words are broken, in order."""


def expected(told: Rendered) -> Expected:
    """Return the expected report of the audit on a rendered run."""
    pairs = list(zip(told.messages, told.run.appended, strict=True))
    ids = [line["messageId"] for line in told.messages]
    broken = [(law, ids[place]) for place in range(len(ids)) for law in sorted(laws_broken(told.run, place))]
    return Expected(intervals(told), [line["messageId"] for line, one in pairs if not one.accepted], broken)


def intervals(told: Rendered) -> list[Json]:
    """Return how long each unit was in one state at one broker, by unit and then by time."""
    found: dict[str, list[Json]] = {key: [] for key in told.keys}
    for line, one in zip(told.messages, told.run.appended, strict=True):
        if not one.accepted:
            continue
        mark = {"messageId": line["messageId"], "time": line["publishTime"]}
        of_unit = found[line["key"]]
        if of_unit and of_unit[-1]["to"] is None:
            of_unit[-1]["to"] = mark
        if not is_absent(one.record):
            number = holder(one.record)
            name = broker_id(number) if number != NOBODY else None
            shown: Json = {"unit": line["key"], "broker": name, "state": one.record.state.value}
            of_unit.append({**shown, "from": mark, "to": None})
    return [one for key in sorted(found) for one in found[key]]


def holder(record: Record) -> int:
    """Return the broker of an interval: the owner or destination, or the source of a release or split."""
    if record.state in (OWNED, ASSIGNING):
        return record.destination
    return record.source if record.state in (RELEASING, SPLITTING) else NOBODY


def laws_broken(run: ModelRun, place: int) -> list[str]:
    """Return the laws of the contract that the record at *place* breaks, one name for every finding."""
    one = run.appended[place]
    if not one.accepted:
        return []
    held, record = one.held[one.unit - 1], one.record
    if is_absent(record):
        return ["tombstone-of-active"] if is_active(held) else []
    broken = ["overlapping-owners"] * rivals(run, one)  # one for each other unit
    if not is_absent(held) and record.version != next_version(held):
        broken.append("version-chain")
    if record.force and record.state == OWNED and held.state == ASSIGNING and not held.force:
        if held.source != NOBODY and record.destination == held.source:
            broken.append("given-back-by-force")
    earlier = run.appended[:place]
    if is_active(record) and is_split_away(earlier, one.unit) and any(is_active(child) for child in children(run, one)):
        broken.append("parent-revived")
    if record.state == DELETED and is_split(earlier, one.unit) and not is_split_away(earlier, one.unit):
        created = {other.unit for other in earlier if other.accepted and not is_absent(other.record)}
        if not {2 * one.unit, 2 * one.unit + 1} <= created:
            broken.append("children-before-deleted")
    return broken


def rivals(run: ModelRun, one: Appended) -> int:
    """Count the overlapping units that another broker owns when *one* gives its unit to a new owner."""
    new = owner(one.record)
    if new in (NOBODY, owner(one.held[one.unit - 1])):
        return 0
    others = [held for unit, held in enumerate(one.held, 1) if unit != one.unit and overlap(run.bounds, unit, one.unit)]
    return sum(owner(held) not in (NOBODY, new) for held in others)


def children(run: ModelRun, one: Appended) -> tuple[Record, ...]:
    """Return the channel's entries of the children of the record's unit."""
    return one.held[2 * one.unit - 1 : 2 * one.unit + 1] if run.bounds.splits else ()


def is_split(earlier: list[Appended], unit: int) -> bool:
    """Return whether a split of *unit* was accepted."""
    return any(one.unit == unit and one.accepted and one.record.state == SPLITTING for one in earlier)


def is_split_away(earlier: list[Appended], unit: int) -> bool:
    """Return whether *unit* was deleted by its split, and has not been active since."""
    last = [one for one in earlier if one.unit == unit and one.accepted and not is_absent(one.record)]
    return bool(last) and last[-1].record.state == DELETED
