"""Hypothesis strategies for the inputs of decisions."""

from typing import Any

from hypothesis import strategies as st

from oneowner.model.kernel.bounds import Bounds
from oneowner.model.kernel.decision import Decision


@st.composite
def inputs_of(draw: st.DrawFn, decision: Decision, sizes: Bounds) -> Any:
    """Any input of a decision: Hypothesis makes the choices, so that an input shrinks as they do."""
    return decision.draw(lambda least, most: draw(st.integers(least, most)), sizes)
