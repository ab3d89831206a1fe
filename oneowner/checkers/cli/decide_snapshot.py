"""The decision of a shedder for a snapshot of loads, the changes that turn it, and that of another release."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from oneowner.checkers.cli.snapshot_types import (
    BROKER_OF_MODULAR,
    BROKER_OF_TRANSFER,
    OF_MODULAR,
    OF_TRANSFER,
    anything,
    text,
)
from oneowner.checkers.decisions import gates
from oneowner.checkers.decisions.release_diff import difference
from oneowner.checkers.decisions.what_if import turns
from oneowner.checkers.documents import Document, Part
from oneowner.model.balancer.batch.extensible import WEIGHTS
from oneowner.model.balancer.batch.row import configured, defaults_of
from oneowner.model.balancer.batch.selection import selection_of
from oneowner.model.balancer.batch.shedders import KEYS, SHEDDERS
from oneowner.model.balancer.batch.transfer import RULES, SETTINGS, cycle_of, lacks
from oneowner.model.balancer.filters import isolation
from oneowner.model.balancer.local_broker_data import LoadRules
from oneowner.model.balancer.placement.modular_selection import filtered, filters, select
from oneowner.model.balancer.shedding.amounts import share
from oneowner.model.balancer.shedding.transfer_cycle import Reason, Rules, Settings
from oneowner.model.balancer.shedding.transfer_inputs import NOTHING
from oneowner.model.balancer.shedding.transfer_shedder import shed
from oneowner.model.kernel.batch import Row
from oneowner.model.kernel.decision import Thrown
from oneowner.model.kernel.releases import nearest


class Answer(NamedTuple):
    """The decision of a shedder, in words."""

    reasons: tuple[str, ...]
    """The reason that each candidate moves or stays."""
    moves: tuple[str, ...]
    ending: str
    is_known: bool = True
    """False if the decision depends on data that the snapshot lacks."""
    moved: tuple[tuple[str, str, str], ...] = ()
    """Bundle, source and destination of each move; no destination where a lookup chooses it."""

    def lines(self) -> Iterator[str]:
        """Yield the answer, line by line."""
        yield from (f"  {reason}" for reason in self.reasons)
        yield from self.moves
        if self.ending:
            yield self.ending


SETTLED: Final = "averages are those of a leader that has seen these loads for long; settled: false is its first cycle"
FIRST: Final = "averages are those of the first cycle after a leader's start, which begins at 0 (until 2.9.2)"


class Shedder(NamedTuple):
    """A shedder that decides for snapshots."""

    answer: Callable[[Row, Any], Answer]
    """Take a snapshot and the rules of a release; raise the errors of reading the snapshot."""
    rules: Mapping[str, Any]
    """By release."""
    defaults: Mapping[str, Any]
    """The keys of broker.conf that it reads, with their defaults."""
    lacks: Callable[[str], bool]
    """Return whether a release has no such shedder."""


def transfer(snapshot: Row, rules: Rules) -> Answer:
    """Return the decision of TransferShedder after as many unbalanced cycles as it requires."""
    called = gates.scheduled(snapshot)
    snapshot = {**snapshot, "recent_bundles": called.told}
    settings = configured(Settings(), snapshot.get("conf") or {}, SETTINGS)
    found = shed(cycle_of(snapshot, settings, rules), NOTHING._replace(hits=int(settings.hits)))
    if (closed := gates.said(called.skipped)) is not None:
        return Answer((), (), f"nothing moves: {closed}")
    loads = (
        f"loads: average {share(found.average)}, deviation {found.deviation:.3f}"
        f" (loadBalancerBrokerLoadTargetStd {settings.target_deviation:g})"
    )
    moves = tuple(
        f"move {move.bundle} from {move.source} to {move.destination or 'a broker chosen by a lookup'}: {move.reason}"
        for move in found.moves
    )
    after = f"the shedder expects a deviation of {found.deviation_after:.3f} afterwards"
    if found.skipped is Reason.NO_LOAD_DATA and (missing := without_top_bundles(snapshot)):
        return Answer((loads, *found.reasons), (), CANNOT_TELL.format(", ".join(missing)), is_known=False)
    moved = tuple((move.bundle, move.source, move.destination) for move in found.moves)
    return Answer((loads, *found.reasons), moves, after if moves else f"nothing moves: {found.skipped}", moved=moved)


def without_top_bundles(snapshot: Row) -> list[str]:
    """Return the most loaded broker if the snapshot has not its top bundles; all brokers if it has none at all."""
    loads = {one["id"]: one["load"] for one in snapshot["brokers"] if one.get("load") is not None}
    there = snapshot.get("top_bundles") or {}
    if not there:
        return sorted(loads)
    most = max(loads, key=lambda name: loads[name], default=None)
    return [most] if most is not None and most not in there else []


def modular(name: str) -> Shedder:
    """Return a shedder of the modular load manager after as many unbalanced cycles as it requires."""
    shedder = SHEDDERS[name]

    def answer(snapshot: Row, rules: Any) -> Answer:
        conf = snapshot.get("conf") or {}
        before = gates.shed(snapshot, {}, rules.task)
        snapshot = {**snapshot, "recent": before.told}
        is_first = name == "threshold" and not snapshot.get("settled", True)
        memory = None if is_first else shedder.waited(snapshot, conf, rules.shedder)
        found = shedder.cycle(snapshot, conf, rules.shedder, memory)
        if (closed := gates.said(before.skipped)) is not None:
            after = "" if before.runs_again else ", and this leader unloads nothing any more (#24838)"
            return Answer((), (), f"nothing is unloaded: {closed}{after}")
        called = gates.shed(snapshot, dict(found.unload), rules.task)
        moves = tuple(f"unload {bundle} from {broker}" for bundle, broker, _ in called.unloaded)
        passed_over = tuple(f"{bundle} stays nevertheless: {why}" for bundle, why in called.stays)
        lost = f"nothing is unloaded: the cycle is lost, {found.thrown}" if found.thrown else ""
        about = ((FIRST if is_first else SETTLED),) if getattr(rules.shedder, "starts_at_zero", False) else ()
        moved = tuple((bundle, broker, "") for bundle, broker, _ in called.unloaded)
        ending = lost or ("" if moves else "nothing is unloaded")
        return Answer(about + found.reasons + passed_over, moves, ending, moved=moved)

    runs = {one: gates.RUNS[by] for one in shedder.rules if (by := nearest(one, gates.RUNS)) is not None}
    called = {one: gates.CalledRules(shedder.rules[one], run) for one, run in runs.items()}
    return Shedder(answer, called, KEYS[name], shedder.lacks)


CANNOT_TELL: Final = (
    "cannot tell what moves: top bundles of {} were not handed over; dump the topic"
    " loadbalancer-top-bundles-load-data (oneowner record --load-data)"
)
MODULAR: Final = "org.apache.pulsar.broker.loadbalance.impl.ModularLoadManagerImpl"
SNAPSHOTS: Final = {
    "transfer": Shedder(transfer, RULES, defaults_of(Settings(), SETTINGS), lacks),
    **{name: modular(name) for name in SHEDDERS},
}
"""By the names of ``--shedder``."""


def check(document: Document, shedder: str, is_placed: bool) -> None:
    """Raise Misuse for an unknown key, a value of a wrong type, and a snapshot without brokers or without loads."""
    is_transfer = shedder == "transfer" and not is_placed
    keys, of_broker = (OF_TRANSFER, BROKER_OF_TRANSFER) if is_transfer else (OF_MODULAR, BROKER_OF_MODULAR)
    parts = Part(document, document.data).mapping(["brokers"], keys)
    told = [broker.mapping(["id"], of_broker) for broker in parts["brokers"].items()]
    for kinds, one in [(keys, parts), *((of_broker, broker) for broker in told)]:
        for key, part in one.items():
            kinds.get(key, text if key == "id" else anything)(part)
    brokers = parts["brokers"]
    if not told:
        raise brokers.complaint("no broker: no decision is possible")
    if is_transfer and not any("load" in broker for broker in told):
        raise brokers.complaint("no broker has a load: TransferShedder would ignore them all")
    for broker in told:
        name = str(broker["id"].data)
        if is_placed and not name.rpartition(":")[2].isdigit():
            raise broker["id"].complaint(f"broker refused: {name}; the form is host:port")


def unread(snapshot: Row, asked: Shedder) -> Iterator[str]:
    """Yield the keys of ``conf`` that a shedder ignores."""
    for key in snapshot.get("conf") or {}:
        if key not in asked.defaults and key not in WEIGHTS and key not in gates.GATE_SETTINGS:
            yield f"  {key} is ignored by this shedder"


def what_if(snapshot: Row, asked: Shedder, rules: Any) -> Iterator[str]:
    """Yield the smallest single changes that turn the decision."""
    read = {**asked.defaults, **gates.turned_off(snapshot)}
    found = turns(snapshot, lambda row: asked.answer(row, rules).moves, read)
    title = "single changes that turn the decision, settings first, then loads:"
    yield title if found else "no single change turns the decision"
    for turn in found:
        more = f", and {len(turn.decided) - 1} more" if len(turn.decided) > 1 else ""
        decided = f"{turn.decided[0]}{more}" if turn.decided else "nothing moves"
        yield f"  {turn.name} {shown(turn.before)} -> {shown(turn.after)}: {decided}"


def place(snapshot: Row, bundle: str, rules: LoadRules) -> Iterator[str]:
    """Yield the candidates of the modular load manager for a bundle, as each filter narrows them down."""
    brokers = [{"load_manager": MODULAR, **broker} for broker in snapshot["brokers"]]
    names = [broker["id"] for broker in brokers]
    owned = [{"bundle": name, "broker": broker["id"]} for broker in brokers for name in broker.get("bundles") or ()]
    given = {"policies": [], "available": names, "owned": [one for one in owned if one["bundle"] != bundle], "conf": {}}
    asked = selection_of({**given, **snapshot, "brokers": brokers, "bundle": bundle}, rules)
    allowed = isolation.kept(asked.policies)
    yield f"  isolation policies leave {listed(allowed)}"
    for name, left in filters(asked, allowed):
        yield f"  {name}: {f'throws {left.exception}' if isinstance(left, Thrown) else 'leaves ' + listed(left)}"
    found, last = select(asked), filtered(asked, allowed)
    if isinstance(found, Thrown):
        yield f"{bundle} goes to no broker: {found.exception}"
        return
    *_, (_, left) = filters(asked, allowed)
    if isinstance(left, Thrown) or not left:
        yield "  a filter throws or leaves no broker, so the filters are ignored"
    if not set(found) <= set(last):
        yield f"  {listed(last)}: overloaded, so the filters are ignored"
    yield f"{bundle} goes to {listed(found, ' or ')}"


def listed(names: Iterable[str], between: str = ", ") -> str:
    """Join names in order; of none, return 'nobody'."""
    return between.join(sorted(names)) or "nobody"


def shown(value: Any) -> str:
    """
    Return a number as broker.conf would have it.

    >>> shown(True), shown(3.0), shown(0.25), shown(9000000)
    ('true', '3', '0.25', '9000000')
    """
    if isinstance(value, bool):
        return str(value).lower()
    return str(int(value)) if float(value).is_integer() else f"{value:g}"


def diff(snapshot: Row, asked: Shedder, before: str, after: str) -> Iterator[str]:
    """Yield the differences between the decisions of two releases, and the changes that cause them."""
    found = difference(
        snapshot, lambda row, rules: asked.answer(row, rules).moves, asked.rules[before], asked.rules[after]
    )
    if not found.gone and not found.new:
        yield f"{before} and {after} decide the same"
    yield from (f"{before} alone: {move}" for move in found.gone)
    yield from (f"{after} alone: {move}" for move in found.new)
    yield from (f"  caused by: {cause}" for cause in found.causes)
