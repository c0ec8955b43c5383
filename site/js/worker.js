/* The worker that holds Python. It loads Pyodide from the site's own folder, checks every file against the
   manifest, and answers figures through glassbox.page.bridge. */

const FIRST = ["numpy", "glassbox"]; // other packages are loaded when a figure's code asks for them
const STALL = 20_000; // ms without a byte before a download counts as stopped

const post = (type, rest = {}) => self.postMessage({ type, ...rest });
const pause = () => new Promise((next) => setTimeout(next));

class Failure extends Error {}
class Altered extends Failure {} // not what the site was built with: the browser may have kept an old copy

/* ---- downloads: counted, checked, given up when they stall ---- */

const plainFetch = self.fetch.bind(self);
let base;
let expected = new Map(); // address -> {bytes, integrity}
const bodies = new Map(); // address -> promise of a Response's parts
let lost; // why the last file that did not come did not come
let loaded = 0;
let total = 0;

async function download(address) {
  try {
    return await fetched(address, "default");
  } catch (error) {
    if (error instanceof Altered) return fetched(address, "reload");
    throw error;
  }
}

async function fetched(address, cache) {
  const file = expected.get(address);
  const name = decodeURIComponent(address.split("/").pop());
  const abort = new AbortController();
  let stalled = false;
  let timer;
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(() => ((stalled = true), abort.abort()), STALL);
  };
  try {
    wait();
    const digests = Boolean(self.crypto?.subtle);
    const response = await plainFetch(address, {
      cache,
      signal: abort.signal,
      ...(digests ? {} : { integrity: file.integrity }),
    });
    if (!response.ok) throw new Failure(`the file ${name} is missing on the server (${response.status}).`);
    const chunks = [];
    let size = 0;
    const reader = response.body.getReader();
    for (;;) {
      wait();
      const { done, value } = await reader.read();
      if (done) break;
      chunks.push(value);
      size += value.length;
      loaded += value.length;
      report();
    }
    const body = new Uint8Array(await new Blob(chunks).arrayBuffer());
    if (size !== file.bytes)
      throw new Altered(
        `the file ${name} came with ${size.toLocaleString("en")} bytes instead of ${file.bytes.toLocaleString("en")}.`,
      );
    if (digests) {
      const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", body));
      if (`sha256-${btoa(String.fromCharCode(...digest))}` !== file.integrity)
        throw new Altered(`the file ${name} differs from the one this site was built with.`);
    }
    return { body, type: response.headers.get("content-type") || "" };
  } catch (error) {
    if (error instanceof Failure) throw error;
    if (stalled) throw new Failure(`the download of ${name} stopped for ${STALL / 1000} seconds.`);
    throw new Failure(`the file ${name} could not be loaded.`);
  } finally {
    clearTimeout(timer);
  }
}

let last = -1;
function report() {
  const share = total ? Math.min(loaded / total, 1) : 0;
  if (share - last < 0.01 && share < 1) return;
  last = share;
  post("progress", { text: share < 1 ? "Loading Python …" : "Starting Python …", share: share * 0.8 });
}

function body(address) {
  if (!bodies.has(address)) {
    const coming = download(address);
    bodies.set(address, coming);
    coming.catch((error) => {
      lost = error;
      bodies.delete(address); // the next one who asks tries again
    });
  }
  return bodies.get(address);
}

self.fetch = async (input, init) => {
  const address = new URL(input.url ?? input, self.location.href).href;
  if (!expected.has(address)) return plainFetch(input, init);
  const { body: bytes, type } = await body(address);
  bodies.delete(address);
  const mime = address.endsWith(".wasm") ? "application/wasm" : type;
  return new Response(bytes, { headers: { "content-type": mime } });
};

async function json(address) {
  let response;
  try {
    response = await plainFetch(address, { signal: AbortSignal.timeout(STALL) });
  } catch {
    throw new Failure(`the file ${address.split("/").pop()} could not be loaded.`);
  }
  if (!response.ok) throw new Failure(`the file ${address.split("/").pop()} is missing on the server (${response.status}).`);
  try {
    const text = await response.text();
    if (self.crypto?.subtle) {
      const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
      const hex = [...digest].map((b) => b.toString(16).padStart(2, "0")).join("");
      if (!hex.startsWith(/\.([0-9a-f]{10})\.json$/.exec(address)?.[1])) throw new Error("another content");
    }
    return JSON.parse(text);
  } catch {
    throw new Failure(`the file ${address.split("/").pop()} is damaged.`);
  }
}

/* ---- start ---- */

let pyodide;
let bridge;

async function start({ base: root, program, manifest }) {
  base = root;
  const [list, text] = await Promise.all([json(manifest), json(program)]);
  const files = [...list.core, ...Object.values(list.packages)];
  expected = new Map(files.map((f) => [new URL(f.url, base).href, f]));
  const first = [...list.core, ...FIRST.map((name) => list.packages[name])];
  total = first.reduce((sum, f) => sum + f.bytes, 0);
  await Promise.all(first.map((f) => body(new URL(f.url, base).href)));
  post("progress", { text: "Starting Python …", share: 0.85 });
  const { loadPyodide } = await import(new URL(list.index + "pyodide.mjs", base).href);
  pyodide = await loadPyodide({
    indexURL: new URL(list.index, base).href,
    lockFileURL: new URL(list.lock, base).href,
    packageBaseUrl: new URL(list.index, base).href,
    stdout: () => {},
    stderr: () => {},
  });
  post("progress", { text: "Loading NumPy …", share: 0.92 });
  await pyodide.loadPackage(FIRST, { messageCallback: () => {}, errorCallback: () => {} });
  const Bridge = pyodide.pyimport("glassbox.page.bridge").Bridge;
  bridge = await withPackages(() => Bridge(JSON.stringify(text)));
  bodies.clear();
  post("ready");
}

/* Python names a missing module; when the runtime has it, it is loaded and the call made again. */
async function withPackages(call) {
  for (let tries = 0; ; tries += 1) {
    try {
      return call();
    } catch (error) {
      const missing = /No module named '([\w.]+)'/.exec(error.message)?.[1]?.split(".")[0];
      if (!missing || tries > 5) throw error;
      lost = undefined;
      await pyodide.loadPackage(missing, { messageCallback: () => {}, errorCallback: () => {} }).catch(() => {});
      if (lost) throw lost;
    }
  }
}

/* ---- questions ---- */

const jobs = new Map(); // figure -> the question it works on

async function ask({ name, seq, values }) {
  jobs.set(name, seq);
  const reply = (answer) => post("reply", { name, seq, ...answer });
  try {
    let answer = JSON.parse(await withPackages(() => bridge.open(name, JSON.stringify(values))));
    while (answer.more) {
      reply(answer);
      await pause();
      if (jobs.get(name) !== seq) return reply({ parts: answer.parts, more: false, stopped: true });
      answer = JSON.parse(await withPackages(() => bridge.step(name)));
    }
    reply(answer);
  } catch (error) {
    const why = error instanceof Failure ? error.message.replace(/\.$/, "") : String(error.message).trim().split("\n").pop();
    reply({ error: `Python could not draw this state (${why}); the picture shows the last good one.`, more: false });
  }
}

self.onmessage = async ({ data }) => {
  if (data.type === "ask") return ask(data);
  if (data.type === "stop") return jobs.delete(data.name);
  try {
    await start(data);
  } catch (error) {
    console.warn(error);
    post("failed", {
      why: error instanceof Failure ? error.message : "its files could not all be loaded, or do not belong to one build.",
    });
  }
};
