// Lines over the ratings: the axes stay, and the newest piece of each line runs to where it belongs.
export default function ({ data, parentElement }) {
  const { series, rounds, end, high, turn, told } = data;
  const svg = parentElement.querySelector("svg");
  svg.setAttribute("aria-label", data.alt);
  const [wide, left, right, upper, lower] = [800, 84, 236, turn === null ? 16 : 44, 46];
  svg.setAttribute("viewBox", `0 0 ${wide} ${high}`);
  const x = (t) => left + ((wide - left - right) * t) / rounds;
  const y = (value) => high - lower - (high - lower - upper) * value / end;
  const make = (name, attributes, inner = "") => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.textContent = inner;
    return made;
  };
  const short = (label) => (label.length > 17 ? `${label.slice(0, 16).trimEnd()}…` : label);
  const ink = (one) => `color-mix(in srgb, ${one.colour}, white var(--s-veil, 0%))`;
  const grid = svg.querySelector(".grid");
  grid.replaceChildren();
  for (const value of [0, end / 2, end]) {
    grid.append(make("line", { x1: left, x2: wide - right, y1: y(value), y2: y(value), class: "rule" }));
    grid.append(make("text", { x: left - 12, y: y(value) + 8, "text-anchor": "end" }, `${100 * value} %`));
  }
  const every = rounds > 12 ? 4 * Math.ceil(rounds / 40) : rounds > 6 ? 2 : 1;
  for (let t = 0; t <= rounds; t += every)
    grid.append(make("text", { x: x(t), y: high - 12, "text-anchor": "middle" }, t === 0 ? "start" : `${t}`));
  if (turn !== null) {
    grid.append(make("line", { x1: x(turn), x2: x(turn), y1: y(end), y2: y(0), class: "turn" }));
    grid.append(make("text", { x: x(turn) - 10, y: y(end) - 14 }, told));
  }
  const lines = svg.querySelector(".lines");
  const before = Number(svg.dataset.length || 0);
  const length = series[0].values.length;
  svg.dataset.length = length;
  const begun = performance.now();
  const labels = () => {
    // Names at the ends of their lines keep apart.
    const ends = series.filter((one) => one.named).map((one) => ({ one, at: y(one.values[length - 1]) }));
    ends.sort((a, b) => a.at - b.at);
    const lowest = high - lower;
    for (let i = 1; i < ends.length; i++) ends[i].at = Math.max(ends[i].at, ends[i - 1].at + 34);
    for (let i = ends.length - 1; i >= 0; i--) ends[i].at = Math.min(ends[i].at, lowest - 34 * (ends.length - 1 - i));
    return ends;
  };
  const step = (now) => {
    if (Number(svg.dataset.length) !== length) return;
    const gone = before && length === before + 1 ? Math.min(1, (now - begun) / 900) : 1;
    const place = (values) =>
      values.map((value, t) => {
        const last = t === length - 1 && t > 0;
        const across = last ? t - 1 + gone : t;
        const up = last ? values[t - 1] + (value - values[t - 1]) * gone : value;
        return [x(across), y(up)];
      });
    lines.replaceChildren();
    for (const one of series) {
      const points = place(one.values);
      const style = one.named ? { style: `stroke: ${ink(one)}`, class: "line" } : { class: "line other" };
      const drawn = make("polyline", { points: points.map((p) => p.join(",")).join(" "), ...style });
      drawn.append(make("title", {}, one.label));
      lines.append(drawn);
      if (one.named) {
        const [cx, cy] = points[length - 1];
        lines.append(make("circle", { cx, cy, r: 9, style: `fill: ${ink(one)}` }));
      }
    }
    for (const { one, at } of labels())
      lines.append(make("text", { x: Math.min(x(length - 1), wide - right) + 18, y: at + 8, class: "name" }, short(one.label)));
    if (gone < 1) requestAnimationFrame(step);
  };
  step(begun);
}
