"""``lint`` judges a broker.conf by the laws of settings, and by the settings of a release."""

import difflib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from oneowner.checkers.results import LawRow, Part
from oneowner.checkers.settings.facts import OURS, facts_of, is_setting, releases
from oneowner.checkers.settings.forms import QUOTES, Settings, read_settings
from oneowner.checkers.settings.properties import Property
from oneowner.checkers.verdict import Verdict
from oneowner.spec.settings.conf import Broken, Conf, Facts, SettingLaw, is_foreign
from oneowner.spec.settings.laws import LAWS
from oneowner.spec.settings.measures import remarks

CLASSES: Final = (
    "loadManagerClassName", "loadBalancerLoadSheddingStrategy", "loadBalancerLoadPlacementStrategy",
    "loadManagerServiceUnitStateTableViewClassName",
)  # fmt: skip
"""Settings that name a class, which may be of the operator's own."""

KNOWN: Final = "setting-is-known"
ONCE: Final = "setting-stands-once"
OF_THE_FILE: Final = {
    KNOWN: ("Settings that are set exist in the release.", "PulsarConfigurationLoader; FieldParser.update"),
    ONCE: ("A setting has one value.", "Properties.load of the JDK"),
}
"""Laws of the file that the broker ignores: their statements, and the class that they rest on."""


class Linted(NamedTuple):
    """The findings in the settings of one place."""

    part: Part
    findings: tuple[Mapping[str, Any], ...]
    read: str
    """The form that the settings were read in, and their number."""
    remarks: tuple[str, ...] = ()
    """Surprises that are by design; the verdict does not depend on them."""


def lint(path: Path, release: str) -> list[Linted]:
    """Judge the settings in a file; raise Misuse if it cannot be read or the release is not known."""
    facts = facts_of(release)
    places = read_settings(path)
    return [lint_place(path, place, f" ({number})" if len(places) > 1 else "", facts)
            for number, place in enumerate(places, 1)]  # fmt: skip


def lint_place(path: Path, settings: Settings, number: str, facts: Facts) -> Linted:
    """Judge the settings of one place in a file."""
    properties, name = settings.properties, f"{path}{number}"
    conf = Conf(facts, {one.key: one.value for one in properties})
    found = [*of_the_file(facts, properties), *of_the_settings(conf)]
    lines = {one.key: one.line for one in properties}
    if settings.missing:  # then what is not here may not have its default
        found = [(law, source, one) for law, source, one in found if all(key in lines for key in one.keys)]
    asked = {KNOWN, ONCE} | {law.name for law in LAWS if law.applies(conf)}
    broken = {law for law, _, _ in found}
    rows = tuple(row(law, law in asked, law in broken) for law in (*OF_THE_FILE, *(law.name for law in LAWS)))
    findings = sorted(
        (finding(path, law, source, one, conf, lines) for law, source, one in found),
        key=lambda one: (one["at"]["line"], one["law"]),
    )
    reasons = [f"{name}: {why}" for why in doubts(conf, settings)]
    verdict = Verdict.INVALID if findings else Verdict.UNKNOWN if reasons else Verdict.VALID
    if findings:
        reasons.insert(0, f"{name}: {len(findings)} finding{'s' if len(findings) > 1 else ''}")
    return Linted(Part(name, verdict, tuple(reasons), rows), tuple(findings), read(settings), tuple(remarks(conf)))


def read(settings: Settings) -> str:
    """Return the form of settings, and their number, in words."""
    ours = sum(is_setting(one.key) for one in settings.properties)
    return f"{settings.form}; {ours} of {len(settings.properties)} settings are of the load balancer"


def doubts(conf: Conf, settings: Settings) -> Iterator[str]:
    """Yield the reasons for an unknown verdict on settings without findings."""
    if not any(is_setting(one.key) for one in settings.properties):
        yield "it has no setting of the load balancer"
    for source in settings.missing:
        yield f"more settings are in {source}, which is not in this file"
    for key in CLASSES:
        if is_foreign(conf, key):
            quoted = "; its quotes are part of it" if conf.text(key)[0] in QUOTES else ""
            yield f"{key}: what {conf.text(key)} decides is not known{quoted}"


def of_the_settings(conf: Conf) -> Iterator[tuple[str, str, Broken]]:
    """Yield what breaks a law, with the law and its source."""
    for law in LAWS:
        if law.applies(conf):
            yield from ((law.name, law.source, one) for one in law.broken(conf))


def of_the_file(facts: Facts, properties: list[Property]) -> Iterator[tuple[str, str, Broken]]:
    """Yield the settings that are unknown to the release, and those with two values."""
    seen: dict[str, Property] = {}
    for one in properties:
        before = seen.get(one.key)
        is_ours = one.key in facts.settings or one.key.startswith(OURS)
        if before is not None and is_ours and before.value.strip() not in ("", one.value.strip()):
            follows = f"line {before.line} says {before.value.strip()}, which counts no longer"
            witness = f"the last of two values is taken: {one.value.strip() or 'nothing'}"
            yield ONCE, OF_THE_FILE[ONCE][1], Broken((one.key,), follows, witness, {})
        seen[one.key] = one
    for key, last in seen.items():
        if key in facts.settings:
            continue
        near = [one for one in facts.settings if one.lower() == key.lower()]
        near = near or difflib.get_close_matches(key, facts.settings, 1, 0.9)
        others = [release for release in releases() if key in facts_of(release).settings]
        if others or key.startswith(OURS) or near:
            hint = f"{others[0]} has it" if others else f"did you mean {near[0]}?" if near else "no release has it"
            repair = {key: "", near[0]: last.value.strip()} if near and not others else {key: ""}
            witness = f"no such setting in {facts.release}; {hint}"
            yield KNOWN, OF_THE_FILE[KNOWN][1], Broken((key,), "the broker passes it over", witness, repair)


def row(law: str, is_asked: bool, is_broken: bool) -> LawRow:
    """Return the row of a law; it is unknown if the law does not concern these settings."""
    verdict = Verdict.INVALID if is_broken else Verdict.VALID if is_asked else Verdict.UNKNOWN
    return LawRow(law, "holds", Verdict.VALID, verdict, int(is_asked), "" if is_asked else "it is of other settings")


def finding(path: Path, law: str, source: str, broken: Broken, conf: Conf, lines: Mapping[str, int]) -> dict[str, Any]:
    """Return a finding as results have it, at the first of its settings that stands in the file."""
    settings = {key: value_of(conf, key) for key in broken.keys}
    line = next((lines[key] for key in broken.keys if key in lines), 1)
    shown = ", ".join(f"{key}={value}{'' if key in lines else ' (default)'}" for key, value in settings.items())
    return {
        "law": law,
        "severity": "violation",
        "unit": None,
        "at": {"file": str(path), "line": line, "messageId": None, "time": None},
        "brokers": [],
        "why": f"{shown}: {broken.follows}",
        "held": None,
        "proposed": None,
        "guard": broken.witness,
        "repair": ", ".join(f"{key}={value}" if value else f"leave out {key}" for key, value in broken.repair.items()),
        "settings": settings,
        "set": dict(broken.repair),
        "source": source,
    }


def value_of(conf: Conf, key: str) -> str:
    """Return the value of a setting as the file has it, or the default."""
    return conf.told[key].strip() if key in conf.told else conf.facts.settings[key].default


def laws() -> list[SettingLaw]:
    """Return all laws, in the order in which a result lists them."""
    of_the_file = [SettingLaw(name, *said, lambda conf: True, lambda conf: ()) for name, said in OF_THE_FILE.items()]
    return [*of_the_file, *LAWS]
