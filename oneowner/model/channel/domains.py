"""These domains have a name: those of a record, a publish, a place in the log, in some bounds."""

from oneowner.model.channel import sorts
from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.parts import Message, Order, Outcome, Progress, Publish, Reply, Request, Ring, Run, SplitJob
from oneowner.model.channel.record import Record, ServiceUnitState
from oneowner.model.kernel.language import BOOLEAN, NEVER, Fields, Finite, integers, names

__traced__ = False  # says what cells may hold; no function runs on a state

BROKER, UNIT = sorts.BROKER.name, sorts.UNIT.name


def broker_or_nobody(bounds: Bounds) -> Finite:
    """Return every broker; 0 is nobody."""
    return integers(0, bounds.brokers, BROKER)


def place_in_log(bounds: Bounds) -> Finite:
    """Return every number of records that somebody may have read of the log."""
    return integers(0, bounds.longest_log)


def record_domain(bounds: Bounds) -> Fields:
    """Return every record: versions count from 1, or from below 0 where they wrap; 0 is none."""
    broker = broker_or_nobody(bounds)
    version = integers(0, bounds.versions)
    if bounds.wraps:
        version = Finite(range(-bounds.versions - 1, bounds.versions + 1), start=0)
    state = names(ServiceUnitState)
    return Fields(Record, state=state, destination=broker, source=broker, force=BOOLEAN, version=version)


def message_domain(bounds: Bounds) -> Fields:
    """Return every record of every unit."""
    return Fields(Message, unit=integers(1, bounds.units, UNIT), record=record_domain(bounds))


def publish_domain(bounds: Bounds) -> Fields:
    """Return every record of every unit on its way, with the entry that its publisher started from."""
    record = record_domain(bounds)
    return Fields(Publish, unit=integers(1, bounds.units, UNIT), record=record, basis=record)


def run_domain(bounds: Bounds) -> Finite:
    """Return whether a process lives; it stands still, or starts in two steps, only in some bounds."""
    if bounds.slow_starts:
        return names(Run)
    return Finite((Run.UP, Run.DOWN, Run.PAUSED) if bounds.pauses else (Run.UP, Run.DOWN))


def ring_domain(bounds: Bounds) -> Fields:
    """Return the boundaries of the namespace, as far as the bounds let them change."""
    return Fields(
        Ring,
        split=only_if(bounds.splits),
        others=integers(0, bounds.other_splits),
        nested=only_if(bounds.nested_splits),
        deleted=only_if(bounds.recreations),
    )


def only_if(modelled: int) -> Finite:
    """Return the domain of a truth that is false unless it is *modelled*."""
    return BOOLEAN if modelled else NEVER


def job_domain(bounds: Bounds) -> Fields:
    """Return every split that a broker may have begun."""
    return Fields(
        SplitJob,
        parent=record_domain(bounds),
        moved=BOOLEAN,
        unit=integers(1, 2 if bounds.nested_splits else 1),
        awaited=integers(0, bounds.pending),
        read=ring_domain(bounds),
    )


def order_domain(bounds: Bounds) -> Fields:
    """Return everything that an operator may wait for."""
    progress = names(Progress)
    if not bounds.late_callbacks:
        progress = Finite((Progress.NONE, Progress.SENT, Progress.WAITING, Progress.REFUSED))
    return Fields(Order, progress=progress, carried=BOOLEAN, destination=broker_or_nobody(bounds))


def request_domain(bounds: Bounds) -> Finite:
    """Return how far a followed lookup may be."""
    if bounds.rules.waits_in_one_step:
        return Finite((Request.NONE, Request.WAITING, Request.SELECTING, Request.PUBLISHED))
    return names(Request)


def reply_domain(bounds: Bounds) -> Fields:
    """Return every answer to a followed lookup."""
    return Fields(Reply, outcome=names(Outcome), owner=broker_or_nobody(bounds), version=integers(0, bounds.versions))
