"use strict";
/* What is the case after the chosen step: laws that broke, owners, the channel, what each actor holds, what could happen next. */

function drawStep() {
  const {steps, laws, loop, end, known, project} = run();
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
  for (const law of step.broken) parts.push(make("p", {}, make("span", {class: "broke"}, `broken: ${law}${known.includes(law) ? `, which ${project} is known to break` : ""}`), laws[law]));
  if (aboutOf(step.action)) parts.push(make("p", {class: "quiet"}, aboutOf(step.action)));
  if (step.choose) parts.push(...nextParts(step, number));
  parts.push(make("ul", {}, step.after.owners.map((words, unit) => make("li", {class: words === before.owners[unit] ? "" : "picked"}, words))));
  parts.push(...channelParts(step, number));
  parts.push(holdsTable(step.after.holds, before.holds));
  if (step.cells.length) {
    const cells = step.cells.map(([cell, old, now]) => make("li", {}, make("span", {class: "code"}, cell), `: ${short(old)} → ${short(now)}`));
    parts.push(make("details", {}, make("summary", {}, `every cell that changed: ${cells.length}`), make("ul", {class: "quiet"}, cells)));
  }
  if (!step.choose) parts.push(...nextParts(step, number));
  if (loop !== null && number === steps.length - 1) {
    parts.push(make("p", {}, loop < steps.length ? `From here it goes on at step ${loop}, for ever.` : "From here on nothing happens, for ever."));
    if (end) parts.push(make("p", {class: "quiet"}, end));
  }
  byId("moment").replaceChildren(...parts);
  lightArrows(number);
}

/* Every action that is enabled after a step; on a page that holds the states, a click takes it. */
function nextParts(step, number) {
  const {steps, loop} = run();
  const taken = steps[number + 1]?.action ?? (number === steps.length - 1 && loop !== null ? steps[loop]?.action : undefined);
  const items = step.next.map((action) => {
    const title = aboutOf(action);
    const isTaken = action === taken;
    const does = step.choose ? () => step.choose(action) : isTaken ? () => go(1) : null;
    return make("li", {class: isTaken ? "taken" : ""}, does ? button(action, does, {title}) : make("span", {title}, action));
  });
  const none = step.edge ? step.edge : "Nothing is enabled: the run ends here.";
  return [
    make("h3", {}, step.choose ? "What can happen next: choose" : "What could happen next"),
    items.length ? make("ul", {class: "next code"}, items) : make("p", {class: "quiet"}, none),
  ];
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
  const {storage, lanes, units} = run();
  const {after} = step;
  const {records, at} = traffic.now;
  const {written, forgotten} = at[number];
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
    const here = Array.from({length: lanes}, (_, broker) => broker + 1).filter((broker) => after.cursor[broker - 1] !== null && after.cursor[broker - 1] + forgotten === place);
    if (here.length) items.push(make("li", {class: "cursor", title: `broker ${here.join(", ")} has read up to here`}, `⟨${here.join(" ")}⟩`));
  };
  flags(0);
  records.slice(0, written).forEach((record, index) => {
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
  const filled = [...new Set(now.flatMap((held) => Object.keys(held)))].filter((name) => [...now, ...before].some((held) => held[name]));
  const head = make("tr", {}, make("th", {scope: "col"}, actor), now.map((_, index) => make("th", {scope: "col"}, String(index + 1))));
  const body = filled.map((name) => make("tr", {}, make("th", {scope: "row"}, name), now.map((held, index) =>
    make("td", {class: (held[name] ?? "") === (before[index][name] ?? "") ? "" : "changed"}, held[name] || "–"))));
  return make("table", {}, make("thead", {}, head), make("tbody", {}, body));
}

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
    if (changed.has("replay") || changed.has("path")) drawRun();
    if (["step", "replay", "path"].some((name) => changed.has(name))) drawStep();
  });
  drawRun();
  drawStep();
}
