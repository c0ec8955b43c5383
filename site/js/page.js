/* Makes a page's figures answer. The states computed by the build come first, from a small file per figure;
   Python (js/live.js) answers what they do not cover. No formula stands here. Classic script, so that it
   also runs in a sandboxed frame and from a folder on disk. */
(() => {
  "use strict";
  const body = document.body;
  const root = body.dataset.root || "./";
  const chapter = body.dataset.chapter;
  const embedded = "embed" in body.dataset;
  const query = new URLSearchParams(location.search);
  const figures = new Map();
  const $ = (selector, node = document) => node.querySelector(selector);
  const $$ = (selector, node = document) => [...node.querySelectorAll(selector)];

  const glassbox = (window.glassbox = {
    root,
    chapter,
    figures,
    query,
    /* A frame file calls this with its content. */
    frames(id, packed) {
      figures.get(id.split("/")[1]).packed = packed;
    },
  });

  function script(src) {
    return new Promise((done, fail) => {
      const node = document.createElement("script");
      node.src = src;
      node.onload = done;
      node.onerror = () => fail(new Error(src));
      document.head.append(node);
    });
  }
  glassbox.script = script;

  /* A screen reader hears a figure's sentence once the picture rests: a drag of a second draws it dozens of times. */
  const QUIET = 600; // ms
  let quiet;
  const voice = Object.assign(document.createElement("p"), { className: "unseen voice" });
  voice.setAttribute("role", "status");
  body.append(voice);

  /* A control: one row of the form, read and written as its wire value. */
  class Control {
    constructor(row) {
      this.row = row;
      this.name = row.dataset.control;
      this.kind = row.dataset.kind;
      this.inputs = $$("input, select, textarea, button", row);
      this.input = this.inputs[0];
      this.steps = JSON.parse(this.input.dataset.steps || "null");
      this.start = this.value;
    }
    get value() {
      const i = this.input;
      switch (this.kind) {
        case "slider":
          return this.steps ? this.steps[+i.value] : +i.value;
        case "number":
          return this.clamp(i.value === "" ? NaN : +i.value);
        case "radio":
          return this.inputs.find((r) => r.checked).value;
        case "switch":
          return i.checked;
        case "button":
          return +i.value;
        default:
          return i.value;
      }
    }
    clamp(v) {
      return Number.isFinite(v)
        ? Math.min(Math.max(v, +this.input.min), +this.input.max)
        : (this.last ?? +this.input.defaultValue);
    }
    /* Sets the control to the nearest value it can take; returns whether that is the value asked for. */
    set(wanted) {
      const i = this.input;
      let exact = true;
      if (this.kind === "slider" || this.kind === "number") {
        if (!/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(wanted)) return false;
        let v = +wanted;
        if (!Number.isFinite(v)) return false;
        if (this.steps) {
          v = Math.min(Math.max(v, Math.min(...this.steps)), Math.max(...this.steps));
          i.value = this.steps.reduce((b, s, n) => (Math.abs(s - v) < Math.abs(this.steps[b] - v) ? n : b), 0);
        } else i.value = this.kind === "number" ? this.clamp(v) : v;
        exact = Math.abs(this.value - wanted) < 1e-9;
      } else if (this.kind === "radio" || this.kind === "select") {
        const option = (this.kind === "radio" ? this.inputs : [...i.options]).find((o) => o.value === String(wanted));
        if (!option) return false;
        option[this.kind === "radio" ? "checked" : "selected"] = true;
      } else if (this.kind === "switch") {
        if (!/^(true|false|1|0)$/.test(String(wanted))) return false;
        i.checked = /^(true|1)$/.test(String(wanted));
      } else if (this.kind === "text") {
        const max = i.maxLength > 0 ? i.maxLength : Infinity;
        i.value = String(wanted).slice(0, max);
        exact = String(wanted).length <= max;
      } else return false;
      this.echo();
      return exact;
    }
    echo() {
      const out = $("output", this.row);
      this.last = this.value;
      if (!out) return;
      out.textContent = this.value.toLocaleString("en", { maximumFractionDigits: 6 });
      this.input.setAttribute("aria-valuetext", out.textContent);
    }
    enable(on) {
      for (const i of this.inputs) i.disabled = !on;
    }
  }

  class Fig {
    constructor(node) {
      this.node = node;
      this.name = node.dataset.figure;
      this.picture = $(".picture", node);
      this.stateLine = $(".figure-state", node);
      this.controls = $$(".control", node).map((row) => new Control(row));
      /* A browser that comes back to a page may have put the reader's values in; the picture is the first state's. */
      const had = this.controls.map((c) => c.value);
      $("form", node)?.reset();
      for (const c of this.controls) c.start = c.value;
      this.shown = this.key;
      this.controls.forEach((c, n) => c.set(had[n]));
      node.addEventListener("input", (e) => this.touched(e));
      node.addEventListener("click", (e) => this.clicked(e));
      node.addEventListener("keydown", (e) => this.walked(e));
      for (const type of ["pointerover", "focusin"]) node.addEventListener(type, (e) => this.detail(e.target));
      for (const type of ["pointerenter", "focusin"])
        node.addEventListener(type, () => (this.load(), glassbox.draw(this)), { once: true });
      node.addEventListener("submit", (e) => e.preventDefault());
      for (const c of this.controls) c.enable(true);
    }
    get values() {
      return Object.fromEntries(this.controls.map((c) => [c.name, c.input.files?.[0] ?? c.value]));
    }
    get key() {
      return JSON.stringify(this.controls.map((c) => c.value));
    }
    control(name) {
      return this.controls.find((c) => c.name === name);
    }
    /* Loads the states computed ahead, once. */
    load() {
      const src = this.node.dataset.frames;
      this.loading ??= src ? script(root + src).catch(() => (this.loading = undefined)) : Promise.resolve();
      return this.loading;
    }
    /* One state computed ahead as [picture, sentence, note, table, kind of numbers], or nothing. */
    ahead(key) {
      const pieces = this.packed?.states[key];
      const base = this.packed?.base;
      return pieces
        ?.map((p) => (typeof p === "string" ? p : base.slice(p[0], p[1])))
        .join("")
        .split("\x1f");
    }
    touched(event) {
      const row = event.target.closest(".control");
      if (!row) return;
      const control = this.control(row.dataset.control);
      control.echo();
      this.release();
      this.changed();
    }
    /* What a button started belongs to the values it was started with. */
    release() {
      for (const c of this.controls) if (c.kind === "button") c.input.value = 0;
    }
    clicked(event) {
      const press = event.target.closest(".control button");
      if (press) {
        press.value = +press.value + 1;
        this.changed();
        return;
      }
      const target = event.target.closest("[data-set]");
      if (target) this.take(target);
    }
    /* An element of the picture that sets controls: it knows their names without the figure's. */
    take(target) {
      const wanted = JSON.parse(target.dataset.set);
      for (const [name, v] of Object.entries(wanted)) this.control(`${this.name}_${name}`)?.set(v);
      this.release();
      this.changed();
    }
    walked(event) {
      const cell = event.target.closest("[role=gridcell], [data-set]");
      if (!cell || !this.picture.contains(cell)) return;
      if ((event.key === "Enter" || event.key === " ") && cell.dataset.set) {
        event.preventDefault();
        return this.take(cell);
      }
      const row = cell.closest("[role=row]");
      if (!row) return;
      const grid = cell.closest("[role=grid]");
      const rows = $$("[role=row]", grid)
        .map((r) => $$("[role=gridcell]", r))
        .filter((r) => r.length);
      const y = rows.findIndex((r) => r.includes(cell));
      const x = rows[y].indexOf(cell);
      const to = {
        ArrowLeft: [x - 1, y],
        ArrowRight: [x + 1, y],
        ArrowUp: [x, y - 1],
        ArrowDown: [x, y + 1],
        Home: [0, y],
        End: [rows[y].length - 1, y],
      }[event.key];
      if (!to) return;
      event.preventDefault();
      const next = rows[to[1]]?.[Math.min(to[0], (rows[to[1]] || []).length - 1)];
      if (!next) return;
      cell.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
      if (next.dataset.set && !grid.ariaMultiSelectable) this.take(next);
    }
    detail(target) {
      const from = target.closest?.("[data-detail]");
      const line = $(".detail", this.node);
      if (!from || !line) return;
      line.hidden = false;
      line.textContent = from.dataset.detail;
    }
    changed() {
      const key = this.key;
      this.want = key;
      if (glassbox.live?.ready) this.answer(key);
      else if (this.packed) this.fromFrames(key);
      else this.load().then(() => this.want === key && this.fromFrames(key));
    }
    /* Shows a state computed ahead, or asks Python for it. */
    fromFrames(key) {
      const parts = this.ahead(key);
      if (parts) return this.paint(key, parts, "frame", "computed ahead");
      const missing = this.packed ? "This state was not computed ahead" : "The states computed ahead did not load";
      const fail = (why) => this.state("failed", `${missing}, and Python could not start: ${why}`);
      if (glassbox.live?.failed) return fail(glassbox.live.failed);
      this.state("waiting", `This state needs Python (${body.dataset.megabytes} MB); starting it …`);
      glassbox.start().then((live) => {
        if (this.want === key && live.failed) fail(live.failed);
      });
    }
    /* Python answers; a frame, where there is one, stands in at once. */
    answer(key) {
      const parts = this.ahead(key);
      if (parts) this.paint(key, parts);
      clearTimeout(this.slow);
      this.slow = setTimeout(() => this.state("waiting", "Python is working …"), 300);
      glassbox.live.ask(this, this.values, (reply) => {
        if (this.want !== undefined && this.want !== key) return;
        clearTimeout(this.slow);
        if (reply.error) return this.state("failed", reply.error);
        if (reply.running) return this.paint(key, reply.parts, "running", "Python is working …");
        if (reply.stopped) return this.paint(key, reply.parts, "stopped", "stopped; the picture shows how far it came");
        this.paint(key, reply.parts, "live", `answered by Python in ${Math.max(1, Math.round(reply.ms))} ms`);
      });
    }
    paint(...next) {
      this.next = next;
      this.frame ??= requestAnimationFrame(() => {
        this.frame = undefined;
        const [key, [picture, sentence, note, table, kind], state, say] = this.next;
        this.write(this.picture, picture, true);
        this.write($(".sentence", this.node), sentence);
        this.write($(".note", this.node), note);
        this.write($(".numbers .table", this.node), table, true);
        const tag = $(".tag", this.node);
        this.write(tag, kind);
        if (tag) tag.dataset.provenance = kind;
        this.shown = key;
        this.node.dataset.key = key;
        clearTimeout(quiet);
        quiet = setTimeout(() => (voice.textContent = sentence), QUIET);
        if (state) this.state(state, say);
      });
    }
    write(node, value, markup) {
      if (!node || node.written === value) return;
      node.written = value;
      const held = node.contains(document.activeElement) && document.activeElement;
      const scrolls = markup ? $$(".scroll", node).map((s) => s.scrollLeft) : [];
      if (markup) {
        const drawn = $$("[data-chart] > .drawing", node);
        node.innerHTML = value;
        $$("[data-chart]", node).forEach((place, n) => drawn[n] && place.append(drawn[n]));
        glassbox.draw(this);
      } else node.textContent = value;
      if (scrolls.length) $$(".scroll", node).forEach((s, n) => (s.scrollLeft = scrolls[n] || 0));
      if (!held) return;
      const sets = $$("[data-set]", node);
      const same = sets.find((e) => held.ariaLabel && e.ariaLabel === held.ariaLabel);
      (same || sets.find((e) => e.dataset.set === held.dataset.set))?.focus({ preventScroll: true });
    }
    state(state, text) {
      if (!this.stateLine) return;
      this.stateLine.dataset.state = state;
      const say = $(".say", this.stateLine) || this.stateLine;
      say.textContent = text;
      const stop = $(".stop", this.node);
      if (stop) stop.hidden = state !== "running";
    }
  }

  /* A sentence about files that did not load, or another where that is because the site has a new build by now. */
  glassbox.lost = async (text) => {
    const { live, program, manifest } = body.dataset;
    const files = [live, program, manifest, ...[...figures.values()].map((f) => f.node.dataset.frames)];
    if (origin === "null") return text; // such a frame may not read its own page
    try {
      const page = await fetch(location.href, { cache: "no-cache" });
      const now = await page.text();
      if (page.ok && !files.every((f) => now.includes(f)))
        return "This site was renewed since this page was opened: load the page anew.";
    } catch {} // no network
    return text;
  };

  /* Draws a figure's charts from their rows; until js/charts.js is here the last drawing stays. */
  glassbox.draw = (fig) =>
    $("[data-chart]", fig.node) &&
    (glassbox.charting ??= script(root + body.dataset.charts)).then(
      () => glassbox.charts.draw(fig),
      async () => {
        glassbox.charting = undefined;
        fig.state("failed", await glassbox.lost("A file that draws this chart did not load; it stays as it was."));
      },
    );

  /* Starts Python; the same promise for everybody who asks. */
  glassbox.start = () =>
    (glassbox.starting ??= (glassbox.live ? Promise.resolve() : script(root + body.dataset.live))
      .then(() => glassbox.live.start())
      .catch(async () => {
        glassbox.starting = undefined; // the next one who asks tries again
        const failed = await glassbox.lost("its files did not load.");
        const line = $("#runtime");
        const again = Object.assign(document.createElement("button"), { type: "button", textContent: "Try again" });
        again.onclick = () => glassbox.start();
        line?.replaceChildren(`Python did not start: ${failed} `, again);
        if (line) [line.dataset.state, line.hidden] = ["failed", false];
        return { failed };
      }));

  function tell(text) {
    const notice = $("#notice");
    if (notice) [notice.hidden, notice.textContent] = [false, text];
  }
  glassbox.tell = tell;

  /* Values from the address: clamped, and the page says so; after.js names what it does not know. */
  const said = (glassbox.said = ["From the address of this page:"]);
  function readAddress(fig) {
    for (const control of fig.controls) {
      const wanted = query.get(control.name);
      if (wanted === null || control.kind === "button") continue;
      if (!control.set(wanted))
        said.push(
          `${control.name} = ${wanted.slice(0, 40)} is outside what this control takes; it is set to ${String(control.value).slice(0, 40)}.`,
        );
    }
    if (said.length > 1) tell(said.join(" "));
  }

  /* A chapter runs this script below its first figure, which then need not wait for the rest of the page. */
  function adopt() {
    for (const node of $$("figure[data-figure]")) {
      if (figures.has(node.dataset.figure)) continue;
      const fig = new Fig(node);
      figures.set(fig.name, fig);
      readAddress(fig);
    }
    follow();
  }
  /* Shows what the controls say, wherever an address or the browser has set them. */
  function follow() {
    for (const fig of figures.values()) {
      if (fig.key === fig.shown || fig.key === fig.want) continue;
      for (const c of fig.controls) c.echo();
      fig.changed();
    }
  }
  addEventListener("pageshow", follow);
  adopt();
  document.addEventListener("DOMContentLoaded", () => {
    adopt();
    document.documentElement.classList.add("js"); // the tools show
  });
  /* A link to a state of a figure on this page sets its controls in place. */
  function preset(event, link) {
    const fig = figures.get(link.hash.slice(1));
    if (!fig || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    for (const [name, wanted] of new URLSearchParams(link.search)) fig.control(name)?.set(wanted);
    fig.release();
    fig.changed();
    fig.picture.scrollIntoView({ block: "nearest" });
  }
  body.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='?']");
    if (link) preset(event, link);
    const tool = event.target.closest("[data-tool]");
    if (!tool) return;
    const ready = glassbox.tools ? Promise.resolve() : script(root + body.dataset.tools);
    const fig = figures.get(tool.closest("figure")?.dataset.figure);
    ready
      .then(() => glassbox.tools(tool, fig))
      .catch(async () => {
        const why = await glassbox.lost("A file that this button needs did not load; press it again.");
        if (fig) fig.state("failed", why);
        else tell(why);
      });
  });

  const idle = window.requestIdleCallback || ((f) => setTimeout(f, 200));
  /* A chapter starts Python by itself when it is idle; an embed only when asked, or with ?live=1. */
  const thrifty = navigator.connection?.saveData;
  const wish = query.get("live");
  glassbox.starts = figures.size > 0 && (wish === "1" || (!embedded && wish !== "0" && !thrifty));
  if (glassbox.starts) {
    const go = () => idle(() => glassbox.start(), { timeout: 1500 });
    if (document.readyState === "complete") go();
    else addEventListener("load", go);
  }
  addEventListener("load", () => {
    idle(() => $(".later")?.classList.add("settled"));
    idle(() => script(root + body.dataset.after).catch(() => {}));
  });
})();
