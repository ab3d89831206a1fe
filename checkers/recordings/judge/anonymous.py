"""A judgement with pseudonyms for names: learned from all that was seen, before anything is written."""

from __future__ import annotations

from dataclasses import replace

from oneowner.checkers.recordings.judge.anonymise import Pseudonyms
from oneowner.checkers.recordings.judge.judgement import Judgement, RunResult
from oneowner.checkers.recordings.judge.waivers import NONE, Waivers


def anonymous(judgement: Judgement, salt: str, waivers: Waivers = NONE) -> Judgement:
    """Return the judgement with pseudonyms for all names, in whatever is made of it."""
    names = Pseudonyms(salt)
    for result in judgement.runs:
        manifest, tally = result.run.manifest, result.tally
        brokers = {*tally.brokers, *manifest.logs.values(), *manifest.ports, *(log.broker for log in result.coverage)}
        names.learn_brokers(brokers)
        names.learn_producers({*tally.producers, *result.producers})
        names.learn_units(tally.names)
        names.learn_files((piece.path for piece in result.run.pieces), manifest.logs)
    for _, finding in judgement.own:  # evidence knows of units and brokers that the channel does not
        names.learn_brokers(finding.brokers)
        names.learn_units([finding.unit] if finding.unit else ())
    names.learn_files([waivers.path] if waivers.path else ())
    names.learn_units(waiver.unit for waiver in waivers.listed if "/" in waiver.unit)
    return replace(judgement, names=names, runs=tuple(_shown(result, names) for result in judgement.runs))


def _shown(result: RunResult, names: Pseudonyms) -> RunResult:
    def texts(words: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(names.text(text) for text in words)

    return replace(
        result,
        run=replace(result.run, name=names.text(result.run.name)),
        broken=texts(result.broken),
        doubts=texts(result.doubts),
        remarks=texts(result.remarks),
        unproven=texts(result.unproven),
        laws=tuple(replace(row, reason=names.text(row.reason)) for row in result.laws),
        coverage=tuple(
            replace(log, path=names.text(log.path), broker=names.text(log.broker)) for log in result.coverage
        ),
    )
