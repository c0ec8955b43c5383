/* Runs Python for a page's figures: starts the worker, shows its state, passes questions and answers.
   Loaded by page.js when Python is wanted.

   Figures that one page embeds use one Python together. The first that wants it makes the worker, which ends with that
   frame; the others listen to the same Worker object, as frames of one origin in one page may. Each is a page of its own to
   the worker, by number. Whoever ends it tells the others: "gone" (it was closed with its frame: they make another,
   silently), "again" (a reader has ended it), or why it failed. A frame without an origin has nobody to share with. */
(() => {
  "use strict";
  const glassbox = window.glassbox;
  const data = document.body.dataset;
  const SILENCE = 60_000; // ms without any word from the worker while it starts
  /* ms without any word while it answers, before the reader is offered a new start: a model of the reader's own takes
     longer, and a new start would lose it. */
  const long = () => (glassbox.model ? 60_000 : 10_000);

  const LIVE = "Live: Python answers in this page";
  const ALONE = "this page is not allowed to run a worker here; open it in a tab of its own.";
  const live = (glassbox.live = { ready: false, failed: null });
  const shares = "embed" in document.body.dataset && window.parent !== window;
  let python; // {worker, made: of which files, owner: whose frame made it, count: how many have joined, pages: number -> what hears}
  let page; // which of those this one is
  let ties; // aborted to listen no longer
  let watchdog;
  let doubt;
  let count = 0;
  const waiting = new Map(); // figure name -> the newest question not yet sent
  const asked = new Map(); // figure name -> the question being answered

  const line = document.querySelector("#runtime");
  const say = Object.assign(document.createElement("span"), { className: "say" });
  const amount = Object.assign(document.createElement("span"), { className: "amount" });
  amount.setAttribute("aria-live", "off"); // it changes all the time: for the eye alone
  const bar = Object.assign(document.createElement("progress"), { max: 1, hidden: true });
  const retry = Object.assign(document.createElement("button"), { type: "button", textContent: "Try again", hidden: true });
  bar.setAttribute("aria-label", "Python’s files loaded");
  line?.replaceChildren(say, amount, bar, retry);
  retry.addEventListener("click", () => {
    if (live.ready) {
      leave("again", true);
      giveUp();
    }
    anew();
  });

  /* The Python that another figure of the same page around them has started. Of a stranger's frame nothing can be read. */
  function neighbours(made) {
    for (let n = 0; shares && n < parent.length; n += 1) {
      try {
        const theirs = parent[n].glassbox.live.python;
        if (theirs.made === made) return theirs;
      } catch {}
    }
    return undefined;
  }

  function join(address) {
    const made = `${address} ${data.manifest}`;
    python = neighbours(made) ?? {
      worker: new Worker(address, { type: "module" }),
      made,
      owner: window,
      count: 0,
      pages: new Map(),
    };
    page = python.count += 1;
    ties = new AbortController();
    if (shares) live.python = python;
  }

  const tell = (message) => python?.worker.postMessage({ ...message, page });

  /* Has no Python any more. Whoever made it, or is told to, ends it for all. */
  function leave(how, end = python.owner === window) {
    const { worker, pages } = python;
    if (end) python.made = ""; // nobody joins it any more
    ties.abort();
    clearTimeout(watchdog);
    clearTimeout(doubt);
    live.ready = false;
    pages.delete(page);
    if (end) worker.terminate();
    else tell({ type: "leave" });
    python = live.python = undefined;
    if (end) for (const hear of pages.values()) hear(how);
  }

  function anew() {
    glassbox.starting = undefined;
    glassbox.start();
  }

  /* Python was ended with work undone. What it was asked is not asked again by itself: it may be the cause. */
  function giveUp() {
    for (const [name, q] of [...asked, ...waiting]) {
      glassbox.figures.get(name).want = undefined;
      q.reply({ error: "Python was started again before it could answer this; move a control to ask anew." });
    }
    asked.clear();
    waiting.clear();
  }

  /* Python went with the frame that had made it: what it had not answered yet is asked again. */
  function moved() {
    for (const fig of glassbox.figures.values()) if (fig.want === fig.shown && !asked.has(fig.name)) fig.want = undefined;
    asked.clear();
    waiting.clear();
  }

  addEventListener("pagehide", ({ persisted }) => {
    if (persisted || !python) return;
    leave("gone");
    glassbox.starting = undefined; // should it be shown again after all
  });

  function show(state, text, share, number = "") {
    if (!line) return;
    line.dataset.state = state;
    line.hidden = false;
    if (say.textContent !== text) say.textContent = text;
    amount.textContent = number;
    bar.hidden = share === undefined;
    if (share !== undefined) bar.value = share;
    retry.hidden = state !== "failed" && state !== "silent";
    retry.textContent = state === "silent" ? "Start it again" : "Try again";
  }

  /* Called at every question and every word of the worker. */
  function listen() {
    clearTimeout(doubt);
    if (line?.dataset.state === "silent") show("live", LIVE);
    const wait = long();
    if (asked.size) doubt = setTimeout(() => show("silent", `Python has not answered for ${wait / 1000} seconds.`), wait);
  }

  /* What still works without Python: said only once it is known. */
  async function remains() {
    const renewed = await glassbox.lost("");
    if (renewed) return renewed;
    const figures = [...glassbox.figures.values()].filter((f) => f.node.dataset.frames);
    if (!navigator.connection?.saveData) await Promise.all(figures.map((f) => f.load()));
    const there = figures.filter((f) => f.packed).length;
    if (there === figures.length) return "The text and pictures stay; states computed ahead still answer.";
    const some = there ? "; some figures answer with states computed ahead" : "";
    const when = navigator.connection?.saveData ? "others when they are touched" : "the rest did not load";
    return `The text and pictures stay${some}; ${when}.`;
  }

  /* Every figure that waits for Python says how far it is. */
  function progress({ text, amount: number = "", share }) {
    const words = [text, number].filter(Boolean).join(": ");
    if (!live.ready) show("starting", number ? `${text}:` : `${text} …`, share, number);
    for (const fig of glassbox.figures.values()) {
      if (live.ready ? asked.has(fig.name) : fig.want && fig.want !== fig.shown)
        fig.state("waiting", `This state needs Python. ${words} …`);
    }
  }

  /* Why the worker's script did not load: the browser itself says nothing. */
  async function unloaded(address) {
    if (origin === "null") return ALONE;
    try {
      const response = await fetch(address);
      const name = address.pathname.split("/").pop();
      if (!response.ok) return `the file ${name} is missing on the server (${response.status}).`;
      const type = response.headers.get("content-type");
      if (!/(java|ecma)script/i.test(type))
        return `the server sends ${name} as “${type || "no type"}” instead of “text/javascript” (“types” in hosting/README.md).`;
      return "this browser did not run its worker, or a file of it is missing.";
    } catch {
      return "its worker did not load.";
    }
  }

  live.start = () =>
    new Promise((done) => {
      live.failed = null;
      /* Ends Python for all; unless it is a file of this page alone that failed. */
      const fail = async (why, alone = false) => {
        if (live.failed) return;
        const failed = `Python ${live.ready ? "stopped" : "did not start"}: ${why}`;
        if (python && alone) leave("gone");
        else if (python) leave(why, true);
        live.failed = why;
        show("failed", failed);
        for (const fig of glassbox.figures.values()) if (fig.want && fig.want !== fig.shown) fig.changed();
        for (const q of [...asked.values(), ...waiting.values()]) q.reply({ error: `Python stopped: ${why}` });
        asked.clear();
        waiting.clear();
        done(live);
        const stays = await remains();
        if (live.failed === why) show("failed", `${failed} ${stays}`);
      };
      const hear = () => {
        clearTimeout(watchdog);
        if (!live.ready) watchdog = setTimeout(() => fail("it gave no sign of life for a minute."), SILENCE);
      };
      if (typeof WebAssembly !== "object") return fail("this browser has no WebAssembly (or it is switched off).");
      show("starting", "Starting Python …", 0);
      const address = new URL(glassbox.root + data.worker, document.baseURI);
      const disk = "a page opened from a folder cannot start it; serve the folder, for example with “python -m http.server”.";
      if (location.protocol === "file:") return fail(disk);
      let heard = false;
      try {
        join(address);
      } catch {
        return fail(ALONE);
      }
      const mine = python;
      const on = (type, act) => mine.worker.addEventListener(type, act, { signal: ties.signal });
      on("error", async (event) => {
        event.preventDefault();
        const why = heard ? "its worker stopped." : await unloaded(address);
        if (python === mine) fail(why);
      });
      /* Later, because the frame that says so may be on its way out. */
      const told = (how) =>
        setTimeout(() => {
          if (python !== mine) return; // it knows already
          if (how !== "gone" && how !== "again") return fail(how);
          leave("", false);
          (how === "gone" ? moved : giveUp)();
          anew();
        });
      mine.pages.set(page, told);
      on("message", ({ data: m }) => {
        heard = true;
        hear();
        listen();
        if (m.page && m.page !== page) return; // it concerns another figure around here
        if (m.type === "progress") progress(m);
        else if (m.type === "failed") fail(m.why, !!m.page);
        else if (m.type === "reply") answered(m);
        else if (m.type === "model") live.told?.(m);
        else if (m.type === "ready") {
          live.ready = true;
          clearTimeout(watchdog);
          show("live", LIVE);
          done(live);
          live.told?.(m);
          for (const fig of glassbox.figures.values()) {
            fig.node.dataset.live = "";
            if (fig.want) fig.changed();
          }
        }
      });
      hear();
      const base = new URL(glassbox.root, document.baseURI).href;
      tell({ type: "start", base, program: base + data.program, manifest: base + data.manifest });
    });

  function send(name) {
    const question = waiting.get(name);
    if (!question) return;
    waiting.delete(name);
    asked.set(name, question);
    question.seq = ++count;
    question.sent = performance.now();
    tell({ type: "ask", name, seq: question.seq, values: question.values });
    listen();
  }

  function answered(m) {
    const question = asked.get(m.name);
    if (!question || question.seq !== m.seq) return;
    question.long = m.more;
    if (!m.more) asked.delete(m.name);
    else if (waiting.has(m.name)) live.stop({ name: m.name }); // it was asked before this work showed itself
    listen();
    live.heard?.(m);
    question.reply({
      parts: m.parts,
      error: m.error,
      running: m.more,
      stopped: m.stopped,
      ms: performance.now() - question.sent,
    });
    if (!m.more) send(m.name);
  }

  /* Asks for one state. While a figure is being answered only its newest question waits. */
  live.ask = (fig, values, reply) => {
    const running = asked.get(fig.name);
    waiting.set(fig.name, { values, reply });
    if (!running) send(fig.name);
    else if (running.long) live.stop(fig);
  };

  /* Says something else to the worker; js/own.js hears its answers in live.told. */
  live.say = (message) => tell(message);

  /* Ends a figure's long work; what it has shown so far stays. */
  live.stop = (fig) => tell({ type: "stop", name: fig.name });

  document.addEventListener("click", (event) => {
    const button = event.target.closest("figure .stop");
    if (button) live.stop(glassbox.figures.get(button.closest("figure").dataset.figure));
  });
})();
