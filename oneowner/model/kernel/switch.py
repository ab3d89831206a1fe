"""A ``Switch`` declares, in the module of its mechanism, behaviour that differs between releases or by a fault."""

from __future__ import annotations

from dataclasses import dataclass

from oneowner.model.kernel.releases import Spans


@dataclass(frozen=True, eq=False)
class Switch:
    """One field of the rules of a system, described; the class of the rules has only its name and default."""

    name: str
    meaning: str
    """The behaviour while it is true, and after "else", "before" or "until" the behaviour otherwise."""
    turned: Spans = ()
    """The releases that have the other value than the default release."""
    source: str = ""
    """The change behind that, with its place in the code."""
