/* The glossary's filter: all words typed must stand in an entry, accents and capitals aside. */
(() => {
  "use strict";
  const form = document.querySelector(".glossary .find");
  const field = form.querySelector("input");
  const found = form.querySelector(".found");
  const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const entries = [...document.querySelectorAll(".entry")].map((node) => ({
    node,
    name: plain(node.querySelector("dt").textContent),
    text: plain(node.querySelector("dd p").textContent),
  }));
  const list = document.querySelector(".terms");

  /* Words whose names fit stand before those that only mention them. */
  function find() {
    const words = plain(field.value).split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const { node, name, text } of entries) {
      node.hidden = !words.every((w) => name.includes(w) || text.includes(w));
      shown += !node.hidden;
    }
    const first = words.length ? entries.filter((e) => words.every((w) => e.name.includes(w))) : [];
    list.append(...[...first, ...entries.filter((e) => !first.includes(e))].map((e) => e.node));
    found.textContent = words.length ? `${shown} of ${entries.length} words fit.` : "";
  }

  /* A link to a word that the filter hides shows it. */
  addEventListener("hashchange", () => {
    const node = document.getElementById(location.hash.slice(1));
    if (!node?.hidden) return;
    field.value = "";
    find();
    node.scrollIntoView();
  });
  field.addEventListener("input", find);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.removeAttribute("data-awaits");
  if (field.value) find(); // a browser that comes back keeps what was typed
})();
