/* A figure's picture as one SVG file that looks the same opened alone: its markup in a <foreignObject>, with
   every computed style that differs from the browser's own written down, and the fonts it uses put in.
   Loaded by tools.js when somebody asks for the picture. */
(() => {
  "use strict";
  const XHTML = "http://www.w3.org/1999/xhtml";
  const SVG = "http://www.w3.org/2000/svg";
  const MARGIN = 16; // px around the picture

  /* Inherited properties are compared with the parent's value, others with the browser's own. */
  const INHERITED = new Set(
    (
      "color direction fill fill-opacity fill-rule font-family font-feature-settings font-size font-stretch " +
      "font-style font-variant-caps font-variant-numeric font-weight letter-spacing line-height list-style-type " +
      "overflow-wrap stroke stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin stroke-opacity " +
      "stroke-width text-align text-anchor text-indent text-transform visibility white-space-collapse text-wrap-mode " +
      "word-break word-spacing border-collapse border-spacing writing-mode dominant-baseline"
    ).split(" "),
  );
  const OWN = (
    "align-items align-self align-content background-color background-image background-position background-size " +
    "background-repeat border-bottom-color border-bottom-style border-bottom-width border-left-color " +
    "border-left-style border-left-width border-right-color border-right-style border-right-width " +
    "border-top-color border-top-style border-top-width border-top-left-radius border-top-right-radius " +
    "border-bottom-left-radius border-bottom-right-radius bottom box-shadow box-sizing break-inside clip-path column-count column-fill column-gap column-width " +
    "display flex-basis flex-direction flex-grow flex-shrink flex-wrap grid-auto-flow grid-column-end " +
    "grid-column-start grid-row-end grid-row-start grid-template-columns grid-template-rows height justify-content " +
    "justify-items justify-self left margin-bottom margin-left margin-right margin-top mix-blend-mode opacity order " +
    "outline-color outline-offset outline-style outline-width overflow-x overflow-y padding-bottom padding-left " +
    "padding-right padding-top position right row-gap stop-color stop-opacity text-decoration-color " +
    "text-decoration-line text-decoration-style text-overflow top transform transform-origin translate scale rotate " +
    "vertical-align vector-effect width z-index mask-image object-fit unicode-bidi"
  ).split(" ");
  const ALL = [...INHERITED, ...OWN];

  /* The browser's own values for an element, asked of one whose author styles are rolled back. */
  function plain(node, corner, known) {
    const name = node.namespaceURI + node.localName;
    if (!known.has(name)) {
      const twin = document.createElementNS(node.namespaceURI, node.localName);
      twin.setAttribute("style", "all: revert");
      const home = node.namespaceURI === SVG && node.localName !== "svg" ? corner.firstChild : corner;
      home.append(twin);
      const style = getComputedStyle(twin);
      known.set(name, Object.fromEntries(ALL.map((p) => [p, style.getPropertyValue(p)])));
      twin.remove();
    }
    return known.get(name);
  }

  const bare = (family) => family.replace(/["']/g, "").trim();

  /* Drops what has no effect. */
  function prune(set, style, node) {
    const drop = (...names) => names.forEach((p) => set.delete(p));
    for (const side of ["top", "right", "bottom", "left"]) {
      if (style.getPropertyValue(`border-${side}-style`) === "none") drop(`border-${side}-color`, `border-${side}-width`);
    }
    if (style.outlineStyle === "none") drop("outline-color", "outline-width", "outline-offset");
    if (style.textDecorationLine === "none") drop("text-decoration-color", "text-decoration-style");
    if (style.transform === "none" && style.rotate === "none" && style.scale === "none") drop("transform-origin");
    if (style.position === "static") drop("top", "right", "bottom", "left", "z-index");
    if (style.display === "inline") drop("width", "height");
    if (style.columnCount !== "auto" || style.columnWidth !== "auto") drop("height"); // balanced anew
    if (/^table/.test(style.display) && style.display !== "table-cell")
      drop("height", ...(style.display === "table" ? [] : ["width"]));
    if (node.namespaceURI !== SVG)
      return drop(...[...set.keys()].filter((p) => /^(fill|stroke|stop-|text-anchor|dominant|vector)/.test(p)));
    if (node.localName !== "svg") drop("width", "height");
    return undefined;
  }

  /* Words that stand on one line do so in every viewer, whose fonts may run a hair wider. */
  function oneLine(node, style) {
    if (node.namespaceURI !== XHTML || style.display === "inline") return false;
    if (![...node.childNodes].some((c) => c.nodeType === Node.TEXT_NODE && c.data.trim())) return false;
    const height = node.clientHeight - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom);
    return height < 1.6 * (parseFloat(style.lineHeight) || 1.2 * parseFloat(style.fontSize));
  }

  class Copy {
    constructor() {
      this.classes = new Map(); // style text -> class name
      this.known = new Map();
      this.families = new Set();
      this.corner = document.createElement("div");
      this.corner.setAttribute(
        "style",
        "all: revert; position: absolute; visibility: hidden; width: 0; height: 0; overflow: hidden",
      );
      this.corner.append(document.createElementNS(SVG, "svg"));
      document.body.append(this.corner);
      this.inherited = getComputedStyle(this.corner);
      this.right = 0;
    }

    /* The element's class: all that makes it look as it does. */
    look(node, pseudo, parent, base) {
      const style = getComputedStyle(node, pseudo);
      const usual = plain(node, this.corner, this.known);
      const set = new Map();
      for (const p of ALL) {
        const value = style.getPropertyValue(p);
        if (value === "") continue;
        const kept = INHERITED.has(p)
          ? parent && value === parent.getPropertyValue(p) && usual[p] === this.inherited.getPropertyValue(p)
          : value === usual[p];
        if (!kept) set.set(p, value);
      }
      prune(set, style, node);
      if (!pseudo && oneLine(node, style)) set.set("white-space", /^pre/.test(style.whiteSpace) ? "pre" : "nowrap");
      if (/auto|scroll/.test(style.overflowX) && !pseudo) {
        for (const p of ["overflow-x", "overflow-y"]) set.set(p, "visible");
        set.set("width", `${node.scrollWidth}px`).set("box-sizing", "border-box");
        this.right = Math.max(this.right, node.getBoundingClientRect().left - base + node.scrollWidth);
      }
      for (const family of style.fontFamily.split(",")) this.families.add(bare(family));
      const text = [...set].map(([p, v]) => `${p}:${v}`).join(";");
      if (!this.classes.has(text)) this.classes.set(text, `g${this.classes.size}`);
      return { name: this.classes.get(text), style };
    }

    element(node, parent, base) {
      if (node.nodeType === Node.TEXT_NODE) return document.createTextNode(node.data);
      if (node.nodeType !== Node.ELEMENT_NODE) return null;
      if (getComputedStyle(node).display === "none" && node.namespaceURI === XHTML) return null;
      const copy = document.createElementNS(node.namespaceURI, node.localName);
      for (const { name, value } of node.attributes) {
        if (!/^(class|style|tabindex|data-.*|on.*|href|src|name|for|xlink:href)$/.test(name)) copy.setAttribute(name, value);
      }
      const { name, style } = this.look(node, null, parent, base);
      copy.setAttribute("class", name);
      const before = this.generated(node, "::before", style, base);
      const after = this.generated(node, "::after", style, base);
      copy.append(...[before, ...[...node.childNodes].map((c) => this.element(c, style, base)), after].filter(Boolean));
      return copy;
    }

    generated(node, pseudo, parent, base) {
      if (node.namespaceURI !== XHTML) return null;
      const style = getComputedStyle(node, pseudo);
      const text = /^"((?:[^"\\]|\\.)*)"/.exec(style.content);
      if (!text || style.display === "none") return null;
      const span = document.createElementNS(XHTML, "span");
      span.setAttribute("class", this.look(node, pseudo, parent, base).name);
      span.textContent = text[1].replace(/\\(.)/g, "$1");
      return span;
    }
  }

  /* A sheet's rules; a frame without an origin of its own may not read them. */
  function readable(sheet) {
    try {
      return sheet.cssRules;
    } catch {
      return [];
    }
  }

  /* The font files that the picture uses, as rules without addresses. */
  async function fonts(families) {
    const loaded = [...document.fonts]
      .filter((f) => f.status === "loaded")
      .map((f) => [bare(f.family), f.unicodeRange, f.style].join("|"));
    const rules = [];
    for (const sheet of document.styleSheets) {
      for (const rule of readable(sheet)) {
        if (!(rule instanceof CSSFontFaceRule)) continue;
        const s = rule.style;
        const family = bare(s.getPropertyValue("font-family"));
        const range = s.getPropertyValue("unicode-range") || "U+0-10FFFF";
        const key = [family, range, s.getPropertyValue("font-style") || "normal"].join("|");
        const file = /url\(["']?([^"')]+)["']?\)/.exec(s.getPropertyValue("src"))?.[1];
        if (!families.has(family) || !file || !loaded.some((l) => l === key)) continue;
        try {
          const bytes = new Uint8Array(await (await fetch(new URL(file, sheet.href))).arrayBuffer());
          let text = "";
          for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192));
          const rest = ["font-weight", "font-style", "unicode-range"]
            .map((p) => (s.getPropertyValue(p) ? `${p}:${s.getPropertyValue(p)};` : ""))
            .join("");
          rules.push(`@font-face{font-family:"${family}";${rest}src:url(data:font/woff2;base64,${btoa(text)}) format("woff2")}`);
        } catch {
          /* without its font the picture uses the next in the list */
        }
      }
    }
    return rules.join("\n");
  }

  /* The colour behind the picture. */
  function ground(node) {
    for (; node; node = node.parentElement) {
      const colour = getComputedStyle(node).backgroundColor;
      if (!/^rgba\(.*, 0\)$|transparent/.test(colour)) return colour;
    }
    return "Canvas";
  }

  window.glassbox.asSvg = async (fig) => {
    const picture = fig.picture;
    const box = picture.getBoundingClientRect();
    const copy = new Copy();
    const body = copy.element(picture, null, box.left);
    copy.corner.remove();
    const width = Math.ceil(Math.max(box.width, copy.right)) + 2 * MARGIN;
    const height = Math.ceil(box.height) + 2 * MARGIN;
    const make = (name, text, attributes = {}) => {
      const node = document.createElementNS(SVG, name);
      if (text) node.textContent = text;
      for (const [k, v] of Object.entries(attributes)) node.setAttribute(k, v);
      return node;
    };
    const svg = make("svg", "", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img" });
    const rules = [...copy.classes].map(([style, name]) => `.${name}{${style}}`).join("\n");
    const home = make("foreignObject", "", {
      x: MARGIN,
      y: MARGIN,
      width: width - 2 * MARGIN,
      height: height - MARGIN,
      style: "overflow:visible",
    });
    home.append(body);
    svg.append(
      make("title", fig.node.querySelector(".title")?.textContent || fig.name),
      make("desc", fig.node.querySelector(".sentence")?.textContent || ""),
      make("style", `${await fonts(copy.families)}\n${rules}`),
      make("rect", "", { width: "100%", height: "100%", fill: ground(picture) }),
      home,
    );
    const text = new XMLSerializer().serializeToString(svg);
    // Characters that no XML file may hold.
    return `<?xml version="1.0" encoding="UTF-8"?>\n${text.replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, "\uFFFD")}\n`;
  };
})();
