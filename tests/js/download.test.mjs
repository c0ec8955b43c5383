/* Downloads of the browser's Python: checked, named when they fail, and told in megabytes and time. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { source } from "./page.mjs";

globalThis.self ??= globalThis;
const { download, Failure, isScript, Progress, wrongType } = await import(
  `data:text/javascript,${encodeURIComponent(source("download"))}`
);

const integrity = (text) => `sha256-${createHash("sha256").update(text).digest("base64")}`;
const file = (text) => ({ bytes: text.length, integrity: integrity(text) });
const server = (answers) => {
  const asked = [];
  const fetch = async (address, options) => {
    asked.push(options.cache);
    const next = answers[Math.min(asked.length, answers.length) - 1];
    if (next instanceof Error) throw next;
    return next();
  };
  return { asked, fetch };
};
const sent =
  (text, status = 200) =>
  () =>
    new Response(text, { status, headers: { "content-type": "text/javascript" } });

test("a file that is the right one is handed over, and each piece of it is counted", async () => {
  let counted = 0;
  const { fetch, asked } = server([sent("whole")]);
  const { body, type } = await download("x/a%20b.js", file("whole"), (n) => (counted += n), fetch);
  assert.equal(new TextDecoder().decode(body), "whole");
  assert.equal(type, "text/javascript");
  assert.equal(counted, 5);
  assert.deepEqual(asked, ["default"]);
});

test("a damaged copy is fetched once more past the browser's own, and counted once", async () => {
  let counted = 0;
  const { fetch, asked } = server([sent("whale"), sent("whole")]);
  await download("x/a.js", file("whole"), (n) => (counted += n), fetch);
  assert.deepEqual(asked, ["default", "reload"]);
  assert.equal(counted, 5);
});

test("what is named .gz.bin is checked as it came and handed over unpacked", async () => {
  const packed = gzipSync("a whole archive");
  const wish = { bytes: packed.length, integrity: integrity(packed) };
  let counted = 0;
  const { fetch } = server([sent(packed)]);
  const { body } = await download("x/a.zip.gz.bin", wish, (n) => (counted += n), fetch);
  assert.equal(new TextDecoder().decode(body), "a whole archive");
  assert.equal(counted, packed.length);
});

const FAULTS = [
  ["a.zip", [sent("", 404)], "the file a.zip is missing on the server (404)."],
  ["a.whl", [sent("", 404)], /the file a.whl is missing on the server \(404\), or the server has no type for .whl \(“types” in/],
  ["a.whl", [sent("", 500)], "the file a.whl is missing on the server (500)."],
  ["a%20b.js", [sent("whale")], "the file a b.js differs from the one this site was built with."],
  ["a.js", [sent("")], "the file a.js came with 0 bytes instead of 5."],
  ["a.js", [new TypeError("Failed to fetch")], "the file a.js could not be loaded."],
];

test("a file that does not come is named with its reason", async () => {
  for (const [name, answers, why] of FAULTS) {
    const wish = download(`https://x.example/${name}`, file("whole"), () => {}, server(answers).fetch);
    await assert.rejects(wish, (error) => {
      assert.ok(error instanceof Failure);
      if (why instanceof RegExp) assert.match(error.message, why);
      else assert.equal(error.message, why);
      return true;
    });
  }
});

test("only what servers may call a script is one", () => {
  for (const type of ["text/javascript; charset=utf-8", "application/javascript", "application/x-javascript"])
    assert.ok(isScript(type));
  for (const type of ["", "text/plain", "application/octet-stream", "application/json"]) assert.ok(!isScript(type));
  assert.match(
    wrongType("a.mjs", ""),
    /sends a.mjs as “no type” instead of “text\/javascript” \(“types” in hosting\/README.md\)/,
  );
});

/* total, loaded, milliseconds, what is told */
const TOLD = [
  [14_300_000, 0, 0, "0.0 of 14.3 MB"],
  [14_300_000, 1_000_000, 1_000, "1.0 of 14.3 MB"], // too soon to know the line
  [14_300_000, 400_000, 2_000, "0.4 of 14.3 MB, about 70 seconds left"],
  [14_300_000, 4_200_000, 21_000, "4.2 of 14.3 MB, about 55 seconds left"],
  [14_300_000, 13_300_000, 66_500, "13.3 of 14.3 MB, about 5 seconds left"],
  [14_300_000, 14_200_000, 71_000, "14.2 of 14.3 MB, about a second left"],
  [14_300_000, 200_000, 10_000, "0.2 of 14.3 MB, about 12 minutes left"],
  [14_300_000, 14_300_000, 71_500, "14.3 of 14.3 MB"],
  [14_300_000, 15_000_000, 71_500, "14.3 of 14.3 MB"], // a file that came twice
];

test("how much has come is told with how much is to come and how long that takes", () => {
  for (const [total, loaded, past, text] of TOLD) {
    let now = 500;
    const progress = new Progress(total, () => now);
    progress.add(loaded);
    now += past;
    assert.equal(progress.text, text);
  }
});
