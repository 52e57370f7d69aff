// Curves that grow: the axes stay, each curve runs on to its newest point, and what changed glides to its new place.
const SECONDS = 0.6;
const DASHES = { solid: "none", dash: "7 5", dot: "2 4" };

export default function ({ data, parentElement }) {
  const { panels, rounds, low, high, log, ticks, cut, window: shade, alt } = data;
  const root = parentElement.querySelector(".curves");
  root.setAttribute("aria-label", alt);
  const svg = (name, attributes) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };
  const span = (kind, text, style) => {
    const made = document.createElement("span");
    Object.assign(made, { className: kind, textContent: text });
    Object.assign(made.style, style);
    return made;
  };
  const scale = log ? Math.log10 : (value) => value;
  const x = (t) => (1000 * t) / rounds;
  const y = (value) => 1000 - (1000 * (scale(value) - scale(low))) / (scale(high) - scale(low));
  const hold = root.querySelector(".panels");
  while (hold.children.length > panels.length) hold.lastElementChild.remove();
  while (hold.children.length < panels.length) {
    const made = document.createElement("figure");
    made.className = "panel";
    made.innerHTML = '<figcaption></figcaption><div class="plot"></div>';
    made.lastElementChild.append(svg("svg", { viewBox: "0 0 1000 1000", preserveAspectRatio: "none" }));
    hold.append(made);
  }

  const every = Math.max(1, Math.ceil(rounds / 5 / (rounds > 10 ? 5 : 1))) * (rounds > 10 ? 5 : 1);
  panels.forEach((panel, place) => {
    const [title, plot] = hold.children[place].children;
    title.textContent = panel.title;
    for (const old of plot.querySelectorAll("span")) old.remove();
    for (const [value, label] of ticks) plot.append(span("y", label, { bottom: `${(1000 - y(value)) / 10}%` }));
    for (let t = 0; t <= rounds; t += every) plot.append(span("x", `${t}`, { left: `${x(t) / 10}%` }));
    plot.append(span("under", "ratings", {}));
  });

  // The names of the curves, with their values under the mouse.
  const names = root.querySelector(".names");
  const all = new Map(panels.flatMap((panel) => panel.series).map((one) => [one.label, one]));
  const named = (t) => {
    names.replaceChildren();
    const lines = [...all.values(), ...(cut ? [{ label: cut[1], colour: "var(--p-quiet)", dash: "dot", middle: [] }] : [])];
    for (const one of lines) {
      const item = document.createElement("span");
      const mark = document.createElement("i");
      mark.style.borderTopColor = one.colour;
      mark.style.borderTopStyle = { solid: "solid", dash: "dashed", dot: "dotted" }[one.dash];
      item.append(mark, one.label);
      if (t !== undefined && panels.length === 1 && one.middle[t - 1] !== undefined) {
        const value = document.createElement("b");
        value.textContent = one.middle[t - 1].toPrecision(3);
        item.append(value);
      }
      names.append(item);
    }
    if (t !== undefined && panels.length === 1) names.append(`after rating ${t}`);
  };
  named();
  root.onpointermove = (event) => {
    const box = hold.querySelector(".plot").getBoundingClientRect();
    const t = Math.round((rounds * (event.clientX - box.left)) / box.width);
    named(t >= 1 && t <= rounds ? t : undefined);
  };
  root.onpointerleave = () => named();

  const held = root.held ?? new Map();
  root.held = new Map();
  const begun = performance.now();
  const turn = (root.turn = (root.turn ?? 0) + 1);
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;

  // What a curve looks like on its way from the values it had to those it has.
  const between = (from, to, gone) => {
    const length = from.length + (to.length - from.length) * gone;
    const points = [];
    for (let i = 0; i < Math.min(to.length, Math.floor(length)); i++)
      points.push([x(i + 1), i < from.length ? from[i] + (y(to[i]) - from[i]) * gone : y(to[i])]);
    const last = Math.floor(length);
    if (last >= 1 && last < to.length && length > last) {
      const [beforeX, beforeY] = points[last - 1];
      const part = length - last;
      points.push([beforeX + (x(last + 1) - beforeX) * part, beforeY + (y(to[last]) - beforeY) * part]);
    }
    return points;
  };
  const step = (now) => {
    if (root.turn !== turn) return;
    const gone = still ? 1 : Math.min(1, (now - begun) / 1000 / SECONDS);
    panels.forEach((panel, place) => {
      const drawing = hold.children[place].querySelector("svg");
      drawing.replaceChildren();
      for (const [value] of ticks) drawing.append(svg("line", { x1: 0, x2: 1000, y1: y(value), y2: y(value), class: "rule" }));
      if (shade) drawing.append(svg("rect", { x: x(shade[0]), width: x(shade[1] - shade[0]), y: 0, height: 1000, class: "window" }));
      if (cut) drawing.append(svg("line", { x1: 0, x2: 1000, y1: y(cut[0]), y2: y(cut[0]), class: "cut" }));
      for (const one of panel.series) {
        const key = `${place}/${one.label}`;
        const old = held.get(key) ?? { middle: [], lower: [], upper: [] };
        const now = {};
        for (const part of ["lower", "upper", "middle"]) now[part] = between(old[part], one[part], gone);
        root.held.set(key, Object.fromEntries(Object.entries(now).map(([part, points]) => [part, points.map((p) => p[1])])));
        const drawn = (points) => points.map((p) => p.join(",")).join(" ");
        const area = drawn([...now.upper, ...now.lower.reverse()]);
        drawing.append(svg("polygon", { points: area, class: "band", style: `fill: ${one.colour}` }));
        const style = `stroke: ${one.colour}; stroke-dasharray: ${DASHES[one.dash]}`;
        drawing.append(svg("polyline", { points: drawn(now.middle), class: "line", style }));
      }
    });
    if (gone < 1) requestAnimationFrame(step);
  };
  step(begun);
}
