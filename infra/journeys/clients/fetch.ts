// A journey with a client of openapi-typescript and openapi-fetch: it compiles, so its types are those of the answers.
import createClient from "openapi-fetch";
import type { components, paths, webhooks } from "./schema.js";

declare const process: { env: Record<string, string | undefined> };

const api = createClient<paths>({
  baseUrl: process.env.BASE!,
  headers: { Authorization: `Bearer ${process.env.TOKEN}` },
  querySerializer: { array: { style: "form", explode: false } }, // lists have commas between, which this client is to be told
});

function must<T>(value: T | null | undefined, what: string): T {
  if (value === null || value === undefined) throw new Error(what);
  return value;
}

const made = await api.POST("/api-engine/customers", {
  params: { header: { "Idempotency-Key": "fetch-1" } },
  body: { email: "fetch@example.cz", firstName: "Jana", lastName: "Nováková", phone: "+420 601 123 456" },
});
const customer = must(made.data, "no customer");

const cleared = await api.PATCH("/api-engine/customers/{id}", { params: { path: { id: customer.id } }, body: { phone: null, billingAddress: null } });
const changed = must(cleared.data, "not changed");
if (changed.phone !== undefined) throw new Error("null clears");

const page = await api.GET("/api-engine/products", { params: { query: { itemsPerPage: 2 } } });
const product: components["schemas"]["Product"] = must(must(page.data, "no products").items[0], "an empty shop");
const batch = await api.PATCH("/api-engine/products/batch/stock", { body: { items: [{ id: product.id, quantity: 7 }] } });
if (must(batch.data, "no report").results[0]?.status === "failed") throw new Error("the stock was not set");

const feed = await api.GET("/api-engine/changes", { params: { query: { types: ["customers", "products"], from: customer.created } } });
if (!must(feed.data, "no feed").items.some((c) => c.id === customer.id)) throw new Error("the feed lacks the customer");

const nobody = await api.GET("/api-engine/customers/{id}", { params: { path: { id: "01KYFXV0000000000000000000" } } });
if (nobody.error?.code !== "not_found") throw new Error("a problem has its code");

type Hook = webhooks["productChange"]["post"]["requestBody"]["content"]["application/json"];
const touched = (hook: Hook): string[] => hook.data.products.flatMap((p) => [p.id, ...p.variantIds]);
touched({ id: "1", event: "productChange", shopId: "s", apiVersion: "v", createdAt: "now", by: "self", requestId: "r",
  data: { products: [] } });

const gone = await api.DELETE("/api-engine/customers/{id}", { params: { path: { id: customer.id } } });
if (gone.response.status !== 204) throw new Error("not deleted");
console.log("done");
