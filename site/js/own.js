/* A model of the reader's own: picks its files, hands them to the worker, and shows it in every figure that runs a
   model. The files never leave this browser; the worker reads slices of them. Loaded by after.js where a page has a
   place for it (class own-model). */
(() => {
  "use strict";
  const glassbox = window.glassbox;
  const place = document.querySelector(".own-model");
  if (!place || place.dataset.ready) return;
  const GB = 1e9;
  /* What Python in a page can hold: its memory ends at 4 GB, and the browser may know of less. */
  const room = Math.min(2.6, 0.35 * (navigator.deviceMemory || 8)) * GB;
  const WANTED =
    /(^|\/)(config\.json|generation_config\.json|tokenizer\.json|.*\.safetensors(\.index\.json)?|.*\.(bin|pt|pth|gguf|h5))$/;
  const MOST = 5000; // files that are looked through

  const el = (tag, props = {}, ...children) => {
    const node = Object.assign(document.createElement(tag), props);
    node.append(...children);
    return node;
  };
  const size = (bytes) => (bytes >= GB ? `${(bytes / GB).toFixed(2)} GB` : `${Math.max(1, Math.round(bytes / 1e6))} MB`);
  const button = (text, act, className = "") => {
    const node = el("button", { type: "button", textContent: text, className });
    node.addEventListener("click", act);
    return node;
  };

  /* ---- the place ---- */

  const folder = el("input", { type: "file", hidden: true, multiple: true, webkitdirectory: true });
  const files = el("input", { type: "file", hidden: true, multiple: true });
  folder.dataset.pick = "folder";
  files.dataset.pick = "files";
  for (const input of [folder, files]) {
    input.tabIndex = -1;
    input.addEventListener("change", () => {
      take([...input.files].map((file) => ({ file, path: file.webkitRelativePath || file.name })));
      input.value = "";
    });
  }
  const touch = matchMedia("(pointer: coarse)").matches;
  const say = el("p", { className: "own-say" });
  say.setAttribute("role", "status");
  const bar = el("progress", { max: 1, hidden: true });
  bar.setAttribute("aria-label", "Read of the model’s files");
  const amount = el("span", { className: "own-amount" });
  const actions = el("p", { className: "own-actions" });
  const HINT = `${touch ? "Choose" : "Drop the folder here, or choose"} its files. Up to ${size(room)} of weights fit in this page, and twice as much where they are rounded to 8 bits; nothing is sent anywhere.`;
  const hint = el("p", { className: "own-hint", textContent: HINT });
  const address = el("div", { className: "own-address" });
  place.replaceChildren(say, el("p", { className: "own-progress" }, bar, amount), actions, hint, address, folder, files);
  place.dataset.ready = "";

  /* Files on a course's own server: a part that few need, and is fetched when it is asked for. */
  const from = glassbox.query.get("model_from") || "";
  async function server() {
    const parts = { el, button, size, room, address, from, read: (m) => read(m), named: WANTED };
    try {
      if (!glassbox.address) await glassbox.script(glassbox.root + document.body.dataset.own.replace("own.js", "address.js"));
      glassbox.address(parts);
    } catch {
      say.textContent = await glassbox.lost("A file that this button needs did not load; press it again.");
    }
  }

  const pickers = () => [
    ...("webkitdirectory" in folder && !touch ? [button("Choose a folder", () => folder.click())] : []),
    button("Choose files", () => files.click(), touch ? "" : "quiet"),
    button("From an address", server, "quiet"),
  ];

  let state = "ours";
  let shown; // {name, files, bytes} of the model that figures show, or that is being read
  let seq = 0;

  function show(next, text, ...buttons) {
    state = next;
    place.dataset.state = next;
    say.textContent = text;
    actions.replaceChildren(...buttons);
    bar.hidden = next !== "reading";
    if (next !== "reading") amount.textContent = "";
  }

  const home = document.body.dataset.model || ""; // the model that this site was built to show
  function idle(text = "The figures show our model.") {
    state = "ours";
    const back = home ? [button(`Show ${home} again`, () => location.reload(), "quiet")] : [];
    show("ours", text, ...pickers(), ...back, ...again(), ...shelf.buttons());
  }

  /* ---- the browser's own storage, if the reader wishes ---- */

  const shelf = {
    key: "glassbox-own-model",
    place: "own-model",
    kept: null, // {name, bytes} of what is there
    root: () => navigator.storage.getDirectory(),
    get able() {
      return !!navigator.storage?.getDirectory && "createWritable" in (window.FileSystemFileHandle?.prototype || {});
    },
    async look() {
      try {
        this.kept = JSON.parse(localStorage.getItem(this.key));
        if (this.kept) await (await this.root()).getDirectoryHandle(this.place);
      } catch {
        this.kept = null; // the browser has dropped it, or keeps nothing for this page
      }
    },
    buttons() {
      const found = [];
      if (this.kept && this.kept.name !== shown?.name)
        found.push(button(`Read ${this.kept.name} (${size(this.kept.bytes)}, kept here)`, () => this.open(), "quiet"));
      if (this.kept) found.push(button(`Forget ${this.kept.name}`, () => this.forget(), "quiet"));
      else if (state === "own" && this.able)
        found.push(button(`Keep it in this browser (${size(shown.bytes)})`, () => this.keep(), "quiet"));
      return found;
    },
    async keep() {
      const { name, files: mine, bytes } = shown;
      const wanted = shown;
      const words = say.textContent;
      try {
        const { quota = Infinity, usage = 0 } = (await navigator.storage.estimate?.()) || {};
        if (quota - usage < bytes)
          throw new Error(`it leaves ${size(quota - usage)} to this site, and the model takes ${size(bytes)}`);
        const dir = await (await this.root()).getDirectoryHandle(this.place, { create: true });
        let done = 0;
        for (const file of mine) {
          say.textContent = `Keeping ${name} in this browser: ${size(done)} of ${size(bytes)} …`;
          const to = await (await dir.getFileHandle(file.name, { create: true })).createWritable();
          await file.stream().pipeTo(to);
          done += file.size;
        }
        this.kept = { name, bytes };
        localStorage.setItem(this.key, JSON.stringify(this.kept));
        navigator.storage.persist?.().catch(() => {});
        say.textContent = words;
      } catch (error) {
        await this.clear();
        say.textContent = `${words} This browser did not keep it: ${error.message}.`;
      }
      if (shown === wanted && state === "own")
        actions.replaceChildren(button("Back to our model", ours), ...pickers().map(quiet), ...this.buttons());
    },
    async open() {
      const { name, bytes } = this.kept;
      try {
        const dir = await (await this.root()).getDirectoryHandle(this.place);
        const mine = [];
        for await (const handle of dir.values()) mine.push(await handle.getFile());
        read({ name, files: mine, bytes });
      } catch {
        await this.clear();
        idle(`${name} is no longer kept: this browser has dropped it.`);
      }
    },
    async clear() {
      this.kept = null;
      try {
        localStorage.removeItem(this.key);
        await (await this.root()).removeEntry(this.place, { recursive: true });
      } catch {} // nothing was there
    },
    async forget() {
      const { name } = this.kept;
      await this.clear();
      if (state === "own") actions.replaceChildren(button("Back to our model", ours), ...pickers().map(quiet), ...this.buttons());
      else idle(`${name} is forgotten. The figures show our model.`);
    },
  };

  /* ---- what was dropped ---- */

  async function entries(item, path, found) {
    if (found.length > MOST) return;
    if (item.isFile) {
      const file = await new Promise((done, fail) => item.file(done, fail));
      found.push({ file, path: path + item.name });
    } else if (item.isDirectory) {
      const reader = item.createReader();
      for (;;) {
        const some = await new Promise((done, fail) => reader.readEntries(done, fail));
        if (!some.length) break;
        for (const one of some) await entries(one, `${path}${item.name}/`, found);
      }
    }
  }

  let over = 0;
  for (const type of ["dragenter", "dragover", "dragleave", "drop"]) {
    place.addEventListener(type, (event) => {
      if (![...(event.dataTransfer?.types || [])].includes("Files")) return;
      event.preventDefault();
      if (type === "dragenter") over += 1;
      if (type === "dragleave") over -= 1;
      if (type === "drop") over = 0;
      place.classList.toggle("over", over > 0);
      if (type !== "drop") return;
      const items = [...event.dataTransfer.items].map((i) => i.webkitGetAsEntry?.()).filter(Boolean);
      const plain = [...event.dataTransfer.files].map((file) => ({ file, path: file.name }));
      const found = [];
      Promise.all(items.map((i) => entries(i, "", found)))
        .then(() => take(found.length ? found : plain))
        .catch(() => take(plain));
    });
  }

  /* The one folder among the files that holds a model: that of the config.json nearest to the top. */
  function model(found) {
    const parts = (path) => path.split("/");
    const configs = found.filter(({ path }) => parts(path).pop() === "config.json");
    const near = configs.sort((a, b) => parts(a.path).length - parts(b.path).length)[0];
    const inside = near ? near.path.slice(0, -"config.json".length) : "";
    const mine = found.filter(
      ({ path }) => path.startsWith(inside) && !path.slice(inside.length).includes("/") && WANTED.test(path),
    );
    const hub = parts(inside).find((p) => p.startsWith("models--")); // as the hub's own cache names a folder
    const name = hub ? hub.split("--").pop() : parts(inside).at(-2) || "your model";
    return { name, files: mine.map(({ file }) => file), config: !!near };
  }

  function take(found) {
    if (!found.length) return;
    const { name, files: mine, config } = model(found);
    if (!config)
      return idle(
        `Among these ${found.length} files there is no config.json; a model’s folder has one, beside its *.safetensors.`,
      );
    read({ name, files: mine, bytes: mine.reduce((sum, f) => sum + f.size, 0) });
  }

  /* ---- reading ---- */

  async function read(wanted) {
    shown = wanted;
    dress("");
    const mine = (seq += 1);
    show(
      "reading",
      `Reading ${wanted.name} …`,
      button("Stop", () => stop(), "quiet"),
    );
    bar.removeAttribute("value");
    const live = await glassbox.start();
    if (mine !== seq) return;
    if (live.failed) return idle(`${wanted.name} could not be read: Python did not start (${live.failed})`);
    live.told = told;
    live.say({ type: "model", seq: mine, name: wanted.name, files: wanted.files, memory: Math.floor(room) });
  }

  function stop() {
    if (glassbox.live?.ready) glassbox.live.say({ type: "halt" });
    seq += 1;
    idle(`${shown.name} was not read to its end; the figures show our model.`);
    shown = undefined;
    dress("");
  }

  async function ours() {
    const mine = (seq += 1);
    const live = await glassbox.start();
    if (live.failed || mine !== seq) return;
    live.told = told;
    live.say({ type: "model", seq });
  }

  function told(m) {
    if (m.type === "ready") return restarted();
    if (m.seq !== seq) return;
    if (m.more) {
      bar.value = m.read / m.total;
      amount.textContent = `${size(m.read)} of ${size(m.total)}`;
      return;
    }
    if (m.error) {
      const name = shown?.name.replace(/^your/, "Your") || "The model";
      shown = undefined;
      idle(`${name} cannot be shown: ${m.error}.`);
    } else if (m.name) {
      shown.name = m.name;
      state = "own";
      const note = m.note ? ` ${m.note}` : "";
      hint.textContent = `Python’s memory has come to ${size(m.memory)} for it, of at most 4 GB. A model stays until this page is left.`;
      show(
        "own",
        `The figures show ${m.name}, read on this device.${note}`,
        button("Back to our model", ours),
        ...pickers().map(quiet),
        ...shelf.buttons(),
      );
    } else {
      shown = undefined;
      idle();
    }
    if (m.controls) fit(m.controls);
    if (m.name) follow(m.name);
    else hint.textContent = HINT;
    dress(m.name || "");
  }

  const quiet = (node) => Object.assign(node, { className: "quiet" });
  let last; // the model that a new start of Python has lost
  const again = () => (last ? [button(`Read ${last.name} again`, () => read(last), "quiet")] : []);

  /* Python was started anew, and with it everything was lost that it held. */
  function restarted() {
    if (!shown || state !== "own") return;
    if (home) return arrive(); // Python begins with it
    last = shown;
    shown = undefined;
    dress("");
    idle("Python was started again, so the figures show our model.");
  }

  /* ---- figures ---- */

  /* Controls follow the model: as many layers and heads as it has. */
  function fit(controls) {
    for (const fig of glassbox.figures.values()) {
      for (const control of fig.controls) {
        const like = controls.find((c) => c.name === control.name);
        if (!like) continue;
        const { input } = control;
        if (like.kind === "slider" && like.stop !== undefined) {
          const untouched = control.value === control.start;
          input.max = like.stop;
          if (untouched) input.value = like.value; // where it stands at its end, the end of the model
          if (untouched) control.start = control.value;
        }
        if (like.kind === "select") {
          const had = [...input.options].map((o) => o.value);
          const options = Object.keys(like.options);
          const fresh = !had.includes(like.value); // the reader's model, in a list of models
          const chosen = options.includes(input.value) && !fresh ? input.value : like.value;
          if (options.length !== had.length) input.replaceChildren(...options.map((o) => new Option(o, o)));
          input.value = chosen;
          if (fresh || !had.includes(chosen)) control.start = chosen;
        }
        const numbers = /^[\d\s]+$/;
        if (like.kind === "text" && like.value && numbers.test(like.value) !== numbers.test(control.value))
          control.set(like.value);
        control.echo();
      }
    }
  }

  const stale = new Set();
  const near = new IntersectionObserver(
    (seen) => {
      for (const { target, isIntersecting } of seen) if (isIntersecting) renew(glassbox.figures.get(target.dataset.figure));
    },
    { rootMargin: "300px" },
  );

  function renew(fig) {
    if (!stale.delete(fig)) return;
    near.unobserve(fig.node);
    fig.changed();
  }

  /* A link that names a model was made with more layers and heads than ours has: its values fit now. */
  const linked = glassbox.query.get("model")?.slice(0, 60);
  let followed;
  function follow(name) {
    if (followed || name !== linked) return;
    followed = true;
    for (const fig of glassbox.figures.values())
      for (const control of fig.controls)
        if (glassbox.query.has(control.name) && control.kind !== "button") control.set(glassbox.query.get(control.name));
  }

  /* All figures are drawn anew, when they come near. States computed ahead are of ours, and stay away from another's. */
  function dress(name) {
    glassbox.model = name;
    for (const fig of glassbox.figures.values()) {
      mark(fig);
      fig.drawn = "";
      if (name !== home) fig.ahead = () => undefined;
      else delete fig.ahead;
      fig.release();
      stale.add(fig);
      near.observe(fig.node);
    }
    if (glassbox.live) glassbox.live.heard = heard;
  }

  /* Says above a figure's picture whose model it shows, or why not the reader's. */
  function mark(fig, name, words, ...more) {
    fig.node.querySelector(".whose")?.remove();
    if (!name) return;
    const line = el("p", { className: "whose" }, el("b", { textContent: name, translate: false }), ` ${words}`, ...more);
    fig.node.querySelector("figcaption").after(line);
  }

  /* A figure has answered: with the reader's model, with ours for a reason, or without any. */
  function heard({ name, whose, error }) {
    const fig = glassbox.figures.get(name);
    const back = button("Show ours", ours, "link");
    if (!whose || state !== "own") mark(fig);
    else if (whose.stays) mark(fig, "Our model", `all the same. ${whose.stays}`);
    else if (!error || fig.drawn) {
      fig.drawn = whose.name;
      mark(fig, whose.name, "", back);
    } else mark(fig, whose.name, `cannot be shown here, and the picture is of our model: ${error}. `, back);
  }

  /* A link that was made with a model: where it is kept it is read, else the figure says what is missing. */
  function arrive() {
    if (home) {
      shown = { name: home, files: [], bytes: 0 };
      glassbox.model = home;
      for (const fig of glassbox.figures.values()) fig.drawn = home;
      if (glassbox.live) glassbox.live.heard = heard;
      return show(
        "own",
        `The figures show ${home}, the model of this site.`,
        button("Show the book’s model", ours),
        ...pickers().map(quiet),
      );
    }
    if (!linked) return idle();
    if (shelf.kept?.name === linked) return shelf.open();
    idle(`This link was made with ${linked}, which this browser does not keep. The figures show our model.`);
    const fig = glassbox.figures.get(location.hash.slice(1));
    const there = button(
      "Choose its files",
      () => {
        place.scrollIntoView({ block: "center" });
        actions.querySelector("button")?.focus();
      },
      "link",
    );
    if (fig) mark(fig, linked, "is what this link was made with; the picture is of our model. ", there);
  }

  /* Where the model is kept, links to other chapters take its name along, and are read there at once. */
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href]");
    if (!glassbox.model || shelf.kept?.name !== glassbox.model || link?.origin !== location.origin) return;
    if (!/\/(\w+\.html)?$/.test(link.pathname) || link.pathname === location.pathname) return;
    const query = new URLSearchParams(link.search);
    query.set("model", glassbox.model);
    link.search = query;
  });

  shelf.look().then(() => {
    arrive();
    if (from) server();
  });
})();
