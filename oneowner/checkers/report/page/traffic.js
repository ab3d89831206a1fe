"use strict";
/* The records of a run: from their publisher into the channel, and on to their readers, as arrows over the lanes. */

const traffic = {now: {records: [], at: []}, watch: null};
const hasChannel = () => traffic.now.records.length > 0;

/* Every record with its steps: published, written, read; and after each step how many are written, and how many the window forgot. */
function trafficOf(steps) {
  const records = [];
  const waiting = [];
  const at = [];
  let forgotten = 0;
  steps.forEach((step, number) => {
    const {published = [], appended = [], read = [], lost = 0} = step.traffic ?? {};
    for (const [broker, unit, words, accepted] of appended) {
      const found = waiting.findIndex((one) => one.broker === broker && one.unit === unit && one.words === words);
      records.push({unit, record: words, accepted, step: number, sent: found < 0 ? null : waiting.splice(found, 1)[0], read: []});
    }
    for (const {broker, place, unit} of read) {
      const record = place ? records[forgotten + place - 1] : records.findLast((one) => one.unit === unit);
      record?.read.push({broker, step: number});
    }
    for (const [broker, unit, words] of published) waiting.push({broker, unit, words, step: number});
    forgotten += lost;
    at.push({forgotten, written: records.length});
  });
  return {records, at};
}

/* The records that the channel takes at a step, each a mark that arrows lead to. */
function takenBy(number) {
  const {units = 1} = run();
  return traffic.now.records.map((record, index) => ({record, index})).filter(({record}) => record.step === number)
    .map(({record, index}) => make("span", {class: `record ${record.accepted ? "" : "refused"}`, "data-record": index, title: record.accepted ? "" : "refused by the resolver"},
      make("b", {}, String(index + 1)), make("span", {class: "words"}, ` ${units > 1 ? `unit ${record.unit} ` : ""}${record.record}`)));
}

/* Arrows follow the table: its rows grow and shrink with the window. */
function watchArrows(table) {
  traffic.watch?.disconnect();
  traffic.watch = new ResizeObserver(() => drawArrows(table));
  traffic.watch.observe(table);
  drawArrows(table);
}

function drawArrows(table) {
  const lanes = byId("lanes");
  lanes.querySelector("svg")?.remove();
  const base = table.getBoundingClientRect();
  const middle = (element, side) => {
    const box = element?.getBoundingClientRect();
    return box && box.width ? [(side === "left" ? box.left : box.left + box.width / 2) - base.left, box.top + box.height / 2 - base.top] : null;
  };
  const port = (step, broker) => middle(table.querySelector(`[data-step="${step}"]`)?.querySelectorAll(".port")[broker - 1]);
  const arrows = traffic.now.records.flatMap((record, index) => {
    const place = middle(table.querySelector(`[data-record="${index}"]`), "left");
    const classes = record.accepted ? "" : "refused";
    const sent = record.sent ? [arrow(port(record.sent.step, record.sent.broker), place, `sent ${classes}`, [record.sent.step, record.step])] : [];
    return [...sent, ...record.read.map(({broker, step}) => arrow(place, port(step, broker), `read ${classes}`, [record.step, step]))];
  }).filter(Boolean);
  if (!arrows.length) return;
  const head = shape("marker", {id: "head", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 8, markerHeight: 8, markerUnits: "userSpaceOnUse", orient: "auto"}, shape("path", {d: "M0 0L8 4L0 8z"}));
  const lit = head.cloneNode(true);
  lit.id = "head-lit";
  lanes.append(shape("svg", {class: "arrows", width: table.offsetWidth, height: table.offsetHeight, "aria-hidden": "true"}, shape("defs", {}, head, lit), ...arrows));
  lightArrows(stepNow());
}

function shape(name, attributes, ...children) {
  const made = document.createElementNS(byId("pen").namespaceURI, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function arrow(from, to, classes, steps) {
  if (!from || !to) return null;
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const long = Math.hypot(dx, dy) || 1;
  const end = [to[0] - (dx / long) * 5, to[1] - (dy / long) * 5];
  return shape("path", {class: classes, "data-steps": steps.join(" "), d: `M${from.map(Math.round)}L${end.map(Math.round)}`});
}

/* The arrows that begin or end at the chosen step stand out. */
function lightArrows(number) {
  for (const one of byId("lanes").querySelectorAll(".arrows > path")) {
    one.classList.toggle("lit", one.dataset.steps.split(" ").includes(String(number)));
  }
}

/* What the marks of the lanes mean, drawn as the lanes draw them; only what this run has. */
function stepsLegend() {
  const {steps, verbs: [begins], actor, storage} = run();
  const band = (kind) => {
    const made = make("span", {class: `sample band ${kind}`});
    made.style.setProperty("--unit", unitColour(1));
    return made;
  };
  const line = (kind) => make("span", {class: `sample band line ${kind}`});
  const arrows = (kind) => shape("svg", {class: "arrows sample", width: 30, height: 12}, shape("path", {class: kind, d: "M1 6H25"}), shape("path", {class: "tip", d: "M22 2L29 6L22 10z"}));
  const lines = Object.keys(steps[0].after.lines ?? {}).map((name) => make("li", {}, line(name), name));
  const partly = steps.some((step) => Object.entries(step.after.lines ?? {}).some(([name, values]) => values.some((value) => value && value !== name)));
  const channel = storage === "system-topic" ? "the topic" : "the store";
  return [
    make("li", {}, make("span", {class: "sample dot"}), `takes the step`),
    ...lines,
    partly ? make("li", {}, line("partly"), "in part, such as a paused process or a node left over") : "",
    make("li", {}, band(""), `${begins}`),
    closedUnits().length ? make("li", {}, band("closing"), "closes: serves no more, and may still write until it has closed") : "",
    steps.some((step) => step.after.twice.length) ? make("li", {}, make("span", {class: "sample row"}), `a unit that two ${actor}s serve${closedUnits().length ? " or have yet to close" : ""}`) : "",
    hasChannel() ? make("li", {}, arrows("sent"), `published, and taken into ${channel}`) : "",
    hasChannel() ? make("li", {}, arrows("read"), `read from ${channel}`) : "",
    traffic.now.records.some((one) => !one.accepted) ? make("li", {}, arrows("sent refused"), "refused by the resolver") : "",
  ].filter(Boolean);
}
