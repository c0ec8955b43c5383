/* Keeps the site readable without a network, for this folder of the server alone. The build puts before these
   lines: BUILD = {version, groups: {name: {path: start of the file's SHA-256}}, bytes: {name: size of the group},
   raw: {path: [path of the same uncompressed, its hash]}}; js/worker.js asks for either of these two.

   Never half of an old build:
   * A build is kept only whole. Every file is compared with the hash it was built with; one that differs, as
     in the middle of an upload, makes the installation fail, and the build that was there stays.
   * Pages come from the network when it answers. All they load has its content's hash in its name, so an old
     copy of such a file is the right one or is never asked for.
   * Without network, pages come from the newest whole build.
   * An older build's open pages may still ask for their own files, which the build before keeps for them.
   The group "shell" is kept at once, a chapter's figures when it was opened. Python is kept when it was used, and
   with it all that the other chapters' figures answer from. "more" (figures alone) comes with the whole book. */
"use strict";

const SCOPE = new URL("./", self.location.href);
const PREFIX = `glassbox ${SCOPE.pathname} `; // other folders of the same server have caches of their own
const NAME = PREFIX + BUILD.version;
const FILES = new Map([...Object.values(BUILD.groups).flatMap(Object.entries), ...Object.values(BUILD.raw)]);
const HASHED = /[-.][0-9a-f]{8,}(?=[./])/;
const KEPT = new URL("@kept", SCOPE).href; // in a build's cache: which groups it holds
const PATIENCE = 4000; // ms to wait for a page from the network when it is at hand

const address = (path) => new URL(path, SCOPE).href;

/* The path below the site's folder, or null for what is none of ours. */
function path(url) {
  const { origin, pathname } = new URL(url);
  if (origin !== SCOPE.origin || !pathname.startsWith(SCOPE.pathname)) return null;
  let below;
  try {
    below = decodeURIComponent(pathname.slice(SCOPE.pathname.length));
  } catch {
    return null; // no address of ours is written like that
  }
  return below === "" || below.endsWith("/") ? `${below}index.html` : below;
}

/* The page of this build that a path means: some hosts leave ".html" out, or put a slash in its place. */
const meant = (name) => [name, `${name}.html`, name.replace(/\/index\.html$/, ".html")].find((n) => FILES.has(n));

async function genuine(name, response) {
  if (!response?.ok) return null;
  const body = await response.arrayBuffer();
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", body));
  const hash = [...digest].map((b) => b.toString(16).padStart(2, "0")).join("");
  if (!hash.startsWith(FILES.get(name))) return null;
  const headers = new Headers(response.headers);
  for (const h of ["content-encoding", "content-length", "transfer-encoding"]) headers.delete(h);
  return new Response(body, { status: 200, headers });
}

async function own() {
  return (await caches.keys()).filter((key) => key.startsWith(PREFIX));
}

/* The file from any build's cache, this one's first. */
async function held(name) {
  for (const key of [NAME, ...(await own()).filter((k) => k !== NAME).reverse()]) {
    const found = await (await caches.open(key)).match(address(name));
    if (found) return found;
  }
  return undefined;
}

/* Puts into the cache what a page has loaded uncompressed, which spares a second download. */
async function takeRaw(cache, name) {
  if (!name) return false;
  if (await cache.match(address(name))) return true;
  const near =
    (await held(name)) || (await fetch(address(name), { cache: "only-if-cached", mode: "same-origin" }).catch(() => null));
  const file = await genuine(name, near);
  if (file) await cache.put(address(name), file);
  return Boolean(file);
}

/* Puts one file of this build into its cache: from an older build's when it is the same, else from the network. */
async function take(cache, name) {
  if ((await cache.match(address(name))) || (await takeRaw(cache, BUILD.raw[name]?.[0]))) return;
  const old = await held(name);
  const fresh = async (cache) => genuine(name, await fetch(address(name), { cache, credentials: "same-origin" }));
  const file =
    (old && (await genuine(name, old))) || (await fresh(HASHED.test(name) ? "default" : "no-cache")) || (await fresh("reload")); // the browser may have kept a damaged copy
  if (!file) throw new Error(`${name} is not the file this build was made with`);
  await cache.put(address(name), file);
}

async function groups(cache) {
  const record = await cache.match(KEPT);
  return record ? record.json() : [];
}

/* What is kept together with these groups. */
const ALL = Object.keys(BUILD.groups);
const whole = (names) => (names.includes("runtime") ? ALL.filter((n) => n !== "more" || names.includes(n)) : names);

/* Keeps whole groups, small ones first; a group is on the record when all its files are there. */
async function keep(names, tell = () => {}) {
  const cache = await caches.open(NAME);
  const had = await groups(cache);
  const wanted = whole(names).filter((n) => ALL.includes(n) && !had.includes(n));
  wanted.sort((a, b) => BUILD.bytes[a] - BUILD.bytes[b]);
  for (const name of wanted) {
    const files = Object.keys(BUILD.groups[name]);
    let done = 0;
    while (done < files.length) {
      tell(name, done / files.length);
      await Promise.all(files.slice(done, (done += 8)).map((f) => take(cache, f)));
    }
    const all = [...new Set([...(await groups(cache)), name])];
    await cache.put(KEPT, new Response(JSON.stringify(all), { headers: { "content-type": "application/json" } }));
  }
}

async function install() {
  const before = (await own()).filter((k) => k !== NAME).at(-1);
  const used = before ? await groups(await caches.open(before)) : [];
  try {
    await keep(["shell", ...used]);
  } catch (error) {
    if (!self.registration.active || before) await caches.delete(NAME);
    throw error;
  }
  await self.skipWaiting();
}

/* The build before keeps what only its own open pages may still ask for; older ones go. */
async function activate() {
  const others = (await own()).filter((k) => k !== NAME);
  for (const key of others.slice(0, -1)) await caches.delete(key);
  const before = others.at(-1);
  if (before) {
    const cache = await caches.open(before);
    for (const request of await cache.keys()) {
      const name = path(request.url);
      if (FILES.has(name) || !HASHED.test(name)) await cache.delete(request);
    }
  }
  await self.clients.claim();
}

/* Keeps a file that was used, when it is this build's. */
async function note(name, response) {
  const file = await genuine(name, response);
  if (file) await (await caches.open(NAME)).put(address(name), file);
}

async function page(event, name) {
  const file = meant(name);
  const kept = file && (await (await caches.open(NAME)).match(address(file)));
  const online = fetch(event.request.url, { cache: "no-cache", credentials: "same-origin", redirect: "manual" });
  const late = new Promise((next) => kept && setTimeout(next, PATIENCE));
  const response = await Promise.race([online.catch(() => undefined), late]);
  if (response && !(kept && response.status >= 500)) {
    if (response.ok && file && !kept) event.waitUntil(note(file, response.clone()));
    return response;
  }
  if (!kept) return away(file);
  // A page's links start from its own address; one folder deeper they would lead nowhere.
  const { search } = new URL(event.request.url);
  return name.endsWith(`${file.slice(0, -5)}/index.html`) ? Response.redirect(address(file) + search) : kept;
}

/* What is shown in place of a page that the network does not bring and this device does not hold. */
async function away(file) {
  const cache = await caches.open(NAME);
  const links = [];
  for (const name of Object.keys(BUILD.groups.shell).filter((n) => /^[^/]+\.html$/.test(n))) {
    const title = /<title>([^<]*)<\/title>/.exec((await (await cache.match(address(name)))?.text()) || "")?.[1];
    if (title) links.push(`<li><a href="${address(name)}">${title}</a></li>`);
  }
  const styles = [...FILES.keys()].filter((n) => n.endsWith(".css")).map((n) => `<link rel="stylesheet" href="${address(n)}">`);
  const why = file
    ? "It is part of this site, but not of the copy on this device. Opened once with a network it is kept from then on."
    : "The copy of this site on this device has no page with this name.";
  const body =
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
    `<meta name="color-scheme" content="light dark"><title>This page is not kept here · Glassbox</title>${styles.join("")}` +
    `<main class="prose"><h1>This page is not kept on this device</h1><p>The site cannot be reached now. ${why}</p>` +
    (links.length ? `<p>These pages are kept:</p><ul>${links.join("")}</ul>` : "") +
    `</main></html>`;
  return new Response(body, { status: 503, headers: { "content-type": "text/html; charset=utf-8" } });
}

/* What is asked for as it is and kept compressed: a worker in the middle of a call can unpack nothing. */
async function unpacked(name) {
  const small = await held(`${name}.gz.bin`);
  return small && new Response(small.body.pipeThrough(new DecompressionStream("gzip")), { status: 200 });
}

async function file(event, name) {
  const kept = (await held(name)) || (await unpacked(name));
  if (kept) return kept;
  const response = await fetch(event.request);
  if (response.ok && FILES.has(name)) event.waitUntil(note(name, response.clone()));
  return response;
}

self.addEventListener("install", (event) => event.waitUntil(install()));
self.addEventListener("activate", (event) => event.waitUntil(activate()));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const name = request.method === "GET" ? path(request.url) : null;
  if (name === null || request.headers.has("range")) return;
  if (request.mode === "navigate" || name.endsWith(".html")) {
    if (meant(name) || request.mode === "navigate") event.respondWith(page(event, name));
  } else if (HASHED.test(name) || FILES.has(name)) event.respondWith(file(event, name));
});
/* A page asks what is kept, or for more to be kept: {type: "keep", groups} with no groups for the former. The answer
   says what is there, whatever became of the wish, and which build it is: the page may be of another. */
self.addEventListener("message", (event) => {
  const { type, groups: names } = event.data || {};
  if (type !== "keep" || !Array.isArray(names)) return;
  const say = (message) => event.source?.postMessage(message);
  const answer = async (error) => {
    const kept = await groups(await caches.open(NAME));
    const live = [...FILES.keys()].find((n) => n.endsWith("/js/live.js"));
    const failed = error && (error.name === "QuotaExceededError" ? "room" : "network");
    say({ type: "kept", groups: kept, bytes: BUILD.bytes, live, version: BUILD.version, failed });
  };
  const tell = (group, share) => say({ type: "keeping", group, share });
  event.waitUntil(keep(names, tell).then(() => answer(), answer));
});
