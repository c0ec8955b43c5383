/* Downloads of the browser's Python, for the page's worker and for the editor: counted, compared with the hash they
   were built with, fetched past the browser's own copy where that is damaged, given up when no byte comes. */

const STALL = 20_000; // ms without a byte before a download counts as stopped
const SOON = 2_000; // ms after which the speed of the line is known well enough to say how long it takes

/* A reason that a reader can be told. */
export class Failure extends Error {}
class Altered extends Failure {} // not what the site was built with: the browser may have kept an old copy

const size = (bytes) => bytes.toLocaleString("en");

/* Fetches one file of the manifest, {bytes, integrity}; `count` hears of every piece that arrives. What is named
   .gz.bin is unpacked here: not every host compresses what it sends, and some say of a .gz that it is encoded. */
export async function download(address, file, count, fetch) {
  let whole;
  try {
    whole = await fetched(address, file, count, "default", fetch);
  } catch (error) {
    if (!(error instanceof Altered)) throw error;
    whole = await fetched(address, file, () => {}, "reload", fetch);
  }
  return address.endsWith(".gz.bin") ? { body: await unpacked(whole.body), type: whole.type } : whole;
}

async function unpacked(body) {
  const pieces = new Blob([body]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(pieces).arrayBuffer());
}

async function fetched(address, file, count, cache, fetch) {
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
    const response = await fetch(address, { cache, signal: abort.signal, ...(digests ? {} : { integrity: file.integrity }) });
    if (!response.ok) throw new Failure(missing(name, response.status));
    const chunks = [];
    let length = 0;
    const reader = response.body.getReader();
    for (let step; !(step = await reader.read()).done; ) {
      wait();
      chunks.push(step.value);
      length += step.value.length;
      count(step.value.length);
    }
    const body = new Uint8Array(await new Blob(chunks).arrayBuffer());
    if (length !== file.bytes)
      throw new Altered(`the file ${name} came with ${size(length)} bytes instead of ${size(file.bytes)}.`);
    if (digests) {
      const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", body));
      const same = `sha256-${btoa(String.fromCharCode(...digest))}` === file.integrity;
      if (!same) throw new Altered(`the file ${name} differs from the one this site was built with.`);
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

/* Some servers answer 404 for an ending that they know no type for. */
function missing(name, status) {
  const rare = /\.(whl|wasm|mjs)$/.exec(name)?.[1];
  const hint = rare && status === 404 ? `, or the server has no type for .${rare} (“types” in hosting/README.md)` : "";
  return `the file ${name} is missing on the server (${status})${hint}.`;
}

/* What a module's type must be; hosts that send another are told which line of the hosting notes helps. */
export const isScript = (type) => /^(text|application)\/(x-)?(java|ecma)script/i.test(type);
export const wrongType = (name, type) =>
  `the server sends ${name} as “${type || "no type"}” instead of “text/javascript” (“types” in hosting/README.md).`;

/* How much has come, how much is to come, and how long that takes at the speed so far. */
export class Progress {
  constructor(total = 0, now = () => performance.now()) {
    Object.assign(this, { total, now, loaded: 0, began: now() });
  }
  add(bytes) {
    this.loaded += bytes;
  }
  get share() {
    return this.total ? Math.min(this.loaded / this.total, 1) : 0;
  }
  /* As “4.2 of 14.3 MB, about 35 seconds left”. */
  get text() {
    const mb = (bytes) => (bytes / 1e6).toFixed(1);
    const amount = `${mb(Math.min(this.loaded, this.total))} of ${mb(this.total)} MB`;
    const past = this.now() - this.began;
    if (past < SOON || !this.loaded || this.share === 1) return amount;
    return `${amount}, about ${lasting((past * (this.total - this.loaded)) / this.loaded / 1000)} left`;
  }
}

function lasting(seconds) {
  if (seconds >= 90) return `${Math.round(seconds / 60)} minutes`;
  if (seconds > 10) return `${5 * Math.ceil(seconds / 5)} seconds`;
  return seconds > 1.5 ? `${Math.ceil(seconds)} seconds` : "a second";
}
