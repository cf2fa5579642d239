// Types of window.dataLayer[0].eshop, version 1. New fields and events may come within it.
// JSON Schema: /frontend/v1/eshop.schema.json, guide: /docs/frontend

declare namespace Eshop {
  /** A decimal with two places, such as "1234.50". */
  type Money = string;
  type Answer = "granted" | "denied" | "unknown";

  interface Shop {
    id: string;
    /** cs_CZ or sk_SK */
    locale: string;
    /** CZK or EUR */
    currency: string;
  }

  interface Page {
    type: "home" | "category" | "product" | "basket" | "checkout" | "orderConfirmed" | "account" | "other";
    productId?: string;
    categoryId?: string;
    /** Without the query. */
    path: string;
    /** On a product's page. With variants the price is the lowest of the active ones. */
    product?: { id: string; code: string; name: string; price: Money };
  }

  interface User {
    loggedIn: boolean;
    customerId?: string;
  }

  interface Line {
    productId: string;
    variantId?: string;
    code: string;
    name: string;
    quantity: number;
    unitPrice: Money;
  }

  interface Cart {
    items: Line[];
    total: Money;
    currency: string;
  }

  interface Consent {
    analytics: Answer;
    marketing: Answer;
    preferences: Answer;
  }

  interface Order {
    id: string;
    number: string;
    currency: string;
    total: Money;
    discount: Money;
    coupons: { code: string; discount: Money }[];
    items: Line[];
  }

  /** The detail of each event. */
  interface Events {
    /** Once per page view, also on return from the back/forward cache. */
    pageVisit: { page: Page };
    /** Once after each sign-in or registration. */
    loggedUser: { user: User };
    /** After each change of the basket; the lines of added and removed have the difference as quantity. */
    cartUpdated: { cart: Cart; added: Line[]; removed: Line[] };
    /** Once per order. */
    orderSubmitted: { order: Order };
    /** At load and on each change. */
    cookieConsent: { consent: Consent };
  }

  interface Message<Name extends keyof Events = keyof Events> {
    event: Name;
    eventId: string;
    /** RFC 3339 in UTC with milliseconds. */
    timestamp: string;
    eshop: Events[Name];
  }

  type Listener<Name extends keyof Events> = (message: Message<Name>) => void;

  interface Api {
    version: string;
    shop: Shop;
    page: Page;
    user: User;
    cart: Cart;
    consent: Consent;
    /** With replay the callback first gets what was told on this page already. An unknown name throws a TypeError. */
    on<Name extends keyof Events>(name: Name, callback: Listener<Name>, options?: { replay?: boolean }): void;
    off<Name extends keyof Events>(name: Name, callback: Listener<Name>): void;
    /** What is not named stays. What is neither granted nor denied throws a TypeError. */
    setConsent(change: Partial<Record<keyof Consent, "granted" | "denied">>): void;
  }
}

interface Window {
  /** The first element is the shop's; behind it are the messages of its events and whatever others push. */
  dataLayer: [{ eshop: Eshop.Api }, ...any[]];
}
