"""
``predicted`` decides each cycle of a leader's ``TransferShedder`` by the loads that brokers logged before it.

The memory of the shedder from cycle to cycle is computed and not read: the number of imbalances seen, and the brokers
that must report anew. Completed unloads and their times are read: no load shows them.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

from oneowner.checkers.recordings.decisions.logged_cycles import Cycle, LoadUpdate, LoggedCycles, Report, Top
from oneowner.checkers.recordings.decisions.placements import ROUNDING
from oneowner.checkers.times import iso
from oneowner.checkers.verdict import Verdict
from oneowner.model.balancer.batch.row import configured
from oneowner.model.balancer.batch.transfer import RULES, SETTINGS, cycle_of
from oneowner.model.balancer.shedding.transfer_cycle import Outcome, Settings
from oneowner.model.balancer.shedding.transfer_inputs import NOTHING
from oneowner.model.balancer.shedding.transfer_shedder import shed
from oneowner.model.java.concurrent_hash_map import listed

SOON: Final = 100
"""Milliseconds: a report that is published so shortly before a cycle may come after it."""
GRACE: Final = "loadBalancerSheddingGracePeriodMinutes"

Row = dict[str, Any]
OwnerOf = Callable[[str, int], str | None]
"""The owner of a bundle at a time, by the channel."""


_INNOCENT: Final = (Verdict.VALID, Verdict.UNKNOWN, Verdict.INVALID)


class Prediction(NamedTuple):
    """A cycle and its prediction."""

    cycle: Cycle
    outcome: Outcome
    asked: Row
    """The input of the shedder, as ``decide`` takes it."""
    verdict: Verdict
    """Valid if the cycle did as predicted, unknown if the logs are not precise enough."""
    why: str = ""
    records: tuple[str | None, ...] | None = None
    """For each move the message by which the channel gave the bundle to its destination; None without a channel."""

    @property
    def moves(self) -> tuple[tuple[str, str, str], ...]:
        """Return the predicted moves, each bundle with source and destination."""
        return moves_of(self.outcome)


@dataclass
class LoadData:
    """The load data of all brokers, as a leader has it."""

    loads: dict[str, Report] = field(default_factory=dict)
    tops: dict[str, tuple[Top, ...]] = field(default_factory=dict)

    def take(self, update: LoadUpdate) -> None:
        """Store the load data that a broker published, or drop what it removed."""
        stored: dict[str, Any] = self.loads if update.is_load else self.tops
        if update.report is None:
            stored.pop(update.broker, None)
        else:
            stored[update.broker] = update.report


@dataclass
class Leader:
    """The memory of a leader's shedder and of its caller."""

    before: Outcome = NOTHING
    bundles: dict[str, int] = field(default_factory=dict)
    """The time of each bundle's last unload."""
    brokers: dict[str, int] = field(default_factory=dict)
    """The time at which each broker last gave a bundle away."""


def predicted(
    logged: LoggedCycles, conf: Mapping[str, Any], release: str, owner_of: OwnerOf | None
) -> Iterator[Prediction]:
    """Yield a prediction of each cycle; without *owner_of* a broker is taken to own each bundle that it reports."""
    leaders: dict[str, Leader] = {}
    begun: dict[str, int] = {}
    for cycle in logged.cycles:
        starts = [time for time in logged.started.get(cycle.leader, ()) if time <= cycle.time]
        if starts and begun.get(cycle.leader) != starts[-1]:
            leaders[cycle.leader], begun[cycle.leader] = Leader(), starts[-1]
        leader = leaders.setdefault(cycle.leader, Leader())
        found = [decided(logged, cycle, leader, conf, release, owner_of, until) for until in (0, SOON)]
        best = min(
            found, key=lambda one: _INNOCENT.index(one.verdict)
        )  # whether the report came before or after is not logged
        yield best
        leader.before = best.outcome
        for broker in best.outcome.forgotten:
            leader.brokers.pop(broker, None)
        for bundle, source, _ in cycle.moves:
            done = [time for time in logged.done.get((cycle.leader, bundle), ()) if time >= cycle.time]
            if done:
                leader.bundles[bundle] = leader.brokers[source] = done[0]


def decided(
    logged: LoggedCycles, cycle: Cycle, leader: Leader, conf: Mapping[str, Any], release: str, owner_of: OwnerOf | None,
    until: int,
) -> Prediction:  # fmt: skip
    """Return the decision of a cycle by the load data published until so many milliseconds before it."""
    data = LoadData()
    for update in logged.updates:
        if update.time <= cycle.time - until:
            data.take(update)
    asked = row_of(data, cycle, leader, conf, owner_of)
    settings = configured(Settings(), conf, SETTINGS)

    def answer(row: Row) -> Outcome:
        return shed(cycle_of(row, settings, RULES[release]), leader.before)

    outcome = answer(asked)
    why = difference(outcome, cycle)
    if not why:
        return Prediction(cycle, outcome, asked, Verdict.VALID)
    if any(not difference(answer(row), cycle) for row in rounded_otherwise(asked)):
        return Prediction(cycle, outcome, asked, Verdict.UNKNOWN, "a load that was printed is too coarse to tell")
    return Prediction(cycle, outcome, asked, Verdict.INVALID, why)


def row_of(data: LoadData, cycle: Cycle, leader: Leader, conf: Mapping[str, Any], owner_of: OwnerOf | None) -> Row:
    """Return the input of the shedder, as ``decide`` takes it."""
    grace = float(conf.get(GRACE, 30)) * 60_000
    leader.bundles = {name: when for name, when in leader.bundles.items() if when >= cycle.time - grace}
    brokers: list[Row] = [
        {"id": name, "load": it.load, "throughput_in": it.throughput_in, "throughput_out": it.throughput_out,
         "throughput_ema": it.throughput_average, "age_s": (cycle.time - it.updated) / 1000,
         "available": name in cycle.available}
        for name in listed(data.loads) for it in (data.loads[name],)
    ]  # fmt: skip
    brokers += [{"id": name} for name in cycle.available if name not in data.loads]
    owned = [(name, broker) for broker, tops in data.tops.items() for name, _, _ in tops]
    return {
        "brokers": brokers,
        "top_bundles": {broker: [list(top) for top in tops] for broker, tops in data.tops.items()},
        "recent_bundles": sorted(leader.bundles),
        "recent_brokers": {name: (cycle.time - when) / 1000 for name, when in leader.brokers.items()},
        "not_owned": sorted({name for name, broker in owned if owner_of and owner_of(name, cycle.time) != broker}),
    }


def moves_of(outcome: Outcome) -> tuple[tuple[str, str, str], ...]:
    """Return bundles that move, each with source and destination."""
    return tuple(sorted((move.bundle, move.source, move.destination) for move in outcome.moves))


def difference(outcome: Outcome, cycle: Cycle) -> str:
    """Return the difference of a cycle from *outcome*; empty if there is none."""
    if moves_of(outcome) != cycle.moves:
        return "other bundles moved"
    if cycle.skipped and str(outcome.skipped) != cycle.skipped:
        return f"the leader says {cycle.skipped}"
    if cycle.hits is not None and cycle.hits != outcome.hits:
        return f"the leader has counted {cycle.hits} cycles with an imbalance, and not {outcome.hits}"
    return ""


def rounded_otherwise(asked: Row) -> Iterator[Row]:
    """Yield the same with one load higher or lower by the rounding of the printed value."""
    for number, broker in enumerate(asked["brokers"]):
        for change in (-ROUNDING, ROUNDING) if "load" in broker else ():
            brokers = list(asked["brokers"])
            brokers[number] = {**broker, "load": broker["load"] + change}
            yield {**asked, "brokers": brokers}


def in_doubt(one: Prediction, doubt: str) -> Prediction:
    """Return a prediction with a *doubt* that may explain a difference."""
    if one.verdict is not Verdict.INVALID:
        return one
    return one._replace(verdict=Verdict.UNKNOWN, why=f"{doubt}; else: {one.why}")


def with_record(one: Prediction, record_of: Callable[[str, str, int], str | None]) -> Prediction:
    """
    Return a prediction with its records in the channel; without a record of a move it is unknown.

    *record_of* gives the message by which a bundle got its next owner after a time, if that is the broker.
    """
    records = tuple(record_of(bundle, to, one.cycle.time) for bundle, _, to in one.moves)
    if one.verdict is Verdict.VALID and None in records:
        why = "the channel has no record that gives a bundle to its destination"
        one = one._replace(verdict=Verdict.UNKNOWN, why=why)
    return one._replace(records=records)


def summary(folder: str, found: list[Prediction]) -> list[str]:
    """Return lines on the cycles of a recorded run."""
    count = sum(one.verdict is Verdict.VALID for one in found)
    moved = sum(len(one.cycle.moves) for one in found)
    lines = [f"{folder}: {len(found)} cycles of TransferShedder, {count} as predicted; {moved} bundles moved"]
    for number, one in enumerate(found, 1):
        lines.append(f"  cycle {number}, {iso(one.cycle.time)}, {Path(one.cycle.path).name}:{one.cycle.line}")
        if not one.moves:
            lines.append(f"    nothing moves: {one.outcome.skipped}; imbalance in {one.outcome.hits} cycles in a row")
        for (bundle, source, to), record in zip(one.moves, one.records or [None] * len(one.moves), strict=True):
            at = f" ({record})" if record else ""
            lines.append(f"    {bundle} moves from {source} to {to or 'whom a lookup finds'}{at}")
        if one.why:
            did = ", ".join(f"{bundle} from {source} to {to}" for bundle, source, to in one.cycle.moves) or "nothing"
            word = "not known" if one.verdict is Verdict.UNKNOWN else "otherwise"
            lines.append(f"    {word}: {one.why}; moved: {did}")
    return lines
