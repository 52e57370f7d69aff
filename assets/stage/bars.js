// Bars that glide: the elements stay, only their widths change, and the style sheet moves them there.
export default function ({ data, parentElement }) {
  const { rows, top, unit } = data;
  const root = parentElement.querySelector(".bars");
  root.style.setProperty("--label", data.label);
  root.setAttribute("aria-label", data.alt);
  root.classList.toggle("many", rows.length > 9);
  const part = (row, name) => row.querySelector("." + name);
  while (root.children.length > rows.length) root.lastElementChild.remove();
  while (root.children.length < rows.length) {
    const row = document.createElement("div");
    row.className = "row";
    row.innerHTML =
      '<span class="label" dir="auto"></span><span class="track"><i class="bar"></i><i class="before"></i>' +
      '<i class="spread"></i></span><span class="number"></span><span class="change"></span>';
    root.append(row);
  }
  rows.forEach((given, i) => {
    const row = root.children[i];
    const percent = (value) => `${Math.max(0, Math.min(100, (100 * value) / top))}%`;
    part(row, "label").textContent = given.label;
    row.classList.toggle("led", Boolean(given.led));
    const bar = part(row, "bar");
    bar.style.width = percent(given.now);
    bar.style.backgroundColor = `color-mix(in srgb, ${given.colour}, white var(--s-veil))`;
    const before = part(row, "before");
    before.hidden = given.before === undefined;
    if (!before.hidden) before.style.left = percent(given.before);
    const spread = part(row, "spread");
    spread.hidden = given.low === undefined;
    if (!spread.hidden) {
      spread.style.left = percent(given.low);
      spread.style.width = `calc(${percent(given.high)} - ${percent(given.low)})`;
    }
    count(part(row, "number"), given.now, unit);
    const moved = given.before === undefined ? 0 : Math.round(100 * (given.now - given.before));
    part(row, "change").textContent = moved ? `${moved > 0 ? "▲" : "▼"} ${Math.abs(moved)}` : "";
  });

  // The number runs with its bar.
  function count(place, value, sign) {
    const from = Number(place.dataset.value ?? value);
    place.dataset.value = value;
    const begun = performance.now();
    const step = (now) => {
      if (Number(place.dataset.value) !== value) return;
      const gone = Math.min(1, (now - begun) / 900);
      place.textContent = `${Math.round(100 * (from + (value - from) * gone))}${sign}`;
      if (gone < 1) requestAnimationFrame(step);
    };
    step(begun);
  }
}
