/* How a self-check reads a number and what it says to it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { open } from "./page.mjs";

const check = (
  answer,
  tolerance,
) => `<section class="check" data-check="number" data-id="q${answer}" data-answer="${answer}" data-tolerance="${tolerance}">
  <form class="attempt"><input type="text"><button>Check</button></form><p class="verdict"></p>
  <details><summary>Answer</summary></details></section>`;

function ask(answer, typed, tolerance = 0) {
  const window = open(check(answer, tolerance), ["check"]);
  window.document.querySelector(".attempt input").value = typed;
  window.document.querySelector("form button").click();
  return window.document.querySelector(".verdict").textContent.trim();
}

/* what was written, and the number that it means */
const READ = [
  ["1,234.5", 1234.5],
  ["1.234,5", 1234.5],
  ["1 234,5", 1234.5],
  ["1’234.5", 1234.5],
  ["1_234.5", 1234.5],
  ["about 788 pieces", 788],
  ["1.3e5", 130000],
  ["−2", -2],
  ["–2", -2],
  [".5", 0.5],
  ["５０", 50],
  ["٥٠", 50],
  ["1,049", 1049],
  ["1,049", 1.049],
  ["= 34.", 34],
];

test("a number counts however it is written", () => {
  for (const [typed, means] of READ) assert.equal(ask(means, typed), "That is right.", typed);
});

test("what is not one number is asked for again", () => {
  for (const typed of ["", "many", "5 or 7", "10/2", "-", ".", ","])
    assert.match(ask(5, typed), /^Write one number first/, typed);
});

test("a wrong number is told the way, the distance, or the unit", () => {
  assert.equal(ask(100, "95"), "Close: it is a little more.");
  assert.equal(ask(100, "105"), "Close: it is a little less.");
  assert.equal(ask(100, "7"), "Not yet: it is more than that.");
  assert.equal(ask(100, "1e400"), "Not yet: it is less than that.");
  assert.equal(ask(100, "100000"), "The digits are right; look at the unit again.");
  assert.equal(ask(100, "102400"), "The digits are right; look at the unit again.");
});

test("a tolerance takes what lies within it, its edge included", () => {
  assert.equal(ask(1.05, "1.049", 0.001), "That is right.");
  assert.match(ask(1.05, "1.048", 0.001), /^Close/);
});
