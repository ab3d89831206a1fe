"""The verb ``upgrade``: what changes between two releases of Pulsar for a broker.conf, and for a snapshot of loads."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import click
from rich.console import Console

from oneowner.checkers.cli.name_types import RELEASE
from oneowner.checkers.cli.options import common
from oneowner.checkers.cli.verbs import Section, verb
from oneowner.checkers.inputs.content import is_pasted
from oneowner.checkers.inputs.kinds import DECIDE, EMPTY, LINT, kind_of_file
from oneowner.checkers.judged_release import judged_release
from oneowner.checkers.results import Result
from oneowner.checkers.upgrade.upgrade_item import Area, UpgradeItem, Weight
from oneowner.checkers.verdict import Misuse, Verdict
from oneowner.model.kernel.releases import version
from oneowner.spec.settings.conf import Conf, manager

SHOWN = 12
"""Items of one area and weight that the text prints; the JSON has all."""


@verb(Section.CLUSTER)
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=click.Path(path_type=Path))
@click.option("--from", "before", required=True, metavar="RELEASE", type=RELEASE, help="The release that you run.")
@click.option("--to", "after", required=True, metavar="RELEASE", type=RELEASE, help="The release that you want to run.")
@common
def upgrade(
    out: Console, on_progress: Callable[[str], None] | None, paths: tuple[Path, ...], before: str, after: str
) -> Result:
    """Report what an upgrade of Pulsar changes for the load balancer: settings, decisions, bugs, mixed clusters.

    PATH is a broker.conf, in any form that lint reads, or a snapshot of loads, in any form that decide reads. With a
    broker.conf the answer covers settings that the new release ignores, changed defaults that you do not override, and
    new findings of lint. If you give two broker.conf, the first is for the old release and the second for the new one.
    With loads the answer also compares the decisions of both releases. Without PATH it compares the releases alone.
    The answer takes a second or two.

    Each item has a weight: act (it breaks something, so act before the upgrade), mind (the cluster behaves
    differently), or note. Exit code 1 if there is an item to act on, 0 if there is none, 3 if a custom class or missing
    loads leave the answer unknown.

    \b
      oneowner upgrade --from 4.0.6 --to 5.0.1
      oneowner upgrade conf/broker.conf --from 3.0.7 --to 4.2.4
      oneowner upgrade broker.conf loads.yaml --from 4.0.6 --to 5.0.1
    """
    from oneowner.checkers.settings.facts import facts_of, is_setting
    from oneowner.checkers.upgrade.bug_changes import bug_changes
    from oneowner.checkers.upgrade.running_together import switches, together
    from oneowner.checkers.upgrade.setting_changes import setting_changes, settings_file

    known, notes = zip(*(_settings_release(one) for one in (before, after)), strict=True)
    if known[0] == known[1] and before == after:
        raise Misuse(f"upgrade refused: --from and --to are both {before}")
    files, loads = _sorted(paths)
    old, new = (settings_file(files[0]), settings_file(files[-1])) if files else (None, None)
    facts = [facts_of(one) for one in known]
    was, now = (
        Conf(told._replace(release=name), {}) if file is None else file.conf(told._replace(release=name))
        for told, name, file in zip(facts, (before, after), (old, new), strict=True)
    )
    managers = ("", "") if new is None else (manager(was), manager(now))
    bugs = bug_changes(before, after, managers)
    items = [*together(was, now), *(switches(was.facts, now.facts) if new is None else ())]
    items += setting_changes(facts[0], facts[1], old, new)
    unknown = [] if new is None or all(managers) else [f"{new.path}: the load manager is not one of Pulsar's"]
    for one in {one.path: one for one in (old, new) if one is not None}.values():
        if not any(map(is_setting, one.properties)):
            unknown.append(f"{one.path}: no setting of the load balancer; the defaults are compared")
    for path in loads:
        from oneowner.checkers.cli.upgrade_decisions import decision_changes  # the model of the balancer takes a while

        found = [*decision_changes(path, was, now)]
        unknown += [one.what for one in found if "cannot tell" in one.what]
        items += found
    items += bugs.items
    acts = sum(one.weight == Weight.ACT for one in items)
    reasons = [*filter(None, notes), *unknown]
    verdict = Verdict.INVALID if acts else Verdict.UNKNOWN if unknown else Verdict.VALID
    result = Result(
        verb="upgrade", verdict=verdict, reasons=reasons,
        more={"items": [one.json() for one in items], "kept": list(bugs.kept)},
    )  # fmt: skip
    out.print(_first(before, after, items))
    for line in _lines(items):
        out.print(line)
    out.print(f"{len(bugs.kept)} known bugs are in both releases: oneowner releases {after}")
    for reason in reasons:
        out.print(reason)
    return result


def _settings_release(name: str) -> tuple[str, str]:
    """Return the release by whose settings *name* is judged, and a note; of a final release no preview of it."""
    from oneowner.checkers.settings.facts import releases

    there, at = releases(), version(name)
    finals = [one for one in there if (known := version(one)) is not None and known.is_final]
    if at is not None and at.is_final and name not in there and judged_release(name, there).name not in finals:
        later = [one for one in finals if (known := version(one)) is not None and known.line == at.line]
        if later:
            return later[0], f"the settings of {name} are not known; those of {later[0]} stand in"
    found = judged_release(name, there, "settings")
    return found.name, found.note


def _sorted(paths: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """Return the files of settings, and those of loads."""
    files, loads = list[Path](), list[Path]()
    for path in paths:
        if not path.exists() and not is_pasted(path):
            raise Misuse(f"{path}: cannot be read: there is no such file")
        kind = None if path.is_dir() else kind_of_file(path)
        if kind is None or kind.verb == DECIDE:
            loads.append(path)
        elif kind.verb in (LINT, ()) and not kind.hint and kind is not EMPTY:
            files.append(path)
        else:
            raise Misuse(f"{path}: {kind.name}; upgrade reads a broker.conf and a snapshot of loads")
    if len(files) > 2:
        raise Misuse(
            f"upgrade refused: {len(files)} files of settings; give one for --from, and at most one more for --to"
        )
    return files, loads


def _first(before: str, after: str, items: Sequence[UpgradeItem]) -> str:
    acts = [one for one in items if one.weight == Weight.ACT]
    minds = sum(one.weight == Weight.MIND for one in items)
    first = next((one.what for one in items if one.weight == (Weight.ACT if acts else Weight.MIND)), "")
    count = f"{len(acts)} to act on" if acts else "nothing to act on"
    return f"{before} to {after}: {count}, {minds} to mind{f'; the first: {first}' if first else ''}"


def _lines(items: Sequence[UpgradeItem]) -> Iterator[str]:
    for area in Area:
        own = [one for one in items if one.area == area]
        if own:
            yield f"{area.value}:"
        for weight in Weight:
            some = [one for one in own if one.weight == weight]
            for one in some[:SHOWN]:
                source = f" ({one.source})" if one.source else ""
                yield f"  {weight.value}: {one.what}{source}"
                if one.todo:
                    yield f"        {one.todo}"
            if len(some) > SHOWN:
                yield f"  ... and {len(some) - SHOWN} more to {weight.value}; --json lists them all"
