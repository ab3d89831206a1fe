"""One law of transfers requires that the source has closed before the destination opens."""

from oneowner.model.channel.ranges import brokers
from oneowner.model.channel.record import NOBODY, OWNED
from oneowner.model.channel.state import State
from oneowner.model.channel.topics import holds_ledger
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.law import LawKind, Status, step_law

# ---- models.S27 ----


def opens_after_a_transfer(before: State, action: Action, after: State) -> bool:
    """Return whether a broker opens an untainted unit that, by its view, another one has handed over unforced."""
    if action.name != "open":
        return False
    broker, unit = action.argument("broker"), action.argument("unit")
    record = before.view[broker, unit]
    handed_over = record.state == OWNED and record.source != NOBODY and record.source != broker
    return handed_over and not record.force and not before.tainted[unit]


@step_law(
    "transfer-handshake",
    "PIP-192, Transfer; apache/pulsar#19683",  # models.H1
    when=opens_after_a_transfer,
    status=Status.GUARDED,
    kind=LawKind.PROTOCOL,
)
def source_has_closed(before: State, action: Action, after: State) -> bool:
    """The destination of a transfer opens a unit only when the source has closed it, unless the unit is tainted."""
    broker, unit = action.argument("broker"), action.argument("unit")
    return all(
        not holds_ledger(before, source, unit)
        for source in brokers(before)
        if before.view[broker, unit].source == source
    )
