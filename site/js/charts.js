/* Draws a page's charts from the rows in their pictures, and answers whoever points at one: by pointer, finger or
   key. Loaded by page.js when a chart is near or touched. The build made the specifications and the first
   drawings (publish/charts); Vega, which draws all others, is one more file, which this one asks for. */
(() => {
  "use strict";
  const glassbox = window.glassbox;
  const { root, script } = glassbox;
  const data = document.body.dataset;
  const PATIENCE = 1000; // ms until a figure says that it waits for the files
  const LATE = 30_000; // ms until it says that they do not come
  const REACH = 48; // px: how far from a mark a pointer still means it

  let known; // chart name -> {head, spec}
  let asWritten; // chart name -> Vega-Lite
  const live = new WeakMap(); // the element of a drawing -> its Chart

  const charts = (glassbox.charts = {
    /* The file of specifications calls this. */
    specs(found, advances) {
      known = found;
      charts.advances = advances;
    },
    lite: (found) => (asWritten = found),
  });

  /* Vega as the build knows it, or none. A frame without an origin of its own has no way to check a file. */
  function vega() {
    if (origin === "null") return script(root + data.vega);
    return new Promise((done, fail) => {
      const node = Object.assign(document.createElement("script"), { src: root + data.vega, integrity: data.integrity });
      Object.assign(node, { onload: done, onerror: () => (node.remove(), fail(new Error(data.vega))) });
      document.head.append(node);
    });
  }

  let loading;
  const late = () => new Promise((_, fail) => setTimeout(() => fail(new Error("late")), LATE));
  function files() {
    // One clock for one loading: a second one would run out with nobody listening.
    loading ??= Promise.race([Promise.all([script(root + data.specs), vega()]), late()])
      .then(() => window.glassboxVega.measure(charts.advances))
      .catch((error) => {
        loading = undefined; // the next touch tries again
        throw error;
      });
    return loading;
  }

  /* The rows of a data set, which come by column; a column that never changes is one value. */
  function rows(columns) {
    const names = Object.keys(columns);
    const length = Math.max(0, ...names.map((n) => (Array.isArray(columns[n]) ? columns[n].length : 0)));
    const value = (n, i) => (Array.isArray(columns[n]) ? columns[n][i] : columns[n]);
    return Array.from({ length }, (_, i) => Object.fromEntries(names.map((n) => [n, value(n, i)])));
  }
  const content = (place) => JSON.parse(place.querySelector("script").textContent);
  const places = (fig) => [...fig.picture.querySelectorAll("[data-chart]")];

  /* Brings every chart of a figure to the rows it now has. */
  charts.draw = async (fig) => {
    const line = fig.stateLine;
    const before = [line?.dataset.state, line?.querySelector(".say")?.textContent];
    const words = "The files that draw this chart are on their way; until then it stays as it was.";
    const slow = window.glassboxVega && known ? 0 : setTimeout(() => fig.state("waiting", words), PATIENCE);
    try {
      if (slow) await files();
      bring(fig);
      if (slow && line?.querySelector(".say")?.textContent === words) fig.state(...before);
    } catch (error) {
      const why = slow ? "The files that draw this chart did not load" : `This chart cannot be drawn (${error.message})`;
      fig.state("failed", await glassbox.lost(`${why}: it stays as it was. The sentence and the numbers are right.`));
    } finally {
      clearTimeout(slow);
    }
  };

  function bring(fig) {
    for (const place of places(fig)) {
      const name = place.dataset.chart;
      let box = place.querySelector(":scope > .drawing");
      let chart = live.get(box);
      if (!box || (chart && chart.name !== name)) {
        box?.remove();
        box = Object.assign(document.createElement("div"), { className: "drawing", innerHTML: known[name].head });
        place.append(box);
        chart = undefined;
      }
      if (!chart) live.set(box, (chart = new Chart(fig, box, name)));
      chart.show(content(place));
    }
  }

  /* One announcer for all charts: what a key points at. */
  const voice = Object.assign(document.createElement("p"), { className: "unseen" });
  voice.setAttribute("role", "status");
  document.body.append(voice);
  charts.say = (words) => (voice.textContent = words);

  /* A small picture that a row carries: the shades of a triangle's cells, row by row (every_head.shades). */
  function squares(cells) {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const n = (Math.sqrt(8 * cells.length + 1) - 1) / 2;
    let at = 0;
    const cell = (y, x) => `<path d="M${x} ${y}h1v1h-1z" fill="var(--scale-${+cells[at++] || 0})"/>`;
    svg.innerHTML = Array.from({ length: n }, (_, y) => Array.from({ length: y + 1 }, (_, x) => cell(y, x)).join("")).join("");
    svg.setAttribute("viewBox", `0 0 ${n} ${n}`);
    return svg;
  }

  /* What brings parts of a chart closer is a file of its own, since most have no use for it; without it the buttons
     stay hidden and the chart is whole. */
  let closing;
  const closer = (chart) =>
    (closing ??= script(root + data.charts.replace("charts.js", "zoom.js"))).then(
      () => charts.zoom(chart),
      () => (closing = undefined),
    );

  class Chart {
    constructor(fig, box, name) {
      const { View, parse, interpreter } = window.glassboxVega;
      Object.assign(this, { fig, box, name, sets: {} });
      this.plot = Object.assign(document.createElement("div"), { className: "plot", tabIndex: 0 });
      this.canvas = document.createElement("div");
      this.tip = Object.assign(document.createElement("div"), { className: "tip", hidden: true });
      this.ring = Object.assign(document.createElement("i"), { className: "ring", hidden: true });
      this.plot.append(this.canvas, this.ring, this.tip);
      this.plot.setAttribute("role", "application");
      this.plot.setAttribute("aria-roledescription", "chart");
      this.view = new View(parse(known[name].spec, null, { ast: true }), { expr: interpreter, renderer: "svg", hover: false });
      this.view.preventDefault(false).initialize(this.canvas);
      this.keys();
      this.pointers();
    }

    /* Whether parts of it can be brought closer. */
    get zooms() {
      return known[this.name].spec.signals?.some((s) => s.name === "zoom_x");
    }

    /* Draws rows; the first time in place of the still picture. */
    show({ rows: sets, values = {} }) {
      if (!this.plot.isConnected) {
        const height = this.box.clientHeight;
        for (const still of this.box.querySelectorAll(".fixed")) still.remove();
        this.box.append(this.plot);
        this.box.style.minHeight = height ? `${height}px` : "";
        this.watch();
        if (this.zooms) closer(this);
      }
      const words = this.box.closest("[data-chart]").getAttribute("aria-label");
      this.plot.setAttribute(
        "aria-label",
        `${words} Arrow keys read its points.${this.zooms ? " Plus and minus come closer and farther, 0 shows the whole." : ""}`,
      );
      for (const [name, value] of Object.entries(values)) this.view.signal(name, value);
      for (const [name, columns] of Object.entries(sets)) {
        const text = JSON.stringify(columns);
        if (this.sets[name] === text) continue; // most of a chart stays when a control moves
        this.sets[name] = text;
        this.view.data(name, rows(columns));
      }
      this.fit();
      this.items = undefined;
      this.point();
      this.zoomed?.follow();
      this.box.style.minHeight = "";
      this.canvas.querySelector("svg")?.setAttribute("aria-hidden", "true");
    }

    /* Runs the view at the width of its place; a reader who asks for large letters gets them here too. */
    fit() {
      const wide = this.plot.clientWidth;
      const zoom = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16 || 1;
      if (wide && (wide !== this.wide || zoom !== this.zoom)) {
        [this.wide, this.zoom] = [wide, zoom];
        this.canvas.style.zoom = zoom === 1 ? "" : zoom;
        this.view.width(Math.floor(wide / zoom)).run();
        this.view.resize(); // once more: the first run fits the plot to the labels of the width before
      }
      this.view.run();
    }
    /* Runs the view where its own parameters have changed, which may change the labels' width too. */
    again() {
      this.view.run();
      this.view.resize().run();
      this.items = undefined;
    }
    watch() {
      new ResizeObserver(() => {
        if (this.plot.clientWidth === this.wide || !this.plot.clientWidth) return;
        this.fit();
        this.items = undefined;
        this.point();
      }).observe(this.plot);
    }

    /* ---- what can be pointed at: every mark with a tooltip, where it stands in the plot ---- */

    marks() {
      if (this.items) return this.items;
      this.items = [];
      const [left, top] = this.view.origin();
      const walk = (mark, x, y) => {
        for (const item of mark.items || []) {
          if (mark.marktype === "group") for (const child of item.items || []) walk(child, x + (item.x || 0), y + (item.y || 0));
          else if (item.tooltip && typeof item.tooltip === "object") {
            const b = item.bounds;
            const box = !/symbol|line|area|trail/.test(mark.marktype) &&
              b && { x1: x + b.x1, x2: x + b.x2, y1: y + b.y1, y2: y + b.y2 };
            const at = box ? [(box.x1 + box.x2) / 2, box.y1] : [x + item.x, y + item.y];
            if (at.every(Number.isFinite)) this.items.push({ x: at[0], y: at[1], box, says: item.tooltip, datum: item.datum });
          }
        }
      };
      walk(this.view.scenegraph().root, left, top);
      const { zoom = 1 } = this;
      for (const item of this.items) {
        for (const place of [item, item.box || {}])
          for (const [k, v] of Object.entries(place)) if (Number.isFinite(v)) place[k] = v * zoom;
      }
      const places = new Map(); // a line and its dots may both say the same of one row
      const once = ({ x, y, datum }) => places.get(`${x} ${y}`) !== datum && places.set(`${x} ${y}`, datum);
      this.items = this.items.filter(once).sort((a, b) => a.x - b.x);
      return this.items;
    }
    nearest(x, y, reach = REACH) {
      let best;
      let least = reach;
      for (const item of this.marks()) {
        const { box } = item;
        const dx = box ? Math.max(box.x1 - x, 0, x - box.x2) : Math.abs(item.x - x);
        const dy = box ? Math.max(box.y1 - y, 0, y - box.y2) / 8 : Math.abs(item.y - y);
        const away = Math.hypot(dx, dy);
        if (away < least && !this.faded(item)) [best, least] = [item, away];
      }
      return best;
    }
    faded(item) {
      return this.picked !== undefined && item.datum.series !== this.picked;
    }

    /* Shows what one mark says, or nothing. */
    point(item, aloud) {
      this.at = item;
      this.tip.hidden = this.ring.hidden = !item;
      if (!item) return;
      const lines = Object.entries(item.says).filter(([, v]) => v !== "" && v !== "null");
      this.tip.replaceChildren(
        ...lines.map(([name, v]) => {
          const line = document.createElement("span");
          line.append(Object.assign(document.createElement("b"), { textContent: v }), ` ${name.trim()}`);
          return line;
        }),
      );
      if (item.datum.cells) this.tip.prepend(squares(item.datum.cells));
      const { width, height } = this.plot.getBoundingClientRect();
      this.ring.style.translate = `${item.x}px ${item.y}px`;
      this.ring.hidden = !!item.box;
      const left = Math.min(Math.max(item.x - this.tip.offsetWidth / 2, 0), Math.max(0, width - this.tip.offsetWidth));
      const above = item.y - this.tip.offsetHeight - 12;
      this.tip.style.translate = `${left}px ${above < -40 ? Math.min(item.y + 14, height) : above}px`;
      if (aloud) voice.textContent = lines.map(([name, v]) => `${v} ${name.trim()}`).join(", ");
    }

    pointers() {
      const place = (event) => {
        const box = this.plot.getBoundingClientRect();
        return [event.clientX - box.left, event.clientY - box.top];
      };
      this.plot.addEventListener("pointermove", (e) => e.pointerType !== "touch" && this.point(this.nearest(...place(e))));
      this.plot.addEventListener("pointerleave", (e) => e.pointerType !== "touch" && this.point());
      this.plot.addEventListener("click", (e) => {
        const item = this.nearest(...place(e), REACH);
        this.point(item);
        this.press(item);
      });
      this.plot.addEventListener("blur", () => this.point());
    }

    keys() {
      this.plot.addEventListener("keydown", (event) => {
        const next = this.step(event.key);
        if (event.key === "Escape" && this.at) this.point();
        else if ((event.key === "Enter" || event.key === " ") && (this.at?.datum.set || this.at?.datum.sends))
          this.press(this.at);
        else if (next) this.point(next, true);
        else return;
        event.preventDefault();
        event.stopPropagation();
      });
      this.box.addEventListener("click", (event) => {
        const key = event.target.closest("[data-pick]");
        if (key) this.pick(key.dataset.pick);
      });
    }
    /* A mark may set its figure's controls, and send the same to another figure of the page, where there is one. */
    press(item) {
      const { set, sends } = item?.datum || {};
      if (set) this.fig.take({ dataset: { set } });
      const to = sends && new URL(sends, location);
      const other = to && glassbox.figures.get(to.hash.slice(1));
      if (!other) return;
      for (const [name, value] of to.searchParams) other.control(name)?.set(value);
      other.release();
      other.changed();
    }
    /* The mark that a key leads to: along its series, or to the nearest of the next one. */
    step(key) {
      const all = this.marks().filter((m) => !this.faded(m));
      const series = [...new Set(all.map((m) => m.datum.series))];
      const { at } = this;
      const own = all.filter((m) => m.datum.series === (at || all[0])?.datum.series);
      const n = own.indexOf(at);
      const beside = (by) => {
        const name = series[series.indexOf(at?.datum.series) + by];
        const other = all.filter((m) => m.datum.series === name);
        return other.sort((a, b) => Math.abs(a.x - at.x) - Math.abs(b.x - at.x))[0];
      };
      switch (key) {
        case "ArrowRight":
          return own[n + 1] || at;
        case "ArrowLeft":
          return own[Math.max(0, n - 1)];
        case "Home":
          return own[0];
        case "End":
          return own.at(-1);
        case "ArrowDown":
        case "ArrowUp":
          return at ? beside(key === "ArrowDown" ? 1 : -1) || at : own[0];
        default:
          return undefined;
      }
    }

    /* A press on a key of the legend shows its series alone; a second press shows all. */
    pick(name) {
      this.picked = this.picked === name ? undefined : name;
      for (const key of this.box.querySelectorAll("[data-pick]"))
        key.setAttribute("aria-pressed", String(key.dataset.pick === this.picked));
      const fields = [{ type: "E", field: "series" }];
      this.view.data("pick_store", this.picked === undefined ? [] : [{ unit: "", fields, values: [name] }]);
      this.view.run();
      this.items = undefined;
      this.point();
    }
  }

  /* ---- a figure's charts as a file for any program that reads Vega-Lite ---- */

  charts.written = async (fig) => {
    if (!asWritten) await script(root + data.lite);
    const found = places(fig).map((place) => {
      const { rows: sets, values = {} } = content(place);
      const datasets = Object.fromEntries(Object.entries(sets).map(([name, columns]) => [name, rows(columns)]));
      const spec = { ...structuredClone(asWritten[place.dataset.chart]), datasets };
      spec.params = spec.params?.map((p) => (p.name in values ? { ...p, value: values[p.name] } : p));
      return spec;
    });
    if (found.length === 1) return { ...found[0], width: 640 };
    /* Several: one under the other, each with names of its own. */
    const datasets = {};
    const own = (node, n) => {
      if (Array.isArray(node)) return node.map((v) => own(v, n));
      if (!node || typeof node !== "object") return node;
      const copy = Object.fromEntries(Object.entries(node).map(([k, v]) => [k, own(v, n)]));
      if (copy.data?.name) copy.data = { name: `${copy.data.name}_${n}` };
      if (typeof copy.name === "string" && (copy.mark || copy.select)) copy.name = `${copy.name}_${n}`;
      if (copy.param) copy.param = `${copy.param}_${n}`;
      if (copy.views) copy.views = copy.views.map((v) => `${v}_${n}`);
      return copy;
    };
    const vconcat = found.map(({ datasets: sets, config, $schema, background, ...spec }, n) => {
      for (const [name, rows] of Object.entries(sets)) datasets[`${name}_${n}`] = rows;
      return { ...own(spec, n), width: 480 };
    });
    const { config, $schema, background } = found[0];
    const { autosize, ...rest } = config; // it fits one chart to its place, not several
    return { $schema, background, config: rest, datasets, vconcat };
  };
})();
