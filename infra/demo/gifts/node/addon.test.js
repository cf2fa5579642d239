import assert from "node:assert/strict";
import { mkdtempSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Addon, asGift } from "./addon.js";
import { genuine, parseKeys, sign } from "./webhook.js";

// The example of the guide /docs/webhooks: another implementation makes the same signature.
const keys = parseKeys("whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=");

test("the signature is the platform's", () => {
  const body = '{"id":"01","event":"ping","data":{"nonce":"n"}}';
  const at = 1795226712;
  const headers = {
    "x-webhook-timestamp": String(at),
    "x-webhook-signature": "sha256=badde4fd30cf6771afe04165cd747245ef02ae1eccf434be78c1e8320ef308e4",
  };
  for (const [name, text, now, want] of [
    ["as signed", body, at, true],
    ["five minutes later", body, at + 300, true],
    ["too old", body, at + 301, false],
    ["from the future", body, at - 360, false],
    ["another body", body + " ", at, false],
  ]) assert.equal(genuine(keys, headers, Buffer.from(text), now), want, name);
  assert.equal(genuine([], headers, Buffer.from(body), at), false, "without a key nothing is genuine");
  assert.throws(() => parseKeys("whsec_short"));
});

// serve listens with a handler until the test ends, and returns its address.
async function serve(t, handler) {
  const server = createServer(handler);
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  t.after(() => server.close());
  return `http://127.0.0.1:${server.address().port}`;
}

// open is the add-on beside a stand-in for the platform, with one shop. It notes each call but those that read; what
// meanwhile has by a call's name comes to the add-on during that, once.
async function open(t) {
  const platform = { calls: [], codes: [], down: false, meanwhile: {} };
  platform.url = await serve(t, async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    const sent = Buffer.concat(parts).toString();
    const body = sent.startsWith("{") ? JSON.parse(sent) : {};
    const call = `${request.method} ${request.url.split("?")[0]}`;
    if (request.method !== "GET") platform.calls.push(call);
    const comes = platform.meanwhile[call];
    delete platform.meanwhile[call];
    await comes?.();
    const answer = (status, fields) => response.writeHead(status).end(JSON.stringify(fields));
    if (platform.down) return answer(503, { code: "unavailable", detail: "Try again.", requestId: "01R" });
    if (call === "POST /api-engine/tokens" && body.installCode === "the-code") return answer(201, { token: "esk_secret", shopId: "S1" });
    if (request.headers.authorization !== "Bearer esk_secret") return answer(401, { code: "unauthenticated" });
    switch (call) {
      case "GET /api-engine/shop": return answer(200, { id: "S1", websiteUrl: "https://shop.example", locale: "sk_SK" });
      case "GET /api-engine/custom-codes": return answer(200, { items: platform.codes });
      case "POST /api-engine/custom-codes":
        platform.codes.push({ ...body, id: "C1", packageId: "P1" });
        return answer(201, platform.codes[0]);
      case "GET /api-engine/products/T1":
        return answer(200, { priceLevels: [{ level: "vip", price: "1.00" }, { level: "default", price: "199.95" }] });
      case "POST /basket-price-quote-images": return answer(sent.includes("the picture") ? 201 : 415, { id: "I1" });
      case "POST /basket-price-quotes":
        return answer(201, { quoteToken: `${body.productId} for ${body.unitPrice}, ${body.note} ${body.imageIds}` });
      default: return answer(200, {});
    }
  });
  const file = join(mkdtempSync(join(tmpdir(), "addon-")), "shops.json");
  const started = () => new Addon({ platform: platform.url, address: "https://addon.example", keys, file });
  return { platform, file, started, addon: started() };
}

// post sends a webhook that the platform has signed.
async function post(address, hook) {
  const body = typeof hook === "string" ? hook : JSON.stringify(hook);
  const stamp = String(Math.floor(Date.now() / 1000));
  const headers = { "X-Webhook-Timestamp": stamp, "X-Webhook-Signature": sign(keys[0], stamp, Buffer.from(body)) };
  return fetch(`${address}/hooks`, { method: "POST", headers, body });
}

// life is a webhook of the package's life.
const life = (event, occurredAt, installCode) => ({ id: "01", event, shopId: "S1", data: { occurredAt, installCode } });

// wanted is a gift with its label's picture: "the picture", in base64.
const wanted = '{"productId":"T1","label":"Babke","picture":"dGhlIHBpY3R1cmU="}';

// ask asks for a quote, as a page of this origin does.
const ask = (address, origin, body = wanted, method = "POST") =>
  fetch(`${address}/quotes`, { method, headers: { Origin: origin }, body: body || undefined });

test("only the platform is heard", async (t) => {
  const { addon } = await open(t);
  const address = await serve(t, addon.serve);
  assert.equal(await (await post(address, { event: "ping", data: { nonce: "the-nonce" } })).text(), "the-nonce");
  assert.equal((await post(address, { event: "productChange" })).status, 204);
  assert.equal((await post(address, "{")).status, 400);
  assert.equal((await fetch(`${address}/hooks`, { method: "POST", body: '{"event":"ping"}' })).status, 401);
});

test("an activation installs once, and a deactivation forgets", async (t) => {
  const { platform, addon, started, file } = await open(t);
  const address = await serve(t, addon.serve);
  const [before, first, later] = ["2026-11-20T00:00:00.000Z", "2026-11-21T02:05:12.583Z", "2026-11-21T03:00:00.000Z"];
  for (const [hook, status] of [
    [life("packageActivate", first), 204], // a test event has no code
    [life("packageActivate", before, "a-used-code"), 204], // the token was lost; no other attempt would mend that
    [life("packageActivate", before, "the-code"), 204],
    [life("packageActivate", first, "the-code"), 204],
    [life("packageActivate", first, "the-code"), 204], // it came again
  ]) assert.equal((await post(address, hook)).status, status);
  assert.equal(platform.calls.filter((call) => call === "POST /api-engine/tokens").length, 2);
  assert.equal(platform.codes.length, 1);
  assert.ok(platform.codes[0].code.includes("'https://addon.example/quotes'"));
  const restarted = await serve(t, started().serve);
  assert.equal((await ask(restarted, "https://shop.example")).status, 200);
  if (process.platform !== "win32") assert.equal(statSync(file).mode & 0o777, 0o600, "others read the tokens");
  assert.equal((await post(address, life("packageDeactivate", before))).status, 204);
  assert.equal((await ask(address, "https://shop.example")).status, 200);
  assert.equal((await post(address, life("packageDeactivate", later))).status, 204);
  assert.equal((await post(address, life("packageActivate", first, "the-code"))).status, 204); // it comes late
  assert.equal((await ask(address, "https://shop.example")).status, 403);
});

test("what comes while the platform is asked counts", async (t) => {
  const [first, later] = ["2026-11-21T02:05:12.583Z", "2026-11-21T03:00:00.000Z"];
  const tokens = "POST /api-engine/tokens";
  const deactivated = life("packageDeactivate", later);
  const activated = (code) => life("packageActivate", first, code);
  for (const [name, code, during, comes, status, codes] of [
    ["a deactivation during the exchange", "the-code", tokens, deactivated, 403, 0],
    ["a deactivation before the widget is there", "the-code", "GET /api-engine/shop", deactivated, 403, 0],
    ["two at once, the second is exchanged", "a-used-code", tokens, activated("the-code"), 200, 1],
    ["two at once, the first is exchanged", "the-code", tokens, activated("a-used-code"), 200, 1],
  ]) await t.test(name, async (t) => {
    const { platform, addon } = await open(t);
    const address = await serve(t, addon.serve);
    platform.meanwhile[during] = async () => assert.equal((await post(address, comes)).status, 204);
    assert.equal((await post(address, activated(code))).status, 204);
    assert.deepEqual(platform.meanwhile, {}, "it came not");
    assert.equal(platform.calls.filter((call) => call.includes("custom-codes")).length, codes);
    assert.equal((await ask(address, "https://shop.example")).status, status);
  });
});

test("a token by hand forgets nothing", async (t) => {
  const [before, first, later] = ["2026-11-20T00:00:00.000Z", "2026-11-21T02:05:12.583Z", "2026-11-21T03:00:00.000Z"];
  const { addon } = await open(t);
  const address = await serve(t, addon.serve);
  assert.equal((await post(address, life("packageActivate", first, "the-code"))).status, 204);
  for (const [deactivated, status] of [[before, 200], [later, 403]]) {
    await addon.setUp({ token: "esk_secret" });
    assert.equal((await ask(address, "https://shop.example")).status, 200);
    assert.equal((await post(address, life("packageDeactivate", deactivated))).status, 204);
    assert.equal((await ask(address, "https://shop.example")).status, status);
  }
  await addon.setUp({ token: "esk_secret" });
  assert.equal((await ask(address, "https://shop.example")).status, 200);
});

test("a quote is made for pages of the shop", async (t) => {
  const { platform, addon } = await open(t);
  const address = await serve(t, addon.serve);
  await addon.setUp({ token: "esk_secret" });
  const made = await ask(address, "https://shop.example");
  assert.deepEqual(await made.json(), { quoteToken: "T1 for 219.95, Darčekové balenie: Babke I1", unitPrice: "219.95" });
  assert.equal(made.headers.get("Access-Control-Allow-Origin"), "https://shop.example");
  assert.equal((await ask(address, "https://shop.example", "", "OPTIONS")).status, 200);
  // refused says whether an answer is of this status, and a text.
  const refused = (answer, status) => {
    assert.equal(answer.status, status);
    assert.equal(answer.headers.get("Content-Type"), "text/plain; charset=utf-8");
    return answer;
  };
  for (const origin of ["https://other.example", "", "null"]) refused(await ask(address, origin), 403);
  for (const part of [{ productId: "" }, { productId: 1 }, { label: undefined }, { picture: "" }, { picture: undefined }]) {
    refused(await ask(address, "https://shop.example", JSON.stringify({ ...JSON.parse(wanted), ...part })), 400);
  }
  refused(await ask(address, "https://shop.example", "{"), 400);
  refused(await ask(address, "https://shop.example", wanted, "PUT"), 400);
  refused(await fetch(address), 404);
  refused(await fetch(`${address}/hooks`, { method: "POST", body: "{}" }), 401);
  assert.equal((await ask(address, "https://shop.example", wanted.replace("Babke", ""))).status, 200);
  platform.down = true;
  const said = t.mock.method(console, "error", () => {});
  const failed = refused(await ask(address, "https://shop.example"), 502);
  const words = /503 unavailable: Try again\. \(request 01R\)/;
  assert.match(await failed.text(), words);
  assert.match(said.mock.calls[0].arguments.join(" "), words, "the log does not say why");
});

test("money is rounded", () => {
  for (const [price, want] of [["199.95", "219.95"], ["0.04", "0.04"], ["0.05", "0.06"], ["1000.00", "1100.00"]]) {
    assert.equal(asGift(price), want);
  }
});
