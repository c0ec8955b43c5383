/* The bar above the editor: what Python is doing, permanently and in words; the reader's changes, kept in
   this browser; saving them as a file. Runs before marimo does. */
(() => {
  const config = JSON.parse(document.getElementById("glassbox-edit").textContent);
  const KEY = `glassbox:edit:${config.chapter}`;
  const START = 120_000; // ms after everything is downloaded; a notebook that starts later is unusual
  const PATIENCE = 10_000; // ms that a reason of marimo's waits for one that says more

  /* ---- the reader's copy: a reload opens it instead of the chapter's ---- */

  // marimo keeps one copy for all notebooks and another in the address. Each chapter gets its own here, and
  // an address is never run: somebody else may have written it.
  let unkept = ""; // why this browser does not keep the changes, if it does not
  const BLOCKED = "This browser keeps nothing for this page";
  const FULL = "This browser has no room to keep your changes";

  /* Where the browser refuses storage, marimo gets one that lasts as long as the page. */
  class Memory extends Map {
    getItem(key) {
      return this.get(key) ?? null;
    }
    setItem(key, value) {
      if (key === "marimo:file") written(value);
      this.set(key, String(value));
    }
    removeItem(key) {
      this.delete(key);
    }
    key(n) {
      return [...this.keys()][n] ?? null;
    }
    get length() {
      return this.size;
    }
  }
  for (const name of ["localStorage", "sessionStorage"]) {
    try {
      window[name].getItem("");
    } catch {
      unkept = BLOCKED;
      Object.defineProperty(window, name, { value: new Memory(), configurable: true });
    }
  }
  const { setItem } = Storage.prototype;
  /* Whether the browser took it. */
  function store(key, value) {
    try {
      setItem.call(localStorage, key, value);
      return true;
    } catch {
      return false;
    }
  }
  const PROBE = `${KEY}:probe`;
  if (!unkept && !store(PROBE, "1")) unkept = FULL;
  localStorage.removeItem(PROBE);

  const original = document.querySelector("marimo-code");
  const first = decodeURIComponent(original.textContent).trim();
  const kept = localStorage.getItem(KEY);
  if (kept) original.textContent = encodeURIComponent(kept);
  let latest = kept || first;
  const changed = () => latest.trim() !== first;
  Storage.prototype.setItem = function (key, value) {
    if (key === "marimo:file") return written(value);
    try {
      return setItem.call(this, key, value);
    } catch {
      return undefined; // no room: marimo's own settings last as long as the page
    }
  };
  function written(value) {
    latest = decoded(value);
    if (unkept !== BLOCKED) {
      if (!changed()) localStorage.removeItem(KEY);
      unkept = !changed() || store(KEY, latest) ? "" : FULL;
    }
    tell();
  }
  addEventListener("beforeunload", (event) => {
    if (unkept && changed()) event.preventDefault(); // the browser asks before it leaves
  });
  function decoded(value) {
    try {
      const parsed = JSON.parse(value);
      return typeof parsed === "string" ? parsed : value;
    } catch {
      return value;
    }
  }
  const tidy = () => {
    const address = new URL(location.href);
    address.searchParams.delete("code");
    if (address.hash.startsWith("#code/")) address.hash = "";
    if (address.href !== location.href) history.replaceState(null, "", address.href.replace(/#$/, ""));
  };
  tidy();
  addEventListener("hashchange", tidy);

  /* ---- the bar ---- */

  let state = "starting";
  let doing = "";
  let measured = "";
  const style = document.createElement("style");
  style.textContent = `
    #glassbox-bar { position: fixed; inset: auto 0 0 0; z-index: 10000; display: flex; flex-wrap: wrap; gap: .25rem 1rem;
      align-items: center; padding: .4rem 1rem; font: 15px/1.4 system-ui, sans-serif; color: #1c1a17; background: #f6f2ea;
      border-top: 1px solid #cfc7b8; }
    #glassbox-bar p { margin: 0; flex: 1 1 16rem; }
    #glassbox-bar[data-state=failed] { background: #b3261e; color: #fff; border: 0; }
    #glassbox-bar a, #glassbox-bar button { color: inherit; font: inherit; background: none; border: 0; padding: .2rem 0;
      text-decoration: underline; cursor: pointer; }
    #glassbox-bar [hidden] { display: none; }
    #glassbox-bar :focus-visible { outline: 2px solid currentColor; outline-offset: 2px; }
    #root { padding-bottom: 3rem; }
    @media (prefers-color-scheme: dark) { #glassbox-bar { color: #eee8dc; background: #26221c; border-color: #4a4337; } }
    @media print { #glassbox-bar { display: none; } }`;
  document.head.append(style);
  const bar = document.createElement("aside");
  bar.id = "glassbox-bar";
  bar.setAttribute("aria-label", "This editor");
  const line = document.createElement("p");
  const status = document.createElement("span");
  status.setAttribute("role", "status");
  const amount = document.createElement("span"); // it changes by the second: for the eye alone
  line.append(status, amount);
  const back = document.createElement("a");
  back.href = `../${config.chapter}.html`;
  back.textContent = "Back to the chapter";
  const save = button("Save as .py", () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([latest.endsWith("\n") ? latest : `${latest}\n`], { type: "text/x-python" }));
    link.download = `${config.chapter}.py`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  });
  const again = button("Discard my changes", () => {
    if (!confirm("Discard your changes and open the chapter as it was published?")) return;
    localStorage.removeItem(KEY);
    latest = first;
    location.reload();
  });
  const retry = button("Try again", () => location.reload());
  retry.hidden = true;
  bar.append(line, retry, save, again, back);
  tell();
  // At once, not when all is loaded: what marimo loads may take long, or for ever.
  if (document.body) document.body.append(bar);
  else addEventListener("DOMContentLoaded", () => document.body.append(bar));

  function button(label, press) {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = label;
    made.addEventListener("click", press);
    return made;
  }
  /* What the bar says: what Python is doing, and, wherever there are changes or none can be kept, whether they are. */
  function tell() {
    again.hidden = !changed();
    const lost = unkept && `${unkept}: save ${changed() ? "them" : "what you change"} as .py before you leave.`;
    const safe = "kept in this browser (a private window forgets it when it closes)";
    const copy = lost || (changed() ? `Your changed copy is ${safe}.` : `Change anything: your copy is ${safe}.`);
    const failed = changed() && (lost || `Your changed copy is ${safe}; you can also save it as a file.`);
    const more = state === "failed" ? failed : state === "live" && !doing ? copy : lost;
    bar.dataset.state = state;
    retry.hidden = state !== "failed";
    const text = [doing, more].filter(Boolean).join(" ");
    if (status.textContent !== text) status.textContent = text;
    amount.textContent = state === "starting" ? ` ${measured}` : "";
  }
  function show(next, text, number = "") {
    if (state === "failed") return; // the first reason stays until the reader tries again
    [state, doing, measured] = [next, text, number];
    tell();
  }
  const fail = (reason) => show("failed", `The editor could not start: ${reason}`);

  /* ---- what marimo's two workers say: the one that runs the notebook, then the one that saves it ---- */

  let timer;
  let stage = "marimo"; // what is waited for, in marimo's own words
  let saver = "starting"; // then "asked" when a change came before it was ready, then "ready"
  const Stock = window.Worker;
  window.Worker = class extends Stock {
    constructor(address, ...rest) {
      super(address, ...rest);
      const saves = String(address).includes("save-worker");
      this.addEventListener("message", ({ data }) => heard(saves, data?.data ?? data));
      this.addEventListener("error", () => failLater("a script of the editor did not load."));
    }
    postMessage(message, ...rest) {
      if (message?.data?.method === "saveNotebook" && saver === "starting") saver = "asked";
      super.postMessage(message, ...rest);
    }
  };
  function heard(saves, { id, payload } = {}) {
    if (id === "initializedError") return failLater(`${String(payload?.error ?? "Python did not start").slice(0, 300)}.`);
    if (id === "initializingMessage") waiting(payload?.message);
    if (id !== "initialized") return;
    clearTimeout(timer);
    if (!saves) return show("live", "The notebook runs. Keeping your changes will be possible in a moment.");
    const late = saver === "asked";
    saver = "ready";
    show("live", "");
    if (late) document.dispatchEvent(new KeyboardEvent("keydown", { key: "s", code: "KeyS", ctrlKey: true, bubbles: true }));
  }

  /* Says what the start waits for, and since when; marimo itself waits without an end. */
  function waiting(message) {
    clearTimeout(timer);
    if (message)
      stage = String(message)
        .replace(/[.…]+$/, "")
        .slice(0, 100);
    const began = Date.now();
    const tick = () => {
      if (state !== "starting" || !loaded) return;
      const seconds = Math.round((Date.now() - began) / 1000);
      const slow = seconds * 1000 >= START ? " That is longer than usual: wait on, or try again." : "";
      const long = seconds > 4 ? `It takes ${seconds} seconds so far.${slow}` : "";
      show("starting", `Python is loaded; the notebook starts: ${stage}.`, long);
      retry.hidden = !slow;
      timer = setTimeout(tick, 1000);
    };
    tick();
  }
  // A promise of marimo's that fails tells its page nothing; the notebook may start all the same. On a slow machine
  // its own limit of a minute passes: that is waiting, not failing.
  addEventListener("unhandledrejection", ({ reason }) => {
    const said = String(reason?.message ?? reason)
      .replace(/\.$/, "")
      .slice(0, 200);
    if (state === "starting" && !/timed out/.test(said)) stage = `${stage} (it reported: ${said})`;
  });
  /* marimo's reason is told after ours, when it is about a file that is being checked here. */
  const failLater = async (reason) => {
    await Promise.race([checks, new Promise((next) => setTimeout(next, PATIENCE))]);
    fail(reason);
  };
  addEventListener(
    "error",
    (event) => {
      if (event.target instanceof HTMLScriptElement) fail("a script of the editor is missing.");
    },
    true,
  );

  /* ---- downloads: counted and checked while marimo waits for the same files ---- */

  let loaded = false;

  async function watch() {
    if (typeof WebAssembly !== "object") return fail("this browser has no WebAssembly.");
    show("starting", "Loading Python.");
    try {
      const { download, Failure, isScript, Progress, wrongType } = await import(config.download);
      const progress = new Progress(config.files.reduce((sum, file) => sum + file.bytes, 0));
      const count = (bytes) => {
        progress.add(bytes);
        if (state === "starting") show("starting", "Loading Python:", `${progress.text}.`);
      };
      const one = async (file) => {
        const { type } = await download(file.url, file, count, fetch);
        if (file.url.endsWith(".mjs") && !isScript(type)) throw new Failure(wrongType(file.url.split("/").pop(), type));
      };
      await Promise.all(config.files.map(one));
    } catch (error) {
      return fail(error instanceof TypeError ? "a script of the editor is missing." : error.message);
    }
    loaded = true;
    if (state === "starting") waiting();
  }
  const checks = watch();
})();
