// What a storefront's pages do without a new page where there is JavaScript. Without it the forms are sent as forms, and
// so is one that is refused: the page that answers says why. Where the server cannot be reached the basket is gone to.
// The elements that it knows:
//   form[data-enhance="basket"]  a change of the basket; data-done is what is then said (of a line, of a coupon, …).
//                                data-then is of one that adds a product: the text of a link to the basket behind what
//                                is said, which says the product's line, too, and what hinders an order of it
//   [data-cart-count]            the number of pieces in the basket
//   [data-cart-total]            what they come to, or of an empty basket the text of data-empty
//   [data-cart]                  what is said before both of a basket that is not empty: the text there
//   [data-live]                  where something is said: role="status"
//   [data-basket]                what shows the basket in a page, made anew after a change
//   form[data-zip]               one with addresses; its text says what a postcode of Czechia and Slovakia is
//   [data-share]                 a button, hidden without JavaScript, that passes the page's address on; data-done is
//                                what is then said of a copy
//   [data-step]                  a button that adds so much to the number in the field beside it
//   [data-price]                 a product's price; on the field of a variant, that of the variant
//   [data-picked]                what is chosen of a product and bought, with links to other variants
//   [data-consent-banner]        the consent banner, with buttons [data-consent="granted"] and "denied"
//   [data-consent-again]         shows the banner again
(() => {
  'use strict';
  const eshop = window.dataLayer && window.dataLayer[0] && window.dataLayer[0].eshop;
  if (!eshop) return; // a partner's script put another dataLayer in its place
  const find = (selector) => document.querySelector(selector);

  // The basket. A form names its fields as the JSON operation does; `_method` is its method.
  function operation(form, button) {
    const fields = new FormData(form);
    if (button && button.name) fields.append(button.name, button.value);
    const body = {};
    for (const [name, value] of fields) {
      if (!name.startsWith('_') && value !== '') body[name] = name === 'quantity' ? Number(value) : value;
    }
    const method = fields.get('_method') || 'POST';
    const request = {method, headers: {Accept: 'application/json'}, credentials: 'same-origin'};
    if (method !== 'DELETE') {
      request.headers['Content-Type'] = 'application/json';
      request.headers['Idempotency-Key'] = key();
      request.body = JSON.stringify(body);
    }
    return [form.getAttribute('action') || location.href, request]; // a field named action hides form.action
  }
  const key = () => [...crypto.getRandomValues(new Uint8Array(16))].map((b) => b.toString(16).padStart(2, '0')).join('');
  // What is answered, null of a refusal. An answer that is lost on its way is asked for once more: under the same key the
  // server does nothing twice.
  async function ask(address, request) {
    for (let tries = request.method === 'DELETE' ? 1 : 2; ; tries--) {
      try {
        const answer = await fetch(address, request);
        return answer.ok ? await answer.json() : null;
      } catch (fault) {
        if (tries === 1) throw fault;
        await new Promise((go) => setTimeout(go, 500));
      }
    }
  }
  async function change(form, button) {
    let basket;
    do {
      outdated.delete(form);
      basket = await ask(...operation(form, button));
    } while (basket && outdated.has(form));
    if (!basket) return asForm(form, button); // the page that answers the form says why
    document.dispatchEvent(new CustomEvent('eshop:basket', {detail: basket}));
    const {done = '', then} = form.dataset, line = then && added(form, basket);
    const told = line ? `${done} ${written(line.quantity)} × ${line.name}.` : done;
    say(told, then);
    if (line && line.quantity > 1) faultOf(line).then((fault) => fault && say(`${told} ${fault}`, then));
  }
  // The line of what a form has added.
  function added(form, {items}) {
    const fields = new FormData(form), is = (line, name) => (line[name] || '') === (fields.get(name) || '');
    return items.filter((line) => is(line, 'productId') && is(line, 'variantId') &&
      line.quoted === fields.has('quoteToken')).pop();
  }
  // What the page of the basket says is wrong with a line, such as too little stock; one piece can be ordered.
  async function faultOf(line) {
    try {
      const answer = await fetch('/basket', {headers: {Accept: 'text/html'}, cache: 'no-store', signal: AbortSignal.timeout(3000)});
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
      return page.getElementById('fault-' + line.id)?.textContent;
    } catch {
      return ''; // the basket says it again
    }
  }
  // A form that is on its way is not sent again.
  const sending = new WeakSet();
  // A quantity in the basket counts as soon as it is changed: of several changes in a moment the last. One that is
  // changed while its form is on its way is sent behind it.
  const waiting = new Map(), outdated = new WeakSet();
  document.addEventListener('click', ({target}) => {
    const button = target.closest('[data-step]'), field = button && button.parentNode.querySelector('input');
    if (!field) return;
    field[button.dataset.step < 0 ? 'stepDown' : 'stepUp']();
    field.dispatchEvent(new Event('change', {bubbles: true}));
  });
  document.addEventListener('change', ({target: {form, name}}) => {
    if (name !== 'quantity' || !form || !form.closest('[data-basket]')) return;
    clearTimeout(waiting.get(form));
    waiting.set(form, setTimeout(() => {
      waiting.delete(form);
      if (!form.reportValidity()) return;
      if (sending.has(form)) outdated.add(form);
      else form.requestSubmit();
    }, 400));
  });
  document.addEventListener('submit', (event) => {
    const form = event.target;
    if (form.dataset.enhance !== 'basket' || event.defaultPrevented) return;
    event.preventDefault();
    clearTimeout(waiting.get(form));
    waiting.delete(form);
    if (sending.has(form)) return;
    sending.add(form);
    const button = event.submitter || form.querySelector('button:not([type])');
    if (button) button.setAttribute('aria-busy', 'true'); // at once: an answer may take long
    change(form, event.submitter).catch(() => location.assign('/basket')).finally(() => {
      sending.delete(form);
      if (button) button.removeAttribute('aria-busy');
    });
  });
  function asForm(form, button) {
    if (button && button.name) {
      const {name, value} = button;
      form.append(Object.assign(document.createElement('input'), {type: 'hidden', name, value}));
    }
    HTMLFormElement.prototype.submit.call(form);
  }
  function say(text, then) {
    let live = find('[data-live]');
    if (!live) {
      live = Object.assign(document.createElement('p'), {className: 'unseen'});
      live.dataset.live = '';
      live.setAttribute('role', 'status');
      document.body.append(live);
    }
    live.textContent = text;
    if (then) live.append(' ', Object.assign(document.createElement('a'), {href: '/basket', textContent: then}));
  }
  // What was said stays until something else is done: however long somebody takes to come to its link.
  const done = ({target, key}) => {
    const live = find('[data-live]');
    if (live && !live.contains(target) && (key === undefined || key === 'Escape')) live.textContent = '';
  };
  document.addEventListener('pointerdown', done);
  document.addEventListener('keydown', done);

  // A number and an amount as people write them where they are, as on the server: whole crowns have no places, and they
  // are Kč in Slovakia, too.
  const written = (number, as) => new Intl.NumberFormat(document.documentElement.lang || undefined, as).format(number);
  function money(amount, currency) {
    const places = currency === 'CZK' && amount.endsWith('.00') ? 0 : 2;
    return written(amount, {style: 'currency', currency, currencyDisplay: 'narrowSymbol',
      minimumFractionDigits: places, maximumFractionDigits: places});
  }
  let shown = JSON.stringify(eshop.cart);
  document.addEventListener('eshop:cart', ({detail}) => {
    const sum = detail.items.reduce((sum, line) => sum + line.quantity, 0);
    const pieces = sum ? written(sum) : '';
    const total = pieces ? money(detail.total, detail.currency) : '';
    const each = (selector, set) => document.querySelectorAll(selector).forEach(set);
    each('[data-cart-count]', (e) => { e.textContent = pieces; });
    each('[data-cart-total]', (e) => { e.textContent = total || e.dataset.empty || ''; });
    each('[data-cart]', (e) => { e.textContent = pieces && e.dataset.cart; });
    const now = JSON.stringify(detail);
    if (now === shown) return;
    shown = now;
    renew();
  });
  document.addEventListener('eshop:basket', renew); // a coupon may come or go without a change of the cart
  // The server makes what shows the basket; a page that shows it no more is another page. The page's path is not the
  // tab's address where the page has answered a form.
  let renewals = 0;
  async function renew() {
    const mine = ++renewals;
    await null; // of what has happened at once the last is enough
    if (!find('[data-basket]') || mine !== renewals) return;
    const focused = document.activeElement, inside = focused && find('[data-basket]').contains(focused);
    try {
      const answer = await fetch(eshop.page.path, {headers: {Accept: 'text/html'}, cache: 'no-store'});
      const next = new DOMParser().parseFromString(await answer.text(), 'text/html').querySelector('[data-basket]');
      if (mine !== renewals || waiting.size) return; // a later one is on its way
      if (answer.redirected || !next) return location.replace(eshop.page.path);
      find('[data-basket]').replaceWith(document.adoptNode(next));
      // The keyboard stays where it was; of what is there no more, at what shows the basket.
      const again = inside && (document.getElementById(focused.id) || find('main'));
      if (again) again.focus({preventScroll: true});
    } catch {
      location.assign(eshop.page.path);
    }
  }

  // The price follows the variant that is chosen in a list. One of several parameters is a link to the page of the
  // product with another variant chosen: what that page says of it takes the place of what is here.
  document.addEventListener('change', ({target}) => {
    const price = target.name === 'variantId' && find('[data-price]');
    if (price) price.textContent = (target.selectedOptions ? target.selectedOptions[0] : target).dataset.price;
  });
  let picks = 0;
  document.addEventListener('click', async (event) => {
    const link = event.target.closest('[data-picked] a');
    if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    const mine = ++picks, quantity = find('[data-picked] [name="quantity"]');
    link.setAttribute('aria-busy', 'true');
    try {
      const answer = await fetch(link.href, {headers: {Accept: 'text/html'}});
      if (!answer.ok) throw answer.status;
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
      if (mine !== picks) return;
      for (const part of ['[data-picked]', 'b[data-price]']) find(part).replaceWith(page.querySelector(part));
      const next = find('[data-picked] [name="quantity"]');
      if (quantity && next) next.value = quantity.value;
      history.replaceState(history.state, '', link.href);
      find('#' + link.id).focus({preventScroll: true});
    } catch {
      location.assign(link.href);
    }
  });

  // A postcode of Czechia or Slovakia has five digits. Other countries have what they have.
  document.addEventListener('input', ({target: {form}}) => {
    if (!form || !form.dataset.zip) return;
    for (const country of form.querySelectorAll('select[name$="Address.country"]')) {
      const zip = form.elements[country.name.replace('country', 'zip')], own = /^(CZ|SK)$/.test(country.value);
      const bad = own && zip.value && !/^\s*\d{3}\s?\d{2}\s*$/.test(zip.value);
      zip.setCustomValidity(bad ? form.dataset.zip : '');
    }
  });

  // The page's address goes where the visitor wants it: to another app, or to what they paste.
  const share = find('[data-share]');
  if (share && (navigator.share || navigator.clipboard)) {
    share.hidden = false;
    share.addEventListener('click', async () => {
      try {
        if (navigator.share) return await navigator.share({title: document.title, url: location.href});
        await navigator.clipboard.writeText(location.href);
        say(share.dataset.done);
      } catch {
        // they have thought better of it
      }
    });
  }

  // A picture from elsewhere that cannot be had leaves what is behind it. One may have failed before this runs.
  const broken = (img) => { if (img.matches?.('.pic img')) img.remove(); };
  document.addEventListener('error', ({target}) => broken(target), true);
  for (const img of document.images) if (img.complete && !img.naturalWidth) broken(img);

  // The consent banner: its choice is the same for all three parts.
  const banner = find('[data-consent-banner]');
  const hide = (hidden) => { if (banner) banner.hidden = hidden; };
  const answered = (consent) => Object.values(consent).some((answer) => answer !== 'unknown');
  eshop.on('cookieConsent', (message) => hide(answered(message.eshop.consent)));
  document.addEventListener('click', (event) => {
    const answer = event.target.closest('[data-consent]');
    const again = event.target.closest('[data-consent-again]');
    if (answer) {
      event.preventDefault();
      const choice = answer.dataset.consent;
      hide(true);
      eshop.setConsent({analytics: choice, marketing: choice, preferences: choice});
    } else if (again && banner) {
      event.preventDefault();
      hide(false);
      banner.querySelector('[data-consent]').focus();
    }
  });
})();
