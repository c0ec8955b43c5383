/* For a page that embeds figures: gives each frame its figure's height and passes the page's theme on.

     <iframe src="https://…/embed/attention/paint.html" title="…" loading="lazy"
             sandbox="allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox"></iframe>
     <script src="https://…/embed.js" defer></script>

   It touches no frame but those that show a figure of the site this script came from, and listens to nobody
   else: a message counts only when it comes from such a frame's own window, from the site's origin (or from
   no origin, where the frame's sandbox takes it away), and has exactly the expected shape.

   The theme is the brightness of what lies behind the frame; data-theme="light" or "dark" on the script or
   on a frame decides otherwise. */
(() => {
  "use strict";
  const script = document.currentScript;
  const base = new URL("./embed/", script.src);
  const LOWEST = 60; // px; what a figure may ask for at least and at most
  const HIGHEST = 6000;

  const frames = () => [...document.querySelectorAll("iframe")].filter(ours);

  function ours(frame) {
    try {
      const address = new URL(frame.getAttribute("src"), document.baseURI);
      return address.origin === base.origin && address.pathname.startsWith(base.pathname);
    } catch {
      return false;
    }
  }

  const opaque = (frame) => frame.hasAttribute("sandbox") && !frame.sandbox.contains("allow-same-origin");

  window.addEventListener("message", (event) => {
    const frame = frames().find((f) => f.contentWindow === event.source);
    if (!frame || event.origin !== (opaque(frame) ? "null" : base.origin)) return;
    const m = event.data;
    if (typeof m !== "object" || m === null || m.glassbox !== "height" || !Number.isFinite(m.height)) return;
    frame.style.height = `${Math.min(Math.max(Math.ceil(m.height), LOWEST), HIGHEST)}px`;
    pass(frame);
  });

  /* ---- theme ---- */

  const dark = window.matchMedia("(prefers-color-scheme: dark)");

  function theme(frame) {
    const wish = frame.dataset.theme || script.dataset.theme;
    if (wish === "light" || wish === "dark") return wish;
    for (let node = frame; node; node = node.parentElement) {
      const light = brightness(getComputedStyle(node).backgroundColor);
      if (light !== null) return light < 0.4 ? "dark" : "light";
    }
    const scheme = getComputedStyle(document.documentElement).colorScheme;
    return scheme.includes("dark") && (dark.matches || !scheme.includes("light")) ? "dark" : "light";
  }

  /* From 0 (black) to 1; null for a background that lets another through. */
  function brightness(colour) {
    const pen = (brightness.pen ??= Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", {
      willReadFrequently: true,
    }));
    pen.clearRect(0, 0, 1, 1);
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
    return a < 128 ? null : (0.2126 * r + 0.7152 * g + 0.0722 * b) / 255;
  }

  const passed = new WeakMap(); // frame -> the theme it was told
  function pass(frame, always = false) {
    const now = theme(frame);
    if (passed.get(frame) === now && !always) return;
    passed.set(frame, now);
    frame.contentWindow?.postMessage({ glassbox: "theme", theme: now }, "*"); // no secret; it is checked there
  }

  const all = () => frames().forEach((frame) => pass(frame));
  dark.addEventListener("change", all);
  const watch = new MutationObserver(all);
  const begin = () => {
    for (const node of [document.documentElement, document.body]) {
      watch.observe(node, {
        attributes: true,
        attributeFilter: ["class", "style", "data-theme", "data-bs-theme", "data-color-mode"],
      });
    }
    all();
  };
  /* A frame that is loaded (again) starts in its reader's own theme: tell it anew. */
  document.addEventListener("load", (e) => e.target instanceof HTMLIFrameElement && ours(e.target) && pass(e.target, true), true);
  if (document.body) begin();
  else document.addEventListener("DOMContentLoaded", begin);
})();
