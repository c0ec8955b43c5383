/* What may wait until a page is idle: states of what is far below, a copy of the site for reading
   without a network, and links to other chapters that take the reader's text along. Loaded by page.js. */
(() => {
  "use strict";
  const glassbox = window.glassbox;
  const { root, chapter, figures, query, said, tell } = glassbox;
  const body = document.body;

  /* ---- offline ---- */

  const thrifty = navigator.connection?.saveData; // such a reader keeps what was asked for, and no more
  const framed = window.parent !== window; // a figure in somebody's page takes no room on its reader's device

  /* While Python comes, the line is Python's: what nobody waits for comes after it. */
  const python = glassbox.starts ? glassbox.start() : Promise.resolve();

  async function offline() {
    const workers = navigator.serviceWorker;
    if (framed || !workers || !/^https?:$/.test(location.protocol)) return;
    await workers.register(new URL(`${root}sw.js`, document.baseURI).href, { updateViaCache: "none" });
    const { active } = await workers.ready;
    const keep = (groups) => (workers.controller || active).postMessage({ type: "keep", groups });
    const line = chapter && document.querySelector(".turn") ? new Book(keep) : null;
    workers.addEventListener("message", ({ data }) => {
      if (data?.type === "kept") document.documentElement.dataset.kept = data.groups.join(" ");
      if (data?.type === "kept" || data?.type === "keeping") line?.hear(data);
    });
    workers.addEventListener("controllerchange", () => keep([])); // another build answers from now on
    if (thrifty) return keep([]);
    keep(["shell", ...(chapter ? [chapter] : [])]);
    const state = document.querySelector("#runtime");
    const used = () => state?.dataset.state === "live" && keep(["runtime"]);
    if (state) new MutationObserver(used).observe(state, { attributes: true, attributeFilter: ["data-state"] });
    used();
  }

  const megabytes = (bytes) => `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;

  /* The line under a chapter that offers to keep the whole book on this device, and says what is kept. */
  class Book {
    constructor(keep) {
      this.wanted = false;
      this.line = Object.assign(document.createElement("p"), { className: "keep" });
      this.say = document.createElement("span");
      this.say.setAttribute("role", "status");
      this.share = document.createElement("span"); // it changes often: not for announcing
      this.button = Object.assign(document.createElement("button"), { type: "button", hidden: true }); // until it has its words
      this.button.addEventListener("click", () => {
        this.wanted = true;
        this.button.hidden = true;
        this.say.textContent = "The book is being kept on this device …";
        navigator.storage?.persist?.().catch(() => {});
        keep(this.all);
      });
      this.line.append(this.say, this.share, " ", this.button);
      document.querySelector(".turn").before(this.line);
    }
    hear(data) {
      if (data.type === "kept") return this.settle(data);
      if (!this.wanted || !this.bytes) return undefined;
      const before = this.all.filter((g) => this.bytes[g] < this.bytes[data.group]);
      const done = before.reduce((sum, g) => sum + this.bytes[g], this.bytes[data.group] * data.share);
      this.share.textContent = `${megabytes(done)} of ${megabytes(this.total)}.`;
      return undefined;
    }
    async settle({ groups, bytes, live, failed }) {
      this.bytes = bytes;
      this.all = Object.keys(bytes);
      this.total = this.all.reduce((sum, g) => sum + bytes[g], 0);
      const missing = this.all.filter((g) => !groups.includes(g));
      const size = megabytes(this.total);
      const lasting = await navigator.storage?.persisted?.().catch(() => false);
      this.share.textContent = "";
      if (!missing.length) {
        this.wanted = false;
        this.button.hidden = true;
        const until = lasting
          ? ""
          : " A private window forgets it at its end; another browser may drop it when the device is full.";
        this.say.textContent = `The whole book is kept on this device (${size}): it reads and answers without a network.${until}`;
      } else if (!this.wanted || failed) {
        const why = { room: "this browser gives the site no room for it", network: "a file of it did not come" }[failed];
        const rest = megabytes(missing.reduce((sum, g) => sum + bytes[g], 0));
        this.say.textContent =
          this.wanted && why ? `The book could not be kept: ${why}.` : "To read and try everything without a network:";
        this.button.textContent = `Keep the whole book on this device (${rest}${rest === size ? "" : ` more`})`;
        this.button.hidden = false;
        this.wanted = false;
      }
      if (live !== body.dataset.live) this.share.textContent = " This site was renewed since this page was opened; load it anew.";
    }
  }

  python.then(offline).catch(() => {}); // no room, or not allowed: the page reads as well without

  /* ---- names in the address that no control has ---- */

  /* How many letters must be typed, dropped, changed or swapped to make one word of the other. */
  function distance(a, b) {
    const rows = [...Array(a.length + 1)].map((_, i) => [i, ...Array(b.length).fill(0)]);
    rows[0] = rows[0].map((_, j) => j);
    for (let i = 1; i <= a.length; i += 1) {
      for (let j = 1; j <= b.length; j += 1) {
        const same = a[i - 1] === b[j - 1];
        rows[i][j] = Math.min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + !same);
        const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
        if (swapped) rows[i][j] = Math.min(rows[i][j], rows[i - 2][j - 2] + 1);
      }
    }
    return rows[a.length][b.length];
  }

  /* What a course system or a mailer adds to an address is not ours to complain about: a name is announced when it
     begins like one of this page's figures, or is nearly a control's. */
  function unknown() {
    const names = [...figures.values()].flatMap((f) => f.controls.map((c) => c.name));
    const told = [];
    for (const name of new Set(query.keys())) {
      if (names.includes(name) || /^model(_from)?$/.test(name) || name.length > 60) continue;
      const near = names.map((n) => [distance(name.toLowerCase(), n), n]).sort(([a], [b]) => a - b)[0];
      const close = near && near[0] <= Math.max(2, near[1].length / 3);
      const begins = [...figures.keys()].some((f) => name.startsWith(`${f}_`));
      if (begins || close) told.push(`no control here is called ${name}${close ? `; did you mean ${near[1]}?` : "."}`);
    }
    if (told.length) tell([...said, ...told].join(" "));
  }
  unknown();

  /* ---- a paste that is a file, or longer than its field ---- */

  /* Where a figure takes a file, its text pasted into the field beside becomes that file: millions of characters do
     not belong in a field, nor in the key of a state. Returns whether it did. */
  function asFile(event) {
    const chooser = event.target.closest("figure")?.querySelector(".control input[type=file]");
    const row = event.target.closest(".control");
    if (!chooser || !(row.contains(chooser) || row.dataset.control.endsWith("_paste"))) return false;
    const { files, text } = { files: event.clipboardData.files, text: event.clipboardData.getData("text") };
    if (!files.length && !text.trim()) return false;
    const held = new DataTransfer();
    held.items.add(files[0] ?? new File([text], "The pasted text"));
    event.preventDefault();
    chooser.files = held.files;
    if (row.dataset.control.endsWith("_paste")) {
      event.target.value = "";
      event.target.placeholder = `${(files[0]?.size ?? text.length).toLocaleString("en")} characters, taken as a file`;
    }
    chooser.dispatchEvent(new Event("input", { bubbles: true }));
    return true;
  }

  document.addEventListener("paste", (event) => {
    if (!event.target.closest?.("figure .control") || asFile(event)) return;
    const { maxLength: most, value = "", selectionStart = 0, selectionEnd = 0 } = event.target;
    const size = value.length - (selectionEnd - selectionStart) + event.clipboardData?.getData("text").length;
    if (most > 0 && size > most)
      tell(`This field takes ${most.toLocaleString("en")} characters; what was pasted beyond that is left out.`);
  });

  /* ---- figures that come near get their states, and their charts come alive ---- */

  /* What the script of charts asks for comes beside it, not after it. */
  const { draw } = glassbox;
  glassbox.draw = (fig) => {
    const { vega, specs, integrity } = body.dataset;
    if (!glassbox.charting && origin !== "null" && fig.node.querySelector("[data-chart]"))
      for (const file of [{ href: root + vega, integrity }, { href: root + specs }])
        document.head.append(Object.assign(document.createElement("link"), { rel: "preload", as: "script", ...file }));
    return draw(fig);
  };

  const whole = !framed && !("embed" in body.dataset) && !thrifty; // in a frame what is touched comes alive (page.js)
  const answering = [...figures.values()].filter((f) => f.node.dataset.frames);
  function come(seen, near) {
    for (const { target, isIntersecting } of seen) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      const fig = figures.get(target.dataset.figure);
      fig.load();
      if (whole) python.then(() => glassbox.draw(fig));
    }
  }
  if (answering.length && !thrifty) {
    const near = new IntersectionObserver(come, { rootMargin: "100%" });
    for (const { node } of answering) near.observe(node);
  }

  /* The others' states are fetched, one file after the other, and read when they are wanted: reading them all keeps
     a phone busy for a second. */
  const others = whole ? [...answering] : [];
  function ahead() {
    const fig = others.shift();
    if (!fig) return;
    if (fig.loading) return ahead();
    fetch(new URL(root + fig.node.dataset.frames, document.baseURI), { priority: "low" })
      .then((answer) => answer.arrayBuffer()) // for the browser's cache: a prefetching link breaks Firefox's reading of the policy
      .then(ahead, ahead);
  }
  if (/^https?:$/.test(location.protocol)) ahead();

  /* ---- a model of the reader's own ---- */

  const place = document.querySelector(".own-model");
  if (place) {
    const own = () => glassbox.script(root + body.dataset.own).catch(() => {});
    let kept;
    try {
      kept = localStorage.getItem("glassbox-own-model");
    } catch {} // not allowed here
    if (!place.classList.contains("folded") || kept || query.has("model") || query.has("model_from") || body.dataset.model) own();
    else {
      const open = Object.assign(document.createElement("button"), { type: "button", textContent: "Use your own model" });
      open.addEventListener("click", () => own().then(() => place.querySelector("button")?.focus()));
      place.append(open);
    }
  }

  /* ---- a tour to be played ---- */

  if (document.querySelector(".mc-tour")) window.glassbox.script(root + body.dataset.tour).catch(() => {});

  /* ---- walls of pieces that are longer than what is drawn of them ---- */

  if (document.querySelector(".split")) window.glassbox.script(root + body.dataset.wall).catch(() => {});

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
  /* A link in a picture to another figure of the chapter, which a page of one figure does not have. */
  function lead(link) {
    if (!link.getAttribute("href").startsWith("?") || figures.has(link.hash.slice(1))) return;
    link.href = `${root}${chapter}.html${link.search}${link.hash}`;
    Object.assign(link, { target: "_blank", rel: "noopener" });
  }
  for (const type of ["click", "auxclick", "contextmenu"]) {
    document.addEventListener(type, (e) => e.target.closest?.("figure a[href]") && lead(e.target.closest("a[href]")), true);
    document.addEventListener(type, (e) => e.target.closest?.("a[href]") && carry(e.target.closest("a[href]")), true);
  }

  glassbox.complete = true; // what a page does by itself it does from now on; tests wait for it
})();
