// {{name}} is an add-on of an e-shop: README.md tells how to run it, and what to change.
import { createServer } from "node:http";
import { Addon } from "./addon.js";
import { parseKeys } from "./webhook.js";

const { PORT = "8090", PLATFORM = "http://127.0.0.1:8080", WEBHOOK_KEYS = "", ESHOP_TOKEN } = process.env;
const addon = new Addon({
  platform: PLATFORM,
  address: process.env.ADDRESS ?? `http://127.0.0.1:${PORT}`,
  keys: parseKeys(WEBHOOK_KEYS),
  file: ".shops.json",
});
if (ESHOP_TOKEN) await addon.setUp({ token: ESHOP_TOKEN });
createServer(addon.serve).listen(Number(PORT), "127.0.0.1", () => console.log(`listening on 127.0.0.1:${PORT}`));
