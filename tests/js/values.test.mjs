/* What a control's value is, what it takes from an address, and what it says it could not take. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { figure, open, row } from "./page.mjs";

const SLIDER = row("s", "slider", '<input type="range" name="s" min="0" max="10" step="2" value="4"><output></output>');
const STEPS = row(
  "t",
  "slider",
  '<input type="range" name="t" min="0" max="2" value="1" data-steps="[1, 8, 64]"><output></output>',
);
const NUMBER = row("n", "number", '<input type="number" name="n" min="1" max="9" value="3">');
const RADIO = row("r", "radio", '<input type="radio" name="r" value="a" checked><input type="radio" name="r" value="b">');
const SELECT = row("c", "select", '<select name="c"><option>one</option><option>two</option></select>');
const SWITCH = row("w", "switch", '<input type="checkbox" name="w">');
const TEXT = row("x", "text", '<input type="text" name="x" maxlength="5" value="word">');
const FILE = row("f", "file", '<input type="file" name="f">');
const BUTTON = row("b", "button", '<button type="button" name="b" value="0">Go</button>');

const window = open(figure(SLIDER + STEPS + NUMBER + RADIO + SELECT + SWITCH + TEXT + BUTTON), ["page"]);
const fig = window.glassbox.figures.get("fig");

test("each kind of control has its start as a wire value", () => {
  assert.deepEqual({ ...fig.values }, { s: 4, t: 8, n: 3, r: "a", c: "one", w: false, x: "word", b: 0 });
});

test("a chosen file goes to Python as it is, and no address can name one", () => {
  const own = open(figure(TEXT + FILE), ["page"]).glassbox.figures.get("fig");
  const control = own.control("f");
  assert.equal(own.key, '["word",""]');
  assert.equal(control.set("/etc/passwd"), false); // not from an address
  const file = { name: "tokenizer.json" };
  Object.defineProperty(control.input, "files", { value: [file] });
  assert.equal(own.values.f, file);
});

/* control, wanted, what it becomes, whether that is what was asked for */
const CASES = [
  ["s", "6", 6, true],
  ["s", "1e1", 10, true],
  ["s", "99", 10, false],
  ["s", "-3", 0, false],
  ["s", "Infinity", 0, false],
  ["s", "0x8", 0, false],
  ["s", "six", 0, false],
  ["s", "", 0, false],
  ["t", "64", 64, true],
  ["t", "60", 64, false],
  ["t", "1e9", 64, false],
  ["t", "2", 1, false],
  ["n", "7", 7, true],
  ["n", "70", 9, false],
  ["n", "0", 1, false],
  ["r", "b", "b", true],
  ["r", "z", "b", false],
  ["c", "two", "two", true],
  ["c", "constructor", "two", false],
  ["w", "true", true, true],
  ["w", "0", false, true],
  ["w", "yes", false, false],
  ["x", "hello", "hello", true],
  ["x", "much too long", "much ", false],
  ["b", "3", 0, false],
];

test("a value from an address is taken, moved to the nearest, or refused, and which of these is told", () => {
  for (const [name, wanted, becomes, exact] of CASES) {
    const control = fig.control(name);
    assert.equal(control.set(wanted), exact, `${name} = ${wanted}`);
    assert.equal(control.value, becomes, `${name} = ${wanted}`);
  }
});

test("an emptied number keeps the last one that it had", () => {
  const control = fig.control("n");
  control.set("5");
  control.input.value = "";
  assert.equal(control.value, 5);
});

test("what a slider says is written for people", () => {
  fig.control("t").set("64");
  assert.equal(fig.control("t").row.querySelector("output").textContent, "64");
  assert.equal(fig.control("t").input.getAttribute("aria-valuetext"), "64");
});

test("a button's presses are counted and forgotten when another control moves", () => {
  const button = fig.control("b");
  button.input.click();
  assert.equal(button.value, 1);
  fig.control("s").input.dispatchEvent(new window.Event("input", { bubbles: true }));
  assert.equal(button.value, 0);
});

test("what the browser put back into the controls is asked for, since the picture is the first state's", () => {
  const again = open(figure(SLIDER), ["page"], { prepare: (w) => (w.document.querySelector("input").value = "8") });
  const back = again.glassbox.figures.get("fig");
  assert.equal(back.control("s").start, 4);
  assert.equal(back.control("s").value, 8);
  assert.equal(back.want, "[8]");
});
