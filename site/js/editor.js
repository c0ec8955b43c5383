/* The bar above the editor: what Python is doing, permanently and in words; the reader's changes, kept in
   this browser; saving them as a file. Runs before marimo does. */
(() => {
  const config = JSON.parse(document.getElementById("glassbox-edit").textContent);
  const KEY = `glassbox:edit:${config.chapter}`;
  const STALL = 20_000; // ms without a byte before a download counts as stopped
  const START = 120_000; // ms that marimo may take once everything is downloaded

  /* ---- the reader's copy: a reload opens it instead of the chapter's ---- */

  // marimo keeps one copy for all notebooks and another in the address. Each chapter gets its own here, and
  // an address is never run: somebody else may have written it.
  const { setItem } = Storage.prototype;
  const read = () => {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null; // storage is switched off: changes last as long as the page
    }
  };
  const original = document.querySelector("marimo-code");
  const first = decodeURIComponent(original.textContent).trim();
  const kept = read();
  if (kept) original.textContent = encodeURIComponent(kept);
  let latest = kept || first;
  Storage.prototype.setItem = function (key, value) {
    if (key !== "marimo:file") return setItem.call(this, key, value);
    latest = decoded(value);
    const changed = latest.trim() !== first;
    try {
      if (changed) setItem.call(this, KEY, latest);
      else this.removeItem(KEY);
    } catch {
      show("unkept", "This browser has no room to keep your changes: save them as .py before you leave.");
    }
    changes(changed);
  };
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
  const status = document.createElement("p");
  status.setAttribute("role", "status");
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
    location.reload();
  });
  const retry = button("Try again", () => location.reload());
  retry.hidden = true;
  bar.append(status, retry, save, again, back);
  changes(Boolean(kept));
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
  function changes(any) {
    again.hidden = !any;
  }
  let state = "starting";
  function show(next, text) {
    if (state === "failed") return; // the first reason stays until the reader tries again
    state = next;
    bar.dataset.state = next;
    status.textContent = text;
    retry.hidden = next !== "failed";
  }
  const fail = (reason) =>
    show("failed", `The editor could not start: ${reason} Your changes are safe. You can still save them as a file.`);

  /* ---- what marimo's two workers say: the one that runs the notebook, then the one that saves it ---- */

  let timer;
  let saver = "starting"; // then "asked" when a change came before it was ready, then "ready"
  const Stock = window.Worker;
  window.Worker = class extends Stock {
    constructor(address, ...rest) {
      super(address, ...rest);
      const saves = String(address).includes("save-worker");
      this.addEventListener("message", ({ data }) => heard(saves, data?.data ?? data));
      this.addEventListener("error", () => fail("a script of the editor did not load."));
    }
    postMessage(message, ...rest) {
      if (message?.data?.method === "saveNotebook" && saver === "starting") saver = "asked";
      super.postMessage(message, ...rest);
    }
  };
  function heard(saves, { id, payload } = {}) {
    if (id === "initializedError") return fail(`${String(payload?.error ?? "Python did not start").slice(0, 300)}.`);
    if (id !== "initialized") return;
    clearTimeout(timer);
    if (!saves) return show("live", "The notebook runs. Keeping your changes will be possible in a moment.");
    const late = saver === "asked";
    saver = "ready";
    show("live", kept ? "This is your changed copy, kept in this browser." : "Change anything: your copy stays in this browser.");
    if (late) document.dispatchEvent(new KeyboardEvent("keydown", { key: "s", code: "KeyS", ctrlKey: true, bubbles: true }));
  }
  addEventListener(
    "error",
    (event) => {
      if (event.target instanceof HTMLScriptElement) fail("a script of the editor is missing.");
    },
    true,
  );

  /* ---- downloads: counted and checked while marimo waits for the same files ---- */

  /* Once more past the browser's own copy, where that differs from what the site was built with. */
  async function checked(file, progress) {
    try {
      return await fetched(file, progress, "default");
    } catch (error) {
      if (!error.altered) throw error;
      return fetched(file, () => {}, "reload");
    }
  }

  const altered = (text) => Object.assign(new Error(text), { altered: true });

  async function fetched(file, progress, cache) {
    const abort = new AbortController();
    const name = file.url.split("/").pop();
    let stalled = false;
    let alarm;
    const wait = () => {
      clearTimeout(alarm);
      alarm = setTimeout(() => ((stalled = true), abort.abort()), STALL);
    };
    try {
      wait();
      const response = await fetch(file.url, { cache, signal: abort.signal });
      if (!response.ok) throw new Error(`the file ${name} is missing on the server (${response.status}).`);
      const reader = response.body.getReader();
      const parts = [];
      let size = 0;
      for (let step; !(step = await reader.read()).done; ) {
        wait();
        parts.push(step.value);
        size += step.value.length;
        progress(step.value.length);
      }
      if (size !== file.bytes) throw altered(`the file ${name} came with ${size} bytes instead of ${file.bytes}.`);
      if (!self.crypto?.subtle) return;
      const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", await new Blob(parts).arrayBuffer()));
      if (`sha256-${btoa(String.fromCharCode(...digest))}` !== file.integrity) {
        throw altered(`the file ${name} differs from the one this site was built with.`);
      }
    } catch (error) {
      if (stalled) throw new Error(`the download of ${name} stopped for ${STALL / 1000} seconds.`);
      throw error instanceof TypeError ? new Error(`the file ${name} could not be loaded.`) : error;
    } finally {
      clearTimeout(alarm);
    }
  }

  async function watch() {
    if (typeof WebAssembly !== "object") return fail("this browser has no WebAssembly.");
    const total = config.files.reduce((sum, file) => sum + file.bytes, 0);
    let loaded = 0;
    const progress = (bytes) => {
      loaded += bytes;
      if (state === "starting")
        show("starting", `Loading Python: ${(loaded / 1e6).toFixed(1)} of ${(total / 1e6).toFixed(1)} MB.`);
    };
    show("starting", "Loading Python.");
    try {
      await Promise.all(config.files.map((file) => checked(file, progress)));
    } catch (error) {
      return fail(error.message);
    }
    if (state !== "starting") return;
    show("starting", "Python is loaded; the notebook starts.");
    timer = setTimeout(() => fail(`it did not answer within ${START / 1000} seconds.`), START);
  }
  watch();
})();
