"""Rules, the switches of the models: one line each, or in full, with their values in the releases."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

from rich.console import Console

from oneowner.checkers.catalogue.affected import in_spans
from oneowner.checkers.catalogue.families import switchings
from oneowner.checkers.catalogue.family import pick
from oneowner.checkers.catalogue.faults import DEFAULT_SYSTEM
from oneowner.checkers.decisions.release_diff import said_below
from oneowner.model.kernel.releases import switches_in
from oneowner.model.kernel.system import System
from oneowner.spec.systems import systems


@dataclass(frozen=True, slots=True)
class Rule:
    """A switch of a system's rules, as it is listed."""

    system: System
    name: str
    meaning: str
    source: str

    @property
    def value(self) -> bool:
        """Its value in the release that the system follows by default."""
        return bool(getattr(self.system.releases[self.system.default_release], self.name))

    @property
    def about(self) -> str:
        """Its meaning and that value."""
        return f"{self.meaning} [{in_yaml(self.value)} in {self.system.default_release}]"


def named_in(system: System, name: str) -> str:
    """Return the listed name: with the system as a prefix, unless it is the default one."""
    return name if system.name == DEFAULT_SYSTEM else f"{system.name}/{name}"


def in_yaml(value: bool) -> str:
    """Return a value as ``--rule`` reads it."""
    return str(value).lower()


def rules() -> dict[str, Rule]:
    """Return the switches of all systems, by their listed names."""
    found = {}
    for system in systems().values():
        switches = switches_in(system.modules)
        said = said_below(system.rules) | {name: switch.meaning for name, switch in switches.items()}
        for name in (field.name for field in fields(system.rules)):
            source = switches[name].source if name in switches else ""
            found[named_in(system, name)] = Rule(system, name, said.get(name) or undeclared(name), source)
    return found


def undeclared(name: str) -> str:
    """Return the line of a switch that is being added and has no meaning yet: what is missing."""
    return f'No meaning is declared: {name.upper()} = Switch("...") is missing in the module of its mechanism.'


def parts_of(rule: Rule) -> dict[str, str]:
    """Return further facts about a switch, by their labels: releases, source, faults, and the command to try it."""
    releases, other = rule.system.releases, in_yaml(not rule.value)
    turned = [name for name, values in releases.items() if getattr(values, rule.name) != rule.value]
    users = [
        one.name
        for one in switchings().values()
        if one.system == rule.system.name and rule.name in {*one.rules, *getattr(one, "repaired", ())}
    ]
    return {
        f"Releases in which it is {other}": in_spans(turned, list(releases)),
        "Source": rule.source or "its meaning above",
        "Faults and variants that set it": ", ".join(users) or "none",
        "Try it": f"oneowner explore {rule.system.name} --all --rule {rule.name}={other} --diff",
    }


def whole_rules(out: Console, names: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Print switches with their releases, faults and the command that tries the other value; yield the same."""
    known = rules()
    for name in names:
        rule = pick(known, name, "rule")
        parts = parts_of(rule)
        out.print(name, style="bold", markup=False, highlight=False)
        out.print(f"  {rule.about}", markup=False, highlight=False)
        for label, words in parts.items():
            out.print(f"  {label}: {words}", markup=False, highlight=False)
        out.print()
        yield {"kind": "rules", "name": name, "about": rule.about, "parts": parts}
