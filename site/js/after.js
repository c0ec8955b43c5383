/* What may wait until a page is idle: a copy of the site for reading without a network, and links to other
   chapters that take the reader's text along. Loaded by page.js. */
(() => {
  "use strict";
  const { root, chapter, figures } = window.glassbox;
  const body = document.body;

  /* ---- offline ---- */

  const thrifty = navigator.connection?.saveData; // such a reader keeps what was used, and no more
  const framed = window.parent !== window; // a figure in somebody's page takes no room on its reader's device

  async function offline() {
    const workers = navigator.serviceWorker;
    if (framed || !workers || !/^https?:$/.test(location.protocol)) return;
    await workers.register(new URL(`${root}sw.js`, document.baseURI).href, { updateViaCache: "none" });
    const { active } = await workers.ready;
    workers.addEventListener("message", ({ data }) => {
      if (data?.type === "kept") document.documentElement.dataset.kept = data.groups.join(" ");
    });
    const keep = (groups) => (workers.controller || active).postMessage({ type: "keep", groups });
    if (thrifty) return;
    keep(["shell", ...(chapter ? [chapter] : [])]);
    const line = document.querySelector("#runtime");
    const used = () => line?.dataset.state === "live" && keep(["runtime"]);
    if (line) new MutationObserver(used).observe(line, { attributes: true, attributeFilter: ["data-state"] });
    used();
  }
  offline().catch(() => {}); // no room, or not allowed: the page reads as well without

  /* ---- the reader's text goes along ---- */

  const passes = JSON.parse(body.dataset.passes || "{}"); // chapter -> {control here: [controls there]}
  const LONGEST = 1500; // characters

  function carry(link) {
    const to = link.pathname
      .split("/")
      .pop()
      .replace(/\.html$/, "");
    if (link.origin !== location.origin || !(to in passes)) return;
    const query = new URLSearchParams(link.search);
    for (const fig of figures.values()) {
      for (const control of fig.controls) {
        const text = control.value;
        if (control.kind !== "text" || text === control.start || text.length > LONGEST) continue;
        for (const name of passes[to][control.name] || []) query.set(name, text);
      }
    }
    if (query.size) link.search = query;
  }
  for (const type of ["click", "auxclick", "contextmenu"]) {
    document.addEventListener(type, (e) => e.target.closest?.("a[href]") && carry(e.target.closest("a[href]")), true);
  }
})();
