/* The teach page: what is copied, and finding one figure among many. */
(() => {
  "use strict";
  const glassbox = window.glassbox;
  const body = document.body;
  const form = document.querySelector(".choose");
  const field = form.querySelector("#find");
  const found = form.querySelector(".found");
  const lessons = [...document.querySelectorAll(".lesson")];

  /* ---- what is copied (tools.js reads it) ---- */

  const ready = () =>
    glassbox.tools ? Promise.resolve() : glassbox.script(new URL(glassbox.root + body.dataset.tools, document.baseURI).href);

  /* An opened list of lines follows the choice, with the address of this site put in. */
  async function write(details) {
    await ready();
    const buttons = details.closest(".lesson").querySelectorAll("[data-tool=embed]");
    const codes = details.querySelectorAll("pre code");
    buttons.forEach((button, n) => {
      const { text, warning } = glassbox.lines(button);
      codes[n].textContent = text;
      const pending = details.querySelector(".pending");
      if (pending) pending.hidden = !warning;
    });
  }

  const opened = () => document.querySelectorAll(".lines[open]").forEach(write);
  for (const details of document.querySelectorAll(".lines"))
    details.addEventListener("toggle", () => details.open && write(details).catch(() => {}));

  form.addEventListener("change", () => {
    body.dataset.keeps = form.elements.keeps.value;
    body.dataset.colours = form.elements.theme.value;
    opened();
  });

  /* ---- finding ---- */

  const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const said = (lesson) => [...lesson.querySelectorAll("h3, p, .states a, .answer")].map((e) => e.textContent).join(" ");
  const texts = new Map(lessons.map((l) => [l, plain(said(l))]));

  function find() {
    const words = plain(field.value).split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const lesson of lessons) {
      lesson.hidden = !words.every((w) => texts.get(lesson).includes(w));
      if (!lesson.hidden) shown += 1;
      const entry = document.querySelector(`.contents a[href="#${lesson.id}"]`);
      if (entry) entry.parentElement.hidden = lesson.hidden;
    }
    for (const heading of document.querySelectorAll(".teach > h2"))
      heading.hidden = !lessons.some((l) => !l.hidden && l.id.startsWith(`${heading.id}-`));
    document.querySelector(".contents").hidden = words.length > 0;
    found.textContent = words.length ? `${shown} of ${lessons.length} fit.` : "";
  }

  field.addEventListener("input", find);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.removeAttribute("data-awaits");
  find();
})();
