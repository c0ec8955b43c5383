/* The buttons under a figure: an address that restores it, its numbers as CSV, its picture as SVG, and the
   lines that embed it. Loaded by page.js on the first press. */
(() => {
  "use strict";
  const glassbox = window.glassbox;
  const framed = window.parent !== window;
  const LONGEST = 6000; // characters of an address that every browser, mail and forum still takes

  /* ---- saying and copying ---- */

  function line(fig, button) {
    const tools = button.closest(".tools") || button.parentElement;
    let said = tools.querySelector(".said");
    if (!said) {
      said = Object.assign(document.createElement("span"), { className: "said" });
      said.setAttribute("role", "status");
      tools.append(said);
    }
    return said;
  }

  function say(said, text) {
    said.textContent = "";
    setTimeout(() => (said.textContent = text), 50); // so that the same words are announced again
  }

  async function copy(fig, button, text, what, more = "") {
    const said = line(fig, button);
    said.parentElement.querySelector(".copy")?.remove();
    try {
      if ((document.permissionsPolicy || document.featurePolicy)?.allowsFeature("clipboard-write") === false)
        throw new Error("not here");
      await navigator.clipboard.writeText(text);
      say(said, `Copied ${what}.${more}`);
    } catch {
      field(said, text, what, more, button);
    }
  }

  /* Where the clipboard is not allowed: a field with everything selected. */
  function field(said, text, what, more, button) {
    said.parentElement.querySelector(".copy")?.remove();
    const box = Object.assign(document.createElement("textarea"), { className: "copy", readOnly: true, value: text });
    box.rows = Math.min(6, text.split("\n").length + 1);
    box.setAttribute("aria-label", what);
    said.after(box);
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
    say(said, done ? `Copied ${what}.${more}` : `Press Ctrl+C (or ⌘C) to copy ${what}.${more}`);
  }

  /* ---- addresses ---- */

  /* The figure's values that differ from its start, as a query; text too long for a link stays out. */
  function state(fig) {
    const query = new URLSearchParams();
    const left = [];
    for (const control of fig?.controls || []) {
      if (control.kind === "button" || control.value === control.start) continue;
      query.set(control.name, String(control.value));
      if (query.toString().length > LONGEST) {
        query.delete(control.name);
        left.push(control.row.querySelector("label, legend")?.textContent.trim() || control.name);
      }
    }
    const more = left.length ? ` Too long for a link and left out: ${left.join(", ")}.` : "";
    return { search: query.size ? `?${query}` : "", more };
  }

  function link(fig, button) {
    const { search, more } = state(fig);
    const address = new URL(location.href);
    address.search = search;
    address.hash = "embed" in document.body.dataset ? "" : fig.name;
    return copy(fig, button, address.href, "the link", more);
  }

  const quoted = (text) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");

  /* The lines to paste; a button may name another page's figure: data-chapter, data-figure, data-title. */
  function embed(fig, button) {
    const { search, more } = state(fig);
    const { chapter = glassbox.chapter, figure = fig?.name } = button.dataset;
    const title = button.dataset.title || fig?.node.querySelector(".title")?.textContent.trim() || figure;
    const root = new URL(glassbox.root, document.baseURI);
    const src = new URL(`embed/${chapter}/${figure}.html`, root).href + search;
    const height = Math.ceil(fig?.node.getBoundingClientRect().height || 520) + 60;
    const frame =
      `<iframe src="${quoted(src)}" title="${quoted(title)}" loading="lazy" ` +
      `sandbox="allow-scripts allow-same-origin" width="100%" height="${height}" style="border:0"></iframe>`;
    const script = `<script src="${quoted(new URL("embed.js", root).href)}" defer></` + "script>";
    return copy(fig, button, `${frame}\n${script}`, "the lines to embed it", more);
  }

  /* ---- files ---- */

  function save(fig, button, name, type, text) {
    const address = URL.createObjectURL(new Blob([text], { type }));
    const a = Object.assign(document.createElement("a"), { href: address, download: name, hidden: true });
    document.body.append(a);
    a.click();
    setTimeout(() => (a.remove(), URL.revokeObjectURL(address)), 10_000);
    const said = line(fig, button);
    if (!framed) return say(said, `Saved ${name}.`);
    return field(said, text, name, " A frame may not be allowed to save files; this is what it would hold.", button);
  }

  const stem = (fig) => `glassbox-${glassbox.chapter}-${fig.name}`;

  /* RFC 4180. A cell that a spreadsheet would take for a formula gets an apostrophe before it. */
  function cell(text) {
    const number = /^[-+−]?[\d,. ]*\d%?$|^[-+]?\d(\.\d+)?e[-+]?\d+$/i.test(text);
    if (!number && /^[\s]*[=+\-@|\t\r]/.test(text)) text = `'${text}`;
    return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  }

  function csv(fig, button) {
    const rows = [...fig.node.querySelectorAll(".numbers table tr")];
    const text = rows.map((r) => [...r.cells].map((c) => cell(c.textContent)).join(",") + "\r\n").join("");
    return save(fig, button, `${stem(fig)}.csv`, "text/csv;charset=utf-8", text);
  }

  async function svg(fig, button) {
    glassbox.drawing ??= glassbox.script(
      new URL(glassbox.root + document.body.dataset.tools, document.baseURI).href.replace(/tools\.js$/, "drawing.js"),
    );
    await glassbox.drawing.catch((error) => {
      glassbox.drawing = undefined; // the next press tries again
      throw error;
    });
    const text = await glassbox.asSvg(fig);
    return save(fig, button, `${stem(fig)}.svg`, "image/svg+xml", text);
  }

  const tools = { link, csv, svg, embed };
  glassbox.tools = (button, fig) => tools[button.dataset.tool]?.(fig, button);
})();
