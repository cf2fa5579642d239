// Keeps the names of products the same in a file and in a shop, of nothing but Node's own modules:
//
//   BASE="https://…" TOKEN="esk_…" node both.mjs names.json
//
// Who changes a name in the file puts the product's id into "changed". One run at a time.
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const file = process.argv[2] ?? "names.json";
const ours = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : { cursor: "", names: {}, changed: [] };

function save() {
  writeFileSync(`${file}.new`, JSON.stringify(ours));
  renameSync(`${file}.new`, file);
}

// call calls the platform, again after 429 and 5xx, and returns what was answered: nothing of a product that is gone.
async function call(path, body) {
  const headers = { Authorization: `Bearer ${process.env.TOKEN}`, "Content-Type": "application/json" };
  for (let attempt = 1; ; attempt++) {
    const request = { method: body ? "PATCH" : "GET", headers, body: body && JSON.stringify(body) };
    const response = await fetch(process.env.BASE + path, { ...request, signal: AbortSignal.timeout(60_000) });
    const text = await response.text();
    if (response.ok) return JSON.parse(text);
    if (response.status === 404) return undefined;
    if ((response.status !== 429 && response.status < 500) || attempt === 10) {
      throw new Error(`${path}: ${response.status} ${text}`);
    }
    await sleep(1000 * (Number(response.headers.get("Retry-After")) || 1));
  }
}

// Ours first: where both sides have changed a name, the file's holds.
while (ours.changed.length) {
  const id = ours.changed[0];
  await call(`/api-engine/products/${id}`, { name: ours.names[id] });
  ours.changed.shift();
  save();
}

// Then theirs, as it is now. What we did ourselves is an echo. A name that comes from there is not "changed" here.
for (;;) {
  const from = ours.cursor ? `cursor=${ours.cursor}` : "types=products&itemsPerPage=250";
  const page = await call(`/api-engine/changes?${from}`);
  for (const id of new Set(page.items.filter((entry) => entry.by !== "self").map((entry) => entry.id))) {
    const product = await call(`/api-engine/products/${id}`);
    if (product) ours.names[id] = product.name;
    else delete ours.names[id];
  }
  if (!page.items.length && page.nextCursor === ours.cursor) break;
  ours.cursor = page.nextCursor;
  save();
}
