"""
The registry collects laws of recorded runs, and the tables that they read, from the modules that declare them.

A law is added in a module of its own in one of the folders below; nothing is edited here.
"""

from importlib import import_module
from pkgutil import walk_packages
from types import ModuleType
from typing import Final

from oneowner.checkers.recordings import laws
from oneowner.checkers.recordings.fold.channel_law import ChannelLaw
from oneowner.checkers.recordings.fold.channel_laws import CHANNEL_LAWS
from oneowner.checkers.recordings.laws import integrity
from oneowner.checkers.recordings.laws.scene_law import SceneLaw
from oneowner.checkers.recordings.scene.tables import Table
from oneowner.model.kernel.system import found_in


def modules_of_laws() -> list[ModuleType]:
    """Return every module in the folders of laws, by name."""
    prefix = f"{laws.__name__}."
    found = (module.name for module in walk_packages(laws.__path__, prefix) if not module.ispkg)
    return [import_module(name) for name in sorted(found) if "." in name.removeprefix(prefix)]


SCENE_LAWS: Final = tuple(sorted(found_in(modules_of_laws(), SceneLaw), key=lambda law: law.order))
"""The laws of the scene of one recorded run, in the order of results."""

OF_FILES: Final = frozenset(
    law.name
    for law in found_in(
        [one for one in modules_of_laws() if one.__name__.startswith(f"{integrity.__name__}.")], SceneLaw
    )
)
"""The laws that judge whether the files are whole and unaltered, and not the cluster."""

TABLES: Final = found_in(modules_of_laws(), Table)
"""The tables of a run; all of them are built before a law is judged."""

RECORDING_LAWS: Final[tuple[ChannelLaw | SceneLaw, ...]] = (*CHANNEL_LAWS, *SCENE_LAWS)
"""Every law of recorded runs, in the order of results."""
