// A journey with a client of @hey-api/openapi-ts: it compiles, so its types are those of the answers.
import { client } from "./client/client.gen.js";
import { changeCustomer, createCustomer, deleteCustomer, listChanges, listProducts, readCustomer, changeProductsStock } from "./client/sdk.gen.js";

declare const process: { env: Record<string, string | undefined> };

client.setConfig({ baseUrl: process.env.BASE!, auth: () => process.env.TOKEN! });

function must<T>(value: T | null | undefined, what: string): T {
  if (value === null || value === undefined) throw new Error(what);
  return value;
}

const made = await createCustomer({
  body: { email: "hey@example.cz", firstName: "Jana", lastName: "Nováková", phone: "+420 601 123 456" },
  headers: { "Idempotency-Key": "hey-1" },
});
const customer = must(made.data, "no customer");
const cleared = await changeCustomer({ path: { id: customer.id }, body: { phone: null } });
const changed = must(cleared.data, "not changed");
// A caller who may not read what it writes is answered 204 by version 2027-01-01, so an answer may be void.
if ((changed as { phone?: string }).phone !== undefined) throw new Error("null clears");

const page = await listProducts({ query: { itemsPerPage: 2 } });
const product = must(must(page.data, "no products").items[0], "an empty shop");
const batch = await changeProductsStock({ body: { items: [{ id: product.id, quantity: 8 }] } });
if (must(batch.data, "no report").results[0]?.status === "failed") throw new Error("the stock was not set");

const feed = await listChanges({ query: { types: ["customers"], from: customer.created } });
if (!must(feed.data, "no feed").items.some((c) => c.id === customer.id)) throw new Error("the feed lacks the customer");

const nobody = await readCustomer({ path: { id: "01KYFXV0000000000000000000" } });
if (nobody.error?.code !== "not_found") throw new Error("a problem has its code");
const gone = await deleteCustomer({ path: { id: customer.id } });
if (gone.response?.status !== 204) throw new Error("not deleted");
console.log("done");
