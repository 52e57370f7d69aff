// Touching the rating slider. Listens once for all sliders that come and go; `capture` comes before the slider's own code.
(() => {
  if (window.preferSlider) return;
  window.preferSlider = true;
  const STEADY = 8; // pixels within which a finger has not moved
  const sliderOf = (target) => target.closest?.('[class*="st-key-feedback-"] [role="group"]');
  const valueOf = (slider) => slider.querySelector('input[type="range"]')?.value;

  // The start value is chosen by pressing the handle or a key while the value stays: the server hears it from this button.
  const keep = (slider) => {
    const round = slider.closest('[class*="st-key-feedback-"]');
    const key = [...round.classList].find((name) => name.startsWith("st-key-feedback-"));
    document.querySelector(`.st-key-keep-${key.slice(7)} button:not(:disabled)`)?.click();
  };
  const keepIfStill = (slider, before) =>
    setTimeout(() => slider.isConnected && valueOf(slider) === before && keep(slider), 30);

  const isOnHandle = (slider, event) => {
    const handle = slider.querySelector('input[type="range"]').parentElement.parentElement.getBoundingClientRect();
    const middle = [handle.left + handle.width / 2, handle.top + handle.height / 2];
    return Math.hypot(event.clientX - middle[0], event.clientY - middle[1]) < 16;
  };

  const KEYS = ["Enter", " ", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "PageUp", "PageDown"];
  let typed = null;
  window.addEventListener("keydown", (event) => {
    const slider = KEYS.includes(event.key) && sliderOf(event.target);
    if (slider && !event.repeat) typed = { slider, before: valueOf(slider) };
  }, true);
  window.addEventListener("keyup", (event) => {
    if (typed && sliderOf(event.target) === typed.slider) keepIfStill(typed.slider, typed.before);
    typed = null;
  }, true);

  // A finger: the slider hears of it once it moves sideways or is lifted. One that moves up or down scrolls the page
  // (touch-action in prefer.css), which the browser tells as pointercancel.
  let pressed = null;
  const repeated = new WeakSet();
  window.addEventListener("pointerdown", (event) => {
    if (repeated.has(event)) return;
    const slider = sliderOf(event.target);
    pressed = slider && { slider, before: valueOf(slider), event, waits: event.pointerType === "touch" };
    if (pressed?.waits) event.stopImmediatePropagation();
  }, true);
  for (const kind of ["touchstart", "mousedown"])
    window.addEventListener(kind, (event) => {
      if (pressed?.event.pointerType === "touch" && sliderOf(event.target)) event.stopImmediatePropagation();
    }, true);
  const passOn = () => {
    pressed.waits = false;
    const again = new PointerEvent("pointerdown", pressed.event);
    repeated.add(again);
    pressed.event.target.dispatchEvent(again);
  };
  const isSame = (event) => pressed?.event.pointerId === event.pointerId;
  window.addEventListener("pointermove", (event) => {
    if (!isSame(event) || !pressed.waits) return;
    const [across, down] = [event.clientX - pressed.event.clientX, event.clientY - pressed.event.clientY].map(Math.abs);
    if (Math.max(across, down) <= STEADY) return;
    if (across > down) passOn();
    else pressed = null;
  }, true);
  window.addEventListener("pointerup", (event) => {
    if (!isSame(event)) return;
    if (pressed.waits) passOn();
    if (isOnHandle(pressed.slider, event)) keepIfStill(pressed.slider, pressed.before);
    pressed = null;
  }, true);
  window.addEventListener("pointercancel", (event) => { if (isSame(event)) pressed = null; }, true);
})();
