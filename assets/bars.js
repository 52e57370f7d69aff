// Bars that glide: the elements stay, only their widths change, and the style sheet moves them there.
export default function ({ data, parentElement }) {
  const { rows, end } = data;
  const root = parentElement.querySelector(".bars");
  root.style.setProperty("--rows", rows.length);
  root.setAttribute("aria-label", data.alt);
  const part = (row, name) => row.querySelector("." + name);
  const percent = (value) => `${Math.max(0, Math.min(100, (100 * value) / end))}%`;
  let ends = part(root, "ends");
  if (!ends) {
    root.innerHTML = '<span class="ends"><span>0 %</span><span></span></span>';
    ends = root.lastElementChild;
  }
  ends.lastElementChild.textContent = `${100 * end} %`;
  while (root.children.length - 1 > rows.length) ends.previousElementSibling.remove();
  while (root.children.length - 1 < rows.length) {
    const row = document.createElement("div");
    row.className = "row";
    row.innerHTML =
      '<span class="label" dir="auto"></span><span class="track"><i class="bar"></i><i class="before"></i>' +
      '<i class="usual"></i><i class="spread"></i><i class="shown"></i></span><span class="number"></span><span class="change"></span>';
    ends.before(row);
  }
  rows.forEach((given, i) => {
    const row = root.children[i];
    part(row, "label").textContent = part(row, "label").title = given.label;
    part(row, "track").title = given.hover ? `${given.label}: ${given.hover}` : "";
    for (const kind of ["led", "head", "thin"]) row.classList.toggle(kind, Boolean(given[kind]));
    const put = (name, left, width) => {
      const mark = part(row, name);
      mark.hidden = left === undefined || width === undefined;
      if (mark.hidden) return;
      mark.style.left = percent(left);
      if (width !== null) mark.style.width = `calc(${percent(left + width)} - ${percent(left)})`;
    };
    put("bar", 0, given.now);
    part(row, "bar").style.setProperty("--ink", `color-mix(in srgb, ${given.colour}, white var(--s-veil, 0%))`);
    put("usual", given.usual, null);
    put("before", 0, given.before);
    put("spread", given.low, given.high - given.low);
    put("shown", given.shown, null);
    part(row, "spread").hidden = given.low === undefined;
    if (given.head) delete part(row, "number").dataset.value;
    else count(part(row, "number"), given.now);
    const moved = given.before === undefined ? 0 : Math.round(100 * (given.now - given.before));
    part(row, "change").textContent = moved ? `${moved > 0 ? "▲" : "▼"} ${Math.abs(moved)}` : "";
  });

  // The number runs with its bar.
  function count(place, value) {
    const from = Number(place.dataset.value ?? value);
    place.dataset.value = value;
    const begun = performance.now();
    const step = (now) => {
      if (Number(place.dataset.value) !== value) return;
      const gone = Math.min(1, (now - begun) / 900);
      place.textContent = `${Math.round(100 * (from + (value - from) * gone))} %`;
      if (gone < 1) requestAnimationFrame(step);
    };
    step(begun);
  }
}
