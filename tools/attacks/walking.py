"""Longer runs of a machine's target: random walks by the compiled engine, thousands of them."""

from oneowner.checkers.engines.walks.compiled_walks import walk_by
from oneowner.checkers.engines.walks.plan import Plan
from oneowner.spec.channel.system import SYSTEM
from tools.attacks.machines import Found, Target

LONG = 300
"""Steps of a walk at most."""


def walked(target: Target, walks: int) -> dict[str, Found]:
    """
    Return by law the shortest walk that broke it, in the target's own bounds; the same every time.

    All walks end with the first that breaks a law. Swarm choices are the engine's own (``engines/walks/swarm.py``).
    """
    laws = [law for law in SYSTEM.laws if law.name in target.asserted]
    found, _ = walk_by("auto", target.bounds(), laws, (), target.asserted, Plan(walks, LONG))
    return {law: Found({}, broken.steps, broken.walk + 1) for law, broken in found.broken.items()}
