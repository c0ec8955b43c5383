/* The service worker's reading of addresses, and the line that offers the whole book. */
import assert from "node:assert/strict";
import { test } from "node:test";
import vm from "node:vm";
import { figure, open, source } from "./page.mjs";

function worker(folder) {
  const build = {
    version: "v",
    groups: {
      shell: { "index.html": "a", "tokens.html": "b" },
      more: { "embed/tokens/split.html": "c" },
      runtime: {},
      tokens: {},
    },
    raw: {},
    bytes: { shell: 1, more: 2, runtime: 9, tokens: 3 },
  };
  const self = { location: { href: `https://book.example${folder}sw.js` }, addEventListener() {} };
  const context = vm.createContext({ self, BUILD: build, URL, URLSearchParams });
  vm.runInContext(source("sw"), context);
  return (code) => vm.runInContext(code, context);
}

/* the address below the site's folder, and the page that it means */
const MEANT = [
  ["", "index.html"],
  ["index.html", "index.html"],
  ["index", "index.html"],
  ["tokens.html", "tokens.html"],
  ["tokens", "tokens.html"],
  ["tokens/", "tokens.html"],
  ["tokens?x=1#split", "tokens.html"],
  ["tokens.html?x=%2F#split", "tokens.html"],
  ["embed/tokens/split", "embed/tokens/split.html"],
  ["embed/tokens/split.html?theme=dark", "embed/tokens/split.html"],
  ["nowhere", undefined],
  ["tokens/other", undefined],
  ["tokens.htm", undefined],
];

test("a page is found however its address is written, at the root and below a path", () => {
  for (const folder of ["/", "/course/glassbox/", "/a%20b/"]) {
    const sw = worker(folder);
    for (const [path, page] of MEANT) {
      const address = JSON.stringify(`https://book.example${folder}${path}`);
      assert.equal(sw(`meant(path(${address}))`), page, folder + path);
    }
  }
});

test("what is not below the folder, or on another origin, is none of ours", () => {
  const sw = worker("/course/glassbox/");
  for (const address of [
    "https://book.example/",
    "https://book.example/course/other/",
    "https://else.example/course/glassbox/",
    "https://book.example/course/glassbox/%E0%A4%A",
  ]) {
    assert.equal(sw(`path(${JSON.stringify(address)})`), null);
  }
});

test("with Python come all chapters, and figures alone only when they are asked for", () => {
  const sw = worker("/");
  assert.deepEqual([...sw('whole(["runtime"])')].sort(), ["runtime", "shell", "tokens"]);
  assert.deepEqual([...sw('whole(["runtime", "more"])')].sort(), ["more", "runtime", "shell", "tokens"]);
  assert.deepEqual([...sw('whole(["tokens"])')], ["tokens"]);
});

const settled = () => new Promise((next) => setTimeout(next, 20));
const BYTES = { shell: 1_000_000, runtime: 17_000_000, tokens: 500_000 };

/* A page whose service worker answers what the test says. */
async function book(query = "?live=0") {
  const asked = [];
  const heard = [];
  const controller = { postMessage: (m) => asked.push(m.groups) };
  const serviceWorker = {
    controller,
    register: async () => {},
    ready: Promise.resolve({ active: controller }),
    addEventListener: (type, hear) => type === "message" && heard.push(hear),
  };
  const prepare = (w) => Object.defineProperty(w.navigator, "serviceWorker", { value: serviceWorker });
  const window = open(figure("") + '<nav class="turn"></nav>', ["page", "after"], {
    prepare,
    address: `https://book.example/tokens.html${query}`,
  });
  await settled();
  const say = async (data) => {
    for (const hear of heard) hear({ data: { type: "kept", bytes: BYTES, live: "live.js", ...data } });
    await settled();
  };
  const line = () => window.document.querySelector(".keep");
  return { window, asked, say, line, button: () => line().querySelector("button:not([hidden])") };
}

test("the line offers the whole book with what is still to come, and says when it is kept", async () => {
  const { asked, say, line, button } = await book();
  await say({ groups: ["shell"] });
  assert.equal(button().textContent, "Keep the whole book on this device (18 MB more)");
  button().click();
  assert.deepEqual([...asked.at(-1)].sort(), ["runtime", "shell", "tokens"]);
  await say({ type: "keeping", group: "runtime", share: 0.5 });
  assert.match(line().textContent, /is being kept on this device … ?10 MB of 19 MB/);
  await say({ groups: ["shell", "tokens"] }); // an answer to somebody else's wish
  assert.equal(button(), null);
  await say({ groups: ["shell", "tokens", "runtime"] });
  assert.match(line().textContent, /^The whole book is kept on this device \(19 MB\)/);
  assert.equal(button(), null);
});

test("a book that could not be kept says why and can be asked for again", async () => {
  for (const [failed, why] of [
    ["room", "this browser gives the site no room for it"],
    ["network", "a file of it did not come"],
  ]) {
    const { say, line, button } = await book();
    await say({ groups: [] });
    button().click();
    await say({ groups: ["shell"], failed });
    assert.match(line().textContent, new RegExp(`The book could not be kept: ${why}\\.`));
    assert.ok(button());
  }
});

test("a page of another build than the kept one says so", async () => {
  const { say, line } = await book();
  await say({ groups: ["shell"], live: "static-2/js/live.js" });
  assert.match(line().textContent, /renewed since this page was opened/);
});

test("while Python comes the line is Python's: the copy waits", async () => {
  const { asked, line } = await book("");
  assert.equal(line(), null);
  assert.deepEqual(asked, []);
});
