/* In an embed's page: tells the page around it how high the figure is, and follows its theme.

   An address with ?theme=light or ?theme=dark has decided already (theme.js), and no message changes it.

   Both ways a message is a plain object: {glassbox: "height", height: 412} goes up, {glassbox: "theme",
   theme: "dark"} comes down. Neither is a secret, so a height may go to whoever frames the figure; a theme
   is taken only from the framing window, from the origin that framed it, and in exactly this shape. Nothing
   here needs storage, so it also works in a frame without allow-same-origin. */
(() => {
  "use strict";
  if (window.parent === window) return;
  const page = document.documentElement;
  const main = document.querySelector("main");
  const decided = /[?&]theme=(light|dark)(&|$)/.test(location.search);
  page.classList.add("framed");

  /* The framing page's origin where the browser tells it; null where nobody does. */
  const host = (() => {
    if (location.ancestorOrigins?.length) return location.ancestorOrigins[0];
    try {
      return new URL(document.referrer).origin;
    } catch {
      return null;
    }
  })();

  let told = 0;
  function tell() {
    const below = parseFloat(getComputedStyle(main).marginBottom) || 0;
    const height = Math.ceil(main.getBoundingClientRect().bottom + window.scrollY + below);
    if (height === told) return;
    told = height;
    window.parent.postMessage({ glassbox: "height", height }, "*");
  }

  /* True for a message this page may act on. */
  function trusted(event) {
    if (event.source !== window.parent) return false;
    if (host !== null && host !== "null" && event.origin !== host) return false;
    const m = event.data;
    return typeof m === "object" && m !== null && m.glassbox === "theme" && (m.theme === "light" || m.theme === "dark");
  }

  window.addEventListener("message", (event) => {
    if (!trusted(event)) return;
    if (!decided) page.dataset.theme = event.data.theme;
    told = 0; // a host that came late has not heard the height yet
    tell();
  });
  new ResizeObserver(tell).observe(main);
  window.addEventListener("load", tell);
  tell();
})();
