"""The page on a desk, on a phone and on paper: its first view, no clipped text, its length in print."""

import base64
import json
import re
from typing import Any

import pytest

from oneowner.checkers.times import iso
from tests.command_line import REAL, oneowner
from tests.report.page.chromium import Browser
from tests.report.page.conftest import COMMANDS, Open

pytestmark = pytest.mark.xdist_group("chromium")

DESK, PHONE = (1440, 900), (390, 844)

CUT = """[...document.querySelectorAll('header *, main *')].filter((one) => one.checkVisibility()
  && !one.closest('select, #tip, .skip, .marks') && one.id !== 'tall'
  && [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
  .filter((one) => { const box = one.getBoundingClientRect();
    return getComputedStyle(one).overflow !== 'visible'
      && (one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight)
      || box.left < -1 || box.right > innerWidth + 1 })
  .map((one) => `${one.tagName} ${one.className}: ${one.textContent.slice(0, 60)}`)"""
"""Elements with text of their own of which a part lies outside of the window, or of themselves."""

WIDTHS = "[...document.querySelectorAll('#findings .why')].map((one) => one.getBoundingClientRect().width)"


def looked_at(page: Browser, window: tuple[int, int]) -> Browser:
    page.window(*window)
    return page


ALIKE = ("story", "split", "lasso", "leads", "nodes")
"""Pages like others; other tests open them too."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name in ALIKE)) for name in ("made-up", *COMMANDS)]
)
def test_no_text_is_cut_off(name: str, opened: Open) -> None:
    page = opened(name)
    for window in (DESK, PHONE):
        looked_at(page, window)
        assert page.run("document.documentElement.scrollWidth") <= window[0]
        assert page.run(CUT) == []


def test_phone_shows_what_findings_say_across_the_window(opened: Open) -> None:
    widths = looked_at(opened("zombie"), PHONE).run(WIDTHS)
    assert len(widths) == 24
    assert min(widths) > 340


def test_headline_is_a_whole_sentence_with_the_cause(opened: Open) -> None:
    page = opened("zombie")
    for window in (DESK, PHONE):
        looked_at(page, window)
        text = page.run("document.querySelector('.headline .said').innerText")
        assert text.endswith(page.run("inShort(worstFindings()[0].why)"))
        assert "Why: " in text
        heights = "[...document.querySelectorAll('.headline .said')].map((one) => [one.scrollHeight, one.clientHeight])"
        assert [high for high, seen in page.run(heights) if high > seen > 0] == []


def test_audit_opens_with_the_facts_of_its_worst_incident(opened: Open) -> None:
    page = opened("zombie")
    worst, *others = oneowner("audit", REAL / "zombie", "--json", "-").json["incidents"]
    names, words = (
        page.run(f"[...byId('facts').querySelectorAll('{tag}')].map((one) => one.innerText)") for tag in ("dt", "dd")
    )
    assert names[:4] == ["since", "what", "harm", "do"]
    assert words[0].startswith(f"{iso(worst['from'])}, for ")
    assert words[1] == page.run(f"inShort({json.dumps(worst['root']['what'])})")
    assert words[2].startswith(f"clients could not use {len(worst['harmed'])} bundles, for up to ")
    assert words[3]
    assert page.run("document.querySelectorAll('details.incident').length") == len(others)


def test_timeline_stands_right_after_the_facts(opened: Open) -> None:
    page = opened("zombie")
    for window in (DESK, PHONE):
        looked_at(page, window)
        tops = page.run(
            "['facts', 'scroller', 'headline', 'findings'].map((id) => byId(id).getBoundingClientRect().top)"
        )
        assert tops == sorted(tops)
        assert tops[1] < window[1]


def test_audit_opens_with_the_evidence_of_the_first_sentence_and_at_its_top(opened: Open) -> None:
    page = opened("zombie")
    detail = page.run("byId('detail').innerText")
    assert detail.startswith("warning: dual-serving")
    assert "Evidence" in detail
    assert page.run("[scrollY, chart.scroller.scrollTop]") == [0, 0]
    assert page.run("address()").startswith("unit=rig/c/0x00000000_0x40000000&finding=")


def test_exploration_opens_on_the_step_that_breaks_the_law(opened: Open) -> None:
    page = opened("explored")
    assert page.run("byId('step-now').innerText") == "step 9 of 9"
    assert page.run("address()") == ""
    headlines = page.run("[...document.querySelectorAll('.headline .said')].map((one) => one.innerText)")
    assert headlines[0].startswith(
        "single-writer is broken after step 9, open(broker=2): serving[2,1] = yes. Then unit 1:"
    )
    assert "served by 2, being closed by 1. The law: At most one broker" in headlines[0]
    assert headlines[1].startswith("transfer-handshake is broken by the same. The law: ")
    assert page.run("byId('moment').innerText").splitlines()[2].startswith("broken: single-writer")


def test_run_of_the_model_counts_broken_laws_and_no_violations(opened: Open) -> None:
    for name in ("explored", "counterexample", "no-counterexample"):
        page = opened(name)
        words = page.run("byId('summary').querySelector('.stats').innerText")
        assert "laws broken" in words
        assert "violations" not in words


def test_run_opens_on_the_law_that_it_is_about(opened: Open) -> None:
    page = opened("long")
    assert page.run("run().steps.findIndex((step) => step.broken.length)") == 19
    assert page.run("byId('step-now').innerText") == "step 40 of 40"
    assert page.run("byId('headline').innerText").startswith("quiescent-agreement is broken after step 40")


def test_endless_run_says_in_its_headline_where_it_goes_on(opened: Open) -> None:
    page = opened("lasso")
    assert "orphan-cleaned is broken: after step 17 the run goes on at step 14, for ever." in page.run(
        "byId('headline').innerText"
    )


def pages_of(paper: bytes) -> int:
    return len(re.findall(rb"/Type\s*/Page[^s]", paper))


def printed(page: Browser) -> bytes:
    """Print as a reader does, on the sheets that the page asks for."""
    return base64.b64decode(page.call("Page.printToPDF", preferCSSPageSize=True)["data"])


@pytest.mark.parametrize(
    ("name", "most"),
    [("zombie", 5), pytest.param("split", 5, marks=pytest.mark.slow), ("timeline", 3), ("explored", 3)],
)
def test_paper_has_few_pages(name: str, most: int, opened: Open) -> None:
    assert 1 <= pages_of(printed(opened(name))) <= most


INK = """(() => { preparePrint(); const drawn = [...document.querySelectorAll('#print-part > canvas')].map((one) => {
  const seen = one.getContext('2d').getImageData(0, 0, one.width, one.height).data; const colours = new Set();
  for (let at = 0; at < seen.length; at += 4) colours.add(seen[at] << 16 | seen[at + 1] << 8 | seen[at + 2]);
  return [one.height, [...colours]] });
  const light = getComputedStyle(document.body).backgroundColor;
  const rows = byId('findings').tBodies[0].rows.length; endPrint(); return {drawn, light, rows} })()"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_paper_has_the_timeline_in_light_colours_and_the_findings(scheme: str, opened: Open) -> None:
    page = opened("zombie", scheme=scheme)
    before = page.run("getComputedStyle(document.body).backgroundColor")
    found: dict[str, Any] = page.run(INK)
    colours = {colour for _, drawn in found["drawn"] for colour in drawn}
    assert {int(colour[1:], 16) for colour in page.run("PALETTE.slice(0, 3)")} <= colours  # its three brokers
    assert 0xFFFFFF in colours
    lines = page.run("chart.top + chart.lines.length * LINE")
    assert sum(height for height, _ in found["drawn"]) / 2 >= lines
    assert (found["light"], found["rows"]) == ("rgb(255, 255, 255)", 24)
    page.settle()
    assert page.run("getComputedStyle(document.body).backgroundColor") == before
    assert page.run("byId('print-part').children.length") == 0


def test_paper_leaves_out_bundles_without_findings_first_and_says_how_many(opened: Open) -> None:
    page = opened("made-up")
    drawn = """(() => { const old = drawRow; const rows = new Set();
    drawRow = (row, top) => { rows.add(row.unit); old(row, top); };
    preparePrint(); const said = byId('print-part').textContent; endPrint();
    drawRow = old; return [said, [...rows]] })()"""
    text, units = page.run(drawn)
    assert len(units) == 60
    assert "more: filter them" not in text
    page.run("chart.lines = Array.from({length: 2}, () => chart.lines).flat(); 0")
    text, units = page.run(drawn)
    assert "112 bundles more: filter them" in text
    assert units == page.run("chart.shown.filter((row) => row.findings.some(passes)).map((row) => row.unit)")
