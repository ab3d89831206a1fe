"use strict";
/*
 * A run of a model, step by step: a lane for each actor, a row for each step, a column for what the channel takes; arrows
 * lead each record from its publisher to the channel, and on to its readers.
 */

function drawRun() {
  const {title, story, family, release, faults, place, lanes, steps, loop, storage} = run();
  traffic.now = trafficOf(steps);
  byId("steps-title").textContent = title;
  const fault = faults.length ? `, with ${faults.join(", ")}` : "";
  byId("steps-story").replaceChildren(...linked(`${story ? `${story} ` : ""}Family ${family}, rules of ${release}${fault}, ${place}.`));
  const names = Array.from({length: lanes}, (_, index) => laneHead(index));
  const head = make("tr", {}, make("th", {scope: "col"}, "step"), make("th", {scope: "col"}, "action"), names,
    hasChannel() ? make("th", {scope: "col", class: "channel"}, storage === "system-topic" ? "topic" : "store") : "",
    make("th", {scope: "col", class: "changes"}, "what changed"));
  const forever = make("tr", {class: "forever"}, make("td", {colspan: lanes + 3 + hasChannel()}, "then for ever:"));
  const body = make("tbody", {}, steps.map((step, number) => [number === loop ? forever : "", stepLine(step, number, loop)]));
  const table = make("table", {class: hasChannel() ? "has-channel" : ""}, make("thead", {}, head), body);
  table.style.setProperty("--lanes", lanes);
  table.style.setProperty("--marks", marks().length);
  byId("lanes").replaceChildren(table);
  byId("replay").value = look.replay;
  byId("steps-legend").replaceChildren(...stepsLegend());
  watchArrows(table);
}

function stepLine(step, number, loop) {
  const {after, actor} = step;
  const before = number > 0 ? run().steps[number - 1].after : null;
  const lanes = after.serving.map((serves, index) => lane(after, before, index, actor === index + 1));
  const broken = step.broken.map((law) => make("span", {class: "broke"}, `broken: ${law}`));
  const classes = [after.twice.length ? "twice" : "", loop !== null && number >= loop ? "loops" : ""].join(" ").trim();
  const row = make("tr", {"data-step": number, class: classes}, make("td", {class: "number"}, String(number)),
    make("td", {class: "code action"}, button(step.action, () => change({step: number}), {class: "plain", title: aboutOf(step.action)})),
    lanes, hasChannel() ? make("td", {class: "channel"}, takenBy(number)) : "",
    make("td", {class: "changes"}, step.changes.join("; "), broken));
  row.addEventListener("click", () => change({step: number}));
  return row;
}

const placed = (element, number) => {
  element.style.left = `calc(6px + var(--pitch) * ${number})`;
  return element;
};

function laneHead(index) {
  const names = make("span", {class: "marks"}, marks().map((name, number) => placed(make("span", {}, name), number)));
  return make("th", {scope: "col", class: "lane"}, `${run().actor} ${index + 1}`, names);
}

/* An actor at one step: that it acts, a line for what it is, a band for each unit that it serves or closes; in words, what is new. */
function lane(after, before, index, acts) {
  const {units = 1, verbs: [begins, ends]} = run();
  const lines = Object.entries(after.lines ?? {});
  const drawn = lines.map(([name, values], number) => {
    const value = values[index];
    return value ? placed(make("span", {class: `band line ${name} ${value === name ? "" : "partly"}`, title: value}), number) : "";
  });
  const closed = closedUnits();
  const band = (unit, number, kind, title) => {
    const made = make("span", {class: `band ${kind}`, title});
    made.style.setProperty("--unit", unitColour(unit));
    return placed(made, lines.length + number);
  };
  const closing = after.closing?.[index] ?? [];
  const bands = [
    ...after.serving[index].map((unit) => band(unit, unit - 1, "", `${begins} unit ${unit}`)),
    ...closing.map((unit) => band(unit, units + closed.indexOf(unit), "closing", `has yet to close unit ${unit}`)),
  ];
  const turned = lines.filter(([name, values]) => before && values[index] !== before.lines[name][index])
    .map(([name, values]) => values[index] || `not ${name}`);
  const words = [
    ...turned,
    ...turns(after.serving[index], before?.serving[index], begins, ends),
    ...turns(closing, before?.closing?.[index], "closes", "has closed"),
  ].filter(Boolean).join(", ");
  const port = placed(make("span", {class: "port"}), marks().length);
  return make("td", {class: `lane ${acts ? "acts" : ""}`}, drawn, bands, port, make("span", {class: "words"}, words));
}

/* What begins and what ends for some units, in words. */
function turns(now, before, begins, ends) {
  const {units = 1} = run();
  const said = (verb, numbers) => (numbers.length ? `${verb}${units > 1 ? ` ${numbers.join(", ")}` : ""}` : "");
  return [said(begins, now.filter((unit) => !before?.includes(unit))), said(ends, (before ?? []).filter((unit) => !now.includes(unit)))];
}
