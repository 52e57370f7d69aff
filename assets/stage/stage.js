// The presenter's keys: a clicker sends Page Up and Page Down. The server hears of them from the buttons they press.
(() => {
  if (window.preferStage) return;
  window.preferStage = true;
  const KEYS = {
    PageDown: "next", ArrowRight: "next", " ": "next", PageUp: "back", ArrowLeft: "back",
    n: "notes", t: "theme", a: "auto", r: "again",
  };
  const isOn = () => document.querySelector('[class*="st-key-stage-next"]');
  const press = (name) => document.querySelector(`.st-key-stage-${name} button:not(:disabled)`)?.click();
  // Keys that a focused slider, button or field has a use for are left to it.
  const takes = (target, key) =>
    !key.startsWith("Page") && target.closest?.('input, textarea, select, button, a, [role="group"], [role="slider"]');

  const blank = () => {
    const there = document.getElementById("stage-blank");
    if (there) return there.remove();
    const cover = document.createElement("div");
    cover.id = "stage-blank";
    cover.style.cssText = "position:fixed;inset:0;background:#000;z-index:1000000;cursor:none";
    cover.addEventListener("click", blank);
    document.body.append(cover);
  };
  const fill = () => (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen());

  window.addEventListener("keydown", (event) => {
    if (!isOn() || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    const { key, target } = event;
    if (key === "Escape") return document.activeElement?.blur();
    if (takes(target, key)) return;
    const own = key === "b" || key === "." ? blank : key === "f" ? fill : KEYS[key] && (() => press(KEYS[key]));
    if (!own) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    own();
  }, true);
  // A button of the foot that was clicked does not keep the keyboard: space would press it again.
  window.addEventListener("click", (event) => {
    if (event.target.closest?.('[class*="st-key-stage-"]')) document.activeElement?.blur();
  });
})();
