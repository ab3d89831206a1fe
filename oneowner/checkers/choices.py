"""The words among which options choose: the help of a verb waits for no engine and no catalogue."""

from __future__ import annotations

from typing import Final

PROFILES: Final = ("smoke", "pr", "nightly")
"""How much is checked; each includes those before it."""
ENGINES: Final = ("auto", "native", "python", "c", "spark")
"""How a model is explored."""
MINIMA: Final = ("steps", "perturbations")
"""What a counterexample can have the fewest of."""
FORMATS: Final = ("tla", "promela", "dot", "json", "itf")
"""What a model is exported to."""
KINDS: Final = ("families", "decisions", "actions", "laws", "faults", "lemmas", "rules", "bounds")
"""What is listed."""
