"""The family that ``explore`` is given; another name is refused with the command that takes it."""

import shlex

from oneowner.checkers.catalogue.families import catalogue, families, family_named
from oneowner.checkers.catalogue.family import Family
from oneowner.checkers.catalogue.upstream import rows_of_number
from oneowner.checkers.verdict import Misuse
from oneowner.spec.systems import DECIDING, names


def explored_family(name: str) -> Family:
    """Return the family *name*; raise Misuse with the command for a system, a bug or an upstream number."""
    try:
        return family_named(name)
    except Misuse as unknown:
        raise Misuse(_with_way_on(name, str(unknown))) from None


def _with_way_on(name: str, refusal: str) -> str:
    """Return the refusal of a family, or the command that takes the name, if the catalogue can be read."""
    try:
        way = way_on(name)
    except Misuse:
        return refusal
    return f"no such family: {name}; {way}" if way else refusal


def way_on(name: str) -> str:
    """Return the command for a name that is none of a family, but of a system, a bug or an upstream number."""
    if name in (*names(), *DECIDING):
        own = [family.full_name for family in families().values() if family.system.name == name]
        among = f"a system with {len(own)} families, such as {own[0]} (oneowner list families)" if own else "a system"
        tried = f"; oneowner explore {name} --all --rule NAME=VALUE tries a change in all" if own else ""
        return f"it is {among}{tried or '; oneowner list decisions lists its decisions'}"
    rows = [name] if name in catalogue() else rows_of_number(name)
    if not rows:
        return ""
    verb = "faults" if any(row in catalogue() for row in rows) else "list findings"
    it_is = "a fault" if rows == [name] else ", ".join(rows)
    return f"it is {it_is}; oneowner {verb} {shlex.quote(name)} prints the commands that show it"
