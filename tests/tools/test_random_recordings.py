"""Random runs of the model, rendered as dumps, are judged as the model has them; with one corruption they are not."""

from functools import cache
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from oneowner.checkers.recordings.explain.explain_verdict import Acceptance, judge
from oneowner.checkers.verdict import Verdict
from oneowner.model.channel.parts import Run
from oneowner.model.channel.record import Record, is_absent
from oneowner.spec.channel.channel import is_write, written
from tests.recordings.dumps import Json
from tests.recordings.fold.oracle import refusing_rule
from tests.recordings.fold.test_engines import assert_same
from tools.random_recordings import auditing as generated
from tools.random_recordings.auditing import (
    Outcome,
    differences_of,
    is_sent_again,
    log_outcome_of,
    outcome_of,
    round_trip,
)
from tools.random_recordings.dump_corruptions import KINDS, corrupted
from tools.random_recordings.expected import expected, laws_broken
from tools.random_recordings.log_corruptions import KINDS as LOG_KINDS
from tools.render.broker_logs import debug_of, logs_of
from tools.render.channel_dump import Rendered, recording_of, rendered
from tools.render.model_runs import STORIES, model_run, walk

RUNS = [(story, seed) for story in STORIES for seed in range(3)]
RECORDS = 100


@cache
def rendered_run(story: str, seed: int) -> Rendered:
    return rendered(model_run(story, seed, RECORDS))


def is_whole(story: str, seed: int) -> bool:
    """Return whether the model breaks no law of the contract in that run."""
    return not expected(rendered_run(story, seed)).broken


@pytest.mark.sample(3)
@pytest.mark.parametrize(("story", "seed"), RUNS)
def test_generated_run_is_judged_as_the_model_has_it(story: str, seed: int, tmp_path: Path) -> None:
    run = rendered_run(story, seed)
    _, differences = differences_of(run, tmp_path, expected(run))
    assert differences == []


@pytest.mark.slow
def test_generated_runs_hold_what_they_are_for() -> None:
    runs = [rendered_run(*one).run for one in RUNS]
    assert sum(len(run.appended) == RECORDS for run in runs) >= 12
    assert any(one.record.force for run in runs for one in run.appended)
    assert any(one.is_resent for run in runs for one in run.appended)
    assert any(action.name == "restart" for run in runs for action in run.steps)
    assert any(rendered_run(*one).entries for one in RUNS)
    assert sum(not one.accepted for run in runs for one in run.appended) > 100
    assert sum(is_whole(*one) for one in RUNS) >= 10
    assert any(laws_broken(run, place) for run in runs for place in range(len(run.appended)))


@pytest.mark.parametrize("kind", KINDS)
def test_corrupted_run_is_not_valid_unless_the_model_can_have_it_too(kind: str, tmp_path: Path) -> None:
    whole = (one for one in RUNS if is_whole(*one) and corrupted(rendered_run(*one), kind) is not None)
    (one,) = islice(whole, 1)
    messages = corrupted(rendered_run(*one), kind)
    assert messages is not None
    assert messages != rendered_run(*one).messages
    outcome, _ = outcome_of(rendered_run(*one), messages, tmp_path)
    assert outcome in (Outcome.INVALID, Outcome.UNKNOWN, Outcome.OWN)


@pytest.mark.sample(1)
@pytest.mark.parametrize("kind", LOG_KINDS)
def test_corrupted_log_is_never_valid(kind: str, tmp_path: Path) -> None:
    verdicts = [log_outcome_of(rendered_run(*one), kind, tmp_path) for one in RUNS if is_whole(*one)]
    assert Verdict.VALID not in verdicts
    assert {*verdicts} & {Verdict.INVALID, Verdict.UNKNOWN}


def test_logs_are_what_the_runs_differ_in() -> None:
    modes = [debug_of(rendered_run(*one)) for one in RUNS]
    assert debug_of(rendered(model_run("commands", 3, 10))) is None
    assert {len(debug) for debug in modes if debug is not None} >= {0, 2, 4}
    lines = [line for one in RUNS for log in logs_of(rendered_run(*one), frozenset({1, 2})).values() for line in log]
    wanted = ("handle request", "Skipped the message", "Transfer:Owned", "Overriding", "Topic closed", "Loaded the")
    assert [words for words in wanted if not any(words in line for line in lines)] == []


def test_table_is_green_only_if_nothing_is_missed_and_something_was_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    messages: list[str] = []
    assert round_trip(0, tmp_path, messages.append) == Verdict.UNKNOWN
    monkeypatch.setattr(generated, "log_outcome_of", lambda *_: Verdict.VALID)
    assert round_trip(1, tmp_path, messages.append) == Verdict.INVALID
    monkeypatch.setattr(generated, "log_outcome_of", lambda *_: None)
    for outcome, verdict in ((Outcome.INVALID, "valid"), (Outcome.OPEN, "unknown"), (Outcome.MISSED, "invalid")):
        monkeypatch.setattr(generated, "outcome_of", lambda *_, outcome=outcome: (outcome, True))
        assert round_trip(1, tmp_path, messages.append).value == verdict


def test_run_goes_on_as_it_did_when_a_record_comes_twice() -> None:
    run = rendered_run("commands", 0)
    messages = corrupted(run, "repeat_record")
    assert messages is not None
    assert is_sent_again(run, messages)
    assert not is_sent_again(run, messages[1:])


@pytest.mark.slow
def test_generated_run_is_explained_as_a_run_of_the_model() -> None:
    for story in ("commands", "crashes"):
        run = rendered_run(story, 0)
        assert judge(recording_of(run, run.messages)).answer == Acceptance.ACCEPTED


@pytest.mark.parametrize("story", STORIES)
def test_every_view_is_the_naive_fold_of_what_its_broker_has_read(story: str) -> None:
    folds: list[dict[int, Json | None]] = [{}]
    for before, action, after in islice(
        walk(STORIES[story], Random(2)), 400
    ):  # others end early, with all brokers dead
        if is_write(action):
            publish = written(before, action)
            held = folds[-1].get(publish.unit)
            is_refused = refusing_rule(held, plain(publish.record), "system-topic") is not None
            folds.append({**folds[-1], publish.unit: held if is_refused else plain(publish.record)})
        forgotten = len(folds) - 1 - after.log.length
        for broker in range(1, after.bounds.brokers + 1):
            if after.run[broker] == Run.UP:
                fold = folds[forgotten + after.cursor[broker]]
                for unit in range(1, after.bounds.units + 1):
                    assert plain(after.view[broker, unit]) == fold.get(unit)
    assert len(folds) > 40


def plain(record: Record) -> Json | None:
    """Return a record as the oracle reads it; brokers may be numbers."""
    if is_absent(record):
        return None
    named = {"dstBroker": record.destination, "sourceBroker": record.source}
    return {"state": record.state.value, **named, "force": record.force, "versionId": record.version}


@pytest.mark.slow
@pytest.mark.spark
@pytest.mark.xdist_group("spark")
def test_generated_run_has_the_same_bytes_on_spark(tmp_path: Path) -> None:
    path = rendered_run("deletions", 0).write(tmp_path)
    assert_same("audit", path)
    _, text = assert_same("timeline", path)
    assert text.count('"state": "Owned"') > 10
