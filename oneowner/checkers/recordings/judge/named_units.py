"""An unknown name of a unit is refused, and a topic's name with the units that may have held it."""

import re
from collections.abc import Iterable
from typing import Final

from oneowner.checkers.documents import suggestion
from oneowner.checkers.recordings.scene.topics import namespace_of
from oneowner.checkers.verdict import Misuse
from oneowner.model.pulsar.boundaries import includes, topic_hash
from oneowner.model.pulsar.bundles import Range

UNIT: Final = re.compile(r"(?P<namespace>.+)/0x(?P<low>[0-9a-fA-F]{1,8})_0x(?P<high>[0-9a-fA-F]{1,8})")
TOPIC: Final = re.compile(r"(?:(?:non-)?persistent://)?[^/]+/[^/]+/(?!0x).+")


def no_such_unit(where: str, unit: str, known: Iterable[str]) -> Misuse:
    """
    Return the error for a name that none of the *known* units has.

    A topic lies in the units around its hash: of a bundle that was split, that is the parent and a child.

    >>> str(no_such_unit("night", "rig/c/t0", ["rig/c/0x00000000_0x80000000", "rig/c/0x80000000_0xffffffff"]))
    'no such unit in night: rig/c/t0; a topic of that name is one of rig/c/0x00000000_0x80000000'
    """
    names = sorted(known)
    around = _around(unit if "://" in unit else f"persistent://{unit}", names) if TOPIC.fullmatch(unit) else []
    hint = f"a topic of that name is one of {' or '.join(around)}" if around else suggestion(unit, names)
    return Misuse(f"no such unit in {where}: {unit}; {hint}")


def _around(topic: str, names: Iterable[str]) -> list[str]:
    namespace, point = namespace_of(topic), topic_hash(topic)
    found = [(name, match) for name in names if (match := UNIT.fullmatch(name))]
    return [
        name
        for name, match in found
        if match["namespace"] == namespace and includes(Range(int(match["low"], 16), int(match["high"], 16)), point)
    ]
