"""The page of an audit in Chromium: filters, the link, mouse and keys, screen and print."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from oneowner.checkers.report.html import write_html
from tests.report.page.chromium import Browser
from tests.report.page.conftest import COMMANDS, Open
from tests.report.page.crafted import HOSTILE, audited, broker_name, finding, unit_name, window

pytestmark = pytest.mark.xdist_group("chromium")

SHOWN = "chart.shown.map((row) => row.unit)"
DETAIL = "byId('detail').innerText"
TITLES = "[...byId('findings').tBodies[0].querySelectorAll('.law')].map((cell) => cell.innerText)"
PIXEL = """(left, top) => { const copy = make('canvas', {width: 1, height: 1}).getContext('2d');
copy.drawImage(chart.canvas, left, top, 1, 1, 0, 0, 1, 1);
return [...copy.getImageData(0, 0, 1, 1).data].slice(0, 3) }"""


KINDS = ("made-up", "counterexample", "recorded")
"""A page of each kind; the others are opened by the test of clipped text."""


def point(page: Browser, row: int, time: float) -> tuple[float, float]:
    """The place in the window of a moment of the shown row."""
    x, y = page.run(
        f"""(() => {{ const box = chart.canvas.getBoundingClientRect(); const row = chart.shown[{row}];
        return [box.left + x({time}),
        box.top + chart.top + chart.lineOf.get(row) * LINE - chart.scroller.scrollTop + 9]; }})()"""
    )
    return x, y


def middle(page: Browser, interval: int) -> tuple[float, float]:
    """The place in the window of the middle of an interval; its row is brought into sight."""
    page.run("byId('time-part').scrollIntoView()")
    number, time = page.run(
        f"""(() => {{ const one = interval({interval});
        chart.scroller.scrollTop = chart.lineOf.get(one.row) * LINE - 100;
        return [chart.shown.indexOf(one.row), (one.begin + one.end) / 2] }})()"""
    )
    page.settle()
    return point(page, number, time)


def choose(page: Browser, name: str, value: str) -> None:
    """Set a filter as a reader does, with the event that the page expects."""
    page.run(
        f"""(() => {{ const field = byId('filters').elements[{name!r}]; field.value = {value!r};
        field.dispatchEvent(new Event('input', {{bubbles: true}})); }})()"""
    )
    page.settle()


def test_page_of_a_story_opens_on_its_bundle_and_shows_the_rest_when_asked(opened: Open) -> None:
    page = opened("story")
    assert page.run(SHOWN) == ["rig/c/0xc0000000_0xffffffff"]
    assert "dual-serving" in page.run(DETAIL)
    choose(page, "q", "")
    assert len(page.run(SHOWN)) == 13


def test_names_that_have_no_room_are_shortened(opened: Open) -> None:
    page = opened("zombie")
    drawn = """(() => { const old = write; const seen = [];
    write = (text, ...rest) => { seen.push(text); old(text, ...rest); }; drawLines(%d, 900); write = old;
    return seen.filter((text) => text.startsWith('0x')); })()"""
    assert "0x00000000_0x40000000" in page.run(drawn % 230)
    assert set(page.run(drawn % 110)) == {"0x00000000", "0x40000000", "0x80000000", "0xc0000000"}


@pytest.mark.parametrize(
    ("name", "scheme"),
    [
        *((name, scheme) for name in KINDS for scheme in ("light", "dark")),
        *(
            pytest.param(name, scheme, marks=pytest.mark.slow)
            for name in COMMANDS
            if name not in KINDS
            for scheme in ("light", "dark")
        ),
    ],
)
def test_page_says_nothing_to_the_console_and_asks_for_nothing(name: str, scheme: str, opened: Open) -> None:
    page = opened(name, scheme=scheme)
    assert len(page.asked) <= 2
    assert page.run("document.documentElement.scrollWidth") <= 1500


def test_every_bundle_of_a_recording_is_shown(opened: Open) -> None:
    page = opened("zombie")
    assert page.run("book.rows.length") == 13
    assert page.run(SHOWN)[:2] == ["pulsar/system/0x00000000_0x10000000", "rig/a/0x00000000_0x40000000"]
    assert page.run("byId('counted').textContent").startswith("13 bundles of 13")
    assert page.run("byId('legend').innerText.includes('A 127.0.0.1:18081')")


def test_bar_has_the_colour_of_its_owner(opened: Open) -> None:
    page = opened("zombie")
    owned = "[...Array(of.row.length).keys()].filter((i) => texts[of.state[i]] === 'Owned')"
    long = "one.end - one.begin > 2e4 && !one.row.unserved.length"
    wide = page.run(
        f"(() => {{ const {{of, texts}} = book; return {owned}.map(interval).filter((one) => {long})"
        ".map((one) => one.i) })()"
    )
    assert len(wide) > 4
    for number in wide:
        x, y = middle(page, number)
        colour = page.run(
            f"""(() => {{ const box = chart.canvas.getBoundingClientRect();
            return '#' + ({PIXEL})(Math.round({x} - box.left), Math.round({y} - box.top + 6))
            .map((part) => part.toString(16).padStart(2, '0')).join('') }})()"""
        )
        assert colour == page.run(f"colourOf(interval({number}).number)"), number


FILTERS: tuple[tuple[str, str, list[str]], ...] = (
    ("q", "0x06000000_", [unit_name(1), unit_name(41)]), ("q", "lines that nobody wrote", []),
    ("q", "DUAL-serving is", [unit_name(1), unit_name(44)]),
    ("ns", "tenant-0/ns-001", [unit_name(number) for number in range(40, 60)]),
    ("law", "dual-serving", [unit_name(1), unit_name(44)]), ("law", "version-chain", [unit_name(2)]),
)  # fmt: skip


def test_filter_leaves_the_bundles_that_pass_and_gives_the_others_back(opened: Open) -> None:
    page = opened("made-up")
    for name, value, units in FILTERS:
        choose(page, name, value)
        assert page.run(SHOWN) == units, value
        assert page.run("chart.lines.filter((line) => line.row).length") == len(units), value
        assert page.run("byId('counted').textContent").startswith(f"{len(units)} bundle"), value
        choose(page, name, "")
        assert len(page.run(SHOWN)) == 60


def test_filter_by_broker_leaves_bundles_that_it_had(opened: Open) -> None:
    page = opened("made-up")
    choose(page, "broker", broker_name(3))
    shown = page.run(SHOWN)
    assert 0 < len(shown) < 60
    assert page.run(f"chart.shown.every((row) => row.brokers.has(book.brokerNumber.get({broker_name(3)!r})))")
    assert page.run(TITLES) == []  # that broker is in no finding


def test_severities_can_be_hidden(opened: Open) -> None:
    page = opened("made-up")
    assert len(page.run(TITLES)) == 6
    page.run("byId('filters').elements.sev[0].click()")
    page.settle()
    assert sorted(page.run(TITLES)) == ["clock-skew", "dual-serving", "somebody-leads"]
    page.run("byId('filters').elements.only.click()")
    page.settle()
    assert page.run(SHOWN) == [unit_name(44)]
    page.run("byId('clear').click()")
    page.settle()
    assert len(page.run(SHOWN)) == 60


def test_namespace_does_not_hide_what_concerns_the_whole_cluster(opened: Open) -> None:
    page = opened("made-up")
    choose(page, "ns", "tenant-0/ns-001")
    assert sorted(page.run(TITLES)) == ["clock-skew", "dual-serving", "somebody-leads"]


def test_runs_can_be_told_apart(opened: Open) -> None:
    page = opened("two-runs")
    assert page.run("new Set(book.rows.map((row) => row.run)).size") == 2
    choose(page, "run", "1")
    assert page.run("chart.shown.every((row) => row.run === 1)")
    assert page.run("chart.lines.filter((line) => line.heading).every((line) => line.heading.endsWith('kill-owner'))")
    headings = page.run("chart.lines.filter((line) => line.heading).map((line) => line.heading.split(' ')[0])")
    assert headings[:2] == ["stores", "brokers"]
    assert page.run("[scale.from < book.spans[1].start, scale.to < book.spans[1].end + 5000]") == [True, True]


def test_bundle_of_one_run_is_chosen_without_hiding_the_other(opened: Open) -> None:
    page = opened("two-runs")
    unit = "rig/a/0x00000000_0x40000000"
    page.run(f"pickRow(book.rows.find((row) => row.run === 1 && row.unit === {unit!r}), -1); writeNow()")
    assert page.run("pickedRow().run") == 1
    assert page.run("new Set(chart.shown.map((row) => row.run)).size") == 2
    page = opened("two-runs", page.run("location.hash.slice(1)"))
    assert page.run("pickedRow().run") == 1
    assert "kill-owner" in page.run(DETAIL)


def test_what_lasts_to_the_end_of_a_run_ends_with_it(opened: Open) -> None:
    page = opened("two-runs")
    ends = page.run("book.rows.map((row) => interval(row.first + row.count - 1)).map((one) => [one.row.run, one.end])")
    assert max(end for run, end in ends if run == 0) == page.run("book.spans[0].end")
    assert page.run("book.spans[0].end < book.spans[1].start")


def test_lanes_of_brokers_are_drawn_where_they_were_alive_registered_and_leading(opened: Open) -> None:
    page = opened("zombie")
    colour = f"""(broker, bar, time) => {{ const at = chart.lines.findIndex((line) => line.lane?.broker === broker);
    return '#' + ({PIXEL})(Math.round(x(time)), chart.top + at * LINE + barTop(bar) + 8)
    .map((part) => part.toString(16).padStart(2, '0')).join('') }}"""
    stopped, away, back = 1795219610000, 1795219636000, 1795219780000
    third = "127.0.0.1:18083"
    green, ground = page.run("colourOf(2)"), "#ffffff"
    seen = [page.run(f"({colour})({third!r}, 1, {time})") for time in (stopped, away, back)]
    assert seen == [green, ground, green]
    assert [page.run(f"({colour})({third!r}, 2, {time})") for time in (stopped, away, back)] == [ground] * 3
    assert page.run(f"({colour})('127.0.0.1:18081', 2, {stopped})") != ground
    text = page.run(f"laneWords({{lane: book.lanes[2], part: 0}}, barTop(1) + 2, {away})")
    assert text == f"C {third}: not registered"
    text = page.run(f"laneWords({{lane: book.lanes[2], part: 0}}, barTop(0) + 2, {back})")
    assert text.startswith(f"C {third}: alive ")


def test_lane_that_nothing_tells_of_says_so(opened: Open) -> None:
    page = opened("zombie")
    page.run("book.lanes[0].registered = null; redraw()")
    page.settle()
    assert page.run("laneWords({lane: book.lanes[0], part: 0}, barTop(1) + 2, book.start)").endswith("is not known")


def test_click_on_a_bar_shows_its_record(opened: Open) -> None:
    page = opened("zombie")
    number = page.run("(() => { const row = rowNamed('rig/c/0x00000000_0x40000000', ''); return row.first + 2 })()")
    page.click(*middle(page, number))
    text = page.run(DETAIL)
    for words in ("rig/c/0x00000000_0x40000000", "Owned", "127.0.0.1:18081", "00:07:06.415", "0:27", "53.2"):
        assert words in text, words
    page.run("[...byId('detail').querySelectorAll('button')].find((one) => one.innerText === 'after →').click()")
    page.settle()
    assert "Releasing" in page.run(DETAIL)
    assert page.run("look.at") == "0:34"


def test_link_shows_the_same_again(opened: Open, chromium: Browser) -> None:
    page = opened("made-up")
    choose(page, "ns", "tenant-0/ns-000")
    page.run("byId('filters').elements.sev[2].click()")
    page.run(f"pickRow(rowNamed({unit_name(3)!r}, ''), rowNamed({unit_name(3)!r}, '').first + 4)")
    page.run("show(book.start + 60000, book.start + 660000); writeNow()")
    page.settle()
    before = page.run(f"[location.hash, {SHOWN}, {DETAIL}, scale.from, scale.to, {TITLES}]")
    assert re.search(r"t=\d+-\d+", before[0])
    assert f"unit={unit_name(3)}" in before[0]
    page = opened("made-up", before[0].lstrip("#"))
    assert page.run(f"[location.hash, {SHOWN}, {DETAIL}, scale.from, scale.to, {TITLES}]") == before
    assert page.run("byId('filters').elements.ns.value") == "tenant-0/ns-000"
    page.run("location.hash = ''")
    page.wait("chart.shown.length === 60")
    assert page.run("look.unit") == ""


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "hash_", ["t=9-1&unit=no/such/bundle&at=7", "finding=99&sort=nothing", "step=-4&replay=88", "%%%=1&&&"]
)
def test_link_that_fits_nothing_does_no_harm(hash_: str, opened: Open) -> None:
    page = opened("made-up", hash_)
    assert len(page.run(SHOWN)) == 60


def test_keys_walk_through_bundles_intervals_and_findings(opened: Open) -> None:
    page = opened("made-up")
    page.run("chart.canvas.focus()")
    page.press("Escape", "ArrowDown", "ArrowDown", "ArrowDown")
    assert page.run("look.unit") == unit_name(2)
    page.press("Home")
    assert page.run("pickedInterval()") == page.run(f"rowNamed({unit_name(2)!r}, '').first")
    page.press("ArrowRight", "ArrowRight", "ArrowLeft")
    assert page.run("pickedInterval()") == page.run(f"rowNamed({unit_name(2)!r}, '').first") + 1
    whole = page.run("scale.to - scale.from")
    page.press("+", "+")
    assert page.run("scale.to - scale.from") < whole * 0.4
    left = page.run("scale.from")
    page.press("ArrowRight", shift=True)
    assert page.run("scale.from") > left
    page.press("0")
    assert page.run("look.from") is None
    page.press("n")
    assert (page.run("look.finding"), page.run("look.unit")) == ("1", unit_name(1))
    assert "dual-serving" in page.run(DETAIL)
    page.press("p")
    assert page.run("pickedFinding().law") == "clock-skew"
    page.press("Escape")
    assert page.run("[look.unit, look.finding]") == ["", ""]


def test_tab_reaches_everything_and_focus_can_be_seen(opened: Open) -> None:
    page = opened("made-up")
    page.run("document.body.focus()")
    reached = []
    for _ in range(60):
        page.press("Tab")
        reached.append(
            page.run("document.activeElement.id || document.activeElement.name || document.activeElement.tagName")
        )
        if page.run("document.activeElement !== document.body"):
            assert page.run("getComputedStyle(document.activeElement).outlineStyle") != "none", reached[-1]
        if reached[-1] == "canvas":
            break
    for name in ("theme", "zoom-in", "find-on", "q", "ns", "broker", "law", "sev", "only", "clear", "canvas"):
        assert name in reached, name
    assert reached.index("theme") < reached.index("q") < reached.index("canvas")


def test_everything_that_can_be_used_has_a_name(opened: Open) -> None:
    page = opened("made-up")
    nodes = page.call("Accessibility.getFullAXTree")["nodes"]
    roles = {"button", "combobox", "checkbox", "searchbox", "application", "link", "region", "search"}
    used = [node for node in nodes if node.get("role", {}).get("value") in roles and not node.get("ignored")]
    assert len(used) > 25
    assert [node for node in used if not node.get("name", {}).get("value")] == []


def test_dragging_pans_and_dragging_along_the_times_zooms(opened: Open) -> None:
    page = opened("made-up")
    page.run("byId('time-part').scrollIntoView()")
    left, top = page.run("(() => { const box = chart.canvas.getBoundingClientRect(); return [box.left, box.top] })()")
    gutter, width = page.run("[scale.left, scale.width]")
    whole = page.run("[scale.from, scale.to]")
    page.drag((left + gutter + width * 0.25, top + 10), (left + gutter + width * 0.5, top + 10))
    start, end = page.run("[scale.from, scale.to]")
    assert start == pytest.approx(whole[0] + (whole[1] - whole[0]) * 0.25, abs=(whole[1] - whole[0]) * 0.01)
    assert end - start == pytest.approx((whole[1] - whole[0]) * 0.25, rel=0.02)
    page.drag((left + gutter + 300, top + 200), (left + gutter + 100, top + 100))
    assert page.run("scale.from") > start
    assert page.run("chart.scroller.scrollTop") == 100
    page.mouse("mouseWheel", left + gutter + 200, top + 200, deltaX=0, deltaY=-100, modifiers=2)
    page.settle()
    assert page.run("scale.to - scale.from") < (end - start) * 0.9


def test_findings_are_sorted_by_a_click_on_a_heading(opened: Open) -> None:
    page = opened("made-up")
    click = "byId('findings').tHead.querySelector('[data-sort=\"law\"]').click()"
    page.run(click)
    page.settle()
    laws = ["clock-skew", "dual-serving", "dual-serving", "somebody-leads", "stuck-in-flight", "version-chain"]
    assert page.run(TITLES) == laws
    assert page.run("byId('findings').tHead.querySelectorAll('th')[2].ariaSort") == "ascending"
    page.run(click)
    page.settle()
    assert page.run(TITLES) == laws[::-1]


def test_waived_finding_is_listed_and_no_headline(opened: Open) -> None:
    page = opened("made-up", f"finding=5&unit={unit_name(5)}")
    assert "until 2026-12-01: known" in page.run(DETAIL)
    assert page.run("byId('tally-violation').querySelector('dd').innerText") == "2"
    assert page.run("byId('tally-waived').querySelector('dd').innerText") == "1"
    assert "stuck-in-flight" not in page.run("byId('headline').innerText")
    assert page.run("byId('headline').innerText").startswith("dual-serving")


def test_click_on_a_finding_jumps_to_its_time(opened: Open) -> None:
    page = opened("made-up")
    page.run("byId('findings').tBodies[0].rows[0].click()")
    page.settle()
    assert page.run("look.unit") == unit_name(1)
    text = page.run(DETAIL)
    for words in ("dual-serving", "30.00 s", "110.00 s", "made/up/broker-1.log:3", "the first line", "looks like #1",
                  "wait for the close", "At most one broker serves a bundle."):  # fmt: skip
        assert words in text, words
    assert page.run("byId('findings').tBodies[0].rows[0].getAttribute('aria-current')") == "true"
    assert page.run("scale.from < pickedFinding().from && endOf(pickedFinding()) < scale.to")
    assert abs(page.run("byId('time-part').getBoundingClientRect().top")) < 50


def test_what_logs_hold_is_shown_as_text(opened: Open) -> None:
    page = opened("made-up", f"finding=1&unit={unit_name(1)}")
    assert HOSTILE.split("\u2028")[0].strip() in page.run(DETAIL)
    assert page.run("document.querySelectorAll('img').length") == 0
    page.run(f"pickRow(rowNamed({unit_name(1)!r}, ''), -1)")
    page.settle()
    assert "lost: </script>" in page.run(DETAIL)


def test_theme_follows_the_system_and_the_toggle(opened: Open) -> None:
    page = opened("made-up", scheme="dark")
    dark = page.run("getComputedStyle(document.body).backgroundColor")
    drawn = f"({PIXEL})(5, 5).join()"
    assert page.run(drawn) == ",".join(re.findall(r"\d+", dark))
    page.run("byId('theme').click()")
    page.settle()
    light = page.run("getComputedStyle(document.body).backgroundColor")
    assert light == "rgb(255, 255, 255)"
    assert page.run(drawn) == "255,255,255"
    page.run("byId('theme').click(); byId('theme').click()")
    page.settle()
    assert page.run("byId('theme').innerText").endswith("auto")
    assert page.run(drawn) == ",".join(re.findall(r"\d+", dark))


def test_timeline_has_intervals_and_no_findings(opened: Open) -> None:
    page = opened("timeline")
    assert page.run("book.of.row.length") > 20
    assert page.run("byId('findings-part').hidden")


def test_torn_page_says_so(chromium: Browser, pages: Callable[[str], Path], tmp_path: Path) -> None:
    text = pages("made-up").read_text(encoding="utf-8")
    head, data, tail = re.split(r'(?<=id="data">\n)(.*?)(?=</script>)', text, maxsplit=1, flags=re.DOTALL)
    torn = tmp_path / "torn.html"
    torn.write_text(head + data[: len(data) // 8 * 4] + tail, encoding="utf-8")
    chromium.complaints.clear()
    chromium.call("Page.navigate", url=f"file://{torn}")
    chromium.wait("!byId('trouble').hidden")
    assert "could not be read" in chromium.run("byId('trouble').innerText")
    assert chromium.run("byId('verdict').innerText") == "broken (invalid)"
    assert chromium.complaints == []


def test_page_of_many_bundles_opens_and_draws_fast(chromium: Browser, tmp_path: Path) -> None:
    """2,000 bundles and 40,000 intervals; bounds are wide, since machines of tests are busy."""
    many: list[dict[str, Any]] = [
        finding(
            "dual-serving", unit_name(n * 13 % 2000), None, window=window(n * 3000, n * 3000 + 2000, n * 3000, None)
        )
        for n in range(600)
    ]
    path = tmp_path / "many.html"
    write_html(audited(2000, 20, many), str(path))
    assert path.stat().st_size < 1_500_000
    chromium.complaints.clear()
    chromium.window(1500, 1000)
    chromium.open(f"file://{path}")
    assert chromium.run("[book.rows.length, book.of.row.length]") == [2000, 40_000]
    assert float(chromium.run("document.documentElement.dataset.ready")) < 20_000
    drawn = chromium.run(
        """(() => { let rows = 0; const real = drawRow; const begin = performance.now();
        chart.scroller.scrollTop = 20000; drawLines(200, chart.canvas.clientHeight);
        return performance.now() - begin })()"""
    )
    assert drawn < 2000
    chromium.run("chart.scroller.scrollTop = 1e9")
    chromium.settle()
    last = chromium.run(
        """chart.lines[Math.floor((chart.scroller.scrollTop + chart.canvas.clientHeight - chart.top - 10) / LINE)]
        ?.row?.unit"""
    )
    assert last == chromium.run("chart.shown.at(-1).unit")
    assert chromium.complaints == []
