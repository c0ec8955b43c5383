/* Self-checks: answer first, then look; and guesses before a figure, which a press answers. The count stays in this
   browser (localStorage); nothing is sent. */
(() => {
  "use strict";
  const checks = [...document.querySelectorAll(".check[data-check]")];
  const guesses = [...document.querySelectorAll(".guess[data-guess]")];
  const last = checks.at(-1) || guesses.at(-1);
  if (!last) return;
  const key = `glassbox:checks:${document.body.dataset.chapter || "page"}`;
  let kept = {};
  let lasts = true; // whether this browser keeps the count
  try {
    const stored = JSON.parse(localStorage.getItem(key));
    if (stored?.constructor === Object) kept = stored;
  } catch (error) {
    lasts = error instanceof SyntaxError; // else storage is refused, as in a sandboxed frame
  }

  const make = (tag, text, attributes = {}) => Object.assign(document.createElement(tag), { textContent: text, ...attributes });
  const score = make("p", "", { className: "score" });
  const count = make("span", "");
  const forget = make("button", "Start over", { type: "button" });
  score.append(count, " ", forget);
  const alone = checks.length === 1 && !guesses.length; // a question in a page of its own, as course pages show it
  last.after(score);

  function keep(check, result) {
    const id = check.dataset.id;
    if (result) kept[id] = result;
    else delete kept[id];
    check.dataset.result = kept[id] || "";
    store();
  }

  /* Writes what is known, and says how it stands and whether it lasts. */
  function store() {
    try {
      localStorage.setItem(key, JSON.stringify(kept));
      lasts = true;
    } catch {
      lasts = false;
    }
    const said = [alone ? standing(kept[checks[0].dataset.id]) : tally(), guessed(), where()];
    count.textContent = said.filter(Boolean).join(" ");
    forget.hidden = !checks.some((c) => kept[c.dataset.id]) && !guesses.some((g) => kept[g.dataset.guess]);
  }

  const where = () =>
    lasts
      ? `The ${alone ? "result" : "count"} is kept on this device only.`
      : `The ${alone ? "result" : "count"} lasts as long as this page: this browser keeps nothing for it.`;

  function tally() {
    const seen = checks.filter((c) => kept[c.dataset.id]).length;
    const done = checks.filter((c) => kept[c.dataset.id] === "right").length;
    if (!checks.length) return "";
    const all = `${checks.length} question${checks.length > 1 ? "s" : ""}.`;
    return seen ? `${done} of ${checks.length} right, ${seen} of ${checks.length} tried.` : all;
  }

  function guessed() {
    const made = guesses.filter((g) => kept[g.dataset.guess]?.choice);
    const right = made.filter((g) => kept[g.dataset.guess].result === "right").length;
    return made.length ? `Guesses before a figure: ${right} of ${made.length} right, ${guesses.length} in all.` : "";
  }

  const standing = (result) => ({ right: "Right.", wrong: "Tried.", seen: "Looked up." })[result] || "";

  /* The numbers that a text may mean: 1,234.5 and 1.234,5 and 1 234,5, “about 788 pieces”, 1.3e5, −2, digits of
     any script. “1,049” is two, since a comma parts thousands here and decimals there. None where there is no
     number or more than one. */
  function readings(text) {
    const t = text
      .normalize("NFKC")
      .replace(/\p{Nd}/gu, latin)
      .replace(/[−–]/g, "-")
      .replace(/(\d)[\s_’'](?=\d{3}(?!\d))/g, "$1");
    const found = /-?(?:\d[\d.,]*|(?<![^\s-])[.,]\d+)(?:e[+-]?\d+)?/i.exec(t);
    if (!found || /\d/.test(t.slice(found.index + found[0].length))) return [];
    const [, sign, digits, power = ""] = /^(-?)(.*?)[.,]*(e.*)?$/i.exec(found[0]);
    const point = /^(\d{1,3}(,\d{3})+|\d*)(\.\d*)?$/.test(digits) ? [digits.replaceAll(",", "")] : [];
    const comma = /^(\d{1,3}(\.\d{3})+|\d*)(,\d*)?$/.test(digits) ? [digits.replaceAll(".", "").replace(",", ".")] : [];
    return [...new Set([...point, ...comma])].map((d) => +(sign + d + power));
  }

  function latin(digit) {
    const code = digit.codePointAt(0);
    let zero = code;
    while (code - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
    return code - zero;
  }

  function judge(given, answer, tolerance) {
    if (Math.abs(given - answer) <= tolerance * (1 + 1e-9) + Math.abs(answer) * 1e-12) return ["right", "That is right."];
    for (const factor of [1e3, 1e6, 1e9, 1024, 1048576, 100]) {
      for (const scaled of [given * factor, given / factor]) {
        if (Math.abs(scaled - answer) <= tolerance + Math.abs(answer) * 1e-3)
          return ["wrong", "The digits are right; look at the unit again."];
      }
    }
    const away = Math.abs(given - answer);
    const near = away <= Math.max(3 * tolerance, Math.abs(answer) * 0.1);
    const way = given < answer ? "more" : "less";
    return ["wrong", near ? `Close: it is a little ${way}.` : `Not yet: it is ${way} than that.`];
  }

  for (const check of checks) {
    const form = check.querySelector(".attempt");
    const field = form.querySelector("input, textarea");
    const verdict = check.querySelector(".verdict");
    const details = check.querySelector("details");
    const say = (text) => (verdict.textContent = text);
    form.hidden = false;
    check.dataset.result = kept[check.dataset.id] || "";
    details.addEventListener("toggle", () => {
      if (details.open && !kept[check.dataset.id]) keep(check, "seen");
    });
    /* The press and not the submission: a frame without allow-forms never submits. Enter presses the button too. */
    form.querySelector("button").addEventListener("click", (event) => {
      event.preventDefault();
      if (check.dataset.check === "number") {
        const given = readings(field.value);
        if (!given.length) return say("Write one number first; a guess is fine.");
        const verdicts = given.map((g) => judge(g, +check.dataset.answer, +check.dataset.tolerance));
        const [result, words] = verdicts.find(([r]) => r === "right") || verdicts[0];
        say(result === "right" ? words : `${words} ${check.dataset.hint || ""}`);
        if (result === "right") details.open = true;
        if (kept[check.dataset.id] !== "right") keep(check, result);
        return;
      }
      if (!field.value.trim()) return say("Write a sentence first, then compare; half an idea is fine.");
      details.open = true;
      if (check.querySelector(".own")) return;
      const own = make("p", "Did yours say the same? ", { className: "own" });
      for (const [words, result] of [
        ["Yes, in my words", "right"],
        ["Not quite", "wrong"],
      ]) {
        const button = make("button", words, { type: "button" });
        button.addEventListener("click", () => {
          keep(check, result);
          say(result === "right" ? "Counted." : "Fair. Read that section once more and come back.");
        });
        own.append(button, " ");
      }
      details.append(own);
    });
  }

  /* ---- guesses: a press sets the figure, and the first one counts ---- */

  const rest = new Map(guesses.map((g) => [g, g.querySelector(".verdict").textContent]));

  function judged(guess, button) {
    const { near, result } = button?.dataset || {};
    const verdict = guess.querySelector(".verdict");
    for (const b of guess.querySelectorAll("button")) b.setAttribute("aria-pressed", b === button);
    guess.dataset.result = result || "";
    if (!button) {
      verdict.textContent = rest.get(guess);
      return;
    }
    const told = guess.querySelector(".room").cloneNode(true);
    told.querySelector(".near").textContent = near ? `${near} ` : "";
    verdict.replaceChildren(...told.childNodes);
  }

  /* Puts a figure into the state that answers: its other controls back to their start, or it might show another. */
  function open(address) {
    const [search, name] = address.split("#");
    const fig = window.glassbox?.figures.get(name);
    if (!fig) return;
    const wanted = new URLSearchParams(search);
    for (const control of fig.controls) control.set(wanted.get(control.name) ?? control.start);
    fig.release();
    fig.changed();
  }

  for (const guess of guesses) {
    const id = guess.dataset.guess;
    const buttons = [...guess.querySelectorAll("button")];
    const { result: had, choice } = kept[id] || {};
    const before = had && buttons.find((b) => (choice ? b.textContent === choice : b.dataset.result === had));
    judged(guess, before);
    for (const button of buttons) {
      button.disabled = false;
      button.addEventListener("click", () => {
        judged(guess, button);
        open(button.dataset.opens);
        const { result } = button.dataset;
        if (!kept[id]?.result) kept[id] = result === "seen" ? { result } : { result, choice: button.textContent };
        store();
      });
    }
  }

  forget.addEventListener("click", () => {
    for (const guess of guesses) {
      delete kept[guess.dataset.guess];
      judged(guess);
    }
    for (const check of checks) {
      keep(check, "");
      check.querySelector(".verdict").textContent = "";
      check.querySelector("details").open = false;
      check.querySelector("form").reset();
    }
    store();
  });
  store();
})();
