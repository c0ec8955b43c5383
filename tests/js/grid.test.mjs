/* Walking a picture's cells by key, and pressing those that set controls. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { figure, frame, open, packed, row } from "./page.mjs";

const FIELD = row("fig_at", "slider", '<input type="range" name="fig_at" min="0" max="9" value="0"><output></output>');
const cell = (n) => `<td role="gridcell" tabindex="${n ? -1 : 0}" data-set='{"at":${n}}'>${n}</td>`;
/* Three rows; the second is shorter. */
const grid = (chosen = "") =>
  `<table role="grid" data-chosen="${chosen}"><tr role="row"><th>head</th></tr>
   <tr role="row">${cell(0)}${cell(1)}${cell(2)}</tr><tr role="row">${cell(3)}${cell(4)}</tr><tr role="row">${cell(5)}${cell(6)}${cell(7)}</tr></table>`;

function start() {
  const window = open(figure(FIELD, grid()), ["page"]);
  const fig = window.glassbox.figures.get("fig");
  const states = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`[${n}]`, [grid(n), `at ${n}`, "", "", "computed"]]));
  fig.packed = packed(states);
  const press = (key) =>
    window.document.activeElement.dispatchEvent(new window.KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  const at = () => window.document.activeElement.textContent;
  window.document.querySelector("[role=gridcell]").focus();
  return { window, fig, press, at };
}

test("arrows, Home and End walk the cells and stop at the edges", () => {
  const { press, at, fig } = start();
  const way = [
    ["ArrowLeft", "0"],
    ["ArrowUp", "0"],
    ["ArrowRight", "1"],
    ["End", "2"],
    ["ArrowRight", "2"],
    ["ArrowDown", "4"], // the row below is shorter
    ["ArrowDown", "6"],
    ["ArrowDown", "6"],
    ["Home", "5"],
    ["ArrowUp", "3"],
  ];
  for (const [key, cell] of way) {
    press(key);
    assert.equal(at(), cell, key);
  }
  assert.equal(fig.control("fig_at").value, 3);
});

test("one cell of the grid is in the order of the tab key", () => {
  const { window, press } = start();
  press("ArrowDown");
  press("ArrowRight");
  const reached = [...window.document.querySelectorAll("[tabindex='0'][role=gridcell]")].map((c) => c.textContent);
  assert.deepEqual(reached, ["4"]);
});

test("the focus stays on the pressed cell when the picture is drawn anew", async () => {
  const { window, press, fig, at } = start();
  press("ArrowRight");
  await frame(window);
  await frame(window);
  assert.equal(fig.shown, "[1]");
  assert.equal(window.document.querySelector("table").dataset.chosen, "1");
  assert.equal(at(), "1");
});

test("a picture drawn anew takes no focus that it did not have", async () => {
  const { window, fig } = start();
  const input = fig.control("fig_at").input;
  window.document.querySelector("[role=gridcell]:nth-child(2)").click();
  input.focus();
  await frame(window);
  await frame(window);
  assert.equal(fig.shown, "[1]");
  assert.equal(window.document.activeElement, input);
});

test("Enter and the space bar press a cell; other keys are left alone", () => {
  const { window, press, fig } = start();
  press("ArrowRight");
  fig.control("fig_at").set("0");
  press("Enter");
  assert.equal(fig.control("fig_at").value, 1);
  fig.control("fig_at").set("0");
  press(" ");
  assert.equal(fig.control("fig_at").value, 1);
  const event = new window.KeyboardEvent("keydown", { key: "a", bubbles: true, cancelable: true });
  window.document.activeElement.dispatchEvent(event);
  assert.equal(event.defaultPrevented, false);
});
