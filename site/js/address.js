/* A model from an address: a course's own server, or this one. Asks what lies there, says how much it is and what
   hash it has, and loads it at a press. Loaded by own.js when it is asked for.

   The folder holds a list as sha256sum writes it, SHA256SUMS: it names the files, and each is held against it. */
(() => {
  "use strict";
  const glassbox = window.glassbox;
  const LIST = "SHA256SUMS";
  const MOST = 200; // files of a list
  const hex = (digest) => [...new Uint8Array(digest)].map((b) => b.toString(16).padStart(2, "0")).join("");
  const hash = async (data) => hex(await crypto.subtle.digest("SHA-256", data));

  /* The files that a list names beside it, each with its hash. */
  function listed(text, wanted) {
    const found = [];
    for (const line of text.split("\n").slice(0, MOST)) {
      const [, sum, name] = /^([0-9a-f]{64}) [ *](?:\.\/)?([^/\\]+)$/.exec(line.trim()) || [];
      if (name && wanted.test(name)) found.push({ name, sum });
    }
    return found;
  }

  async function asked(url, options) {
    let response;
    try {
      response = await fetch(url, { credentials: "omit", ...options });
    } catch {
      const other = url.origin !== location.origin;
      throw new Error(
        other
          ? `${url.host} could not be asked: this site must be built to allow it (--models), and it must allow this site (CORS)`
          : `${url.pathname} could not be loaded`,
      );
    }
    if (!response.ok) throw new Error(`${url.pathname.split("/").pop()} is missing there (${response.status})`);
    return response;
  }

  /* What lies at an address: name, files with hash and size, and one hash for all of them. */
  async function look(typed, wanted) {
    let base;
    try {
      base = new URL(typed.trim().replace(/\/?$/, "/"), document.baseURI);
    } catch {
      throw new Error("this is no address; write one as models/smol/ or https://models.example.org/smol/");
    }
    if (!/^https?:$/.test(base.protocol)) throw new Error(`an address begins with https://, not with ${base.protocol}`);
    if (!self.crypto?.subtle) throw new Error("this browser works out no hashes on a page without https");
    const text = await (await asked(new URL(LIST, base))).text();
    const files = listed(text, wanted);
    if (!files.some((f) => f.name === "config.json"))
      throw new Error(`${LIST} names no config.json; it is what “sha256sum *” writes in the model’s folder`);
    for (const file of files) {
      file.url = new URL(file.name, base);
      file.bytes = Number((await asked(file.url, { method: "HEAD" })).headers.get("content-length")) || 0;
    }
    const sum = await hash(new TextEncoder().encode(text));
    const name = decodeURIComponent(base.pathname).split("/").at(-2) || base.host;
    return { name, host: base.host, files, sum, bytes: files.reduce((all, f) => all + f.bytes, 0) };
  }

  glassbox.address = ({ el, button, size, room, address, from, read, named }) => {
    const field = el("input", {
      type: "text",
      value: from,
      id: "own-from",
      placeholder: "models/name/",
      spellcheck: false,
      inputMode: "url",
    });
    const label = el("label", { htmlFor: "own-from", textContent: "Address of the model’s folder" });
    const said = el("p", { className: "own-found" });
    said.setAttribute("role", "status");
    const acts = el("p", { className: "own-actions" });
    const tell = (text, ...buttons) => {
      said.textContent = text;
      acts.replaceChildren(...buttons);
    };
    let turn = 0;

    async function find() {
      const mine = (turn += 1);
      tell("Looking …");
      try {
        const found = await look(field.value, named);
        if (mine !== turn) return;
        const large = found.bytes > room * 1.88 ? ` More than fits in this page (${size(room)}).` : "";
        tell(
          `${found.name} at ${found.host}: ${found.files.length} files, ${size(found.bytes)}. SHA-256 of their list: ${found.sum}.${large}`,
          button(`Load it (${size(found.bytes)})`, () => load(found)),
        );
      } catch (error) {
        if (mine === turn) tell(`Nothing can be loaded from there: ${error.message}.`);
      }
    }

    async function load(found) {
      const mine = (turn += 1);
      const stopped = new AbortController();
      const stop = button("Stop", () => stopped.abort(), "quiet");
      let done = 0;
      const files = [];
      try {
        for (const { name, sum, url } of found.files) {
          const reader = (await asked(url, { signal: stopped.signal })).body.getReader();
          const chunks = [];
          for (;;) {
            const { value, done: end } = await reader.read();
            if (end) break;
            chunks.push(value);
            done += value.length;
            tell(`Loading ${found.name}: ${size(done)} of ${size(found.bytes)} …`, stop);
          }
          const file = new File(chunks, name);
          if ((await hash(await file.arrayBuffer())) !== sum) throw new Error(`${name} is not the file that ${LIST} names`);
          files.push(file);
        }
        if (mine !== turn) return;
        tell(`${found.name} is loaded, and every file is the one that the list names.`);
        read({ name: found.name, files, bytes: files.reduce((all, f) => all + f.size, 0) });
      } catch (error) {
        if (stopped.signal.aborted) tell(`${found.name} was not loaded to its end.`);
        else if (mine === turn) tell(`${found.name} cannot be used: ${error.message}.`);
      }
    }

    const form = el(
      "form",
      {},
      label,
      field,
      button("Look", () => form.requestSubmit(), "quiet"),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      find();
    });
    address.replaceChildren(form, said, acts);
    field.focus({ preventScroll: !!from });
    if (from) find();
  };
})();
