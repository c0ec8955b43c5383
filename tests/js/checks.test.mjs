/* How a self-check reads a number and what it says to it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { figure, frame, open, row } from "./page.mjs";

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

/* ---- guesses ---- */

const SHARE = row("fig_share", "slider", '<input type="range" name="fig_share" min="0" max="100" value="50"><output></output>');
const BESIDE = row("fig_on", "switch", '<input type="checkbox" name="fig_on">');
const choice = (text, result, near) =>
  `<button type="button" disabled data-opens="?fig_share=80#fig" data-result="${result}" data-near="${near}">${text}</button>`;
const GUESS = `<div class="guess" data-guess="g1"><p class="question">How much?</p>
  <div class="choices">${choice("30 %", "wrong", "Too little.")}${choice("80 %", "right", "Right.")}${choice("Just show me", "seen", "")}</div>
  <div class="told"><p class="verdict">Press one.</p><p class="room"><span class="near">Too little. </span>It is <strong>80 %</strong>.</p></div></div>`;
const PAGE = figure(SHARE + BESIDE) + GUESS + check(5, 0);

function press(window, n) {
  window.document.querySelectorAll(".guess button")[n].click();
  return window.document.querySelector(".guess .verdict").textContent;
}
const score = (window) => window.document.querySelector(".score").textContent;

test("a press sets the figure, its other controls as they began, and says how near it was", async () => {
  const window = open(PAGE, ["page", "check"]);
  const fig = window.glassbox.figures.get("fig");
  fig.control("fig_on").set("true");
  assert.equal(press(window, 0), "Too little. It is 80 %.");
  assert.deepEqual({ ...fig.values }, { fig_share: 80, fig_on: false });
  const pressed = [...window.document.querySelectorAll(".guess button")].map((b) => b.getAttribute("aria-pressed"));
  assert.deepEqual(pressed, ["true", "false", "false"]);
  await frame(window);
});

test("the first guess counts, and who only looks has made none", () => {
  const window = open(PAGE, ["page", "check"]);
  assert.match(score(window), /^1 question\. The count is kept on this device only\./);
  press(window, 2);
  assert.doesNotMatch(score(window), /Guesses/);
  const other = open(PAGE, ["page", "check"]);
  press(other, 0);
  press(other, 1);
  assert.match(score(other), /Guesses before a figure: 0 of 1 right, 1 in all\./);
});

test("a guess is there again when the page is, until one starts over", () => {
  const window = open(PAGE, ["page", "check"]);
  press(window, 1);
  const stored = window.localStorage.getItem("glassbox:checks:tokens");
  const prepare = (w) => w.localStorage.setItem("glassbox:checks:tokens", stored);
  const again = open(PAGE, ["page", "check"], { prepare });
  assert.equal(again.document.querySelector(".guess .verdict").textContent, "Right. It is 80 %.");
  assert.equal(again.glassbox.figures.get("fig").control("fig_share").value, 50); // the reader has not asked again
  assert.match(score(again), /1 of 1 right/);
  again.document.querySelector(".score button").click();
  assert.equal(again.document.querySelector(".guess .verdict").textContent, "Press one.");
  assert.equal(again.localStorage.getItem("glassbox:checks:tokens"), "{}");
});

test("where storage is refused a guess is judged all the same, and the page says that it does not last", () => {
  const refuse = () => {
    throw new Error("refused");
  };
  const prepare = (w) => Object.defineProperty(w, "localStorage", { get: refuse });
  const window = open(PAGE, ["page", "check"], { prepare });
  assert.equal(press(window, 1), "Right. It is 80 %.");
  assert.match(score(window), /1 of 1 right, 1 in all\. The count lasts as long as this page/);
});
