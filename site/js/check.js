/* Self-checks: answer first, then look. The count stays in this browser (localStorage); nothing is sent. */
(() => {
  "use strict";
  const checks = [...document.querySelectorAll(".check[data-check]")];
  if (!checks.length) return;
  const key = `glassbox:checks:${document.body.dataset.chapter || "page"}`;
  let kept = {};
  try {
    kept = JSON.parse(localStorage.getItem(key)) || {};
  } catch { /* storage is off, as in a sandboxed frame: the count then lasts as long as the page */ }

  const make = (tag, text, attributes = {}) => Object.assign(document.createElement(tag), { textContent: text, ...attributes });
  const score = make("p", "", { className: "score" });
  const count = make("span", "");
  const forget = make("button", "Start over", { type: "button" });
  score.append(count, " ", forget);
  checks[checks.length - 1].after(score);

  function keep(check, result) {
    const id = check.dataset.id;
    if (result) kept[id] = result;
    else delete kept[id];
    check.dataset.result = kept[id] || "";
    try {
      localStorage.setItem(key, JSON.stringify(kept));
    } catch { /* see above */ }
    const done = checks.filter((c) => kept[c.dataset.id] === "right").length;
    const seen = checks.filter((c) => kept[c.dataset.id]).length;
    count.textContent = seen
      ? `${done} of ${checks.length} right, ${seen} of ${checks.length} tried. Counted on this device only.`
      : `${checks.length} questions. The count is kept on this device only.`;
    forget.hidden = !seen;
  }

  /* Reads 1,234.5 and 1 234,5 and 1.3e5 and −2 and "788 pieces"; NaN where there is no number. */
  function read(text) {
    let t = text.trim().replace(/[−–]/g, "-").replace(/[\s\u00a0_’']/g, "");
    t = /^-?\d+,\d+$/.test(t) && !/,\d{3}$/.test(t) ? t.replace(",", ".") : t.replace(/,/g, "");
    const found = t.match(/^[^\d.-]{0,3}(-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)/i);
    return found ? parseFloat(found[1]) : NaN;
  }

  function judge(given, answer, tolerance) {
    if (Math.abs(given - answer) <= tolerance * (1 + 1e-9) + Math.abs(answer) * 1e-12) return ["right", "That is right."];
    for (const factor of [1e3, 1e6, 1e9, 1024, 1048576, 100]) {
      for (const scaled of [given * factor, given / factor]) {
        if (Math.abs(scaled - answer) <= tolerance + Math.abs(answer) * 1e-3) return ["wrong", "The digits are right; look at the unit again."];
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
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (check.dataset.check === "number") {
        const given = read(field.value);
        if (!Number.isFinite(given)) return say("Write a number first; a guess is fine.");
        const [result, words] = judge(given, +check.dataset.answer, +check.dataset.tolerance);
        say(result === "right" ? words : `${words} ${check.dataset.hint || ""}`);
        if (result === "right") details.open = true;
        if (kept[check.dataset.id] !== "right") keep(check, result);
        return;
      }
      if (!field.value.trim()) return say("Write a sentence first, then compare; half an idea is fine.");
      details.open = true;
      if (check.querySelector(".own")) return;
      const own = make("p", "Did yours say the same? ", { className: "own" });
      for (const [words, result] of [["Yes, in my words", "right"], ["Not quite", "wrong"]]) {
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
  forget.addEventListener("click", () => {
    for (const check of checks) {
      keep(check, "");
      check.querySelector(".verdict").textContent = "";
      check.querySelector("details").open = false;
      check.querySelector("form").reset();
    }
  });
  keep(checks[0], kept[checks[0].dataset.id]);
})();
