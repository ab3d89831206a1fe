"""
The registry collects the laws of recorded runs from the modules that declare them.

A law is added where it is declared, in any module of the folders below; nothing is edited here.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import walk_packages
from types import ModuleType
from typing import Final

from oneowner.checkers.recordings import laws
from oneowner.checkers.recordings.fold.channel_law import ChannelLaw
from oneowner.checkers.recordings.fold.channel_laws import CHANNEL_LAWS
from oneowner.checkers.recordings.laws.scene_law import SceneLaw
from oneowner.model.kernel.system import found_in

ORDER: Final = (
    # who serves
    "serving.dual_serving",
    "serving.ownership_claims",
    "serving.owner_answers",
    "serving.lone_refusals",
    "serving.availability",
    "serving.fenced_topics",
    "locks.lock_holders",
    # what the answers of lookups say
    "answers.lookups",
    # what views took, and who published
    "views.record_handling",
    "views.handle_counters",
    "views.missed_records",
    "views.stopped_views",
    "views.publishers",
    "views.resent_messages",
    # who is registered, who leads, who recovers
    "recovery.registration",
    "recovery.leadership",
    "recovery.leader_roles",
    "recovery.orphans",
    "recovery.dead_brokers",
    "recovery.ended_registrations",
    "recovery.cleanups",
    "recovery.safe_mode",
    # what callers were told, and what came of it
    "answers.admin_calls",
    "answers.splits",
    "answers.clocks",
)
"""The order in which results list laws, by module; a module that is not named comes after these, by its name."""


def modules_of_laws() -> list[ModuleType]:
    """Return every module in the folders of laws, in the order of results."""
    prefix = f"{laws.__name__}."
    found = [module.name.removeprefix(prefix) for module in walk_packages(laws.__path__, prefix) if not module.ispkg]
    names = sorted(
        (name for name in found if "." in name),
        key=lambda name: (ORDER.index(name) if name in ORDER else len(ORDER), name),
    )
    return [import_module(prefix + name) for name in names]


SCENE_LAWS: Final = found_in(modules_of_laws(), SceneLaw)
"""The laws of all that is known of one recorded run."""

RECORDING_LAWS: Final[tuple[ChannelLaw | SceneLaw, ...]] = (*CHANNEL_LAWS, *SCENE_LAWS)
"""Every law of recorded runs, in the order of results."""
