// Keeps a copy of a shop's products in a file, of nothing but Node's own modules:
//
//   BASE="https://…" TOKEN="esk_…" node sync.mjs products.json
//
// The first run takes an export, each later one what has changed since. One run at a time: it ends when all is there.
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const file = process.argv[2] ?? "products.json";

// What the file holds. Yours belongs into your database: a page and its cursor in one transaction.
const shop = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : { cursor: "", products: {} };

// call calls the platform, again after 429 and 5xx, and returns the status and what was answered. One status beside 2xx
// may be expected; any other ends the program.
async function call(path, { body, expected } = {}) {
  const method = body ? "POST" : "GET";
  const headers = { Authorization: `Bearer ${process.env.TOKEN}` };
  if (body) {
    headers["Content-Type"] = "application/json";
    headers["Idempotency-Key"] = randomUUID(); // a POST that is repeated begins no second export
  }
  for (let attempt = 1; ; attempt++) {
    const request = { method, headers, body: body && JSON.stringify(body), signal: AbortSignal.timeout(60_000) };
    const response = await fetch(process.env.BASE + path, request);
    const text = await response.text();
    if (response.ok || response.status === expected) return [response.status, JSON.parse(text)];
    if ((response.status !== 429 && response.status < 500) || attempt === 10) {
      throw new Error(`${method} ${path}: ${response.status} ${text}`);
    }
    await sleep(1000 * (Number(response.headers.get("Retry-After")) || 1));
  }
}

// begin fills the copy from an export and returns where the feed goes on from: a minute before the export was asked
// for, because what changes from then on may be in the file as it was before, or not at all.
async function begin() {
  let [, answer] = await call("/api-engine/exports", { body: { type: "products", format: "jsonl" } });
  while (answer.state !== "done") {
    if (answer.state === "failed") throw new Error(`the export failed: ${JSON.stringify(answer.error)}`);
    await sleep(1000);
    [, answer] = await call(`/api-engine/exports/${answer.id}`);
  }
  const response = await fetch(answer.downloadUrl); // without the token: this leads to another host
  if (!response.ok) throw new Error(`the file: ${response.status}`);
  let [products, rows, rest] = [{}, 0, ""];
  for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + part).split("\n");
    rest = lines.pop();
    for (const product of lines.map((line) => JSON.parse(line))) {
      products[product.id] = product; // one that is there twice is newer the second time
      rows++;
    }
  }
  if (rows !== answer.rows) throw new Error(`${rows} of ${answer.rows} lines came`);
  shop.products = products;
  return `types=products&from=${new Date(Date.parse(answer.created) - 60_000).toISOString()}`;
}

// apply brings the copy up to a page of the feed. What the feed names is fetched as it is now, so once is enough.
async function apply(page) {
  const newest = new Map();
  for (const entry of page) {
    if (!(entry.at < newest.get(entry.id)?.at)) newest.set(entry.id, entry);
  }
  for (const { id, change, at } of newest.values()) {
    if (change !== "deleted" && shop.products[id]?.changed >= at) continue; // the copy knows
    const gone = change === "deleted";
    const [status, product] = gone ? [404] : await call(`/api-engine/products/${id}`, { expected: 404 });
    if (status === 404) delete shop.products[id];
    else shop.products[id] = product;
  }
}

for (;;) {
  const changes = "/api-engine/changes?itemsPerPage=250&";
  let [status, page] = shop.cursor ? await call(`${changes}cursor=${shop.cursor}`, { expected: 410 }) : [410];
  if (status === 410) { // no cursor, or feed_expired: the copy begins anew
    [, page] = await call(changes + (await begin()));
  }
  if (!page.items.length && page.nextCursor === shop.cursor) break; // there is nothing newer
  await apply(page.items);
  shop.cursor = page.nextCursor;
  // A crash leaves the old file or the new one; what a run does again does no harm.
  writeFileSync(`${file}.new`, JSON.stringify(shop));
  renameSync(`${file}.new`, file);
}
console.log(Object.keys(shop.products).length, "products");
