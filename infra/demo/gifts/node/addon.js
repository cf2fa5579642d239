import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { Refusal, call } from "./platform.js";
import { genuine } from "./webhook.js";

// The name of the add-on's custom code, by which it is found again.
const codeName = "{{name}}";
// The note on the order, in the language of the shop.
const giftWrapped = { cs_CZ: "Dárkové balení", sk_SK: "Darčekové balenie" };
const widget = readFileSync(new URL("widget.html", import.meta.url), "utf8");

// Addon serves all shops that have it.
export class Addon {
  // platform is the platform's address, and address the add-on's own as browsers reach it. Shops are kept in a file, by
  // their ids: the token of each, the origin of its pages, and since when it is active, or is not.
  constructor({ platform, address, keys, file }) {
    Object.assign(this, { platform, address, keys, file });
    this.shops = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
  }

  // serve takes webhooks at /hooks, and makes quotes for pages of shops at /quotes.
  serve = async (request, response) => {
    try {
      const body = await read(request);
      if (request.url === "/hooks" && request.method === "POST") await this.take(request, response, body);
      else if (request.url === "/quotes") await this.sell(request, response, body);
      else refuse(response, 404, "there is nothing here");
    } catch (error) {
      console.error(request.url, error.message);
      const passedOn = error instanceof Refusal || error.status; // if the platform refuses: its own words
      refuse(response, error.status ?? 502, passedOn ? error.message : "the platform does not answer");
    }
  };

  // take takes a webhook. It may come twice, and in any order, so each can be taken again; after a failure it does.
  async take(request, response, body) {
    if (!genuine(this.keys, request.headers, body)) return refuse(response, 401, "not signed by the platform");
    const hook = parse(body);
    console.log(hook.event, hook.id);
    switch (hook.event) {
      case "ping": // the nonce in the answer proves that this address is yours
        return response.end(hook.data.nonce);
      case "packageActivate":
        await this.activate(hook);
        break;
      case "packageDeactivate":
        this.keep(hook.shopId, { since: hook.data.occurredAt });
        break; // the custom code is taken away by the platform, as the cleanup order says
      default: // put it into a queue of your own here, and work after the answer
    }
    response.writeHead(204).end();
  }

  // activate exchanges the install code for a token, once for each activation, and sets the shop up.
  async activate({ shopId, data: { installCode, occurredAt } }) {
    const since = this.shops[shopId]?.since ?? "";
    if (!installCode || occurredAt < since) return; // a test, or one before the last
    if (occurredAt > since) {
      const token = await this.exchange(shopId, installCode);
      // A code is good for one token, so the token is kept before anything else can fail.
      this.keep(shopId, { token, since: occurredAt });
      if (!token) return; // the attempt that has it sets the shop up
    }
    if (this.shops[shopId].token) await this.setUp(this.shops[shopId]);
  }

  // exchange is the token for an install code; undefined if another code of the activation was used: by another attempt
  // at once, or its token was lost, which no other attempt would mend.
  async exchange(shopId, installCode) {
    try {
      return (await call("", "POST", `${this.platform}/api-engine/tokens`, { installCode })).token;
    } catch (error) {
      if (error.code !== "unauthenticated") throw error;
      console.error(shopId, "the code was used: if no widget comes, deactivate and activate the package there");
    }
  }

  // setUp puts the widget into the shop's pages, and orders its cleanup. Done again it changes what differs.
  async setUp(shop) {
    const ask = (method, path, body) => call(shop.token, method, `${this.platform}/api-engine/${path}`, body);
    const { id, websiteUrl, locale } = await ask("GET", "shop");
    const since = shop.since ?? this.shops[id]?.since; // a token may come without an activation
    this.keep(id, { ...shop, since, origin: new URL(websiteUrl).origin, locale }); // before a widget asks for quotes
    if (this.shops[id].token !== shop.token) return; // the shop was deactivated meanwhile
    const html = widget.replaceAll("{{address}}", this.address);
    const { items } = await ask("GET", "custom-codes?itemsPerPage=250");
    let code = items.find(({ name }) => name === codeName);
    if (code) await ask("PATCH", `custom-codes/${code.id}`, { code: html }); // whether it is on is the merchant's to say
    else code = await ask("POST", "custom-codes", { name: codeName, position: "bodyEnd", code: html });
    try {
      await ask("POST", "cleanup-orders", { customCodeId: code.id, packageId: code.packageId });
    } catch (error) {
      if (error.code !== "cleanup_exists") throw error;
    }
  }

  // sell makes a quote for a page of a shop: the shopper's label is its note and its picture, a PNG in base64, as the
  // widget has drawn it. The price is made here: a browser sends none.
  async sell(request, response, body) {
    const { origin } = request.headers;
    const shop = origin && Object.values(this.shops).find((one) => one.origin === origin);
    response.setHeader("Vary", "Origin");
    if (!shop) return refuse(response, 403, "pages of this origin do not sell here");
    response.setHeader("Access-Control-Allow-Origin", origin);
    if (request.method === "OPTIONS") { // the browser asks whether it may
      return response.writeHead(200, { "Access-Control-Allow-Headers": "Content-Type" }).end();
    }
    const { productId, label, picture } = parse(body);
    const texts = [productId, label, picture].every((text) => typeof text === "string");
    if (!texts || !productId || !picture || request.method !== "POST") {
      return refuse(response, 400, 'POST {"productId":"…","label":"…","picture":"…"}');
    }
    const ask = (method, path, body) => call(shop.token, method, this.platform + path, body);
    const product = await ask("GET", `/api-engine/products/${encodeURIComponent(productId)}`);
    const unitPrice = asGift(product.priceLevels?.find(({ level }) => level === "default")?.price ?? "");
    const form = new FormData();
    form.append("file", new Blob([Buffer.from(picture, "base64")]), "label.png");
    const { id } = await ask("POST", "/basket-price-quote-images", form);
    const note = giftWrapped[shop.locale] + (label && `: ${label}`);
    const { quoteToken } = await ask("POST", "/basket-price-quotes",
      { productId, unitPrice, note, imageIds: [id], expiresIn: 3600 });
    response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify({ quoteToken, unitPrice }));
  }

  // keep keeps a shop; without a token it has the add-on no more. More may have come while the platform was asked:
  // nothing older is kept over what is known, and of one activation no lost token over the good one. Tokens are
  // secrets: only you may read the file.
  keep(id, shop) {
    const [since, known] = [shop.since ?? "", this.shops[id]?.since ?? ""];
    if (since < known || (since === known && !shop.token)) return;
    this.shops[id] = shop;
    writeFileSync(`${this.file}.new`, JSON.stringify(this.shops), { mode: 0o600 });
    renameSync(`${this.file}.new`, this.file);
  }
}

// asGift is a price and 10 % more, rounded to hundredths: 19.99 is 21.99. Money is never a float.
export function asGift(price) {
  if (!price) return "";
  const hundredths = (BigInt(price.replace(".", "")) * 110n + 50n) / 100n;
  return `${hundredths / 100n}.${String(hundredths % 100n).padStart(2, "0")}`;
}

// refuse says why there is no success.
function refuse(response, status, why) {
  return response.writeHead(status, { "Content-Type": "text/plain; charset=utf-8" }).end(why);
}

// read is the body's bytes.
async function read(request) {
  const parts = [];
  let length = 0;
  for await (const part of request) {
    if ((length += part.length) > 1 << 20) throw Object.assign(new Error("the body is too long"), { status: 400 });
    parts.push(part);
  }
  return Buffer.concat(parts);
}

// parse is an object of JSON.
function parse(body) {
  try {
    return Object(JSON.parse(body));
  } catch (error) {
    throw Object.assign(error, { status: 400 });
  }
}
