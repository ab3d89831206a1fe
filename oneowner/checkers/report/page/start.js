"use strict";
/* Unfold the data, fill the filters, and let every part draw itself. */

function startTheme() {
  const themes = ["auto", "light", "dark"];
  const toggle = byId("theme");
  const set = (theme) => {
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    toggle.querySelector("span").textContent = theme;
    toggle.setAttribute("aria-label", `Colours: ${theme === "auto" ? "as the system has them" : theme}`);
    toggle.dataset.theme = theme;
  };
  let kept = "auto";
  try {
    kept = localStorage.getItem("oneowner-theme") ?? "auto";
  } catch { /* a page from a file may be refused a memory */ }
  set(themes.includes(kept) ? kept : "auto");
  toggle.addEventListener("click", () => {
    const next = themes[(themes.indexOf(toggle.dataset.theme) + 1) % themes.length];
    set(next);
    try {
      localStorage.setItem("oneowner-theme", next);
    } catch { /* then it is forgotten */ }
    if (chart.canvas) recolour();
  });
}

function startFilters() {
  const form = byId("filters");
  const fill = (name, pairs) => {
    const select = form.elements[name];
    select.replaceChildren(make("option", {value: ""}, "all"), ...pairs.map(([value, text]) => make("option", {value}, text)));
    form.querySelector(`[data-of="${name}"]`).hidden = pairs.length < 2;
  };
  const sorted = (values) => [...new Set(values)].sort().map((value) => [value, value]);
  fill("run", book.runs.map((name, number) => [String(number), name]));
  fill("ns", sorted(book.rows.map((row) => row.ns)));
  fill("broker", book.brokers.map((broker, number) => [broker, `${letterOf(number)} ${broker}`]));
  fill("law", sorted(book.findings.map((finding) => finding.law)));
  byId("severities").hidden = !book.findings.length;
  form.elements.only.closest("label").hidden = !book.findings.length;
  const asked = () => {
    const chosen = [...form.elements.sev].filter((box) => box.checked).map((box) => box.value).join(",");
    const {q, run: of, ns, broker, law, only} = form.elements;
    change({q: q.value.trim(), run: of.value, ns: ns.value, broker: broker.value, law: law.value, only: only.checked, sev: chosen});
  };
  const told = () => {
    for (const name of ["q", "run", "ns", "broker", "law"]) {
      if (form.elements[name].value.trim() !== look[name]) form.elements[name].value = look[name];
    }
    form.elements.only.checked = look.only;
    for (const box of form.elements.sev) box.checked = look.sev.split(",").includes(box.value);
  };
  form.addEventListener("input", asked);
  form.addEventListener("submit", (event) => event.preventDefault());
  byId("clear").addEventListener("click", () => change(Object.fromEntries(FILTERS.map((name) => [name, LOOK[name]]))));
  listen((changed) => {
    if (isFilter(changed)) told();
  });
  told();
}

/* Small bars as the timeline draws them, so that the legend cannot differ from it. */
const drawLegend = () => byId("legend").replaceChildren(...legendItems());

function legendItems() {
  const sample = (state, number) => {
    const canvas = make("canvas", {width: 26 * paint.ratio, height: 13 * paint.ratio, "aria-hidden": "true"});
    canvas.style.width = "26px";
    canvas.style.height = "13px";
    const c = canvas.getContext("2d");
    c.scale(paint.ratio, paint.ratio);
    c.fillStyle = fillOf(state, number);
    c.fillRect(0, 0, 26, 13);
    return canvas;
  };
  const items = book.brokers.slice(0, 24).map((broker, number) => make("li", {}, sample("Owned", number), `${letterOf(number)}  ${broker}`));
  if (book.brokers.length > 24) items.push(make("li", {}, `and ${book.brokers.length - 24} more brokers`));
  items.push(make("li", {}, sample("Releasing", 0), "hand-over"), make("li", {}, sample("Splitting", 0), "split"), make("li", {}, sample("Free", -1), "nobody"));
  if (book.unserved.length) items.push(make("li", {class: "quiet"}, "struck out: no send to the bundle was confirmed"));
  if (book.findings.some(showsServers)) items.push(make("li", {class: "quiet"}, "stripe under a bar: who served it, too"));
  if (book.findings.length) items.push(make("li", {class: "quiet"}, "▼ violation  ◆ warning  ● note; a frame is how long, dashed: possibly"));
  return items;
}

function trouble(words) {
  byId("trouble").hidden = false;
  byId("trouble").append(make("div", {}, words));
}

function sayWhatIsMissing() {
  if (!book.end) trouble("The data of this page is torn: the file was cut short. What is shown is not all of it.");
  for (const [name, number] of Object.entries(book.end ?? {})) {
    if (number) trouble(`${number.toLocaleString("en")} ${name} are not on this page, which would be too long for a browser; the JSON (--json) has them all.`);
  }
}

async function start() {
  startTheme();
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("[data-skip]");
    if (!link) return;
    event.preventDefault(); /* the address holds what is looked at, not a place */
    const place = byId(link.dataset.skip);
    if (place.tagName === "DETAILS") place.open = true;
    place.focus();
    place.scrollIntoView();
  });
  try {
    await readBook();
  } catch (error) {
    trouble(`The data of this page could not be read (${error}). A browser of 2024 or later is needed; the verdict above holds all the same.`);
    return;
  }
  if (matchMedia("(max-width: 700px)").matches) for (const one of document.querySelectorAll(".commands")) one.open = false;
  sayWhatIsMissing();
  byId("time-part").hidden = !book.rows.some((row) => row.count) && !book.findings.some((finding) => finding.from !== null);
  readAddress();
  startWalk();
  startFindings();
  startHeadline();
  startPaper();
  if (!byId("time-part").hidden) {
    startFilters();
    startTimeline();
    startMoves();
    startDetail();
    byId("zoom-in").addEventListener("click", () => zoom(0.5, focusTime()));
    byId("zoom-out").addEventListener("click", () => zoom(2, focusTime()));
    byId("zoom-all").addEventListener("click", () => change({from: null, to: null}));
    byId("find-on").addEventListener("click", () => stepFinding(1));
    byId("find-back").addEventListener("click", () => stepFinding(-1));
    byId("find-on").hidden = byId("find-back").hidden = !book.findings.length;
  }
  startSteps();
  if (look.step >= 0 || look.replay || book.graph) byId("steps-part").scrollIntoView();
  else if (look.unit || look.finding || look.from !== null) byId("time-part").scrollIntoView();
  else if (!byId("time-part").hidden) openOnWorst();
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
}

start();
