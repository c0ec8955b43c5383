/* Keeps the site readable without a network, for this folder of the server alone. The build puts before these
   lines: BUILD = {version, groups: {name: {path: start of the file's SHA-256}}}.

   Never half of an old build:
   * A build is kept only whole. Every file is compared with the hash it was built with; one that differs, as
     in the middle of an upload, makes the installation fail, and the build that was there stays.
   * Pages come from the network when it answers. All they load has its content's hash in its name, so an old
     copy of such a file is the right one or is never asked for.
   * Without network, pages come from the newest whole build.
   The group "shell" is kept at once; a chapter's figures and Python when a page says they were used. */
"use strict";

const SCOPE = new URL("./", self.location.href);
const PREFIX = `glassbox ${SCOPE.pathname} `; // other folders of the same server have caches of their own
const NAME = PREFIX + BUILD.version;
const FILES = new Map(Object.values(BUILD.groups).flatMap(Object.entries));
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

/* Puts one file of this build into its cache: from an older build's when it is the same, else from the network. */
async function take(cache, name) {
  if (await cache.match(address(name))) return;
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

/* Keeps whole groups; the record is written when all files are there. */
async function keep(names) {
  const cache = await caches.open(NAME);
  const had = await groups(cache);
  const wanted = names.filter((n) => n in BUILD.groups && !had.includes(n));
  if (!wanted.length) return had;
  for (const name of wanted) {
    const files = Object.keys(BUILD.groups[name]);
    while (files.length) await Promise.all(files.splice(0, 8).map((f) => take(cache, f)));
  }
  const all = [...new Set([...(await groups(cache)), ...wanted])];
  await cache.put(KEPT, new Response(JSON.stringify(all), { headers: { "content-type": "application/json" } }));
  return all;
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
  const kept = FILES.has(name) ? await (await caches.open(NAME)).match(address(name)) : undefined;
  const online = fetch(event.request.url, { cache: "no-cache", credentials: "same-origin", redirect: "manual" });
  const late = new Promise((next) => kept && setTimeout(next, PATIENCE));
  const response = await Promise.race([online.catch(() => undefined), late]);
  if (response && response.status < 500) {
    if (response.ok && !kept && FILES.has(name)) event.waitUntil(note(name, response.clone()));
    return response;
  }
  return kept || new Response(away(), { status: 503, headers: { "content-type": "text/html; charset=utf-8" } });
}

const away = () =>
  `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>No network · Glassbox</title>` +
  `<main><h1>This page was not kept</h1><p>There is no network, and this page was not opened on this device before. ` +
  `<a href="${SCOPE.pathname}index.html">The chapters</a> are kept.</p></main></html>`;

async function file(event, name) {
  const kept = await held(name);
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
    if (FILES.has(name) || request.mode === "navigate") event.respondWith(page(event, name));
  } else if (HASHED.test(name) || FILES.has(name)) event.respondWith(file(event, name));
});
self.addEventListener("message", (event) => {
  const { type, groups: names } = event.data || {};
  if (type !== "keep" || !Array.isArray(names)) return;
  const answer = (kept) => event.source?.postMessage({ type: "kept", groups: kept, version: BUILD.version });
  event.waitUntil(keep(names).then(answer, () => answer([])));
});
