// Gets an add-on its token on each shop that activates its package, from what comes to systemUrl. Beside receiver.mjs:
//
//   WEBHOOK_KEYS="whsec_…" BASE="https://…" SETUP="https://…/setup" PORT=8090 node install.mjs shops.json
//
// WEBHOOK_KEYS holds the package's system key, or two while you rotate; BASE is the platform's address, and SETUP your
// page where an admin of the shop goes on.
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { genuine } from "./receiver.mjs";

// The shops by their ids: since when each has the package or has it no more, and the token. Yours belong into your
// database; keep tokens as you keep passwords.
const file = process.argv[2] ?? "shops.json";
const shops = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};

// keep keeps what is news of a shop. More may have come during an exchange: nothing older is kept over what is known, and
// of one activation no lost token over the good one.
function keep(id, shop) {
  const known = shops[id]?.since;
  if (shop.since < known || (shop.since === known && !shop.token)) return;
  shops[id] = shop;
  writeFileSync(`${file}.new`, JSON.stringify(shops), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

// exchange returns the token for a code; undefined if another code of this activation was used, and its token lost.
async function exchange(installCode) {
  const response = await fetch(`${process.env.BASE}/api-engine/tokens`, { method: "POST",
    headers: { "Content-Type": "application/json" }, body: JSON.stringify({ installCode }),
    signal: AbortSignal.timeout(5_000) }); // of the ten seconds in which to answer
  if (response.status === 401) return undefined;
  if (!response.ok) throw new Error(`no token: ${response.status} ${await response.text()}`);
  return (await response.json()).token;
}

// take does what a webhook says, and returns what to answer. Of one shop only what is newer than what is known counts:
// an attempt that comes again, or an activation that comes after the deactivation behind it, changes nothing.
async function take({ event, shopId, data: { occurredAt, installCode } }) {
  if (event === "packageDeactivate") keep(shopId, { since: occurredAt });
  if (event !== "packageActivate") return undefined; // put what else there is into a queue of your own
  if (!(occurredAt <= shops[shopId]?.since)) {
    const token = await exchange(installCode); // before the answer: after it no other code comes
    if (!token) console.error(`${shopId}: the token was lost, so deactivate and activate the package there`);
    keep(shopId, { since: occurredAt, token });
  }
  // Once an admin was there, keep ready: true, and say so with the token: PATCH /api-engine/package {"setup":"done"}.
  const { token, ready } = shops[shopId];
  return token && !ready ? { setup: "required", setupUrl: `${process.env.SETUP}?shop=${shopId}` } : { setup: "done" };
}

createServer(async (request, response) => {
  try {
    const parts = [];
    let length = 0;
    for await (const part of request) {
      if ((length += part.length) > 1 << 20) return request.destroy();
      parts.push(part);
    }
    const body = Buffer.concat(parts); // the raw bytes, never parsed and written anew
    if (!genuine(request.headers, body)) return response.writeHead(401).end("not signed by the platform");
    response.end(JSON.stringify((await take(JSON.parse(body))) ?? {}));
  } catch (error) {
    console.error(error.message); // the webhook comes again, with another code
    response.writeHead(500).end("cannot be taken now");
  }
}).listen(Number(process.env.PORT ?? 8090), "127.0.0.1");
