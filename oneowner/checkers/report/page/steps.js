"use strict";
/* A run of a model, the chosen step of it, and the marks that its lanes have. */

const unitColour = (unit) => colourOf(unit - 1);

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

/* The sentence about an action, with the arguments of this step in place of its parameters. */
function aboutOf(action) {
  const given = new Map([...action.matchAll(/(\w+)=(\w+)/g)].map(([, name, value]) => [name, value]));
  const value = (name) => (name === "number" ? given.get(name) : `${name} ${given.get(name)}`);
  const named = (_, name) => (given.has(name) ? value(name) : `the ${name}`);
  const words = (run().abouts[action.split("(")[0]] ?? "").replace(/\*(\w+)\*/g, named);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/* The units that somebody closes at some step: each has a mark of its own. */
const closedUnits = () => [...new Set(run().steps.flatMap((step) => (step.after.closing ?? []).flat()))].sort((a, b) => a - b);

/*
 * What a lane shows, from left to right: whether its actor lives, is registered and leads, then each unit that it serves,
 * and each that it still has to close.
 */
function marks() {
  const {steps, units = 1, verbs: [begins]} = run();
  const lines = Object.keys(steps[0].after.lines ?? {});
  const named = (verb, unit) => (units > 1 ? `${verb} ${unit}` : verb);
  const bands = Array.from({length: units}, (_, index) => named(begins, index + 1));
  return [...lines, ...bands, ...closedUnits().map((unit) => named("closes", unit))];
}
