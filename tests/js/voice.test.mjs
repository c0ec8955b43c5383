/* What a screen reader hears of a figure: the sentence, once the picture has come to rest. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { figure, frame, open, packed, row } from "./page.mjs";

const SLIDER = row(
  "fig_s",
  "slider",
  '<input type="range" name="fig_s" min="0" max="100" value="0"><output aria-live="off"></output>',
);
const wait = (ms) => new Promise((next) => setTimeout(next, ms));

test("a drag is announced once, by the sentence that it ends in", async () => {
  const window = open(figure(SLIDER), ["page"]);
  const { document } = window;
  const fig = window.glassbox.figures.get("fig");
  fig.packed = packed(Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`[${n}]`, ["", `It is ${n}.`, "", "", ""]])));
  const heard = [];
  const live = (node) => node.closest?.("[role=status], [aria-live], output");
  new window.MutationObserver((changes) => {
    for (const { target } of changes) {
      const region = live(target.nodeType === 1 ? target : target.parentElement);
      if (region && region.getAttribute("aria-live") !== "off") heard.push(target.textContent);
    }
  }).observe(document.body, { childList: true, characterData: true, subtree: true });
  const input = document.querySelector("input");
  for (let n = 1; n <= 40; n += 1) {
    input.value = n;
    input.dispatchEvent(new window.Event("input", { bubbles: true }));
    await frame(window);
  }
  assert.equal(document.querySelector(".sentence").textContent, "It is 40.");
  assert.deepEqual(heard, []);
  await wait(750);
  assert.deepEqual(heard, ["It is 40."]);
});
