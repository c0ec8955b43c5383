/* Brings a part of a chart closer: a box drawn with pointer or finger, the buttons over the chart, or keys. Loaded
   by charts.js with the first chart whose specification has ends to set (specs/zoom.py). */
(() => {
  "use strict";
  const { charts } = window.glassbox;
  const DRAWN = 12; // px: a box that is thinner leaves its axis as it is
  const NEAREST = 1 / 16; // of an axis
  const AXES = ["x", "y"];

  class Zoom {
    constructor(chart) {
      this.chart = chart;
      this.part = { x: [0, 1], y: [0, 1] }; // what is shown, as shares of each axis
      this.box = Object.assign(document.createElement("i"), { className: "box", hidden: true });
      chart.plot.append(this.box);
      this.buttons = chart.box.querySelector(".zoom");
      this.buttons?.addEventListener("click", ({ target }) => this.press(target.closest("[data-zoom]")?.dataset.zoom));
      chart.plot.classList.add("zooms");
      chart.plot.addEventListener("keydown", (event) => this.key(event));
      this.draw();
      this.tell();
    }
    get whole() {
      return AXES.every((a) => this.part[a][1] - this.part[a][0] >= 1);
    }
    /* An axis as it is without a part, from 0 to 1. */
    full(axis) {
      this.axes ??= {};
      return (this.axes[axis] ??= this.chart.view.scale(axis).copy().range([0, 1]));
    }

    press(what) {
      if (what === "all") this.show({ x: [0, 1], y: [0, 1] });
      else if (what) this.scale(what === "in" ? 0.5 : 2);
    }
    key(event) {
      const what = { "+": "in", "=": "in", "-": "out", 0: "all", Escape: this.whole ? "" : "all" }[event.key];
      if (!what || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      event.stopPropagation();
      this.press(what);
    }

    /* Shows so much of what is shown now, around the mark that is pointed at, else the chosen one, else the middle. */
    scale(factor) {
      const chosen = this.chart.view.data("here")?.[0]?.set;
      const mark = this.chart.at || this.chart.marks().find((m) => m.datum.set === chosen);
      const [x, y] = mark ? this.shares(mark.x, mark.y) : [0.5, 0.5];
      const next = {};
      for (const [axis, share] of [
        ["x", x],
        ["y", y],
      ]) {
        const [from, to] = this.part[axis];
        const middle = from + share * (to - from);
        const wide = (to - from) * factor;
        next[axis] = [middle - wide / 2, middle + wide / 2];
      }
      this.show(next);
    }
    /* Where a place of the plot lies in the part that is shown, from the left and from the bottom. */
    shares(x, y) {
      const { view, zoom = 1 } = this.chart;
      const [left, top] = view.origin();
      return [(x / zoom - left) / view.width(), 1 - (y / zoom - top) / view.height()];
    }

    /* Shows a part of the chart, as near to the one asked for as there is. */
    show(asked) {
      const { chart } = this;
      for (const axis of AXES) {
        const wide = Math.min(Math.max(asked[axis][1] - asked[axis][0], NEAREST), 1);
        const middle = (asked[axis][0] + asked[axis][1]) / 2;
        const from = Math.min(Math.max(middle - wide / 2, 0), 1 - wide);
        const full = this.full(axis);
        this.part[axis] = [from, from + wide];
        chart.view.signal(`zoom_${axis}`, wide < 1 ? this.part[axis].map((share) => full.invert(share)) : null);
      }
      const datum = chart.at?.datum;
      chart.again();
      chart.point(datum && chart.marks().find((m) => m.datum === datum));
      this.tell();
      const [seen, all] = [chart.marks().length, chart.view.data("models")?.length];
      charts.say(this.whole ? "The whole chart is shown." : `A part of the chart is shown: ${seen} of its ${all} points.`);
    }
    tell() {
      for (const button of this.buttons?.children || []) {
        const spent = { in: AXES.every((a) => this.part[a][1] - this.part[a][0] <= NEAREST), out: this.whole, all: this.whole };
        button.setAttribute("aria-disabled", String(spent[button.dataset.zoom])); // it keeps the focus it has
      }
      this.buttons?.classList.add("ready");
    }
    /* New rows: the mark that was chosen is in sight. */
    follow() {
      const chosen = this.chart.view.data("here")?.[0]?.set;
      if (!this.whole && chosen && !this.chart.marks().some((m) => m.datum.set === chosen)) this.press("all");
    }

    /* A box from where the pointer goes down to where it comes up. A finger that moves up or down scrolls the page. */
    draw() {
      const { plot } = this.chart;
      let from; // where the pointer went down
      let drawn; // the box's sides, once it is one
      const place = (event) => {
        const { left, top, width, height } = plot.getBoundingClientRect();
        return [Math.min(Math.max(event.clientX - left, 0), width), Math.min(Math.max(event.clientY - top, 0), height)];
      };
      const stop = () => ((from = drawn = undefined), (this.box.hidden = true));
      plot.addEventListener("pointerdown", (event) => {
        stop();
        if (event.isPrimary && event.button === 0) from = place(event);
      });
      plot.addEventListener(
        "pointermove",
        (event) => {
          if (!from || !event.isPrimary) return;
          const [x, y] = place(event);
          const sides = { x: [from[0], x].sort((a, b) => a - b), y: [from[1], y].sort((a, b) => a - b) };
          if (!drawn && Math.max(sides.x[1] - sides.x[0], sides.y[1] - sides.y[0]) < DRAWN) return;
          if (!drawn) plot.setPointerCapture(event.pointerId);
          event.stopImmediatePropagation();
          this.chart.point();
          drawn = sides;
          Object.assign(this.box.style, {
            translate: `${sides.x[0]}px ${sides.y[0]}px`,
            width: `${sides.x[1] - sides.x[0]}px`,
            height: `${sides.y[1] - sides.y[0]}px`,
          });
          this.box.hidden = false;
        },
        true,
      );
      plot.addEventListener("pointerup", () => {
        const sides = drawn;
        stop();
        if (!sides) return;
        const [left, bottom] = this.shares(sides.x[0], sides.y[1]);
        const [right, top] = this.shares(sides.x[1], sides.y[0]);
        const part = { x: [left, right], y: [bottom, top] };
        const next = {};
        for (const axis of AXES) {
          const [a, b] = this.part[axis];
          const thin = sides[axis][1] - sides[axis][0] < DRAWN;
          next[axis] = thin ? [a, b] : part[axis].map((share) => a + Math.min(Math.max(share, 0), 1) * (b - a));
        }
        plot.addEventListener("click", (event) => event.stopImmediatePropagation(), { capture: true, once: true });
        setTimeout(() => this.show(next));
      });
      plot.addEventListener("pointercancel", stop);
      plot.addEventListener("keydown", (event) => event.key === "Escape" && stop());
    }
  }

  charts.zoom = (chart) => (chart.zoomed = new Zoom(chart));
})();
