/* A page for the scripts' tests: jsdom with the site's own scripts, run as the browser runs them. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const { JSDOM } = createRequire(`${process.env.GLASSBOX_PACKAGES ?? process.cwd()}/`)("jsdom");

export const source = (name) => readFileSync(new URL(`../../site/js/${name}.js`, import.meta.url), "utf8");

/* Opens a page with this body and runs scripts in it; `prepare` sees the window before they do. */
export function open(body, scripts, { address = "https://book.example/tokens.html", prepare = () => {} } = {}) {
  const data = 'data-root="./" data-chapter="tokens" data-live="live.js" data-tools="tools.js" data-after="after.js"';
  const html = `<!doctype html><html lang="en"><body ${data}>${body}</body></html>`;
  const { window } = new JSDOM(html, { url: address, runScripts: "outside-only", pretendToBeVisual: true });
  prepare(window);
  for (const name of scripts) window.eval(source(name));
  return window;
}

/* One figure with these rows of controls and this picture. */
export const figure = (rows, picture = "", name = "fig") => `
  <p id="runtime"></p><p id="notice" hidden></p>
  <figure class="glassbox" data-figure="${name}" data-frames="">
    <form class="controls">${rows}</form>
    <div class="picture">${picture}</div>
    <p class="detail" hidden></p>
    <figcaption><strong class="title">Title</strong><span class="sentence"></span></figcaption>
    <p class="figure-state"><span class="say"></span></p>
  </figure>`;

export const row = (name, kind, field) => `<div class="control" data-control="${name}" data-kind="${kind}">${field}</div>`;

/* Frames of a figure as the build packs them: every state given as its five parts. */
export const packed = (states) => ({
  base: "",
  states: Object.fromEntries(Object.entries(states).map(([key, parts]) => [key, [parts.join("\x1f")]])),
});

export const frame = (window) => new Promise((next) => window.requestAnimationFrame(() => next()));
