"use strict";
/*
 * What went wrong, one whole sentence for each law, before anything else: this is what the page was opened for. The page
 * opens on the first of them: its evidence beside the timeline, or the step of a run that breaks the law.
 */

const FIRST = 3; /* laws at the top of the page */

function startHeadline() {
  const said = book.graph ? [] : book.replays.length ? runSentences() : findingSentences();
  byId("headline").replaceChildren(...said);
}

/*
 * That a bundle was served twice comes first, then findings about a bundle, then those about the whole cluster; the
 * longest of each.
 */
function worstFindings() {
  const rank = (finding) => SEVERITIES.indexOf(finding.severity) * 3 + (showsServers(finding) ? 0 : finding.row ? 1 : 2);
  return book.findings.filter((finding) => finding.severity !== "note" && !finding.waived)
    .sort((a, b) => rank(a) - rank(b) || endOf(b) - b.from - (endOf(a) - a.from) || a.number - b.number);
}

function findingSentences() {
  const worst = worstFindings();
  const laws = [...new Set(worst.map((finding) => finding.law))];
  const said = laws.slice(0, FIRST).map((law) => findingSentence(worst.filter((finding) => finding.law === law)));
  return [...said, others(laws, "see the findings")];
}

const others = (laws, where) => (laws.length > FIRST ? make("p", {class: "more"}, `Also ${laws.slice(FIRST).join(", ")}: ${where}.`) : "");

function findingSentence([finding, ...alike]) {
  const canShow = finding.from !== null && !byId("time-part").hidden;
  const all = () => {
    change({law: finding.law, sort: "time"});
    byId("findings-part").scrollIntoView({block: "start"});
  };
  const unit = finding.unit && !finding.why.includes(finding.unit) ? [make("span", {class: "code"}, finding.unit), ": "] : "";
  return sentence(finding.severity, [make("strong", {class: "severity"}, finding.law), " ", moment(finding.from, span()), " ", unit, inShort(finding.why)],
    canShow ? button("show", () => jump(finding)) : "", alike.length ? button(`${alike.length} more like it`, all) : "");
}

function sentence(severity, words, ...buttons) {
  return make("p", {class: severity}, make("span", {class: `said ${severity}`}, words), make("span", {class: "buttons"}, buttons));
}

/* Laws that runs of the model break, the one that was looked for first, those that are known last: after which step, by what it changed, how things then stand, what the law says. */
function runSentences() {
  const broken = book.replays.flatMap((one, replay) => one.steps.flatMap((step, number) => step.broken.map((law) => ({law, replay, step: number}))));
  const asked = ({law, replay}) => (book.replays[replay].expects === law ? 0 : book.replays[replay].known.includes(law) ? 2 : 1);
  broken.sort((a, b) => asked(a) - asked(b));
  const laws = [...new Set(broken.map(({law}) => law))];
  const firsts = laws.slice(0, FIRST).map((law) => broken.find((one) => one.law === law));
  const isTold = ({replay, step}, number) => firsts.findIndex((one) => one.replay === replay && one.step === step) < number;
  const said = firsts.map((one, number) => runSentence(one, isTold(one, number)));
  return [...said, others(laws, "see the laws")];
}

/* How it came about is said once, of the first law that a step breaks. */
function runSentence({law, replay, step}, isTold) {
  const {steps, laws, liveness, loop, known, project} = book.replays[replay];
  const isKnown = known.includes(law);
  const {action, changes, after} = steps[step];
  const show = () => {
    change({replay, step});
    byId("steps-part").scrollIntoView({block: "start"});
  };
  let how = step === 0 ? [" is broken at the start."] : [` is broken after step ${step}, `, make("span", {class: "code"}, action), `: ${changes.join("; ")}.`];
  if (liveness.includes(law)) how = [` is broken: after step ${step} ${loop < steps.length ? `the run goes on at step ${loop}` : "nothing happens"}, for ever.`];
  how.push(` Then ${after.owners.join("; ")}.`);
  const cause = isTold ? " is broken by the same." : how;
  return sentence(isKnown ? "note" : "violation", [make("strong", {class: "severity"}, law), isKnown ? `, which ${project} is known to break,` : "", cause, ` The law: ${laws[law]}`], button("show", show));
}

/* The page of an audit opens with the evidence of its first sentence, unless its address asks for something else. */
function openOnWorst() {
  const [worst] = worstFindings();
  if (address() || !worst) return;
  pickFinding(worst, false);
  chart.scroller.scrollTop = 0;
}
