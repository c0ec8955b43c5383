/* The worker that holds Python. It loads Pyodide from the site's own folder, checks every file against the
   manifest, and answers figures through glassbox.page.bridge.

   Figures that one page embeds are pages of their own here, each with its number in all it says and hears; what has
   none concerns all. They share Python and its modules: values, cells and long work are each page's own. */

import { download, Failure, Progress } from "./download.js";

const STALL = 20_000; // ms that a list of files may take

const post = (type, rest = {}) => self.postMessage({ type, ...rest });
const pause = () => new Promise((next) => setTimeout(next));

/* ---- downloads ---- */

const plainFetch = self.fetch.bind(self);
let base;
let expected = new Map(); // address that is asked for -> {url, bytes, integrity}
const bodies = new Map(); // address -> promise of a Response's parts
let lost; // why the last file that did not come did not come
let coming = new Progress();
let whom; // the page that files come for; all of them while Python starts

let last = -1;
function report(bytes) {
  coming.add(bytes);
  const { share, text } = coming;
  if (share - last < 0.01 && share < 1) return;
  last = share;
  const word = share < 1 ? { text: "Loading Python", amount: text, share: share * 0.8 } : { text: "Starting Python", share: 0.8 };
  post("progress", { page: whom, ...word });
}

function body(address) {
  if (!bodies.has(address)) {
    const file = expected.get(address);
    const share = file.sent / file.bytes; // what is counted is what travels
    const get = ({ url, ...it }) => download(new URL(url, base).href, it, (n) => report(n * share), plainFetch);
    // The host is out of reach by now, and the copy on this device may hold the other form.
    const parts = get(file).catch(async (error) => {
      if (!file.packed || !(await keptHere()).has(new URL(file.packed.url, base).href)) throw error;
      return get(file.packed);
    });
    bodies.set(address, parts);
    parts.catch((error) => {
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

/* Of a file that lies there twice, the one to fetch: what is kept on this device; else the uncompressed one where the
   host sends its .br in its place; else the compressed one, which this page unpacks itself. */
function variant(file, brotli, kept) {
  const at = (url) => new URL(url, base).href;
  const raw = file.raw && !kept.has(at(file.url)) && (brotli || kept.has(at(file.holds)));
  return raw ? { url: file.holds, ...file.raw, packed: file } : { ...file, sent: file.bytes };
}

/* Whether the host sends a file's .br in its place: this one's says so in its answer's head. */
async function sendsBrotli(address) {
  const answer = await plainFetch(address, { method: "HEAD" }).catch(() => undefined);
  return answer?.headers.get("content-encoding") === "br";
}

/* The addresses that js/sw.js keeps on this device. */
async function keptHere() {
  try {
    const names = await self.caches.keys();
    const held = await Promise.all(names.map(async (name) => (await self.caches.open(name)).keys()));
    return new Set(held.flat().map((request) => request.url));
  } catch {
    return new Set(); // such a page may keep nothing
  }
}

/* ---- start ---- */

let pyodide;
let site; // the list of its files, once Python runs
let started; // a promise of that
let shown; // a promise that the site's own model is read
const pages = new Map(); // number -> {bridge, jobs: figure -> the question it works on, laid: control -> path of its file}
const QUIETLY = { messageCallback: () => {}, errorCallback: () => {} };
let packages = {};
let whole = {}; // what a page starts with is a part of these: "" is the standard library

/* The interpreter is one program in two files: the functions that figures run on, and the rest. Where one of those is
   missed, the call waits for them: code in the middle of a call can wait for nothing that comes later. */
function inTwo(create, rest) {
  return (settings) => {
    const instantiate = settings.instantiateWasm;
    settings.instantiateWasm = (imports, done) => {
      let given;
      const load = () => fetchRest(rest, given);
      return instantiate({ ...imports, rest: { load } }, (instance, module) => {
        given = instance.exports;
        const own = Object.entries(given).filter(([name]) => !name.startsWith("rest "));
        done({ exports: Object.fromEntries(own) }, module);
      });
    };
    return create(settings);
  };
}

function fetchRest(rest, given) {
  const request = new XMLHttpRequest();
  request.open("GET", new URL(rest.holds, base).href, false);
  request.responseType = "arraybuffer";
  try {
    request.send();
    if (request.status !== 200 || request.response.byteLength !== rest.size) throw new Error(`answer ${request.status}`);
    new WebAssembly.Instance(new WebAssembly.Module(request.response), { first: given });
  } catch (error) {
    post("failed", { why: "a part of it that is rarely needed could not be loaded." });
    throw error;
  }
  given["rest loaded"].value = 1;
}

async function start({ base: root, manifest }, program) {
  base = root;
  const probe = new URL("brotli.bin", base).href;
  const [list, text, brotli, kept] = await Promise.all([json(manifest), program, sendsBrotli(probe), keptHere()]);
  ({ packages, whole } = list);
  const own = list.model?.files ?? []; // of a site that shows another model than ours
  const first = [...list.first, ...text.packages];
  const later = text.packages.map((name) => packages[name]);
  const files = [...list.start, ...own, ...Object.values(packages), ...Object.values(whole)];
  const asked = (file) => new URL(file.holds ?? file.url, base).href;
  expected = new Map(files.map((f) => [asked(f), variant(f, brotli, kept)]));
  const size = (file) => expected.get(asked(file)).sent;
  coming = new Progress([...list.start, ...own, ...later].reduce((sum, f) => sum + size(f), 0));
  // What the interpreter starts from comes first; the packages come while it is compiled.
  const isPackage = (f) => list.first.includes((f.holds ?? f.url).split("/").pop().split("-")[0]);
  const core = Promise.all(list.start.filter((f) => !isPackage(f)).map((f) => body(asked(f))));
  const all = core.then(() => Promise.all([...list.start.filter(isPackage), ...later].map((f) => body(asked(f)))));
  const failed = new Promise((_, fail) => all.catch(fail)); // Pyodide may wait for ever for a file that did not come
  all.then(() => post("progress", { text: "Starting Python", share: 0.85 })).catch(() => {});
  const scripts = Promise.all(list.start.filter((f) => /\/pyodide(\.asm)?\.js$/.test(f.url)).map((f) => body(asked(f))));
  await Promise.race([scripts, failed]);
  const [{ loadPyodide }, { default: createPyodideModule }] = await Promise.all(
    ["pyodide.js", "pyodide.asm.js"].map((name) => import(new URL(list.index + name, base).href)),
  );
  const starting = loadPyodide({
    createPyodideModule: inTwo(createPyodideModule, list.rest), // Pyodide would ask for a file named .mjs, whose type many servers do not know
    indexURL: new URL(list.index, base).href,
    stdLibURL: new URL(list.stdlib, base).href,
    lockFileURL: new URL(list.lock, base).href,
    packageBaseUrl: new URL(list.index, base).href,
    stdout: () => {},
    stderr: () => {},
  });
  pyodide = await Promise.race([starting, failed]);
  await all;
  post("progress", { text: "Starting NumPy", share: 0.92 });
  await pyodide.loadPackage(first, QUIETLY);
  bodies.clear();
  site = list;
}

/* A page comes: the first one starts Python. */
async function open({ page, program, ...data }) {
  const mine = { jobs: new Map(), laid: new Map() };
  pages.set(page, mine);
  const text = json(program);
  started ??= start(data, text);
  const [found] = await Promise.all([text, started]);
  const missing = found.packages.filter((name) => !(name in pyodide.loadedPackages));
  if (missing.length) await load(missing, page);
  const bridge = () => pyodide.pyimport("glassbox.page.bridge").Bridge(JSON.stringify(found));
  mine.bridge = await withPackages(bridge, page);
  if (site.model) await (shown ??= home(site.model, mine.bridge));
  if (pages.has(page)) post("ready", { page });
  else mine.bridge.destroy();
}

/* It goes; the others stay. */
function close(page) {
  const { bridge, jobs } = pages.get(page);
  pages.delete(page);
  jobs.clear();
  bridge?.destroy();
}

/* The bytes of a package that is asked for later, with those that it needs itself. */
function bytesOf(name, counted = new Set()) {
  const file = packages[name];
  if (!file || counted.has(name)) return 0;
  counted.add(name);
  return (
    expected.get(new URL(file.holds ?? file.url, base).href).sent + file.depends.reduce((sum, d) => sum + bytesOf(d, counted), 0)
  );
}

/* The package of a module that is not loaded yet: it has the module's name, or that of one the module lies in. */
function packageOf(module) {
  const parts = module.split(/[._]/);
  const names = parts.map((_, n) => parts.slice(0, parts.length - n).join("-"));
  return names.find((name) => name in packages && !(name in pyodide.loadedPackages));
}

/* Loads packages for a page that asks, with those that they need. */
async function load(names, page) {
  const counted = new Set();
  whom = page;
  lost = undefined;
  last = -1;
  coming = new Progress(names.reduce((sum, name) => sum + bytesOf(name, counted), 0));
  await pyodide.loadPackage(names, QUIETLY).catch(() => {});
  if (lost) throw lost;
}

/* Python names missing modules; those that the runtime has are loaded, all at once, and the call is made again. */
async function withPackages(call, page) {
  for (let tries = 0; ; tries += 1) {
    try {
      return call();
    } catch (error) {
      const listed = /No module named ('[\w.]+'(?:, '[\w.]+')*)/.exec(error.message)?.[1].match(/\w[\w.]*/g);
      const within = /cannot import name '(\w+)' from '([\w.]+)'/.exec(error.message);
      const missing = listed ?? (within && [`${within[2]}.${within[1]}`]);
      if (!missing || tries > 5) throw error;
      const top = missing[0].split(".")[0];
      const known = missing.map(packageOf).filter(Boolean);
      if (known.length) await load(known, page);
      else await complete(top in whole ? top : "", error, page);
    }
  }
}

/* Puts the whole of a package, or of the standard library, in the place of the part that most pages need. */
async function complete(name, error, page) {
  const file = whole[name];
  if (!file) throw error; // it is whole already, and has no such module
  delete whole[name];
  whom = page;
  last = -1;
  coming = new Progress(file.bytes);
  const { body: bytes } = await body(new URL(file.url, base).href);
  pyodide.FS.writeFile("/tmp/whole.zip", bytes);
  pyodide.pyimport("glassbox.page.whole").complete("/tmp/whole.zip", name);
}

/* ---- questions ---- */

/* A file that the reader chose is laid where Python reads it, once; in its place the question holds the path. */
async function lay(values, page) {
  const { laid } = pages.get(page);
  for (const [name, file] of Object.entries(values)) {
    if (!(file instanceof File)) continue;
    const folder = `/chosen/${page}/${name}-${file.lastModified}-${file.size}`;
    const path = `${folder}/${file.name.replace(/[/\0]/g, "_")}`;
    if (laid.get(name) !== path) {
      const bytes = new Uint8Array(await file.arrayBuffer());
      if (laid.has(name)) pyodide.FS.unlink(laid.get(name));
      laid.delete(name);
      pyodide.FS.mkdirTree(folder);
      pyodide.FS.writeFile(path, bytes);
      laid.set(name, path);
    }
    values[name] = path;
  }
  return JSON.stringify(values);
}

async function ask({ page, name, seq, values }) {
  const { bridge, jobs } = pages.get(page);
  jobs.set(name, seq);
  const reply = (answer) => post("reply", { page, name, seq, ...answer });
  try {
    const wire = await lay(values, page);
    let answer = JSON.parse(await withPackages(() => bridge.open(name, wire), page));
    while (answer.more) {
      reply(answer);
      await pause();
      if (jobs.get(name) !== seq) return reply({ parts: answer.parts, more: false, stopped: true });
      answer = JSON.parse(await withPackages(() => bridge.step(name), page));
    }
    reply(answer);
  } catch (error) {
    const why = error instanceof Failure ? error.message.replace(/\.$/, "") : String(error.message).trim().split("\n").pop();
    reply({ error: `Python could not draw this state (${why}); the picture shows the last good one.`, more: false });
  }
}

/* ---- a model of the reader's own ---- */

const PLACE = "/reader";
const HOME = 2.6e9; // bytes of weights that fit beside Python
let mounted;
let reading; // the number of the reading that goes on

function unmount() {
  if (!mounted) return;
  pyodide.FS.unmount(mounted);
  pyodide.FS.rmdir(mounted);
  mounted = undefined;
}

/* Files stay where they are: Python reads slices of them through the browser. */
function mount(name, files) {
  unmount();
  const folder = `${PLACE}/${name.replace(/[^\w .-]/g, "_").replace(/^\.+/, "") || "model"}`;
  pyodide.FS.mkdirTree(folder);
  pyodide.FS.mount(pyodide.FS.filesystems.WORKERFS, { files }, folder);
  mounted = folder;
  return folder;
}

/* The model that this site was built to show. */
async function home({ name, files }, bridge) {
  const found = [];
  for (const file of files) {
    const { body: bytes } = await body(new URL(file.url, base).href);
    found.push(new File([bytes], file.url.split("/").pop()));
  }
  const folder = mount(name, found);
  let answer = JSON.parse(await withPackages(() => bridge.bring(folder, HOME)));
  while (answer.more) answer = JSON.parse(bridge.read_on());
  unmount();
  if (answer.error) throw new Failure(answer.error);
}

async function bring({ page, seq, name, files, memory }) {
  const { bridge, jobs } = pages.get(page);
  reading = seq;
  const reply = (answer) => post("model", { page, seq, ...answer });
  const ours = () => JSON.parse(bridge.ours());
  try {
    jobs.clear();
    if (!files) return reply(ours());
    const folder = mount(name, files);
    let answer = JSON.parse(await withPackages(() => bridge.bring(folder, memory)));
    while (answer.more) {
      reply(answer);
      await pause();
      if (reading !== seq) {
        unmount();
        return reply(ours());
      }
      answer = JSON.parse(bridge.read_on());
    }
    unmount();
    reply({ ...answer, memory: pyodide._module.HEAPU8.byteLength });
  } catch (error) {
    const why = error instanceof Failure ? error.message : String(error.message).trim().split("\n").pop();
    reply({ ...ours(), error: why.replace(/^\w*Error: /, "") });
  }
}

self.onmessage = async ({ data }) => {
  const { type, page } = data;
  if (type === "ask") return ask(data);
  if (type === "model") return bring(data);
  if (type === "halt") return (reading = undefined);
  if (type === "stop") return pages.get(page).jobs.delete(data.name);
  if (type === "leave") return close(page);
  try {
    await open(data);
  } catch (error) {
    console.warn(error);
    post("failed", {
      page: site && page, // once Python runs a page fails alone
      why: error instanceof Failure ? error.message : "its files could not all be loaded, or do not belong to one build.",
    });
  }
};
