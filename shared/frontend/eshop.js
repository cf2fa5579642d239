// The frontend contract 1.0.0: window.dataLayer[0].eshop and its events. The guide is at /docs/frontend, the types at
// /frontend/v1/eshop.d.ts. This script runs before all others of the page, behind the page's state.
(() => {
  'use strict';
  const events = ['pageVisit', 'loggedUser', 'cartUpdated', 'orderSubmitted', 'cookieConsent'];
  const parts = ['analytics', 'marketing', 'preferences'];
  const copy = (value) => JSON.parse(JSON.stringify(value));
  const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

  // What this browser was last told, shared by its tabs. One that keeps nothing for scripts remembers within a page.
  const memory = (() => {
    for (const kind of ['localStorage', 'sessionStorage']) {
      try {
        window[kind].setItem('eshop', '1');
        return window[kind];
      } catch (refused) { /* the next one */ }
    }
    const kept = new Map();
    return {getItem: (key) => kept.get(key), setItem: (key, value) => kept.set(key, value)};
  })();
  const recall = (key) => {
    try { return JSON.parse(memory.getItem('eshop.' + key)) || undefined; } catch (spoilt) { return undefined; }
  };
  const remember = (key, value) => {
    try { memory.setItem('eshop.' + key, JSON.stringify(value)); } catch (full) { /* it may be told once more */ }
  };

  // The consent is a letter for each part in a cookie, so that a change in another tab or by the banner's form counts.
  const words = {g: 'granted', d: 'denied'};
  let consent = {analytics: 'unknown', marketing: 'unknown', preferences: 'unknown'};
  function readConsent() {
    let letters;
    try { letters = /(?:^|; )consent=(\w+)/.exec(document.cookie); } catch (sandboxed) { /* as it was */ }
    if (letters) parts.forEach((part, i) => { consent[part] = words[letters[1][i]] || 'unknown'; });
    return copy(consent);
  }
  function writeConsent(next) {
    const secure = location.protocol === 'https:' ? '; Secure' : '';
    const letters = parts.map((part) => next[part][0]).join('');
    consent = next;
    try {
      document.cookie = `consent=${letters}; Path=/; Max-Age=15552000; SameSite=Lax${secure}`;
    } catch (sandboxed) { /* it holds for this page */ }
  }
  let toldConsent;
  function tellConsent() {
    const now = readConsent();
    if (same(now, toldConsent)) return;
    toldConsent = eshop.consent = now;
    tell('cookieConsent', {consent: now});
  }
  function setConsent(change) {
    if (change === null || typeof change !== 'object') throw new TypeError('eshop: setConsent takes an object');
    for (const part of Object.keys(change)) {
      if (!parts.includes(part)) throw new TypeError(`eshop: consent has no part ${part}`);
      if (![undefined, 'granted', 'denied'].includes(change[part])) {
        throw new TypeError(`eshop: consent to ${part} is "granted" or "denied"`);
      }
    }
    const before = readConsent();
    const next = copy(Object.assign({}, before, copy(change)));
    if (!same(before, next)) writeConsent(next);
    tellConsent();
  }

  // Messages go out one after another, even those that a listener causes: each to the dataLayer, then to each listener
  // a copy of its own.
  const listeners = new Map(events.map((name) => [name, new Set()]));
  const told = [], waiting = [];
  let telling = false;
  function tell(event, detail) {
    waiting.push({event, eventId: unique(), timestamp: new Date().toISOString(), eshop: copy(detail)});
    if (telling) return;
    telling = true;
    while (waiting.length) {
      const message = waiting.shift();
      eshop.consent = readConsent();
      told.push(copy(message));
      const hearing = [...listeners.get(message.event)];
      const text = JSON.stringify(message);
      guarded(() => window.dataLayer.push(message));
      for (const listener of hearing) {
        if (listeners.get(message.event).has(listener)) guarded(() => listener(JSON.parse(text)));
      }
    }
    telling = false;
  }
  // A fault of a partner's is the page's to report, and hinders nobody else.
  function guarded(call) {
    try { call(); } catch (fault) { setTimeout(() => { throw fault; }); }
  }
  function unique() {
    if (crypto.randomUUID) return crypto.randomUUID(); // not there over plain http
    return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  }
  function listenersOf(name, callback) {
    if (!listeners.has(name)) throw new TypeError(`eshop: there is no event ${name}`);
    if (typeof callback !== 'function') throw new TypeError('eshop: the callback is a function');
    return listeners.get(name);
  }
  // A callback is called once for a message, however often it was given.
  function on(name, callback, options) {
    const all = listenersOf(name, callback);
    if (all.has(callback)) return;
    all.add(callback);
    if (!options || !options.replay) return;
    for (const message of told.filter((message) => message.event === name)) guarded(() => callback(copy(message)));
  }
  function off(name, callback) {
    listenersOf(name, callback).delete(callback);
  }

  // A basket, as the page's state and GET /basket have it.
  const line = ({productId, variantId, code, name, quantity, unitPrice}) =>
    ({productId, variantId, code, name, quantity, unitPrice});
  const cartOf = (basket) =>
    copy({items: basket.items.map(line), total: basket.totals.total, currency: basket.currency});
  // A quoted line is one of its own; others are told apart by what they sell.
  const keyOf = (item) => (item.quoted ? item.id : `${item.productId} ${item.variantId || ''}`);
  function kept(basket, ordered) {
    const lines = basket.items.map((item) => Object.assign({key: keyOf(item)}, line(item)));
    const coupons = (basket.coupons || []).map((c) => c.code);
    return {lines, coupons, total: lines.length ? basket.totals.total : '', ordered};
  }
  const shown = (cart) => [cart.lines.map((l) => [l.key, l.quantity, l.unitPrice]), cart.coupons, cart.total];
  // more are the lines of which `to` has more than `from`, with the difference as quantity.
  function more(from, to) {
    const had = new Map(from.lines.map((l) => [l.key, l.quantity]));
    return to.lines.map((l) => Object.assign(line(l), {quantity: l.quantity - (had.get(l.key) || 0)}))
      .filter((l) => l.quantity > 0);
  }
  // A browser that remembers no basket was told none before: it begins with this one. What an order took out of the
  // basket is told by orderSubmitted alone.
  function tellCart(basket, ordered) {
    const last = recall('cart');
    if (ordered === undefined) ordered = last && last.ordered;
    const now = kept(basket, ordered || '');
    remember('cart', now);
    if (!last || !Array.isArray(last.lines)) return;
    const before = last.ordered === now.ordered ? last : {lines: [], coupons: [], total: ''};
    if (same(shown(before), shown(now))) return;
    tell('cartUpdated', {cart: eshop.cart, added: more(before, now), removed: more(now, before)});
  }
  function tellSignIn(signIn) {
    if (!signIn || recall('signIn') === signIn) return;
    remember('signIn', signIn);
    tell('loggedUser', {user: eshop.user});
  }
  function tellOrder(order) {
    const orders = [].concat(recall('orders') || []);
    if (!order || orders.includes(order.id)) return;
    remember('orders', orders.concat(order.id).slice(-100));
    tell('orderSubmitted', {order: Object.assign({}, order, {items: order.items.map(line)})});
  }

  const stateOf = (page) => JSON.parse(page.getElementById('eshop-state').textContent);
  const state = stateOf(document);
  const {shop, page} = state;
  // Of a page that could not read them, user and basket are what this browser was told last.
  function toldCart() {
    const last = recall('cart');
    const items = last && Array.isArray(last.lines) ? last.lines.map(line) : [];
    return {items, total: items.length ? last.total : '0.00', currency: shop.currency};
  }
  const eshop = {
    version: '1.0.0', shop, page, user: state.unread && recall('user') || state.user,
    cart: state.unread ? toldCart() : cartOf(state.basket), consent: readConsent(), on, off, setConsent,
  };
  if (!Array.isArray(window.dataLayer)) window.dataLayer = [];
  window.dataLayer.unshift({eshop});

  // A page view: what happened since the last one is told with it.
  function visit(now) {
    if (now.unread) return visitAlone();
    remember('at', now.told.at);
    remember('user', now.user);
    eshop.user = now.user;
    take(now.basket);
    visitAlone();
    tellSignIn(now.told.signIn);
    tellCart(now.basket, now.told.ordered || '');
    tellOrder(now.told.order);
  }
  function visitAlone() {
    tell('pageVisit', {page: eshop.page});
    tellConsent();
  }
  function take(basket) {
    eshop.cart = cartOf(basket);
    document.dispatchEvent(new CustomEvent('eshop:cart', {detail: copy(eshop.cart)}));
  }
  // A page that the browser kept, or made before it was wanted, shows the past: its state is asked for anew. The answer
  // is only read, none of its scripts runs. Without an answer within 5 s the visit alone is told. One that was kept for
  // somebody else has their name and prices in it: it is loaded anew, and tells its visit then.
  function visitAnew(kept) {
    const late = new Promise((_, reject) => { setTimeout(reject, 5000); });
    const answer = fetch(location.href, {headers: {Accept: 'text/html'}, cache: 'no-store', credentials: 'same-origin'})
      .then((response) => response.text())
      .then((text) => stateOf(new DOMParser().parseFromString(text, 'text/html')));
    Promise.race([answer, late]).then((now) => {
      if (kept && !now.unread && !same(now.user, eshop.user)) return location.reload();
      visit(now);
    }, visitAlone);
  }
  addEventListener('pageshow', (event) => { if (event.persisted) visitAnew(true); });
  // The page's own script changed the basket: the detail is the JSON that answered it.
  document.addEventListener('eshop:basket', ({detail}) => {
    take(detail);
    tellCart(detail);
  });

  if (document.prerendering) {
    document.addEventListener('prerenderingchange', () => visitAnew(), {once: true});
  } else if (state.told.at <= recall('at')) {
    visitAnew(); // no newer than a page that was shown already: it comes out of a cache
  } else {
    visit(state);
  }
})();
