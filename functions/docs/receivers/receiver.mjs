// A receiver of webhooks, of nothing but Node's own modules:
//
//   WEBHOOK_KEYS="whsec_…" PORT=8090 node receiver.mjs
//
// WEBHOOK_KEYS holds one signing key, or two while you rotate. Put it behind something that speaks https.
import { createHmac, timingSafeEqual } from "node:crypto";
import { writeSync } from "node:fs";
import { createServer } from "node:http";

// The 32 bytes that sign, of each whsec_… text.
const keys = (process.env.WEBHOOK_KEYS ?? "").split(/\s+/).filter(Boolean)
  .map((text) => Buffer.from(text.replace(/^whsec_/, ""), "base64"));
if (keys.some((key) => key.length !== 32)) throw new Error("WEBHOOK_KEYS holds a text that is no signing key");

// genuine says whether one of our keys signed this body within the last five minutes.
export function genuine(headers, body) {
  const stamp = headers["x-webhook-timestamp"] ?? "";
  const given = Buffer.from(headers["x-webhook-signature"] ?? "");
  if (!/^\d+$/.test(stamp) || Math.abs(Date.now() / 1000 - Number(stamp)) > 300) return false;
  return keys.some((key) => {
    const want = Buffer.from("sha256=" + createHmac("sha256", key).update(stamp + ".").update(body).digest("hex"));
    return want.length === given.length && timingSafeEqual(want, given);
  });
}

// The ids of what was handed on. Yours belong into your database, with a unique index, for 40 days.
const taken = new Set();

// take hands a webhook on, unless that was done before. Its id is kept only then: after an error it comes again.
function take(hook) {
  if (taken.has(hook.id)) return;
  // Put it into a queue of your own here: answer, then do the work.
  writeSync(1, `${hook.event} ${hook.id} ${JSON.stringify(hook.data)}\n`);
  taken.add(hook.id);
}

// receive answers a webhook with a status and a text, from its headers by their lower-case names and its raw body.
export function receive(headers, body) {
  if (!genuine(headers, body)) return [401, "not signed by the platform"];
  const hook = JSON.parse(body);
  if (hook.event === "ping") return [200, hook.data.nonce]; // proves that this address is yours
  take(hook);
  return [204];
}

function serve() {
  const server = createServer((request, response) => {
    const parts = [];
    let length = 0;
    request.on("data", (part) => {
      length += part.length;
      if (length > 1 << 20) request.destroy();
      parts.push(part);
    });
    request.on("end", () => {
      try {
        const body = Buffer.concat(parts); // the raw bytes, never parsed and written anew
        const [status, text] = receive(request.headers, body);
        response.writeHead(status).end(text);
      } catch {
        response.writeHead(500).end("cannot be taken now");
      }
    });
  });
  server.listen(Number(process.env.PORT ?? 8090), "127.0.0.1",
    () => console.log(`listening on 127.0.0.1:${server.address().port}`));
}

// A framework has a server of its own, and imports receive.
if (process.argv[1]?.endsWith("receiver.mjs")) serve();
