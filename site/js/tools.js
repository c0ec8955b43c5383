/* The buttons under a figure: an address that restores it, its numbers as CSV, its picture as SVG, and the
   lines that embed it. Loaded by page.js on the first press. */
(() => {
  "use strict";
  const glassbox = window.glassbox;
  const framed = window.parent !== window;
  const LONGEST = 6000; // characters of an address that every browser, mail and forum still takes
  const PATIENCE = 1500; // ms for a clipboard that neither takes the text nor refuses it
  const PHONE = 600; // px: a screen narrower than this gets the height of a narrow column

  /* ---- saying and copying ---- */

  /* What an earlier press has shown makes room: each press speaks for itself alone. */
  function clear(button) {
    const tools = button.closest(".tools");
    if (tools.nextElementSibling?.matches(".copy")) tools.nextElementSibling.remove();
    let said = tools.querySelector(".said");
    if (!said) {
      said = Object.assign(document.createElement("span"), { className: "said" });
      said.setAttribute("role", "status");
      tools.append(said);
    }
    said.textContent = "";
    clearTimeout(said.soon);
    button.turn = said.turn = (said.turn || 0) + 1;
    return said;
  }

  /* Says it a moment later, so that the same words are announced again. */
  function say(button, text) {
    const said = button.closest(".tools").querySelector(".said");
    if (button.turn !== said.turn) return; // another button was pressed meanwhile
    said.soon = setTimeout(() => (said.textContent = text), 50);
  }

  async function copy(button, text, what, more = "") {
    try {
      if ((document.permissionsPolicy || document.featurePolicy)?.allowsFeature("clipboard-write") === false)
        throw new Error("not here");
      const late = new Promise((_, fail) => setTimeout(() => fail(new Error("no answer")), PATIENCE));
      await Promise.race([navigator.clipboard.writeText(text), late]);
      say(button, `Copied ${what}.${more}`);
    } catch {
      field(button, text, what, more);
    }
  }

  /* Where the clipboard is not allowed: a field with everything selected. */
  function field(button, text, what, more) {
    const tools = button.closest(".tools");
    if (button.turn !== tools.querySelector(".said").turn) return;
    const box = Object.assign(document.createElement("textarea"), { className: "copy", readOnly: true, value: text });
    box.rows = Math.min(5, text.split("\n").length + 1);
    box.setAttribute("aria-label", what);
    tools.after(box);
    box.addEventListener("keydown", (e) => {
      if (e.key !== "Escape") return;
      box.remove();
      button.focus();
    });
    box.focus();
    box.select();
    let done = false;
    try {
      done = document.execCommand("copy");
    } catch {
      /* the field stays, selected */
    }
    say(button, done ? `Copied ${what}.${more}` : `Press Ctrl+C (or ⌘C) to copy ${what}.${more}`);
  }

  /* ---- addresses ---- */

  /* The site's root as others reach it. A page opened from a disk or from this machine's own server knows it
     only where the build was told (the canonical address); if not, ``warning`` says what to put right. */
  function site() {
    const own = new URL(glassbox.root, document.baseURI);
    const disk = own.protocol === "file:";
    if (!disk && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(own.hostname)) return { root: own, warning: "" };
    const known = document.querySelector("link[rel=canonical]")?.getAttribute("href") || "";
    if (/^https?:/.test(known)) return { root: new URL(glassbox.root, known), warning: "" };
    const where = disk ? "a file on your disk" : "your own machine";
    return { root: own, warning: ` It names ${where}, which nobody else can open: put the site’s public address in its place.` };
  }

  /* The figure's values that differ from its start, as a query; text too long for a link stays out. */
  function state(fig, model) {
    const query = new URLSearchParams();
    if (model && fig?.drawn === model) query.set("model", model); // its name alone: its files stay with the reader
    const left = [];
    for (const control of fig?.controls || []) {
      if (control.kind === "button" || control.value === control.start) continue;
      query.set(control.name, String(control.value));
      if (query.toString().length > LONGEST || control.kind === "file") {
        query.delete(control.name);
        left.push(control.row.querySelector("label, legend")?.textContent.trim() || control.name);
      }
    }
    const more = left.length ? ` No room in a link, so left out: ${left.join(", ")}.` : "";
    return { search: query.size ? `?${query}` : "", more };
  }

  function link(button, fig) {
    const { search, more } = state(fig, glassbox.model);
    const { root, warning } = site();
    const here = new URL(location.href);
    const address = new URL(here.pathname.slice(new URL(glassbox.root, here).pathname.length), root);
    address.search = search;
    address.hash = "embed" in document.body.dataset ? "" : fig.name;
    return copy(button, address.href, "the link", more + warning);
  }

  const quoted = (text) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");

  /* The height of the figure's own page at 360 and 720 px, as the build has it, and what the picture has grown
     by since its first state. What a tool has opened here does not count. */
  function heights(button, fig) {
    const given = (button.dataset.heights || fig?.node.dataset.heights || "900 620").split(" ").map(Number);
    const first = fig?.ahead(JSON.stringify(fig.controls.map((c) => c.start)))?.[0];
    if (first === undefined) return given;
    const probe = fig.picture.cloneNode();
    probe.innerHTML = first;
    const drawn = fig.picture.querySelectorAll("[data-chart] > .drawing"); // the first state is as high, and is only rows
    probe.querySelectorAll("[data-chart]").forEach((place, n) => drawn[n] && place.append(drawn[n].cloneNode(true)));
    probe.style.visibility = "hidden";
    fig.picture.after(probe);
    const then = probe.getBoundingClientRect().height;
    probe.remove();
    const grown = Math.max(0, Math.ceil(fig.picture.getBoundingClientRect().height - then));
    return given.map((h) => h + grown);
  }

  /* The lines to paste. A button may name another page's figure or check: data-chapter, data-figure,
     data-title, data-query, data-heights. The teach page's choice stands on its body: data-keeps="frames" for
     course systems that drop scripts, data-colours="light" or "dark". */
  glassbox.lines = (button, fig) => {
    const own = state(fig);
    const { chapter = glassbox.chapter, figure = fig?.name, query } = button.dataset;
    const { keeps, colours } = document.body.dataset;
    const wish = colours ? `theme=${colours}` : "";
    const parts = [query ?? own.search.slice(1), wish].filter(Boolean);
    const search = parts.length ? `?${parts.join("&")}` : "";
    const title = button.dataset.title || fig?.node.querySelector(".title")?.textContent.trim() || figure;
    const { root, warning } = site();
    const src = new URL(`embed/${chapter}/${figure}.html`, root).href + search;
    const [narrow, wide] = heights(button, fig);
    const frame =
      `<iframe src="${quoted(src)}" title="${quoted(title)}" loading="lazy" ` +
      `sandbox="${document.body.dataset.sandbox}" width="100%" height="${wide}" style="${style(narrow, wide)}"></iframe>`;
    const script = `\n<script src="${quoted(new URL("embed.js", root).href)}" defer></` + "script>";
    return { text: frame + (keeps === "frames" ? "" : script), more: own.more, warning };
  };

  function embed(button, fig) {
    const { text, more, warning } = glassbox.lines(button, fig);
    return copy(button, text, "the lines to embed it", more + warning);
  }

  /* A step without a media query: the narrow height below PHONE px of screen, the wide one above. Where a course
     system drops the style, the height attribute stands. */
  function style(narrow, wide) {
    if (narrow <= wide) return `border:0;height:${wide}px`;
    return `border:0;height:clamp(${wide}px,calc((${PHONE}px - 100vw)*999),${narrow}px)`;
  }

  /* ---- files ---- */

  function save(button, name, type, text) {
    const address = URL.createObjectURL(new Blob([text], { type }));
    const a = Object.assign(document.createElement("a"), { href: address, download: name, hidden: true });
    document.body.append(a);
    a.click();
    setTimeout(() => (a.remove(), URL.revokeObjectURL(address)), 10_000);
    if (!framed) return say(button, `Saved ${name}.`);
    return field(button, text, name, " A frame may not be allowed to save files; this is what it would hold.");
  }

  const stem = (fig) => `glassbox-${glassbox.chapter}-${fig.name}`;

  /* RFC 4180. A cell that a spreadsheet would take for a formula gets an apostrophe before it. */
  function cell(text) {
    const number = /^[-+−]?[\d,. ]*\d%?$|^[-+]?\d(\.\d+)?e[-+]?\d+$/i.test(text);
    if (!number && /^[\s]*[=+\-@|\t\r]/.test(text)) text = `'${text}`;
    return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  }

  function csv(button, fig) {
    const rows = [...fig.node.querySelectorAll(".numbers table tr")];
    const text = rows.map((r) => [...r.cells].map((c) => cell(c.textContent)).join(",") + "\r\n").join("");
    return save(button, `${stem(fig)}.csv`, "text/csv;charset=utf-8", text);
  }

  async function svg(button, fig) {
    glassbox.drawing ??= glassbox.script(
      new URL(glassbox.root + document.body.dataset.tools, document.baseURI).href.replace(/tools\.js$/, "drawing.js"),
    );
    await glassbox.drawing.catch((error) => {
      glassbox.drawing = undefined; // the next press tries again
      throw error;
    });
    const text = await glassbox.asSvg(fig);
    return save(button, `${stem(fig)}.svg`, "image/svg+xml", text);
  }

  /* The charts as Altair wrote them, with the rows they show: what the Vega editor and any notebook read. */
  async function lite(button, fig) {
    await glassbox.draw(fig);
    const text = JSON.stringify(await glassbox.charts.written(fig), null, 1);
    return save(button, `${stem(fig)}.vl.json`, "application/json", text);
  }

  const tools = { link, csv, svg, lite, embed };
  glassbox.tools = (button, fig) => {
    clear(button);
    return tools[button.dataset.tool]?.(button, fig);
  };
})();
