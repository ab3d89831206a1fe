"""What a shedder decides for a snapshot of loads, and why, line by line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from oneowner.model.balancer.batch.row import Row, configured
from oneowner.model.balancer.batch.shedders import SHEDDERS
from oneowner.model.balancer.batch.transfer import RULES, SETTINGS, cycle_of
from oneowner.model.balancer.shedding.transfer_cycle import Rules, Settings
from oneowner.model.balancer.shedding.transfer_inputs import NOTHING
from oneowner.model.balancer.shedding.transfer_shedder import shed


class Told(NamedTuple):
    """A shedder that can be asked about a snapshot."""

    lines: Callable[[Row, Any], Iterator[str]]
    """Takes the snapshot and the rules of a release; raises what reading it raises."""
    rules: Mapping[str, Any]
    """By release."""


def transfer(snapshot: Row, rules: Rules) -> Iterator[str]:
    """Yield what TransferShedder decides, after as many cycles with an imbalance as it waits for."""
    settings = configured(Settings(), snapshot.get("conf") or {}, SETTINGS)
    found = shed(cycle_of(snapshot, settings, rules), NOTHING._replace(hits=int(settings.hits)))
    yield f"loads: average {found.average:.3f}, deviation {found.deviation:.3f}"
    yield from (f"  {reason}" for reason in found.reasons)
    for move in found.moves:
        yield f"move {move.bundle} from {move.source} to {move.destination or 'whoever is looked up'}: {move.reason}"
    if found.skipped is not None:
        yield f"nothing moves: {found.skipped}"
    else:
        yield f"then the deviation is {found.deviation_after:.3f}, as the shedder reckons it"


def modular(name: str) -> Told:
    """Return a shedder of the modular load manager, after as many cycles with an imbalance as it waits for."""
    shedder = SHEDDERS[name]

    def lines(snapshot: Row, rules: Any) -> Iterator[str]:
        conf = snapshot.get("conf") or {}
        found = shedder.cycle(snapshot, conf, rules, shedder.waited(snapshot))
        yield from (f"  {reason}" for reason in found.reasons)
        yield from (f"unload {bundle} from {broker}" for bundle, broker in found.moves)
        if found.thrown:
            yield f"nothing is unloaded: the cycle is lost, {found.thrown}"
        elif not found.unload:
            yield "nothing is unloaded"

    return Told(lines, shedder.rules)


SNAPSHOTS: Final = {"transfer": Told(transfer, RULES), **{name: modular(name) for name in SHEDDERS}}
"""By the name that ``--shedder`` takes."""
