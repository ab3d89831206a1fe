"""
A projection shows the parts of a state that the real objects have too; ``Projection.java`` prints the same of them.

A part reads few slots of the flat form of a state, so that each of its few values is put into words once.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any, Final, NamedTuple

from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.parts import HealthCheck, Metadata, Outcome, Reply, Request, Ring, Run, Stage
from oneowner.model.channel.record import owner
from oneowner.model.channel.rules import Storage
from oneowner.model.kernel.language import Array
from oneowner.model.kernel.system import domains

MOST_VALUES: Final = 100_000
"""Values of a cell that are looked through for the one that has some words."""
Read = tuple[str, tuple[int, ...]]
"""A cell, of an array with the numbers of its element."""


class Part(NamedTuple):
    """A part of the projection: its name, the cells that it reads, and their values in words (None: it has none)."""

    name: str
    cells: tuple[Read, ...]
    words: Callable[..., str | None]


class Projection:
    """The projection of states within some bounds, from their flat form."""

    def __init__(self, bounds: Bounds, parts: Sequence[Part]) -> None:
        self._parts = [_Reader(part, places_of(bounds)) for part in parts]

    def of(self, codes: bytes) -> list[tuple[str, str]]:
        """Return the name and the words of each part that there is."""
        found = ((part.name, part.of(codes)) for part in self._parts)
        return [(name, words) for name, words in found if words is not None]

    def read_back(self, name: str, words: str) -> tuple[Read, Any] | None:
        """Return the cell of a part and the one value that has these words; None if they do not determine it."""
        return next((part.read_back(words) for part in self._parts if part.name == name), None)

    def text(self, codes: bytes) -> str:
        """Return the words as one line."""
        return "|".join([words for part in self._parts if (words := part.of(codes)) is not None])


class _Reader:
    def __init__(self, part: Part, places: dict[Read, tuple[slice, Any]]) -> None:
        self.name, self._words, self._cells = part.name, part.words, part.cells
        self._places = [places[read] for read in part.cells]
        self._known: dict[tuple[bytes, ...], str | None] = {}

    def of(self, codes: bytes) -> str | None:
        key = tuple([codes[place] for place, _ in self._places])
        if key not in self._known:
            values = [domain.value(iter(part)) for part, (_, domain) in zip(key, self._places, strict=True)]
            self._known[key] = self._words(*values)
        return self._known[key]

    def read_back(self, words: str) -> tuple[Read, Any] | None:
        """Return what ``Projection.read_back`` does: of the process that runs, with one cell of few values."""
        if len(self._cells) != 2 or self._cells[0][0] != "run":
            return None
        domain = self._places[1][1]
        sizes = [slot.size for slot in domain.slots("")]
        if math.prod(sizes) > MOST_VALUES:
            return None
        values = [domain.value(iter(codes)) for codes in product(*map(range, sizes))]
        found = [value for value in values if self._words(Run.UP, value) == words]
        return (self._cells[1], found[0]) if len(found) == 1 else None


def places_of(bounds: Bounds) -> dict[Read, tuple[slice, Any]]:
    """Return the slots and the domain of every cell, and of every element of an array."""
    places: dict[Read, tuple[slice, Any]] = {}
    first = 0
    for name, domain in domains(bounds).items():
        if isinstance(domain, Array):
            width = len(list(domain.element.slots("")))
            for at in domain.labels:
                numbers = tuple(int(number) for number in at.split(","))
                places[name, numbers] = slice(first, first + width), domain.element
                first += width
        else:
            width = len(list(domain.slots("")))
            places[name, ()] = slice(first, first + width), domain
            first += width
    return places


def shown(bounds: Bounds) -> Projection:
    """Return what the real objects show."""
    of_brokers = [part for broker in _brokers(bounds) for part in _of_broker(bounds, broker)]
    return Projection(bounds, [*of_brokers, Part("leader", (("leader", ()),), str), *_of_compaction(bounds)])


def _brokers(bounds: Bounds) -> range:
    return range(1, bounds.brokers + 1)


def _bits(*values: bool) -> str:
    return "".join("01"[value] for value in values)


def is_held_to_rules(bounds: Bounds) -> bool:
    """
    Return whether steps are held to rules beside the model: no process is disabled or paused, no publish fails.

    Nor does a repair close topics on behalf of no record, of which listeners hear nothing.
    """
    if bounds.rules.returned_unit_is_closed or bounds.rules.lost_unit_is_closed:
        return False
    others = (
        "safe_mode", "shutdowns", "pauses", "resends", "overtakes", "outages", "compactions", "failed_publishes",
    )  # fmt: skip
    return not any(getattr(bounds, name) for name in others)


def _of_broker(bounds: Bounds, broker: int) -> Iterator[Part]:
    run: Read = ("run", (broker,))

    def process(name: str, words: Callable[..., str], *cells: Read) -> Part:
        """Return a part that a broker has while its process lives."""
        return Part(
            f"broker {broker}, {name}",
            (run, *cells),
            lambda state, *values: words(*values) if state == Run.UP else None,
        )

    for unit in range(1, bounds.units + 1):
        at = (broker, unit)
        yield process(f"entry of unit {unit}", str, ("view", at))
        yield process(f"topics of unit {unit}", _word("open"), ("serving", at))
        selects: Read = ("request", at) if bounds.lookups else ("asking", at)
        yield process(f"lookup of unit {unit}", _progress if is_held_to_rules(bounds) else _selects, selects)
        if bounds.lookups and is_held_to_rules(bounds):
            yield process(f"last answer for unit {unit}", _answer, ("reply", at))
        if bounds.storage == Storage.METADATA_STORE:
            yield process(f"notification of unit {unit}", _word("notified"), ("changed", at))
    yield process("units that it closes", _units, ("closing", (broker,)))
    if bounds.storage == Storage.SYSTEM_TOPIC:
        yield process("records that it has not read", _behind, ("log", ()), ("cursor", (broker,)))
    if bounds.splits:
        yield process("boundaries", _boundaries, ("boundaries", (broker,)))
    listed = tuple(("known", (broker, other)) for other in _brokers(bounds))
    yield process("brokers that its registry lists", _bits, *listed)
    yield process("registration that it believes in", _word("unregistered"), ("unregistered", (broker,)))
    yield Part(f"broker {broker}, leader that it reads", *_leader(bounds, broker))
    if bounds.beliefs:
        yield process("role", _role, ("believes", (broker,)))
    if bounds.shutdowns:
        yield process("channel", lambda stage: "" if stage == Stage.RUNNING else "disabled", ("stage", (broker,)))
    others = [(broker, other) for other in _brokers(bounds)]
    units = [(broker, unit) for unit in range(1, bounds.units + 1)]
    if bounds.safe_mode:
        yield process("trust in its session", str, ("metadata", (broker,)))
        yield process("clean-ups scheduled", _numbers, *(("cleaning", pair) for pair in others))
    if bounds.late_call_offs:
        yield process("health checks under way", _checks, *(("checking", pair) for pair in others))
    if bounds.empties_views:
        own = [cell for at in units for cell in (("view", at), ("listed", at))]
        yield process("units that it lists", lambda *cells: _listed(broker, cells), *own)
        yield process("nodes to read in its session", _numbers, *(("filling", at) for at in units))
    yield Part(f"broker {broker}, publishes under way", (("outbox", (broker,)),), _outbox)
    yield Part(f"broker {broker}, node of the registry", (("node", (broker,)),), str)


def _leader(bounds: Bounds, broker: int) -> tuple[tuple[Read, ...], Callable[..., str | None]]:
    """Return the cells and the words of the leader that a broker reads: it reads nothing without a session."""
    run: Read = ("run", (broker,))
    if bounds.leader_caches:
        return (run, ("leader_read", (broker,))), lambda state, leader: str(leader) if state == Run.UP else None
    session: tuple[Read, ...] = (("session_ended", (broker,)), ("metadata", (broker,)), ("zookeeper_down", ()))
    return (run, *session, ("leader", ())), _read


def _read(state: Run, has_ended: bool, trust: Metadata, is_down: bool, leader: int) -> str | None:
    return str(leader) if state == Run.UP and not (has_ended or is_down or trust == Metadata.UNSTABLE) else None


def _role(leads: bool) -> str:
    return "Leader" if leads else "Follower"


def _of_compaction(bounds: Bounds) -> Iterator[Part]:
    if bounds.compactions:
        yield Part("horizon of the compaction", (("horizon", ()),), str)
        for unit in range(1, bounds.units + 1):
            yield Part(f"record of unit {unit} that a compaction keeps", (("result", (unit,)),), str)
            yield Part(f"record of unit {unit} that was kept", (("ledger", (unit,)),), str)


def _word(word: str) -> Callable[[bool], str]:
    return lambda value: word if value else ""


def _selects(value: Any) -> str:
    return "selects" if value in (True, Request.SELECTING) else ""


def _progress(value: Any) -> str:
    return "waits" if value in (Request.WAITING, Request.PUBLISHED) else _selects(value)


def _answer(reply: Reply) -> str:
    """Return the words of the last answer of a lookup, whatever the version of the view behind it."""
    answers = {Outcome.NONE: "", Outcome.OWNER: f"broker {reply.owner}", Outcome.EMPTY: "nobody"}
    return answers.get(reply.outcome, "failed")


def _numbers(*flags: bool) -> str:
    return " ".join(str(number) for number, is_set in enumerate(flags, 1) if is_set)


def _checks(*checks: HealthCheck) -> str:
    return _numbers(*(check != HealthCheck.NONE for check in checks))


def _listed(broker: int, cells: Sequence[Any]) -> str:
    pairs = zip(cells[::2], cells[1::2], strict=True)
    return _numbers(*(owner(held) == broker or listed for held, listed in pairs))


def _units(closing: Any) -> str:
    return " ".join(str(message.unit) for message in closing)


def _behind(log: Any, cursor: int) -> str:
    return str(len(log) - cursor)


def _boundaries(ring: Ring) -> str:
    return f"{'split ' * ring.split}{'nested ' * ring.nested}{ring.others}"


def _outbox(publishes: Any) -> str:
    return "; ".join(f"{publish.unit}:{publish.record}" for publish in publishes)
