/* The tour of the whole machine: plays its stops one after the other and goes through them by arrow keys. The stops
   themselves are buttons of the picture, so that they are there without this file. Loaded by after.js. */
(() => {
  "use strict";
  const { figures } = window.glassbox;
  const GLANCE = 2500; // ms, to find what has changed
  const LETTER = 45; // ms, to read one
  const still = matchMedia("(prefers-reduced-motion: reduce)"); // then nothing moves by itself: no button to play

  function guide(fig) {
    const { node, picture } = fig;
    const $ = (selector) => picture.querySelector(selector);
    const slid = fig.control(`${fig.name}_tour`);
    let timer;
    let held = false; // whether the button that plays has the focus, which a new picture takes away

    const playing = () => node.dataset.tour === "playing";
    function turn(state) {
      clearTimeout(timer);
      if (still.matches) delete node.dataset.tour;
      else node.dataset.tour = state;
      $(".mc-play")?.setAttribute("aria-pressed", String(playing()));
    }
    const stop = () => turn("ready");
    const rest = () => {
      timer = setTimeout(step, GLANCE + LETTER * $(".mc-said").textContent.length);
    };
    function step() {
      if (!document.hidden) fig.take($(".mc-next"));
      rest();
    }
    function play() {
      turn("playing");
      if (playing()) step();
    }
    function painted() {
      if (!$(".mc-tour")) return clearTimeout(timer); // a reader's model has no tour
      const dots = [...picture.querySelectorAll(".mc-stop")];
      const on = dots.findIndex((dot) => dot.ariaCurrent === "step");
      /* A stop that only an address has named: now the other controls say it too. */
      if (slid.value > 1 && on === slid.value - 1) return fig.take(dots[on]);
      if (playing() && on === dots.length - 1) stop();
      else $(".mc-play").setAttribute("aria-pressed", String(playing()));
      if (held && document.activeElement === document.body) $(".mc-play").focus({ preventScroll: true });
      return undefined;
    }

    const hold = (event) => (held = node.contains(event.target) && Boolean(event.target.closest(".mc-play")));
    for (const type of ["focusin", "pointerdown"]) document.addEventListener(type, hold);
    node.addEventListener("click", (event) => {
      if (event.target.closest(".mc-play") && !playing()) play();
      else stop(); // whatever a reader presses ends it
    });
    node.addEventListener("keydown", (event) => {
      const way = { ArrowRight: ".mc-next", ArrowLeft: ".mc-turn" }[event.key];
      if (way && event.target.closest(".mc-tour")) {
        event.preventDefault();
        stop();
        fig.take($(way));
      } else if (event.key === "Escape") stop();
    });
    node.addEventListener("input", stop);
    new MutationObserver(painted).observe(picture, { childList: true });
    still.addEventListener("change", stop);
    stop();
    painted();
  }

  for (const fig of figures.values()) if (fig.picture.querySelector(".mc-tour")) guide(fig);
})();
