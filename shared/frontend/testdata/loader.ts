// A partner's loader as the types of the contract see it. The compiler refuses this file when one of the faults that it
// expects below is none.
const eshop = window.dataLayer[0].eshop;

eshop.on("pageVisit", ({ eventId, timestamp, eshop: { page } }) => {
  const product: { id: string; price: string } | undefined = page.product;
  send("view", { eventId, timestamp, type: page.type, product: product?.id });
}, { replay: true });

eshop.on("cartUpdated", (message) => {
  const total: number = Number(message.eshop.cart.total);
  const pieces = message.eshop.added.reduce((sum, line) => sum + line.quantity, 0);
  send("cart", { total, pieces, variant: message.eshop.removed[0]?.variantId });
});

eshop.on("orderSubmitted", ({ eshop: { order } }) => send("order", { number: order.number, coupon: order.coupons[0]?.code }));
eshop.on("loggedUser", ({ eshop: { user } }) => send("user", { id: user.customerId }));

const allowed = (message: Eshop.Message<"cookieConsent">): void => {
  if (message.eshop.consent.analytics === "granted") eshop.off("cookieConsent", allowed);
};
eshop.on("cookieConsent", allowed, { replay: true });
eshop.setConsent({ marketing: "denied" });
window.dataLayer.push({ event: "a partner's own" });

// @ts-expect-error no such event
eshop.on("cartupdated", () => {});
// @ts-expect-error nothing of the kind in this event
eshop.on("pageVisit", ({ eshop: { cart } }) => send("cart", { cart }));
// @ts-expect-error an answer cannot be taken back to unknown
eshop.setConsent({ marketing: "unknown" });
// @ts-expect-error no such part
eshop.setConsent({ tracking: "granted" });
// @ts-expect-error only a product's page has a product
eshop.page.product.id;
// @ts-expect-error money is a decimal in a text
const price: number = eshop.cart.items[0].unitPrice;

function send(kind: string, detail: Record<string, unknown>): void {
  navigator.sendBeacon("https://addon.example.com/collect", JSON.stringify({ kind, detail, price }));
}

export {};
