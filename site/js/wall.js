/* The pieces of a long text: draws what lies further down as a reader comes near it. The first ones stand in the
   picture, all others wait under them as data (figures/tokens/bricks.py). Loaded by after.js where a figure splits texts. */
(() => {
  "use strict";
  const { figures } = window.glassbox;
  const AT_ONCE = 300; // pieces
  const NEAR = 2; // heights of the box that are drawn below what is seen

  const plural = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;
  function detail([label, id, hex, of]) {
    const pairs = hex
      .slice(0, 48)
      .toUpperCase()
      .replace(/..(?=.)/g, "$& ");
    const bytes = `${plural(hex.length / 2, "byte")}: ${pairs}${hex.length > 48 ? " …" : ""}`;
    const piece = of ? `bytes of ${of}` : `“${[...label].slice(0, 60).join("")}”`;
    return `${piece} · id ${Number(id).toLocaleString("en-US")} · ${bytes}`;
  }
  function brick(piece) {
    const [label, , hex, of] = piece;
    const made = Object.assign(document.createElement("i"), { textContent: label, tabIndex: -1 });
    if (of) made.className = "p";
    made.setAttribute("role", "gridcell");
    made.dataset.detail = detail(piece);
    return hex.endsWith("0a") ? [made, document.createElement("br")] : [made];
  }

  class Wall {
    constructor(picture) {
      this.picture = picture;
      this.top = 0;
      picture.addEventListener("scroll", ({ target }) => target === this.box && this.scrolled(), {
        capture: true,
        passive: true,
      });
      new MutationObserver(() => this.painted()).observe(picture, { childList: true });
      this.painted();
    }
    /* A new picture stands where the last one was scrolled to. */
    painted() {
      this.box = this.picture.querySelector(".split > [role=grid]");
      this.line = this.picture.querySelector(".pieces-left");
      this.pieces = undefined;
      this.drawn = 0;
      if (!this.box || !this.top) return;
      this.grow(this.top);
      this.box.scrollTop = this.top;
    }
    scrolled() {
      this.top = this.box.scrollTop;
      this.grow(this.top);
    }
    /* Draws until enough stands below this place, or all does. */
    grow(top) {
      while (this.line && this.box.scrollHeight < top + (1 + NEAR) * this.box.clientHeight && this.more());
    }
    more() {
      this.pieces ??= this.line.dataset.pieces.split("\n").map((line) => line.split("\t"));
      const next = this.pieces.slice(this.drawn, this.drawn + AT_ONCE);
      if (!next.length) return false;
      this.box.querySelector("[role=row]").append(...next.flatMap(brick));
      this.drawn += next.length;
      const left = this.pieces.length - this.drawn;
      this.line.querySelector("b").textContent = left.toLocaleString("en-US");
      this.line.hidden = !left;
      return true;
    }
  }

  for (const { picture } of figures.values()) new Wall(picture); // what has no pieces now may have them with the next text
})();
