// What the admin's pages do better with JavaScript. Each of them works without.
"use strict";

// A secret that is shown once is copied by a button; where the clipboard is closed it is selected.
const addCopying = () => {
  for (const code of document.querySelectorAll("code[data-secret]:not(:has(+ button))")) {
    const button = Object.assign(document.createElement("button"), { type: "button", className: "second small" });
    const { copy, copied } = code.parentElement.dataset;
    button.textContent = copy;
    button.addEventListener("click", async () => {
      getSelection().selectAllChildren(code);
      try {
        await navigator.clipboard.writeText(code.textContent);
        button.textContent = copied;
      } catch { /* it is selected */ }
    });
    code.after(button);
  }
};

// A quantity is also counted by buttons beside it.
const addCounting = () => {
  for (const input of document.querySelectorAll("[data-less] .count > input[type=number]:only-child")) {
    const { less, more } = input.closest("[data-less]").dataset;
    for (const [by, text, label] of [[-1, "−", less], [1, "+", more]]) {
      const button = Object.assign(document.createElement("button"),
        { type: "button", className: "second small", textContent: text, ariaLabel: `${label}: ${input.ariaLabel}` });
      button.addEventListener("click", () => {
        input.value = Math.max(0, (parseInt(input.value, 10) || 0) + by);
        input.dispatchEvent(new Event("input", { bubbles: true }));
      });
      by < 0 ? input.before(button) : input.after(button);
    }
  }
};
// One box chooses all rows of a table.
const addChoosing = () => {
  for (const cell of document.querySelectorAll("[data-all]:not(:has(input))")) {
    cell.prepend(Object.assign(document.createElement("input"), { type: "checkbox", ariaLabel: cell.dataset.all }));
  }
};

// What scripts add to a page, once to each part of it.
const improve = () => {
  addCopying();
  addCounting();
  addChoosing();
};
improve();
document.addEventListener("change", ({ target }) => {
  const table = target.closest("table:has([data-all])");
  if (!table) return;
  const all = table.querySelector("[data-all] input"), rows = [...table.querySelectorAll("tbody [type=checkbox]")];
  if (target === all) for (const row of rows) row.checked = all.checked;
  const chosen = rows.filter((row) => row.checked).length;
  all.checked = chosen === rows.length;
  all.indeterminate = chosen > 0 && !all.checked;
});

// What is typed and not saved is not lost without a word: neither by leaving the page, nor when another of its forms is
// sent, after which the page says that it is saved.
const touched = (form) => [...form.elements].some((field) => {
  switch (field.type) {
    case "hidden": case "submit": case "button": case "fieldset": return false;
    case "file": return field.files.length > 0;
    case "checkbox": case "radio": return field.checked !== field.defaultChecked;
    case "select-one": return field.selectedIndex !== Math.max(0, [...field].findIndex((o) => o.defaultSelected));
    default: return field.value !== field.defaultValue;
  }
});
const saving = "main form[method=post]";
const unsaved = (but) => [...document.querySelectorAll(`${saving}:not(.bulk)`)]
  .some((form) => form !== but && touched(form));
let leaving = false; // nobody is asked any more whether they want to
document.addEventListener("submit", (event) => {
  if (event.submitter?.formTarget) return; // the page stays, with what is typed
  if (!event.target.matches(saving)) return; // it leaves the page, which asks
  leaving = !unsaved(event.target) || confirm(document.querySelector("main").dataset.unsaved);
  if (!leaving) {
    event.preventDefault();
    event.stopImmediatePropagation();
  }
}, true);
addEventListener("beforeunload", (event) => {
  if (!leaving && unsaved()) event.preventDefault();
});
addEventListener("pageshow", () => { leaving = false; }); // the browser kept the page, and somebody has come back

// A page that is made for paper is printed by a button.
for (const place of document.querySelectorAll("[data-print]")) {
  const button = Object.assign(document.createElement("button"), { type: "button", className: "button" });
  button.textContent = place.dataset.print;
  button.addEventListener("click", () => print());
  place.append(button);
}

// Pictures are shown before they are sent. Each goes by itself, a large one made smaller, so that few are too large.
document.addEventListener("change", ({ target }) => {
  const chosen = target.form?.querySelector("[data-chosen]");
  if (!chosen || target.type !== "file") return;
  chosen.replaceChildren(...[...target.files].map((file) => {
    const img = new Image(128, 128), url = URL.createObjectURL(file);
    img.onload = img.onerror = () => URL.revokeObjectURL(url);
    return Object.assign(img, { className: "thumb", alt: file.name, src: url });
  }));
});
const smaller = async (file) => {
  const most = 2560;
  const bitmap = await createImageBitmap(file).catch(() => null);
  if (!bitmap) return file; // the server says what is wrong with it
  const scale = Math.min(1, most / Math.max(bitmap.width, bitmap.height));
  let made;
  if (scale < 1 || file.size > 2 << 20) {
    const canvas = document.createElement("canvas");
    canvas.width = Math.round(bitmap.width * scale);
    canvas.height = Math.round(bitmap.height * scale);
    canvas.getContext("2d").drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    // Only a JPEG is known to have nothing that shines through.
    const type = file.type === "image/jpeg" ? file.type : "image/png";
    made = await new Promise((done) => canvas.toBlob(done, type, 0.88));
  }
  bitmap.close();
  return made && made.size < file.size ? made : file;
};
// A new product is sent with its pictures, made smaller first. What is too much in all is not sent: the form would come
// back empty.
const mostTogether = 4 << 20;
document.addEventListener("submit", async (event) => {
  const form = event.target.closest("form[data-shrinks]");
  if (!form || !form.file.files.length) return;
  event.preventDefault();
  const button = form.querySelector(".save button");
  if (button.disabled) return;
  button.disabled = true;
  const made = new DataTransfer();
  let bytes = 0;
  for (const file of form.file.files) {
    const picture = await smaller(file);
    bytes += picture.size;
    made.items.add(new File([picture], file.name));
  }
  if (bytes > mostTogether) {
    button.disabled = false;
    form.file.setCustomValidity(form.dataset.shrinks);
    form.file.addEventListener("change", () => form.file.setCustomValidity(""), { once: true });
    form.file.reportValidity();
    return;
  }
  form.file.files = made.files;
  form.submit();
});
// The parts of the page that show the pictures come anew; what is typed elsewhere stays.
const showPictures = async (answer) => {
  const next = await pageIn(answer);
  if (!next.querySelector("#pictures")) throw new Error("it is another page");
  for (const id of ["pictures", "picture-texts"]) document.getElementById(id).replaceWith(next.getElementById(id));
  return next;
};
document.addEventListener("submit", async (event) => {
  const form = event.target.closest("form[data-pictures]");
  if (!form) return;
  event.preventDefault();
  const button = form.querySelector("button");
  if (button.disabled) return;
  button.disabled = true;
  leaving = false;
  const status = () => document.querySelector("#pictures [role=status]");
  const files = [...form.file.files];
  let last;
  try {
    for (const [i, file] of files.entries()) {
      last = file.name;
      status().textContent = `${status().dataset.sending} ${i + 1} / ${files.length}`;
      const body = new FormData();
      body.append("file", await smaller(file));
      const answer = await fetch(form.action, { method: "POST", body, redirect: "manual" });
      if (answer.type === "opaqueredirect") {
        const left = new DataTransfer(); // so that one more try sends none twice
        for (const rest of files.slice(i + 1)) left.items.add(rest);
        form.file.files = left.files;
        continue;
      }
      await showPictures(answer); // it is refused, and the page says why
      if (status()) status().textContent = `${status().dataset.failed}: ${last}`;
      document.querySelector("#pictures [role=alert]")?.focus();
      return;
    }
    const now = await showPictures(await fetch(location.href, { headers: { Accept: "text/html" } }));
    if (status()) status().textContent = now.querySelector(".notice.good")?.textContent ?? "";
  } catch {
    if (status()) status().textContent = `${status().dataset.failed}: ${last}`;
    button.disabled = false;
  }
});

// The rule of live parts. A form that is data-live is sent without another page. A region (data-live, with an id) comes
// anew each second until it is data-over. The answer is the page as anybody gets it, and what is shown becomes as it is
// there. What is to be announced stands in an element with role=status.

// Makes an element as another one is. Nodes that both have stay, and with them the focus, how far something is
// scrolled, what is unfolded and what is typed. Elements are the same by their name and their id or data-id.
const morph = (now, next) => {
  for (const { name } of [...now.attributes]) if (name !== "open" && !next.hasAttribute(name)) now.removeAttribute(name);
  for (const { name, value } of next.attributes) {
    if (name !== "open" && now.getAttribute(name) !== value) now.setAttribute(name, value);
  }
  const key = (node) => `${node.nodeName} ${node.id ?? ""} ${node.dataset?.id ?? ""}`;
  let at = now.firstChild;
  for (const child of [...next.childNodes]) {
    let same = at;
    while (same && key(same) !== key(child)) same = child.nodeType === Node.ELEMENT_NODE ? same.nextSibling : null;
    if (!same) {
      now.insertBefore(child, at);
      continue;
    }
    while (at !== same) {
      const gone = at;
      at = at.nextSibling;
      gone.remove();
    }
    at = at.nextSibling;
    if (child.nodeType === Node.ELEMENT_NODE) morph(same, child);
    else if (same.data !== child.data) same.data = child.data;
  }
  while (at) {
    const gone = at;
    at = at.nextSibling;
    gone.remove();
  }
};
const pageIn = async (answer) => new DOMParser().parseFromString(await answer.text(), "text/html");
const show = (now, next) => {
  const focused = document.activeElement;
  morph(now, next);
  improve();
  if (!focused.isConnected) document.querySelector("main").focus({ preventScroll: true });
};

document.addEventListener("submit", async (event) => {
  const form = event.target.closest("form[data-live]"), by = event.submitter;
  // Of a form that is live within, buttons that ask for something are; what it is for leads to another page.
  const within = form?.dataset.live === "within";
  if (!form || within && !by?.hasAttribute("formaction")) return;
  event.preventDefault();
  if (form.ariaBusy) return;
  const body = new URLSearchParams(new FormData(form, by)), focused = document.activeElement;
  form.ariaBusy = "true";
  form.inert = within; // what is typed meanwhile would be undone
  const free = () => {
    if (form.inert) form.inert = false, focused.focus({ preventScroll: true });
  };
  let why = form.dataset.failed, signIn;
  let keepsTyped = within; // the form stays as it is, with the reason above it
  try {
    const answer = await fetch(by?.getAttribute("formaction") ?? form.action, { method: "POST", body, headers: { Accept: "text/html" } });
    const next = await pageIn(answer);
    // Nobody is signed in any more, or what the form is of is gone.
    keepsTyped ||= [401, 404].includes(answer.status);
    if (keepsTyped && !(within && next.querySelector('main form[data-live="within"]'))) {
      why = next.querySelector("main [role=alert] p")?.textContent ?? why;
      signIn = next.querySelector('main form[action="/admin/sign-in"] button');
      throw new Error("it is another page");
    }
    if (answer.redirected && new URL(answer.url).pathname !== location.pathname) return location.assign(answer.url);
    free();
    leaving = false;
    document.title = next.title;
    show(document.querySelector("main"), next.querySelector("main"));
    for (const bad of document.querySelectorAll("main details:not([open]) [aria-invalid]")) bad.closest("details").open = true;
    if (answer.ok) form.reset(); // it shows what is stored now
    document.querySelector("main [autofocus]")?.focus(); // the summary of what was refused
    follow();
  } catch {
    if (keepsTyped) {
      free();
      leaving = false;
      document.querySelector("main > .warn[role=alert]")?.remove();
      const says = Object.assign(document.createElement("p"), { className: "notice warn", role: "alert", textContent: why });
      // In another tab, because what is typed is in this one. Then the form can be sent again.
      if (signIn) says.append(" ", Object.assign(document.createElement("a"),
        { href: signIn.form.getAttribute("action"), target: "_blank", textContent: signIn.textContent }));
      document.querySelector("main h1").after(says);
    } else if (by) {
      delete form.dataset.live;
      form.requestSubmit(by); // the browser says what is wrong
    } else form.submit();
  } finally {
    form.ariaBusy = null;
  }
});

let following;
const follow = async () => {
  clearTimeout(following);
  const regions = document.querySelectorAll("[data-live][id]:not([data-over])");
  if (!regions.length) return;
  following = setTimeout(follow, 1000);
  if (document.hidden) return;
  try {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
    if (!answer.ok || answer.redirected) return clearTimeout(following);
    const next = await pageIn(answer);
    for (const region of regions) show(region, next.getElementById(region.id));
  } catch { /* the network may be back in a second */ }
};
follow();
