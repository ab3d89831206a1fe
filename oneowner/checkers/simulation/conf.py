"""
The keys of broker.conf that a simulated run reads, by shedder.

A key that none of them reads is refused: a typing error would silently change nothing.
"""

import math
from collections.abc import Iterable, Mapping
from typing import Any, Final

from oneowner.checkers.documents import suggestion
from oneowner.checkers.simulation.extensible_leader import REPORTS
from oneowner.checkers.simulation.modular_leader import GRACE
from oneowner.checkers.verdict import Misuse
from oneowner.model.balancer.batch.bundles import SETTINGS as TOP_SETTINGS
from oneowner.model.balancer.batch.extensible import WEIGHTS
from oneowner.model.balancer.batch.row import defaults_of
from oneowner.model.balancer.batch.shedders import KEYS
from oneowner.model.balancer.batch.transfer import SETTINGS
from oneowner.model.balancer.load_reports import EXTENSIBLE
from oneowner.model.balancer.shedding.transfer_cycle import Settings
from oneowner.model.balancer.top_bundles import Held

LEADER: Final[dict[str, Any]] = {"loadBalancerSheddingGracePeriodMinutes": GRACE}
MODULAR: Final = LEADER | {"loadBalancerDistributeBundlesEvenlyEnabled": True}
READ: Final[dict[str, dict[str, Any]]] = {
    **{name: MODULAR | keys | dict.fromkeys(WEIGHTS if name != "uniform" else (), 1.0) for name, keys in KEYS.items()},
    "uniform": MODULAR | KEYS["uniform"] | {"maxUnloadBundleNumPerShedding": -1.0},
    "transfer": LEADER
    | defaults_of(Settings(), SETTINGS)
    | defaults_of(Held(()), TOP_SETTINGS)
    | defaults_of(EXTENSIBLE, REPORTS),
}
"""The keys that each shedder or its leader reads, with an example value."""


def check(conf: Mapping[str, str], shedders: Iterable[str]) -> None:
    """Raise Misuse for a key that none of the shedders reads, and for a value that is not of its kind."""
    known = {key: kind for shedder in shedders for key, kind in READ[shedder].items()}
    for key, value in conf.items():
        if key not in known:
            raise Misuse(f"conf refused: {key}: no shedder that is named reads it; {suggestion(key, known)}")
        if isinstance(known[key], bool):
            if value.strip().lower() not in ("true", "false"):
                raise Misuse(f"conf refused: {key}={value}; it is true or false")
        elif not isinstance(known[key], frozenset) and not is_number(value):
            raise Misuse(f"conf refused: {key}={value}; it is a number")


def is_number(text: str) -> bool:
    """
    Report whether a text is a finite number.

    >>> is_number("1e3"), is_number("ten"), is_number("nan")
    (True, False, False)
    """
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
