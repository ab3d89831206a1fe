"""One law requires that every cell holds a value of its domain, and that no handler met an impossible record."""

from oneowner.model.channel.state import State
from oneowner.model.kernel.law import LawKind, always, any_state


@always("type-ok", "ServiceUnitStateData, ServiceUnitState", when=any_state, kind=LawKind.PROTOCOL)  # models.S1
def well_formed(state: State) -> bool:
    """Every cell holds a value of its domain, and no handler met a record that it has no case for."""
    return not state.poisoned and state.in_domain()
