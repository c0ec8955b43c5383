/* Runs Python for a page's figures: starts the worker, shows its state, passes questions and answers.
   Loaded by page.js when Python is wanted. */
(() => {
  "use strict";
  const glassbox = window.glassbox;
  const data = document.body.dataset;
  const SILENCE = 60_000; // ms without any word from the worker while it starts

  const live = (glassbox.live = { ready: false, failed: null });
  let worker;
  let watchdog;
  let count = 0;
  const waiting = new Map(); // figure name -> the newest question not yet sent
  const asked = new Map(); // figure name -> the question being answered

  const line = document.querySelector("#runtime");
  const say = Object.assign(document.createElement("span"), { className: "say" });
  const bar = Object.assign(document.createElement("progress"), { max: 1, hidden: true });
  const retry = Object.assign(document.createElement("button"), { type: "button", textContent: "Try again", hidden: true });
  bar.setAttribute("aria-label", "Python’s files loaded");
  line?.replaceChildren(say, bar, retry);
  retry.addEventListener("click", () => {
    glassbox.starting = undefined;
    glassbox.start();
  });

  function show(state, text, share) {
    if (!line) return;
    line.dataset.state = state;
    line.hidden = false;
    if (say.textContent !== text) say.textContent = text;
    bar.hidden = share === undefined;
    if (share !== undefined) bar.value = share;
    retry.hidden = state !== "failed";
  }

  live.start = () =>
    new Promise((done) => {
      live.failed = null;
      const fail = (why) => {
        if (live.failed) return;
        clearTimeout(watchdog);
        worker?.terminate();
        live.ready = false;
        live.failed = why;
        show("failed", `Python did not start: ${why} The text and pictures stay; states computed ahead still answer.`);
        for (const fig of glassbox.figures.values()) if (fig.want && fig.want !== fig.shown) fig.changed();
        for (const q of [...asked.values(), ...waiting.values()]) q.reply({ error: `Python stopped: ${why}` });
        asked.clear();
        waiting.clear();
        done(live);
      };
      const hear = () => {
        clearTimeout(watchdog);
        if (!live.ready) watchdog = setTimeout(() => fail("it gave no sign of life for a minute."), SILENCE);
      };
      if (typeof WebAssembly !== "object") return fail("this browser has no WebAssembly (or it is switched off).");
      show("starting", "Starting Python …", 0);
      try {
        worker = new Worker(new URL(glassbox.root + data.worker, document.baseURI), { type: "module" });
      } catch {
        return fail("this page is not allowed to run a worker here; open it in a tab of its own.");
      }
      worker.onerror = (event) => {
        event.preventDefault();
        fail("its worker did not load.");
      };
      worker.onmessage = ({ data: m }) => {
        hear();
        if (m.type === "progress") show("starting", m.text, m.share);
        else if (m.type === "failed") fail(m.why);
        else if (m.type === "reply") answered(m);
        else if (m.type === "ready") {
          live.ready = true;
          clearTimeout(watchdog);
          show("live", "Live: Python answers in this page");
          done(live);
          for (const fig of glassbox.figures.values()) {
            fig.node.dataset.live = "";
            if (fig.want) fig.changed();
          }
        }
      };
      hear();
      const base = new URL(glassbox.root, document.baseURI).href;
      worker.postMessage({ type: "start", base, program: base + data.program, manifest: base + data.manifest });
    });

  function send(name) {
    const question = waiting.get(name);
    if (!question) return;
    waiting.delete(name);
    asked.set(name, question);
    question.seq = ++count;
    question.sent = performance.now();
    worker.postMessage({ type: "ask", name, seq: question.seq, values: question.values });
  }

  function answered(m) {
    const question = asked.get(m.name);
    if (!question || question.seq !== m.seq) return;
    question.long = m.more;
    if (!m.more) asked.delete(m.name);
    question.reply({ parts: m.parts, error: m.error, running: m.more, stopped: m.stopped, ms: performance.now() - question.sent });
    if (!m.more) send(m.name);
  }

  /* Asks for one state. While a figure is being answered only its newest question waits. */
  live.ask = (fig, values, reply) => {
    const running = asked.get(fig.name);
    waiting.set(fig.name, { values, reply });
    if (!running) send(fig.name);
    else if (running.long) live.stop(fig);
  };

  /* Ends a figure's long work; what it has shown so far stays. */
  live.stop = (fig) => worker.postMessage({ type: "stop", name: fig.name });

  document.addEventListener("click", (event) => {
    const button = event.target.closest("figure .stop");
    if (button) live.stop(glassbox.figures.get(button.closest("figure").dataset.figure));
  });
})();
