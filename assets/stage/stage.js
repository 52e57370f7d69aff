// The presenter's keys: a clicker sends Page Up and Page Down. The server hears of them from the buttons they press.
(() => {
  if (window.preferStage) return;
  window.preferStage = true;
  const KEYS = {
    PageDown: "next", ArrowRight: "next", " ": "next", PageUp: "back", ArrowLeft: "back",
    n: "notes", t: "theme", a: "auto", r: "again",
  };
  const PATIENCE = 3000;
  const where = () => document.querySelector(".s-where");
  const button = (name) => document.querySelector(`[class*="st-key-stage-${name}-"] button:not(:disabled)`);

  // A press whose button is not drawn yet, or off while the server is out of reach, waits for it. One press is passed on
  // at a time, until the show's version tells that it was heard: of two in one breath the server would hear the second
  // only. Passed on again it counts once (Show.version).
  const waiting = [];
  let drawn, since = 0;
  const pass = () => {
    const now = where()?.dataset;
    if (!now) return;
    if (drawn !== undefined && now.version !== drawn) {
      waiting.shift();
      drawn = undefined;
    }
    while (waiting.length && now.ends.split(" ").includes(waiting[0])) waiting.shift();
    if (!waiting.length || (drawn !== undefined && performance.now() - since < PATIENCE)) return;
    const way = button(waiting[0]);
    if (!way) return;
    [drawn, since] = [now.version, performance.now()];
    way.click();
  };
  new MutationObserver(pass).observe(document.documentElement, {
    subtree: true, childList: true, attributeFilter: ["disabled", "data-version"],
  });
  setInterval(pass, 1000);

  const press = (name) => {
    // These two are not in every scene, so they mean the one on the screen or none.
    if (name === "auto" || name === "again") return button(name)?.click();
    waiting.push(name);
    pass();
  };
  // Keys that a focused slider, field or button has a use for are left to it.
  const takes = (target, key) =>
    (!key.startsWith("Page") && target.closest?.('input, textarea, select, [role="group"], [role="slider"]')) ||
    (key === " " && target.closest?.("button, a"));

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
    if (!where() || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
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
  // Only now is the screen shown (stage.css): whoever sees it can press.
  document.documentElement.dataset.stage = "listens";
})();
