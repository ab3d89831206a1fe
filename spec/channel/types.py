"""The law of well-formedness: every cell holds what it may, and no handler met the unexpected."""

from __future__ import annotations

from oneowner.model.channel.state import State
from oneowner.model.kernel.law import always, any_state


def well_formed(state: State) -> bool:
    return not state.poisoned and state.in_domain()


TYPE_OK = always(
    "type-ok",
    "Every cell holds a value of its domain, and no handler met a record that it has no case for.",
    "ServiceUnitStateData, ServiceUnitState",  # models.S1
    when=any_state,
    holds=well_formed,
)
