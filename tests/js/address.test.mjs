/* Names in an address that no control has: announced when they are meant for this page, with what may be meant. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { figure, open, row } from "./page.mjs";

const slider = (name) => row(name, "slider", `<input type="range" name="${name}" min="0" max="100" value="40"><output></output>`);
const PAINT = figure(slider("paint_severe") + slider("paint_chest"), "", "paint");

function notice(query) {
  const window = open(PAINT, ["page", "after"], { address: `https://book.example/attention.html${query}` });
  const node = window.document.querySelector("#notice");
  return node.hidden ? "" : node.textContent;
}

const TOLD = [
  ["?paint_sever=80", "no control here is called paint_sever; did you mean paint_severe?"],
  ["?paint_severe=80&paint_chets=3", "no control here is called paint_chets; did you mean paint_chest?"],
  ["?Paint_Severe=80", "no control here is called Paint_Severe; did you mean paint_severe?"],
  ["?pain_severe=80", "no control here is called pain_severe; did you mean paint_severe?"],
  ["?paint_blood_pressure=1", "no control here is called paint_blood_pressure."],
];

test("a name that is nearly a control's, or begins like a figure's, is announced", () => {
  for (const [query, sentence] of TOLD) assert.equal(notice(query), `From the address of this page: ${sentence}`);
});

test("what others add to an address is passed over", () => {
  for (const query of [
    "",
    "?live=0",
    "?utm_source=mail&fbclid=x",
    "?__proto__=1&constructor=2",
    `?${"p".repeat(5000)}=1`,
    "?theme=dark",
  ]) {
    assert.equal(notice(query), "", query.slice(0, 40));
  }
});

test("a wrong value and a wrong name are told together", () => {
  const text = notice("?paint_severe=900&paint_ches=1");
  assert.match(
    text,
    /^From the address of this page: paint_severe = 900 is outside what this control takes; it is set to 100\. no control/,
  );
});

test("a name from an address stays text", () => {
  const window = open(PAINT, ["page", "after"], { address: "https://book.example/attention.html?paint_%3Cimg%20src%3Dx%3E=1" });
  assert.equal(window.document.querySelector("#notice img"), null);
  assert.match(window.document.querySelector("#notice").textContent, /paint_<img src=x>/);
});
