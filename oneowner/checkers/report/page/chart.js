"use strict";
/* The legend below charts shows their values in the cycle under the pointer, or beside the one chosen by keys. */

for (const group of document.querySelectorAll(".charts")) {
  const svgs = [...group.querySelectorAll(".plot")];
  const last = svgs[0].viewBox.baseVal.width;
  const at = group.querySelector(".at");
  const items = [...group.querySelectorAll("[data-of]")].map((item) => {
    const values = new Map();
    for (const line of group.querySelectorAll(`[data-line="${item.dataset.of}"]`)) {
      for (const point of line.points) values.set(point.x, point.y);
    }
    return {item, values, output: item.querySelector("output")};
  });
  const places = [...new Set(items.flatMap(({values}) => [...values.keys()]))].sort((a, b) => a - b);
  let place = last;

  const show = (wanted) => {
    place = places.reduce((best, one) => (Math.abs(one - wanted) < Math.abs(best - wanted) ? one : best), places[0]);
    for (const cursor of group.querySelectorAll(".cursor")) {
      cursor.setAttribute("x1", place);
      cursor.setAttribute("x2", place);
    }
    at.textContent = place;
    for (const {values, output} of items) {
      const value = values.get(place);
      output.textContent = value === undefined ? "absent" : `${Number(value.toFixed(1))}${output.dataset.unit}`;
    }
  };
  for (const svg of svgs) {
    for (const kind of ["pointermove", "pointerdown"]) {
      svg.addEventListener(kind, (event) => {
        const box = svg.getBoundingClientRect();
        show(((event.clientX - box.left) / box.width) * last);
      });
    }
  }
  group.addEventListener("keydown", (event) => {
    const by = {ArrowLeft: -1, ArrowRight: 1}[event.key];
    if (!by) return;
    event.preventDefault();
    show(places[Math.min(places.length - 1, Math.max(0, places.indexOf(place) + by))]);
  });
  for (const {item} of items) {
    item.addEventListener("pointerenter", () => { group.dataset.lit = item.dataset.of; light(group); });
    item.addEventListener("pointerleave", () => { delete group.dataset.lit; light(group); });
  }
}

function light(group) {
  for (const line of group.querySelectorAll("[data-line]")) {
    line.classList.toggle("dim", group.dataset.lit !== undefined && line.dataset.line !== group.dataset.lit);
  }
}
document.documentElement.dataset.ready = "1";
