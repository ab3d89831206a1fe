"use strict";
/*
 * When each broker was alive, registered and leading: three bars for each, over the bundles. What no source tells of
 * says so; a broker without a bar was not so.
 */

const LANE_BARS = ["alive", "registered", "leading"];
const LANE_LINES = 2; /* lines of the timeline that the three bars of a broker take */
const THIN = 11;

/* The lines of one run: they scroll away with the bundles, so that many brokers leave room for these. */
function laneLines(run) {
  if (look.q || look.ns) return [];
  const named = (words) => (book.runs.length > 1 ? `${words}  ·  ${book.runs[run]}` : words);
  const lanes = book.lanes.filter((lane) => lane.run === run && (look.broker === "" || look.broker === lane.broker));
  return [...storeLines(run, named("stores")), ...(lanes.length ? [{heading: named("brokers")}] : []), ...lanes.flatMap((lane) => Array.from({length: LANE_LINES}, (_, part) => ({lane, part})))];
}

/* ZooKeeper and the bookies, if any source shows one of them. */
function storeLines(run, heading) {
  const of = book.stores.find((one) => one.run === run);
  const stores = Object.entries(of ?? {}).filter(([name]) => name !== "run");
  if (look.broker || stores.every(([, failures]) => !failures)) return [];
  return [{heading}, ...stores.map(([store, failures]) => ({store, failures, run}))];
}

/* A thin line while nothing is wrong with a store; a bar while it fails, a half one while one broker lacks it. */
function drawStore({store, failures, run}, lineTop, gutter) {
  const c = paint.context;
  const middle = lineTop + LINE / 2;
  const across = (since, until, high) => {
    const left = Math.max(scale.left, x(since));
    const right = Math.min(scale.left + scale.width, x(until));
    if (right >= scale.left && left <= scale.left + scale.width) c.fillRect(left, middle - high / 2, Math.max(1, right - left), high);
    return [left, right];
  };
  c.fillStyle = paint.colours.valid;
  if (failures && book.spans[run]) across(book.spans[run].start, book.spans[run].end, 3);
  const inOrder = (failures ?? []).toSorted((one, other) => Number(other[3]) - Number(one[3])); /* an outage over each loss */
  for (const [since, until, words, isOfOne] of inOrder) {
    c.fillStyle = since === until ? paint.colours.ink : isOfOne ? paint.colours.warning : paint.colours.violation;
    if (since === until) {
      across(since, since, BAR);
      continue;
    }
    const [left, right] = across(since, until ?? finishOf(run), isOfOne ? BAR / 2 : BAR);
    const fitting = [words, store === "bookies" ? "no send" : "out of reach"].find((text) => c.measureText(text).width < right - left - 10);
    if (fitting && !isOfOne) write(fitting, left + 5, middle, paint.colours.ground, null);
  }
  coverGutter(gutter, lineTop, false);
  c.font = `600 12px ${paint.font}`;
  write(store, 10, middle, paint.colours.ink, null);
  c.font = `12px ${paint.font}`;
  if (!failures) write("not known", scale.left + 4, middle, paint.colours.soft, paint.colours.ground);
}

function storeWords({store, failures, run}, time) {
  if (!failures) return `${store}: no source shows it`;
  const reach = ((scale.to - scale.from) / scale.width) * 6;
  const now = failures.find(([since, until]) => since - (since === until ? reach : 0) <= time && time <= (until ?? Infinity) + (since === until ? reach : 0));
  if (!now) return `${store}: nothing shows that it failed`;
  const [since, until, words] = now;
  if (since === until) return `${store}: ${clock(since)} ${words}`;
  return `${store}: ${words}, ${clock(since)} to ${until === null ? "the end" : clock(until)} (${duration((until ?? finishOf(run)) - since)})`;
}

const barTop = (number) => 2 + number * (THIN + 4);

/* A line draws its whole broker, since the first one may have scrolled out of sight. */
function drawLane({lane, part}, lineTop, gutter) {
  const c = paint.context;
  const top = lineTop - part * LINE;
  const number = book.brokerNumber.get(lane.broker);
  c.fillStyle = paint.colours.ground;
  c.fillRect(0, lineTop, gutter - 3, LINE);
  LANE_BARS.forEach((name, at) => {
    const bar = top + barTop(at);
    if (!lane[name]) write("not known", scale.left + 4, bar + THIN / 2, paint.colours.soft, paint.colours.ground);
    for (const [since, until] of lane[name] ?? []) {
      const left = Math.max(scale.left, x(since));
      const right = Math.min(scale.left + scale.width, x(until ?? finishOf(lane.run)));
      if (right < scale.left || left > scale.left + scale.width) continue;
      c.fillStyle = name === "leading" ? paint.colours.ink : colourOf(number);
      c.globalAlpha = name === "alive" ? 0.45 : 1;
      c.fillRect(left, bar, Math.max(1, right - left), THIN);
      c.globalAlpha = 1;
    }
    c.textAlign = "right";
    c.font = `10.5px ${paint.font}`;
    write(name, gutter - 8, bar + THIN / 2, paint.colours.soft, null);
    c.textAlign = "left";
    c.font = `12px ${paint.font}`;
  });
  c.font = `600 12px ${paint.font}`;
  const room = gutter - 74;
  const named = `${letterOf(number)} ${book.short[number]}`;
  write(c.measureText(named).width < room ? named : letterOf(number), 10, top + barTop(0) + THIN / 2, paint.colours.ink, null);
  c.font = `12px ${paint.font}`;
}

/* What the bar under a point says. */
function laneWords({lane, part}, within, time) {
  const name = LANE_BARS[Math.min(2, Math.max(0, Math.floor((part * LINE + within - 1) / (THIN + 4))))];
  const who = `${letterOf(book.brokerNumber.get(lane.broker))} ${lane.broker}`;
  if (!lane[name]) return `${who}: whether it was ${name} is not known`;
  const now = lane[name].find(([since, until]) => since <= time && time <= (until ?? Infinity));
  if (!now) return `${who}: not ${name}`;
  return `${who}: ${name} ${clock(now[0])} to ${now[1] === null ? "the end" : clock(now[1])} (${duration((now[1] ?? finishOf(lane.run)) - now[0])})`;
}
