"""
Types of arguments that are names: of families, laws, faults, findings, releases.

The shell completes them (docs/completion.md). A fault may be given by its upstream number.
"""

from collections.abc import Callable, Iterable
from typing import Any

import click
from click.shell_completion import CompletionItem


class Name(click.ParamType[str]):
    """A name, completed from a list; *read* turns what is given into it."""

    name = "name"

    def __init__(
        self, names: Callable[[], Iterable[tuple[str, str]]], read: Callable[[str], str] | None = None,
        or_file: bool = False,
    ) -> None:  # fmt: skip
        self.names = names
        """Returns all names, each with a line about it."""
        self.read = read
        self.or_file = or_file

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the name."""
        return value if self.read is None or (ctx is not None and ctx.resilient_parsing) else self.read(value)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the names that begin as what is typed; none where the catalogue cannot be read."""
        from oneowner.checkers.verdict import Misuse

        files = [CompletionItem(incomplete, type="file")] if self.or_file else []
        try:
            return [
                CompletionItem(one, help=about) for one, about in self.names() if one.startswith(incomplete)
            ] + files
        except Misuse:
            return files


class Choice(click.Choice[str]):
    """One of a few words."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        """Return the message for another word, with those that it may mean."""
        from oneowner.checkers.documents import suggestion

        words, near = super().get_invalid_choice_message(value, ctx), suggestion(str(value), self.choices)
        return f"{words.removesuffix('.')}; {near}" if near.startswith("did you mean") else words


def _families() -> Iterable[tuple[str, str]]:
    from oneowner.checkers.catalogue.families import family_files

    return [(name, "") for name in family_files()]


def _explored() -> Iterable[tuple[str, str]]:
    from oneowner.spec.systems import decisions

    return [*_families(), *((one.name, one.title) for one in decisions().values())]


def _faults() -> Iterable[tuple[str, str]]:
    from oneowner.checkers.catalogue.families import faults

    return [(row.name, row.title) for row in faults().values()]


def _switchings() -> Iterable[tuple[str, str]]:
    from oneowner.checkers.catalogue.families import switchings

    return [(row.name, row.title) for row in switchings().values()]


def _rows() -> Iterable[tuple[str, str]]:
    from oneowner.checkers.catalogue.families import catalogue

    return [(row.name, row.title) for row in catalogue().values()]


def _findings() -> Iterable[tuple[str, str]]:
    from oneowner.checkers.catalogue.findings import findings

    return [(one.name, one.title) for one in findings().values()]


def _releases() -> Iterable[tuple[str, str]]:
    from oneowner.spec.systems import systems

    return [(name, "") for name in dict.fromkeys(name for one in systems().values() for name in one.releases)]


def _laws() -> Iterable[tuple[str, str]]:
    from oneowner.spec.systems import systems

    return [(name, "") for name in dict.fromkeys(name for one in systems().values() for name in one.statuses)]


def _systems() -> Iterable[tuple[str, str]]:
    from oneowner.spec.systems import systems

    return [(name, "") for name in systems()]


def _lemmas() -> Iterable[tuple[str, str]]:
    from oneowner.spec.systems import lemmas

    return [(lemma.name, lemma.statement) for lemma, _ in lemmas().values()]


def _rules() -> Iterable[tuple[str, str]]:
    from oneowner.checkers.cli.list_rules import rules

    return [(name, rule.about) for name, rule in rules().items()]


def _shedders() -> Iterable[tuple[str, str]]:
    from oneowner.model.balancer.batch.shedders import SHEDDERS

    return [(name, "") for name in ("transfer", *SHEDDERS)]


def _switching(name: str) -> str:
    from oneowner.checkers.catalogue.upstream import switching_name

    return switching_name(name)


def _repairable(name: str) -> str:
    from oneowner.checkers.catalogue.upstream import repairable_name

    return repairable_name(name)


FAMILY = Name(_families)
EXPLORED = Name(_explored)
"""A family or a decision."""
FAMILY_OR_FILE = Name(_families, or_file=True)
LAW = Name(_laws)
LEMMA = Name(_lemmas)
SYSTEM = Name(_systems)
RELEASE = Name(_releases)
FAULT_ROW = Name(_rows)
"""Any row of the catalogue of bugs; the verb reads upstream numbers itself, for several rows may have one."""
SHEDDER = Name(_shedders)
RELEASE_OR_DEFECT = Name(lambda: [*_releases(), *_faults(), *_findings()])
SWITCHING = Name(_switchings, _switching)
"""A fault or a variant that is switched on."""
REPAIR = Name(_faults, _repairable)

OF_KIND = {"families": FAMILY, "faults": FAULT_ROW, "findings": Name(_findings), "laws": LAW, "rules": Name(_rules)}
"""The names that ``oneowner list KIND`` describes."""


class ListedName(Name):
    """A name of the kind that the argument before it names."""

    def __init__(self) -> None:
        super().__init__(list)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the names of that kind that begin as what is typed."""
        kind = OF_KIND.get(str(ctx.params.get("kind")))
        return [] if kind is None else kind.shell_complete(ctx, param, incomplete)


LISTED = ListedName()
