"""The site: its links lead somewhere, the search finds, and diagrams show what the model does."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from oneowner.checkers.catalogue.findings import finding_files
from oneowner.model.channel.resolver import METADATA_STORE_MOVES, SYSTEM_TOPIC_MOVES
from tests.report.page.chromium import MISSING, WHERE, Browser, browser
from tools.site import life, sequence
from tools.site.documents import rendered
from tools.site.goals import GOALS, run_to
from tools.site.ring import Arrow, drawn
from tools.site.runs import Move, run_page
from tools.site.site import VERBS, broken_links, build

FEW = 6


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site with a few counterexamples."""
    folder = tmp_path_factory.mktemp("site")
    build(folder, FEW)
    return folder


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    if WHERE is None:
        pytest.skip(MISSING)
    with browser() as found:
        yield found


def test_every_link_of_the_site_leads_somewhere_and_none_away_for_a_script(site: Path) -> None:
    assert list(broken_links(site)) == []
    for page in (site / "index.html", site / "diagrams" / "life.html"):
        assert not re.findall(r'(?:src|stylesheet" href)="(?:https?:)?//', page.read_text())


def test_search_index_has_every_page_and_its_words(site: Path) -> None:
    text = (site / "pages.js").read_text(encoding="utf-8")
    pages = json.loads(text.removeprefix("const PAGES = ").removesuffix(";\n").replace("<\\/", "</"))
    kinds = [kind for _, _, kind, _ in pages]
    assert kinds.count("counterexample") == FEW
    assert kinds.count("diagram") == len(GOALS) + len(VERBS) + 1
    assert kinds.count("finding") + kinds.count("known bug") == len(finding_files())
    for title, address, _, _ in pages:
        assert (site / address).exists()
        assert title
    (front,) = [words for _, address, _, words in pages if address == "README.html"]
    assert "executable model of bundle ownership" in front


def test_search_finds_a_page_by_its_words_and_by_its_address(site: Path, chromium: Browser) -> None:
    chromium.window(390, 844, "dark")
    chromium.open((site / "index.html").as_uri())
    assert chromium.run("document.documentElement.scrollWidth") <= 390
    chromium.run("document.getElementById('query').value = 'bundle LIFE'")
    chromium.run("document.getElementById('query').dispatchEvent(new Event('input'))")
    found = "[...document.querySelectorAll('#results a')].map((one) => one.getAttribute('href'))"
    assert chromium.run(found)[0] == "diagrams/life.html"  # its title has both words
    assert len(chromium.run(found)) > 1
    assert chromium.run("document.getElementById('all').hidden")
    chromium.open((site / "index.html").as_uri() + "#q=recovery%20crashes")
    assert "diagrams/recovery.html" in chromium.run(found)
    assert chromium.complaints == []


def test_page_of_a_counterexample_is_that_of_replay_and_leads_home(site: Path) -> None:
    page = run_page("traces/counterexamples/assign_before_close/single-writer.yaml")
    assert page.title == "A transfer assigns the new owner before the old one has closed its topics"
    assert '<a href="../../../index.html">all pages</a>' in page.html
    assert 'data-verb="replay"' in page.html
    assert page.moves == ()  # a fault is on


def test_moves_of_a_run_name_the_actions_that_made_their_records() -> None:
    page = run_page("traces/counterexamples/compaction-crash/no-ledger-leaks.yaml")
    assert {(one.before, one.after, one.cause, one.forced) for one in page.moves} >= {
        ("Owned", "Releasing", "unload", False)
    }


def test_life_has_every_arrow_of_the_tables_and_those_that_runs_add() -> None:
    moves = [
        Move("Owned", "Releasing", False, "unload", "one", 4),
        Move("Owned", "Releasing", False, "transfer", "two", 2),
        Move("Owned", "Owned", True, "override", "one", 7),
        Move("Owned", "Init", False, "", "one", 8),
        Move("Free", "Releasing", False, "unload", "one", 9),
    ]
    found = {(one.arrow.source, one.arrow.target): one for one in life.steps(moves)}
    assert {(str(before), str(after)) for before, after, _ in SYSTEM_TOPIC_MOVES.rows} <= found.keys()
    both = {(str(before), str(after)) for before, after, _ in METADATA_STORE_MOVES.rows}
    assert {pair for pair, one in found.items() if one.arrow.style == "table"} == both
    releasing = found["Owned", "Releasing"]
    assert (releasing.times, releasing.causes, releasing.example) == (2, ("unload", "transfer"), moves[1])
    added = {pair: one.arrow.style for pair, one in found.items() if one.arrow.style not in ("table", "topic")}
    assert added == {("Owned", "Owned"): "forced", ("Owned", "Init"): "tombstone", ("Free", "Releasing"): "beyond"}


def test_ring_draws_each_arrow_with_a_link_to_its_row() -> None:
    picture = drawn("abcd", [Arrow("a", "b", "x", "<one>"), Arrow("b", "a", "x", "two"), Arrow("c", "c", "y", "three")])
    assert re.findall(r'href="#arrow-(\d)"><title>([^<]+)</title>', picture) == [
        ("1", "&lt;one&gt;"), ("2", "two"), ("3", "three"),
    ]  # fmt: skip
    assert picture.count('class="arrow x"') == 2
    assert picture.count('<rect class="node"') == 4


@pytest.mark.parametrize(("name", "steps"), [("transfer", 12), ("split", 19), ("recovery", 8)])
def test_sequence_is_a_shortest_run_to_its_goal(name: str, steps: int) -> None:
    run = run_to(name)
    assert len(run.steps) == steps
    assert [GOALS[name].is_over(state) for state in run.states] == [False] * steps + [True]
    picture = sequence.drawn(run)
    appended = [step.action.name for step in run.steps].count("append")
    assert picture.count('class="message"') == appended
    assert len(re.findall(r'class="step" [^>]*>(\d+)\. ', picture)) == steps


def test_document_has_its_links_headings_and_words() -> None:
    source = "# A `b`\n\nSee [c](d.md#e), [f](#g) and ![h](i.png).\n\n## J: k\n\n## J: k\n\n| l |\n|---|\n| m |\n"
    found = rendered(source, lambda href: f"<{href}>" if href.endswith("#e") else href)
    assert found.title == "A b"
    assert '<a href="&lt;d.md#e&gt;">c</a>' in found.body
    assert re.findall(r'<h2 id="([^"]+)"', found.body) == ["j-k", "j-k-1"]
    assert '<div class="scroll"><table>' in found.body
    assert found.text == "See c , f and . J: k J: k l m"
