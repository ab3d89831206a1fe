"use strict";
/* The search: every word of the query must occur in a page; pages that have all of them in their title come first. */

const MOST = 60;
const AROUND = 70;
const pages = PAGES.map(([title, address, kind, text]) => ({title, address, kind, text, low: `${title} ${kind} ${text}`.toLowerCase()}));
const byId = (id) => document.getElementById(id);

function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/* The words around the first place of the text that has one of the query. */
function around(page, words) {
  const low = page.text.toLowerCase();
  const places = words.map((word) => low.indexOf(word)).filter((place) => place >= 0);
  if (!places.length) return page.text.slice(0, 2 * AROUND);
  const from = Math.max(0, Math.min(...places) - AROUND);
  return `${from ? "… " : ""}${page.text.slice(from, from + 3 * AROUND)}`;
}

function search() {
  const words = byId("query").value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = words.length ? pages.filter((page) => words.every((word) => page.low.includes(word))) : [];
  const rank = (page) => (words.every((word) => page.title.toLowerCase().includes(word)) ? 0 : 1);
  found.sort((one, other) => rank(one) - rank(other));
  byId("all").hidden = words.length > 0;
  byId("count").textContent = words.length ? `${found.length} ${found.length === 1 ? "page" : "pages"}${found.length > MOST ? `, the first ${MOST}` : ""}` : "";
  byId("results").replaceChildren(...found.slice(0, MOST).map((page) => make("li", {},
    make("a", {href: page.address}, page.title), make("span", {class: "quiet"}, ` ${page.kind}`),
    make("p", {class: "quiet"}, around(page, words)))));
  history.replaceState(null, "", words.length ? `#q=${encodeURIComponent(byId("query").value)}` : location.pathname);
}

byId("query").addEventListener("input", search);
const asked = /^#q=(.*)/.exec(location.hash);
if (asked) {
  byId("query").value = decodeURIComponent(asked[1]);
  search();
}
document.documentElement.dataset.ready = "1";
