"use strict";
/*
 * A reader takes the steps himself: the page holds the states of a small model and the steps between them. The chosen ones
 * stand in the address, so that a link shows the same run.
 */

const walk = {undone: [], from: [], numbers: new Map()};
const NO_STEP = "start"; /* in the address, where an empty path means the one that the page begins with */

function startWalk() {
  const {graph} = book;
  if (!graph) return;
  walk.from = graph.states.map(() => []);
  for (const edge of graph.edges) walk.from[edge[0]].push(edge);
  graph.actions.forEach(([words], number) => walk.numbers.set(words, number));
  book.replays = [{...graph, faults: graph.faults, loop: null, end: "", liveness: [], expects: null, steps: walked()}];
  byId("walk-bar").hidden = false;
  byId("walk-undo").addEventListener("click", () => change(walk.undone.pop()));
  byId("walk-again").addEventListener("click", () => takePath([]));
  listen((changed) => {
    if (changed.has("path")) book.replays[0].steps = walked();
    if (changed.has("path") || changed.has("step")) drawWalkBar();
  });
  drawWalkBar();
}

/* The numbers of the actions that were chosen; an address that names none means those that the page begins with. */
function pathNow() {
  if (look.path === NO_STEP) return [];
  return look.path === "" ? book.graph.path : look.path.split(".").map(Number);
}

function takePath(path) {
  walk.undone.push({path: look.path, step: look.step});
  change({path: path.length ? path.join(".") : NO_STEP, step: path.length});
}

/* The steps of the chosen path, as far as the page can follow it. */
function walked() {
  const {states, start, actions} = book.graph;
  let [node, failed] = [0, states[0][1]];
  const steps = [{...start, broken: failed, ...standing(0)}];
  for (const number of pathNow()) {
    const edge = walk.from[node].find(([, , action]) => action === number);
    if (!edge) break;
    const [, after, action, brokenByStep, changes, moved] = edge;
    const fails = [...states[after][1], ...brokenByStep];
    const [words, actor] = actions[action];
    steps.push({action: words, actor, changes, cells: [], broken: fails.filter((law) => !failed.includes(law)), traffic: moved, ...standing(after)});
    [node, failed] = [after, fails];
  }
  return steps;
}

/* A state of the graph as a step shows it: what is so, what can happen next, and where the page ends. */
function standing(node) {
  const {states, actions, depth, command} = book.graph;
  const [after, , beyond, isEdge] = states[node];
  const ends = () => `This page holds every state up to ${count(depth, "step")} from where it begins. Save these steps, and go on in a terminal: ${command} FILE`;
  return {
    after, choose, next: walk.from[node].map(([, , action]) => actions[action][0]),
    edge: isEdge ? ends() : beyond.length ? `What could happen next is beyond the bounds of this model: ${beyond.join(", ")}.` : "",
  };
}

/* Take an action after the step in sight; later steps are given up, and undo brings them back. */
function choose(words) {
  takePath([...pathNow().slice(0, stepNow()), walk.numbers.get(words)]);
}

function drawWalkBar() {
  const {steps, known} = book.replays[0];
  byId("walk-undo").disabled = !walk.undone.length;
  byId("walk-again").disabled = steps.length === 1;
  const save = byId("walk-save");
  URL.revokeObjectURL(save.href);
  save.toggleAttribute("href", steps.length > 1);
  if (steps.length > 1) save.href = URL.createObjectURL(new Blob([scenarioText(steps, known)], {type: "application/yaml"}));
}

/* The run as a file for `oneowner replay`: if its last step breaks a law, it expects so. */
function scenarioText(steps, known) {
  const {broken} = steps.at(-1);
  const law = broken.find((one) => !known.includes(one)) ?? broken[0];
  const expect = law ? `expect: {law: ${law}, verdict: invalid, step: ${steps.length - 1}}\n` : "";
  return `${book.graph.scenario}${expect}steps:\n${steps.slice(1).map(({action}) => `  - ${action}\n`).join("")}`;
}
