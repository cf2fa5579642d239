// Mails a shop's customers: when their order has come, and when it was shipped. Beside receiver.mjs, with nodemailer:
//
//   npm install nodemailer
//   WEBHOOK_KEYS="whsec_…" BASE="https://…" TOKEN="esk_…" SMTP="smtps://user:password@mail.example.com"
//     FROM="Tea shop <shop@example.com>" PORT=8090 node mail.mjs
//
// TOKEN needs orders:read and shop:read. Register this address for orderChange. What was mailed is kept in MAILED, mailed.txt.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createTransport } from "nodemailer";
import { genuine } from "./receiver.mjs";

const { BASE, TOKEN, SMTP, FROM, MAILED = "mailed.txt", PORT = "8090" } = process.env;
const mailer = createTransport(SMTP, { from: FROM });

// The texts of each mail, in the shop's language.
const texts = {
  cs: { confirmed: ["Objednávka {number} přijata", "děkujeme za objednávku {number}."],
    shipped: ["Objednávka {number} je na cestě", "objednávku {number} jsme odeslali."],
    hello: "Dobrý den,", total: "Celkem", track: "Zásilka" },
  sk: { confirmed: ["Objednávka {number} prijatá", "ďakujeme za objednávku {number}."],
    shipped: ["Objednávka {number} je na ceste", "objednávku {number} sme odoslali."],
    hello: "Dobrý deň,", total: "Spolu", track: "Zásielka" },
};

// What was mailed, a line each. Yours belongs into your database, with a unique index.
const mailed = new Set(existsSync(MAILED) ? readFileSync(MAILED, "utf8").split("\n") : []);

// get is a record of the shop; undefined if it is gone.
async function get(path) {
  const response = await fetch(`${BASE}/api-engine${path}`, { signal: AbortSignal.timeout(4_000),
    headers: { Authorization: `Bearer ${TOKEN}`, "Api-Version": "2027-01-01" } });
  if (response.status === 404) return undefined;
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

// mail sends one of the mails about an order, unless that was done. It is noted once the server has taken the mail: who
// is ended in between sends it twice, with the same Message-ID.
async function mail(which, order) {
  const once = `${order.id} ${which}`;
  if (mailed.has(once)) return;
  const { name, locale } = await get("/shop");
  const text = texts[locale.slice(0, 2)] ?? texts.cs;
  const [subject, says] = text[which].map((t) => t.replace("{number}", order.number));
  const { trackingNumber, trackingLink } = order.orderDeliveryPayment;
  const lines = [text.hello, "", says, "",
    ...order.items.map((i) => `${i.quantity} × ${[i.name, i.variantName].filter(Boolean).join(", ")}: ${i.total}`),
    `${text.total}: ${order.totals.total} ${order.currency}`];
  if (which === "shipped" && trackingNumber) lines.push("", `${text.track}: ${trackingNumber} ${trackingLink ?? ""}`);
  await mailer.sendMail({ to: order.email, subject, text: [...lines, "", name].join("\n"),
    messageId: `<${once.replace(" ", ".")}@${BASE.split("/")[2]}>` });
  appendFileSync(MAILED, once + "\n");
  mailed.add(once);
}

// take does what a webhook says. The state is read and not remembered, so an order that moved on meanwhile is told as it
// is now.
async function take({ event, data }, changed) {
  if (event !== "orderChange") return;
  for (const id of data.orderIds) {
    const order = await get(`/orders/${id}`);
    if (order && changed.includes("created")) await mail("confirmed", order);
    if (order && changed.includes("state") && (await get(`/order-states/${order.stateId}`))?.key === "shipped")
      await mail("shipped", order);
  }
}

let busy = Promise.resolve(); // one webhook after the other: none mails what another is mailing
createServer(async (request, response) => {
  const parts = [];
  let length = 0;
  try {
    for await (const part of request) {
      if ((length += part.length) > 1 << 20) return request.destroy();
      parts.push(part);
    }
  } catch {
    return; // whoever sent it has hung up
  }
  const body = Buffer.concat(parts); // the raw bytes, never parsed and written anew
  if (!genuine(request.headers, body)) return response.writeHead(401).end("not signed by the platform");
  const hook = JSON.parse(body);
  if (hook.event === "ping") return response.end(hook.data.nonce); // proves that this address is yours
  busy = busy.then(() => take(hook, (request.headers["x-webhook-changed"] ?? "").split(","))).then(
    () => response.writeHead(204).end(),
    (error) => { // the webhook comes again
      console.error(error.message);
      response.writeHead(500).end("cannot be mailed now");
    });
}).listen(Number(PORT), "127.0.0.1");
