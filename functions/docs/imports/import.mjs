// Brings a file of products into a shop, of nothing but Node's own modules:
//
//   BASE="https://…" TOKEN="esk_…" node import.mjs products.csv
//
// Shows what was wrong with which row, and ends with 0 when all rows are in. Run again, it changes what differs.
import { randomUUID } from "node:crypto";
import { openAsBlob } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const file = process.argv[2];

// call calls the platform, again after 429 and 5xx, and returns its answer. Anything else ends the program.
async function call(path, body) {
  const method = body ? "POST" : "GET";
  const headers = { Authorization: `Bearer ${process.env.TOKEN}` };
  if (body) {
    headers["Content-Type"] = "application/json";
    headers["Idempotency-Key"] = randomUUID(); // a POST that is repeated begins no second import
  }
  for (let attempt = 1; ; attempt++) {
    const request = { method, headers, body: body && JSON.stringify(body), signal: AbortSignal.timeout(60_000) };
    const response = await fetch(process.env.BASE + path, request);
    const text = await response.text();
    if (response.ok) return JSON.parse(text);
    if ((response.status !== 429 && response.status < 500) || attempt === 10) {
      throw new Error(`${method} ${path}: ${response.status} ${text}`);
    }
    await sleep(1000 * (Number(response.headers.get("Retry-After")) || 1));
  }
}

// upload sends the file, without the token. What broke off is sent again.
async function upload(address) {
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(address, { method: "PUT", body: await openAsBlob(file) }).catch((broken) => broken);
    if (response.ok || (response.status === 403 && attempt > 1)) return; // 403: only the answer before was lost
    if (response.status < 500 || attempt === 5) {
      throw new Error(`the file: ${response.status ? `${response.status} ${await response.text()}` : response.cause}`);
    }
    await sleep(1000 * attempt);
  }
}

const format = file.endsWith(".jsonl") ? "jsonl" : "csv";
let made = await call("/api-engine/imports", { type: "products", format, mode: "upsert" });
const path = `/api-engine/imports/${made.id}`;
await upload(made.uploadUrl);
while (made.state !== "done" && made.state !== "failed") {
  await sleep(1000);
  made = await call(path);
}
for (let query = "?itemsPerPage=250"; query; ) {
  const page = await call(`${path}/errors${query}`);
  for (const { row, location = "", message } of page.items) console.log(`row ${row}: ${location} ${message}`);
  query = page.nextCursor && `?cursor=${page.nextCursor}`;
}
console.log(made.state, made.rows);
process.exitCode = made.state === "failed" || made.rows.failed > 0 ? 1 : 0;
