"""The page of a run of the model in Chromium: steps, lanes, the channel with every reader's place."""

from pathlib import Path

import pytest

from tests.command_line import oneowner
from tests.report.page.chromium import Browser
from tests.report.page.conftest import Open

pytestmark = pytest.mark.xdist_group("chromium")

NOW = "byId('step-now').innerText"
MOMENT = "byId('moment').innerText"
TAPE = "[...byId('moment').querySelectorAll('.tape li')].map((item) => item.innerText)"


def test_arrows_step_through_a_counterexample(opened: Open) -> None:
    page = opened("counterexample", "step=0")
    assert page.run(NOW) == "step 0 of 9"
    page.press("ArrowRight", "ArrowDown", "ArrowRight")
    assert page.run(NOW) == "step 3 of 9"
    page.press("ArrowLeft")
    assert page.run(NOW) == "step 2 of 9"
    page.press("End")
    assert page.run(NOW) == "step 9 of 9"
    assert page.run("byId('step-on').disabled")
    page.press("Home", "ArrowUp")
    assert page.run(NOW) == "step 0 of 9"
    page.run("byId('step-on').click(); byId('step-last').click(); byId('step-back').click()")
    page.settle()
    assert page.run(NOW) == "step 8 of 9"


def test_last_step_shows_who_serves_and_what_broke(opened: Open) -> None:
    page = opened("counterexample", "step=9")
    text = page.run(MOMENT)
    for words in (
        "open(broker=2)",
        "A client connects to broker 2, which opens",
        "owner 2",
        "served by 2, being closed by 1",
        "broken: single-writer",
        "At most one broker serves a unit",
    ):
        assert words in text, words
    assert page.run("byId('lanes').querySelectorAll('tr.twice').length") == 1
    assert page.run("byId('lanes').querySelector('tr.picked').dataset.step") == "9"
    bands = "[...byId('lanes').querySelectorAll('tr.picked .band:not(.line)')].map((band) => band.title)"
    assert page.run(bands) == ["has yet to close unit 1", "serves unit 1"]  # two writers, not one server


def test_channel_shows_every_record_and_how_far_each_broker_has_read(opened: Open) -> None:
    page = opened("counterexample", "step=7")
    assert page.run(TAPE) == [
        "⟨3⟩", "Releasing(2, from 1) v3", "⟨1⟩", "Assigning(2, from 1) v4", "⟨2⟩", "Owned(2, from 1) v5",
    ]  # fmt: skip
    assert page.run("byId('moment').querySelector('.tape .fresh').innerText") == "Owned(2, from 1) v5"


ARROWS = """[...byId('lanes').querySelectorAll('.arrows > path')]
.map((one) => [one.classList[0], one.dataset.steps, one.classList.contains('lit')])"""


def test_arrows_lead_a_record_from_its_publisher_to_the_topic_and_to_its_readers(opened: Open) -> None:
    page = opened("counterexample", "step=6")
    assert page.run(ARROWS) == [
        ["sent", "1 2", False],
        ["read", "2 3", False],
        ["read", "2 5", False],
        ["sent", "3 4", False],
        ["read", "4 6", True],
        ["sent", "6 7", True],
        ["read", "7 8", False],
    ]
    assert page.run("byId('lanes').querySelector('[data-step=\"4\"] .record').innerText") == "2 Assigning(2, from 1) v4"


def test_legend_explains_what_the_run_has(opened: Open) -> None:
    legend = "byId('steps-legend').innerText"
    assert "closes: serves no more, and may still write until it has closed" in opened("counterexample").run(legend)
    assert "read from the store" in opened("nodes").run(legend)
    assert "refused by the resolver" in opened("lasso").run(legend)


NEXT = "[...byId('moment').querySelectorAll('.next li')].map((one) => [one.innerText, one.className])"


def test_each_step_lists_what_could_happen_next_and_leads_to_what_did(opened: Open) -> None:
    page = opened("counterexample", "step=8")
    following = dict(page.run(NEXT))
    assert following["open(broker=2)"] == "taken"
    assert following["close(broker=1)"] == ""  # which would have kept the law
    page.run("byId('moment').querySelector('.next button').click()")
    page.settle()
    assert page.run(NOW) == "step 9 of 9"


def choose(page: Browser, *actions: str) -> None:
    for action in actions:
        page.run(
            f"[...byId('moment').querySelectorAll('.next button')].find((one) => one.innerText === {action!r}).click()"
        )
        page.settle()


def test_reader_takes_the_steps_undoes_them_and_saves_a_scenario(opened: Open, tmp_path: Path) -> None:
    page = opened("stepped")
    assert page.run(NOW) == "step 0 of 0"
    choose(page, "transfer(broker=1, destination=2)", "append(broker=1)", "consume(broker=1)")
    assert page.run(NOW) == "step 3 of 3"
    page.press("ArrowLeft", "ArrowLeft")
    choose(page, "unload(broker=2)")  # the later steps give way
    assert page.run(NOW) == "step 2 of 2"
    page.run("byId('walk-undo').click()")
    page.settle()
    assert page.run("run().steps.length") == 4
    page.run("byId('step-last').click(); writeNow()")
    page = opened("stepped", page.run("location.hash.slice(1)"))
    assert page.run(NOW) == "step 3 of 3"
    choose(page, "append(broker=1)", "consume(broker=2)", "consume(broker=2)", "append(broker=2)", "consume(broker=2)")
    choose(page, "open(broker=2)")
    assert "broken: single-writer" in page.run(MOMENT)
    path = tmp_path / "steps.yaml"
    path.write_text(page.run("scenarioText(run().steps, run().known)"), encoding="utf-8")
    replayed = oneowner("replay", path)
    assert (replayed.code, "single-writer fails after step 9" in replayed.said) == (1, True)
    page.run("byId('walk-again').click()")
    page.settle()
    assert page.run(NOW) == "step 0 of 0"
    assert page.run("byId('walk-save').hasAttribute('href')") is False


def test_page_of_a_model_that_is_too_large_names_its_edge(opened: Open) -> None:
    page = opened("stepped-in-part", "path=" + "")
    while page.run("byId('moment').querySelector('.next button') !== null"):
        page.run("byId('moment').querySelector('.next button').click()")
        page.settle()
    assert "This page holds every state up to 4 steps from where it begins." in page.run(MOMENT)
    assert "oneowner step transfer FILE" in page.run(MOMENT)


def test_headline_leads_to_the_step_that_broke_the_law(opened: Open) -> None:
    page = opened("counterexample", "step=0")
    page.run("byId('headline').querySelector('button').click()")
    page.settle()
    assert page.run(NOW) == "step 9 of 9"


def test_headline_tells_last_what_pulsar_is_known_to_break(opened: Open) -> None:
    page = opened("counterexample")
    paragraphs = page.run("[...byId('headline').querySelectorAll('p')].map((one) => [one.className, one.innerText])")
    assert [kind for kind, _ in paragraphs] == ["violation", "violation", "note"]
    begins = [
        "single-writer is broken after",
        "transfer-handshake is",
        "single-writer-always, which Pulsar is known to",
    ]
    assert [text.startswith(words) for (_, text), words in zip(paragraphs, begins, strict=True)] == [True] * 3


def test_click_on_a_step_chooses_it_and_the_link_keeps_it(opened: Open) -> None:
    page = opened("counterexample")
    page.run("byId('lanes').querySelector('[data-step=\"4\"]').click(); writeNow()")
    assert page.run("location.hash") == "#step=4"
    page = opened("counterexample", "step=4")
    assert page.run(NOW) == "step 4 of 9"


def test_chosen_step_is_kept_in_sight(opened: Open) -> None:
    page = opened("long", "step=20")
    seen = """(() => { const lanes = byId('lanes').getBoundingClientRect();
    const row = byId('lanes').querySelector('tr.picked').getBoundingClientRect();
    return row.top >= lanes.top && row.bottom <= lanes.bottom })()"""
    assert page.run(seen)
    page.press("End")
    assert page.run(seen)
    for _ in range(40):
        page.press("ArrowUp")
        assert page.run(seen)
    assert page.run(NOW) == "step 0 of 40"


def test_lasso_says_where_it_goes_on(opened: Open) -> None:
    page = opened("lasso", "step=17")
    assert page.run("byId('lanes').querySelector('.forever').nextSibling.dataset.step") == "14"
    assert page.run("byId('lanes').querySelectorAll('tr.loops').length") == 4
    text = page.run(MOMENT)
    assert "goes on at step 14, for ever" in text
    assert "orphan-cleaned" in text
    assert page.run("byId('moment').querySelectorAll('.tape .refused').length") == 1


MARKS = """(number, lane) => [...byId('lanes').querySelectorAll(`[data-step="${number}"] td.lane`)[lane - 1]
.querySelectorAll('.band')].map((band) => [band.title, band.offsetLeft])"""


def test_lanes_show_who_lives_is_registered_leads_and_serves(opened: Open) -> None:
    page = opened("leads")
    heads = (
        "[...byId('lanes').querySelectorAll('th.lane')[0].querySelectorAll('.marks span')].map((one) => one.innerText)"
    )
    assert page.run(heads) == ["alive", "registered", "leading", "serves"]
    start, ended, last = (page.run(f"({MARKS})({number}, {lane})") for number, lane in ((0, 1), (2, 1), (5, 2)))
    assert [name for name, _ in start] == ["alive", "registered", "leading"]
    assert [name for name, _ in ended] == ["alive"]
    assert [name for name, _ in last] == ["alive", "leading", "serves unit 1"]
    assert [left for _, left in start] == sorted({left for _, left in start})  # beside each other
    assert {tuple(mark) for mark in last[:2]} <= {tuple(mark) for mark in start}  # each under its heading
    assert [name for name, _ in page.run(f"({MARKS})(0, 2)")] == ["alive", "registered", "serves unit 1"]
    words = "byId('lanes').querySelector('[data-step=\"2\"] .words').innerText"
    assert page.run(words) == "not registered, not leading"


def test_lane_of_a_crashed_broker_keeps_the_node_that_is_left_over(opened: Open) -> None:
    page = opened("lasso")
    crash = page.run("run().steps.findIndex((step) => step.action.startsWith('crash'))")
    broker = page.run(f"run().steps[{crash}].actor")
    assert page.run(f"({MARKS})({crash}, {broker}).map(([name]) => name)") == ["node left over"]
    partly = page.run(f"byId('lanes').querySelectorAll('[data-step=\"{crash}\"] .line.partly').length")
    assert partly == 1


def test_metadata_store_shows_nodes(opened: Open) -> None:
    page = opened("nodes")
    page.press("End")
    assert "The nodes" in page.run(MOMENT)
    assert "unit 1:" in page.run(MOMENT)


def test_exploration_shows_its_counterexample(opened: Open) -> None:
    page = opened("explored")
    assert page.run("book.replays.length") == 1
    assert page.run("run().laws['single-writer'] !== undefined")


def test_exploration_without_counterexample_shows_the_laws(opened: Open) -> None:
    page = opened("no-counterexample")
    assert page.run("byId('steps-part').hidden && byId('time-part').hidden")
    assert page.run("document.querySelectorAll('.laws tbody tr').length") > 10
    assert "expected may fail: known to fail in Pulsar" in page.run("byId('laws-part').innerText")
