/* Light, dark or as the system has it: read before the first paint, so that nothing flashes. An address with
   ?theme=light or ?theme=dark decides for this visit, and nothing of it is kept. */
(() => {
  "use strict";
  const root = document.documentElement;
  const KEY = "glassbox:theme";
  const order = ["auto", "light", "dark"];
  let chosen = "auto";
  try {
    chosen = localStorage.getItem(KEY) || "auto";
  } catch {
    /* storage is off, as in a sandboxed frame */
  }
  const use = (theme) => {
    chosen = order.includes(theme) ? theme : "auto";
    if (chosen === "auto") delete root.dataset.theme;
    else root.dataset.theme = chosen;
  };
  const asked = new URLSearchParams(location.search).get("theme");
  use(asked === "light" || asked === "dark" ? asked : chosen);
  document.addEventListener("DOMContentLoaded", () => {
    const button = document.querySelector("[data-theme-switch]");
    if (!button) return;
    const name = document.createElement("span");
    button.replaceChildren(name);
    const show = () => {
      name.textContent = chosen[0].toUpperCase() + chosen.slice(1);
      button.setAttribute("aria-label", `Theme: ${chosen}. Change`);
    };
    button.addEventListener("click", () => {
      use(order[(order.indexOf(chosen) + 1) % order.length]);
      try {
        localStorage.setItem(KEY, chosen);
      } catch {
        /* see above */
      }
      show();
    });
    button.removeAttribute("data-awaits");
    show();
  });
})();
