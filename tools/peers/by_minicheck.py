"""
The family ``transfer``, by hand, for minicheck: three brokers, one unit that broker 1 owns, unloads and transfers.

The rules are those of the research note's sections 3 (resolver R4 to R8), 5 (publishers) and 6 (handlers). ``python
-m tools.peers.by_minicheck TRANSFERS UNLOADS WINDOW VERSIONS`` prints the findings; exit code 1 if a law fails.
minicheck reports neither transitions nor depth: the model counts the transitions that it hands out, and there is no
depth.
"""

import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

FREE, OWNED, ASSIGNING, RELEASING = "Free Owned Assigning Releasing".split()
NOBODY = 0
BROKERS = (1, 2, 3)
UNLIMITED = 2**62


class Record(NamedTuple):
    state: str
    destination: int
    source: int
    version: int


class Publish(NamedTuple):
    record: Record
    basis: Record  # the view that the record was computed from


class Broker(NamedTuple):
    view: Record
    cursor: int = 0  # how many records of the log it has consumed
    outbox: Publish | None = None
    closing: Record | None = None  # the record on whose behalf the topics are being closed
    serving: bool = False


class State(NamedTuple):
    base: Record  # the fold of all records that every broker has consumed
    log: tuple[Record, ...]  # the others
    brokers: tuple[Broker, ...]
    unloads: int
    transfers: int
    won: frozenset[int] = frozenset({1, 2})  # ghost: the versions of which a record was accepted
    tainted: bool = False  # ghost: a record behind a gap was accepted
    poisoned: bool = False  # ghost: a handler met a record that it has no case for
    broken: str = ""  # the law of a step that the last step broke: minicheck judges states alone


Step = tuple[str, State]


def owner(record: Record) -> int:
    return record.destination if record.state == OWNED else NOBODY


def follow_up(record: Record, state: str) -> Record:
    return Record(state, record.destination, record.source, record.version + 1)


def released(record: Record) -> Record:
    """The record that the source of a Releasing record publishes when it no longer serves the unit."""
    return follow_up(record, ASSIGNING if record.destination else FREE)


def lawful(held: Record, record: Record) -> bool:
    """The transition table (R7) and its broker rules (R8), for the records that occur here."""
    same = held.destination == record.destination and held.source == record.source
    match held.state, record.state:
        case "Owned", "Releasing":
            return record.source == held.destination != NOBODY and record.destination != held.destination
        case ("Assigning", "Owned") | ("Releasing", "Free"):
            return same
        case "Releasing", "Assigning":
            return same and record.destination != NOBODY
        case "Free", "Assigning":
            return record.destination != NOBODY and record.source == NOBODY
    return False


def accepts(held: Record, record: Record) -> bool:
    """Behind a gap anything is accepted (R5), in turn what is lawful."""
    if record.version <= held.version:
        return False
    return record.version > held.version + 1 or lawful(held, record)


def folded(base: Record, log: tuple[Record, ...]) -> Record:
    """A reader's entry after *log*."""
    for record in log:
        if accepts(base, record):
            base = record
    return base


class Family:
    """The steps of a state, as minicheck wants them: a label and the next state, for each one that is enabled."""

    def __init__(self, transfers: int, unloads: int, window: int, versions: int) -> None:
        self.transfers, self.unloads, self.window, self.versions = transfers, unloads, window, versions
        self.transitions = 0

    def start(self) -> State:
        owned = Record(OWNED, 1, NOBODY, 2)
        brokers = tuple(Broker(owned, serving=number == 1) for number in BROKERS)
        return State(owned, (), brokers, self.unloads, self.transfers)

    def steps(self, values: tuple[Any, ...]) -> list[Step]:
        state = State(*values)
        steps = [step for number in BROKERS for step in self.steps_of(state, number, state.brokers[number - 1])]
        self.transitions += len(steps)
        return steps

    def steps_of(self, state: State, number: int, broker: Broker) -> Iterator[Step]:
        if broker.view.state == OWNED and broker.outbox is None:
            yield from self.commands(state, number, broker)
        if broker.outbox is not None and len(state.log) < self.window:
            yield f"append({number})", self.appended(state, number, broker, broker.outbox)
        if broker.cursor < len(state.log) and (after := self.consumed(state, number, broker)):
            yield f"consume({number})", after
        if not broker.serving and owner(broker.view) == number:
            yield f"open({number})", with_broker(state, number, broker._replace(serving=True))
        if broker.closing is not None and (closed := self.closed(broker, broker.closing)):
            yield f"close({number})", with_broker(state, number, closed)

    def published(self, broker: Broker, record: Record, basis: Record) -> Broker | None:
        if broker.outbox is not None:
            return None
        if record.version > self.versions:
            raise OverflowError(f"{record} is beyond the bound versions={self.versions}")
        return broker._replace(outbox=Publish(record, basis))

    def commands(self, state: State, number: int, broker: Broker) -> Iterator[Step]:
        loser = owner(broker.view)
        if state.unloads:
            sent = self.published(broker, Record(RELEASING, NOBODY, loser, broker.view.version + 1), broker.view)
            assert sent
            yield f"unload({number})", with_broker(state, number, sent)._replace(unloads=state.unloads - 1)
        for destination in BROKERS if state.transfers else ():
            if destination != loser:
                release = Record(RELEASING, destination, loser, broker.view.version + 1)
                sent = self.published(broker, release, broker.view)
                assert sent
                after = with_broker(state, number, sent)._replace(transfers=state.transfers - 1)
                yield f"transfer({number}, {destination})", after

    def appended(self, state: State, number: int, broker: Broker, publish: Publish) -> State:
        """The linearisation point, where the laws of an accepted record are judged."""
        record, held = publish.record, folded(state.base, state.log)
        after = with_broker(state, number, broker._replace(outbox=None))._replace(log=(*state.log, record))
        if not accepts(held, record):
            return after
        gap = record.version != held.version + 1
        judged = {
            "version-chain": not gap,
            "legal-step": gap or lawful(held, record),
            "unique-winner": record.version not in state.won,
            "accepted-is-cas": publish.basis == held,
        }
        broken = "" if all(judged.values()) else next(law for law, holds in judged.items() if not holds)
        return after._replace(won=state.won | {record.version}, tainted=state.tainted or gap, broken=broken)

    def consumed(self, state: State, number: int, broker: Broker) -> State | None:
        record, reader = state.log[broker.cursor], broker._replace(cursor=broker.cursor + 1)
        if accepts(reader.view, record):
            reacted = self.reacted(number, reader._replace(view=record), record)
            if reacted is None:
                return None
            reader = reacted
            if record.state not in (FREE, OWNED, ASSIGNING, RELEASING):
                state = state._replace(poisoned=True)
        after = with_broker(state, number, reader)
        if not all(b.cursor for b in after.brokers):
            return after
        # Everybody has consumed the first record: forget it.
        base = folded(state.base, state.log[:1])
        brokers = tuple(b._replace(cursor=b.cursor - 1) for b in after.brokers)
        return after._replace(base=base, log=state.log[1:], brokers=brokers)

    def reacted(self, number: int, broker: Broker, record: Record) -> Broker | None:
        """The broker's duty once its view accepts *record*; None if it has no room for that."""
        if record.state == ASSIGNING and record.destination == number:
            return self.published(broker, follow_up(record, OWNED), record)
        if record.source != number or record.state not in (RELEASING, OWNED):
            return broker
        if broker.serving and not (record.state == OWNED and record.destination == number):
            return broker._replace(closing=record) if broker.closing is None else None
        return self.published(broker, released(record), record) if record.state == RELEASING else broker

    def closed(self, broker: Broker, record: Record) -> Broker | None:
        broker = broker._replace(closing=None, serving=False)
        return self.published(broker, released(record), record) if record.state == RELEASING else broker


def with_broker(state: State, number: int, broker: Broker) -> State:
    return state._replace(brokers=(*state.brokers[: number - 1], broker, *state.brokers[number:]))


# ---- laws: of a state, given as a dictionary ----

Values = dict[str, Any]


def type_ok(s: Values) -> bool:
    return not s["poisoned"] and all(broker.cursor <= len(s["log"]) for broker in s["brokers"])


def view_is_prefix_fold(s: Values) -> bool:
    return all(broker.view == folded(s["base"], s["log"][: broker.cursor]) for broker in s["brokers"])


def one_owner(s: Values) -> bool:
    a, b, c = s["brokers"]
    return all(x.cursor != y.cursor or owner(x.view) == owner(y.view) for x, y in ((a, b), (a, c), (b, c)))


def serve_implies_view(s: Values) -> bool:
    brokers = enumerate(s["brokers"], 1)
    return all(not b.serving or owner(b.view) == number or b.closing is not None for number, b in brokers)


def single_server_always(s: Values) -> bool:
    return len([broker for broker in s["brokers"] if broker.serving]) <= 1


def single_server(s: Values) -> bool:
    return bool(s["tainted"]) or single_server_always(s)


def quiescent_agreement(s: Values) -> bool:
    if any(b.outbox or b.closing or b.cursor < len(s["log"]) for b in s["brokers"]):
        return True
    now = owner(folded(s["base"], s["log"]))
    return all(not broker.serving or number == now for number, broker in enumerate(s["brokers"], 1))


def kept(law: str) -> Callable[[Values], bool]:
    """A law of a step, seen from the state behind it."""
    return lambda s: s["broken"] != law


STEP_LAWS = "version-chain legal-step unique-winner accepted-is-cas".split()
LAWS: dict[str, Callable[[Values], bool]] = {
    "type-ok": type_ok,
    "view-is-prefix-fold": view_is_prefix_fold,
    "one-owner": one_owner,
    "serve-implies-view": serve_implies_view,
    "single-server": single_server,
    "single-server-always": single_server_always,
    "quiescent-agreement": quiescent_agreement,
    **{law: kept(law) for law in STEP_LAWS},
}


def main(words: list[str]) -> int:
    from minicheck import Protocol, check_safety  # late: without it, the rest can still be read and tested

    family = Family(*map(int, words))
    model = Protocol("transfer", False, State._fields, family.start(), family.steps, LAWS)
    found = check_safety(model, max_states=UNLIMITED)
    broken = [law for law, result in found["properties"].items() if result["holds"] is not True]
    sys.stdout.writelines(f"law {law} is broken\n" for law in broken)
    sys.stdout.write(f"states {found['reachable_states']} transitions {family.transitions}\n")
    return 0 if found["exhaustive"] and not broken else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
