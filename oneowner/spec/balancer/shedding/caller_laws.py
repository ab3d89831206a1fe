"""Laws of the callers of shedders, in either load manager."""

from oneowner.model.balancer.shedding import load_shedding_task, unload_scheduler
from oneowner.model.balancer.shedding.unload_scheduler import Gate
from oneowner.model.kernel.decision import InputLaw
from oneowner.model.kernel.law import LawKind

Asked = load_shedding_task.Asked | unload_scheduler.Asked
Run = load_shedding_task.Run | unload_scheduler.Run


def is_switched_off(asked: Asked, found: Run) -> bool:
    return not asked.enabled or not asked.sheds


def asks_the_shedder(asked: Asked, found: Run) -> bool:
    return found.told is not None


def unloads_nothing(asked: Asked, found: Run) -> bool:
    return found.told is None and not found.unloaded


def tells_the_recent(asked: Asked, found: Run) -> bool:
    return set(found.told or ()) == {bundle for bundle, age in asked.ages if age <= asked.grace}


def first_closed(gates: dict[Gate, bool]) -> Gate | None:
    return next((gate for gate, is_open in gates.items() if not is_open), None)


def caller_laws(source: str) -> tuple[InputLaw, ...]:
    """Return the laws that both have, of a class and method."""
    return (
        InputLaw("switched-off-asks-no-shedder", "While loadBalancerEnabled or loadBalancerSheddingEnabled is false no"
                 " shedder is asked, and nothing is unloaded.", source, is_switched_off, unloads_nothing,
                 kind=LawKind.PROTOCOL),
        InputLaw("grace-period-is-told", "The shedder is told which bundles were unloaded within the grace period.",
                 source, asks_the_shedder, tells_the_recent, kind=LawKind.PROTOCOL),
    )  # fmt: skip
