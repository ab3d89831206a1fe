"use strict";
/*
 * A run of a model, step by step: a lane for each actor, a row for each step; beside it the channel, if there is one,
 * with every reader's place in it, and what each actor holds after the chosen step.
 */

const unitColour = (unit) => colourOf(unit - 1);

function startSteps() {
  if (!book.replays.length) return;
  byId("steps-part").hidden = false;
  const choice = byId("replay");
  book.replays.forEach((run, number) => choice.append(make("option", {value: number}, run.name)));
  byId("run-choice").hidden = book.replays.length < 2;
  choice.addEventListener("change", () => change({replay: Number(choice.value), step: LOOK.step}));
  byId("step-first").addEventListener("click", () => go(-Infinity));
  byId("step-back").addEventListener("click", () => go(-1));
  byId("step-on").addEventListener("click", () => go(1));
  byId("step-last").addEventListener("click", () => go(Infinity));
  document.addEventListener("keydown", stepKey);
  listen((changed) => {
    if (changed.has("replay")) drawRun();
    if (changed.has("step") || changed.has("replay")) drawStep();
  });
  drawRun();
  drawStep();
}

const run = () => book.replays[Math.min(look.replay, book.replays.length - 1)];
/* Unless a step is asked for, the one that breaks the law that the run is about, or else the first one that breaks any. */
function breakOf({steps, expects}) {
  const asked = steps.findIndex((step) => step.broken.includes(expects));
  return Math.max(0, asked >= 0 ? asked : steps.findIndex((step) => step.broken.length));
}
const stepNow = () => (look.step < 0 ? breakOf(run()) : Math.min(look.step, run().steps.length - 1));

function go(by) {
  change({step: Math.min(run().steps.length - 1, Math.max(0, stepNow() + by))});
}

/* Arrow keys step wherever the focus is, unless something there needs them itself. */
function stepKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, select, canvas")) return;
  const moves = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -Infinity, End: Infinity};
  if (!(event.key in moves)) return;
  event.preventDefault();
  go(moves[event.key]);
}

function drawRun() {
  const {title, story, family, release, faults, place, lanes, steps, loop} = run();
  byId("steps-title").textContent = title;
  const fault = faults.length ? `, with ${faults.join(", ")}` : "";
  byId("steps-story").textContent = `${story ? `${story} ` : ""}Family ${family}, rules of ${release}${fault}, ${place}.`;
  const names = Array.from({length: lanes}, (_, index) => laneHead(index));
  const head = make("tr", {}, make("th", {scope: "col"}, "step"), make("th", {scope: "col"}, "action"), names, make("th", {scope: "col", class: "changes"}, "what changed"));
  const forever = make("tr", {class: "forever"}, make("td", {colspan: lanes + 3}, "then for ever:"));
  const body = make("tbody", {}, steps.map((step, number) => [number === loop ? forever : "", stepLine(step, number, loop)]));
  const table = make("table", {}, make("thead", {}, head), body);
  table.style.setProperty("--lanes", lanes);
  table.style.setProperty("--marks", marks().length);
  byId("lanes").replaceChildren(table);
  byId("replay").value = look.replay;
}

function stepLine(step, number, loop) {
  const {after, actor} = step;
  const before = number > 0 ? run().steps[number - 1].after : null;
  const lanes = after.serving.map((serves, index) => lane(after, before, index, actor === index + 1));
  const broken = step.broken.map((law) => make("span", {class: "broke"}, `broken: ${law}`));
  const changes = number === 0 ? step.about : step.changes.join("; ");
  const classes = [after.twice.length ? "twice" : "", loop !== null && number >= loop ? "loops" : ""].join(" ").trim();
  const row = make("tr", {"data-step": number, class: classes}, make("td", {class: "number"}, String(number)),
    make("td", {class: "code action"}, button(step.action, () => change({step: number}), {class: "plain", title: step.about})),
    lanes, make("td", {class: "changes"}, changes, broken));
  row.addEventListener("click", () => change({step: number}));
  return row;
}

/* What a lane shows, from left to right: whether its actor lives, is registered and leads, then each unit that it serves. */
function marks() {
  const {steps, units = 1, verbs: [begins]} = run();
  const lines = Object.keys(steps[0].after.lines ?? {});
  const bands = Array.from({length: units}, (_, index) => (units > 1 ? `${begins} ${index + 1}` : begins));
  return [...lines, ...bands];
}

const placed = (element, number) => {
  element.style.left = `calc(6px + var(--pitch) * ${number})`;
  return element;
};

function laneHead(index) {
  const names = make("span", {class: "marks"}, marks().map((name, number) => placed(make("span", {}, name), number)));
  return make("th", {scope: "col", class: "lane"}, `${run().actor} ${index + 1}`, names);
}

/* An actor at one step: that it acts, a line for what it is and a band for each unit that it serves; in words, what is new. */
function lane(after, before, index, acts) {
  const {units = 1, verbs: [begins, ends]} = run();
  const lines = Object.entries(after.lines ?? {});
  const serves = after.serving[index];
  const drawn = lines.map(([name, values], number) => {
    const value = values[index];
    return value ? placed(make("span", {class: `band line ${name} ${value === name ? "" : "partly"}`, title: value}), number) : "";
  });
  const bands = serves.map((unit) => {
    const band = make("span", {class: "band", title: `${begins} unit ${unit}`});
    band.style.background = unitColour(unit);
    return placed(band, lines.length + unit - 1);
  });
  const begun = serves.filter((unit) => !before?.serving[index].includes(unit));
  const ended = (before?.serving[index] ?? []).filter((unit) => !serves.includes(unit));
  const unitsOf = (numbers) => (units > 1 ? ` ${numbers.join(", ")}` : "");
  const turned = lines.filter(([name, values]) => before && values[index] !== before.lines[name][index])
    .map(([name, values]) => values[index] || `not ${name}`);
  const words = [
    ...turned,
    begun.length ? `${begins}${unitsOf(begun)}` : "",
    ended.length ? `${ends}${unitsOf(ended)}` : "",
  ].filter(Boolean).join(", ");
  return make("td", {class: `lane ${acts ? "acts" : ""}`}, drawn, bands, make("span", {class: "words"}, words));
}

function drawStep() {
  const {steps, laws, loop, end} = run();
  const number = stepNow();
  const step = steps[number];
  byId("step-now").textContent = `step ${number} of ${steps.length - 1}`;
  byId("step-back").disabled = byId("step-first").disabled = number === 0;
  byId("step-on").disabled = byId("step-last").disabled = number === steps.length - 1;
  for (const row of byId("lanes").querySelectorAll("[data-step]")) {
    const picked = Number(row.dataset.step) === number;
    row.classList.toggle("picked", picked);
    if (picked) {
      row.setAttribute("aria-current", "step");
      keepInSight(row);
    } else row.removeAttribute("aria-current");
  }
  const before = number > 0 ? steps[number - 1].after : step.after;
  const parts = [make("h3", {}, `After step ${number}: `, make("span", {class: "code"}, step.action))];
  for (const law of step.broken) parts.push(make("p", {}, make("span", {class: "broke"}, `broken: ${law}`), laws[law]));
  if (step.about) parts.push(make("p", {class: "quiet"}, step.about));
  parts.push(make("ul", {}, step.after.owners.map((words, unit) => make("li", {class: words === before.owners[unit] ? "" : "picked"}, words))));
  parts.push(...channelParts(step, number));
  parts.push(holdsTable(step.after.holds, before.holds));
  if (step.cells.length) {
    const cells = step.cells.map(([cell, old, now]) => make("li", {}, make("span", {class: "code"}, cell), `: ${short(old)} → ${short(now)}`));
    parts.push(make("details", {}, make("summary", {}, `every cell that changed: ${cells.length}`), make("ul", {class: "quiet"}, cells)));
  }
  if (loop !== null && number === steps.length - 1) {
    parts.push(make("p", {}, loop < steps.length ? `From here it goes on at step ${loop}, for ever.` : "From here on nothing happens, for ever."));
    if (end) parts.push(make("p", {class: "quiet"}, end));
  }
  byId("moment").replaceChildren(...parts);
}

/* Scrolls the lanes alone: a page that jumps at every step cannot be read. */
function keepInSight(row) {
  const lanes = byId("lanes");
  const head = lanes.querySelector("thead").offsetHeight;
  const above = row.offsetTop - head - row.offsetHeight;
  const below = row.offsetTop + 2 * row.offsetHeight - lanes.clientHeight;
  if (lanes.scrollTop > above) lanes.scrollTop = above;
  else if (lanes.scrollTop < below) lanes.scrollTop = below;
}

const short = (text) => (text === "" ? "nothing" : text.length > 160 ? `${text.slice(0, 160)} ..` : text);

/* The channel, if there is one: the topic with a flag where each broker reads, or the nodes of the metadata store. */
function channelParts(step, number) {
  const {records, storage, lanes, units} = run();
  const {after} = step;
  if (!storage) return [];
  if (storage !== "system-topic") {
    const nodes = after.held.map((held, unit) => {
      const told = after.told.map((units_, broker) => (units_.includes(unit + 1) ? broker + 1 : 0)).filter(Boolean);
      return make("li", {}, `unit ${unit + 1}: ${held || "no node"}`, told.length ? ` (broker ${told.join(", ")} is still to be told)` : "");
    });
    return [make("h3", {}, "The nodes"), make("ul", {}, nodes)];
  }
  const items = [];
  const flags = (place) => {
    const here = Array.from({length: lanes}, (_, broker) => broker + 1).filter((broker) => after.cursor[broker - 1] === place);
    if (here.length) items.push(make("li", {class: "cursor", title: `broker ${here.join(", ")} has read up to here`}, `⟨${here.join(" ")}⟩`));
  };
  flags(0);
  records.slice(0, after.written).forEach((record, index) => {
    const text = units > 1 ? `unit ${record.unit} ${record.record}` : record.record;
    const classes = [record.accepted ? "" : "refused", record.step === number && number > 0 ? "fresh" : ""].join(" ").trim();
    items.push(make("li", {class: classes, title: record.accepted ? `record ${index + 1}` : `record ${index + 1}: refused by the resolver`}, text));
    flags(index + 1);
  });
  const words = records.length ? "The channel, and how far each broker ⟨n⟩ has read" : "The channel";
  return [make("h3", {}, words), make("ol", {class: "tape"}, items.length ? items : make("li", {}, "empty"))];
}

/* What each actor holds, by what it is; a row that nobody fills now or before is left out. */
function holdsTable(now, before) {
  const {actor} = run();
  const filled = Object.keys(now[0]).filter((name) => [...now, ...before].some((held) => held[name]));
  const head = make("tr", {}, make("th", {scope: "col"}, actor), now.map((_, index) => make("th", {scope: "col"}, String(index + 1))));
  const body = filled.map((name) => make("tr", {}, make("th", {scope: "row"}, name), now.map((held, index) =>
    make("td", {class: held[name] === before[index][name] ? "" : "changed"}, held[name] || "–"))));
  return make("table", {}, make("thead", {}, head), make("tbody", {}, body));
}
