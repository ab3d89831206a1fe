"""The words among which options choose: the help of a verb waits for no engine and no catalogue."""

from typing import Final

PROFILES: Final = ("smoke", "pr", "nightly")
"""Profiles of checks; each includes those before it."""
ENGINES: Final = ("auto", "native", "python", "c", "spark")
"""Engines that explore a model."""
MINIMA: Final = ("steps", "perturbations")
"""Quantities that a counterexample can minimise."""
FORMATS: Final = ("tla", "promela", "dot", "json", "itf")
"""Formats that a model is exported to."""
KINDS: Final = ("families", "decisions", "actions", "laws", "faults", "findings", "lemmas", "rules", "bounds")
"""Subjects of ``list``."""
LAW_KINDS: Final = ("purpose", "protocol", "mirror")
"""Kinds of laws (``model.kernel.law.LawKind``)."""

LISTED: Final = {
    "action": "actions", "bound": "bounds", "family": "families", "fault": "faults", "fault or prediction": "faults",
    "finding": "findings", "law": "laws", "lemma": "lemmas",
    "release or fault": "faults", "rule": "rules",
}  # fmt: skip
"""The kinds of names that ``oneowner list`` lists."""
