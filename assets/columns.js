// Columns that glide: the elements and the axes stay, only heights change, and the style sheet moves them there.
const LETTER = 7; // pixels across

export default function ({ data, parentElement }) {
  const { columns, ticks, colour, under, alt } = data;
  const root = parentElement.querySelector(".plot");
  root.setAttribute("aria-label", alt);
  root.style.setProperty("--ink", colour);
  const [rules, bars] = root.children;
  for (const old of root.querySelectorAll("span")) old.remove();
  rules.replaceChildren();
  const write = (kind, text, style) => {
    const made = document.createElement("span");
    Object.assign(made, { className: kind, textContent: text });
    Object.assign(made.style, style);
    root.append(made);
  };
  for (const [at, label] of ticks) {
    const rule = document.createElement("i");
    rule.style.bottom = `${100 * at}%`;
    rules.append(rule);
    write("y", label, { bottom: `${100 * at}%` });
  }
  const longest = Math.max(...columns.map((column) => column.label.length));
  const every = Math.ceil((columns.length * (longest + 1.5) * LETTER) / (root.clientWidth || 240));
  columns.forEach((column, i) => {
    if (i % every === 0) write("x", column.label, { left: `${(100 * (i + 0.5)) / columns.length}%` });
  });
  write("under", under, {});
  while (bars.children.length > columns.length) bars.lastElementChild.remove();
  while (bars.children.length < columns.length) bars.append(document.createElement("i"));
  columns.forEach((column, i) => {
    bars.children[i].style.height = `${100 * column.height}%`;
    bars.children[i].title = `${column.label}: ${column.count.toLocaleString("en")}`;
  });
}
