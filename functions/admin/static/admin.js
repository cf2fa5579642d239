// What the admin's pages do better with JavaScript. Each of them works without.
"use strict";

// On a desk the menu and the fields that ask for a list are always open; on a phone they are folded.
const wide = matchMedia("(min-width: 60rem)");
const fold = () => {
  for (const part of document.querySelectorAll("[data-folds]")) part.open = wide.matches;
};
wide.addEventListener("change", fold);
fold();

// A secret that is shown once is copied by a button; where the clipboard is closed it is selected.
for (const code of document.querySelectorAll("code[data-secret]")) {
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

// Pictures are shown before they are sent. Each goes by itself, a large one made smaller, so that none is too large.
for (const form of document.querySelectorAll("form[data-pictures]")) {
  const chosen = form.querySelector("[data-chosen]"), status = form.querySelector("[role=status]");
  form.file.addEventListener("change", () => chosen.replaceChildren(...[...form.file.files].map((file) => {
    const img = new Image(128, 128);
    img.className = "thumb";
    img.alt = file.name;
    img.src = URL.createObjectURL(file);
    return img;
  })));
  const smaller = async (file) => {
    const most = 2560;
    const bitmap = await createImageBitmap(file).catch(() => null);
    if (!bitmap || (file.size < 2 << 20 && Math.max(bitmap.width, bitmap.height) <= most)) return file;
    const scale = Math.min(1, most / Math.max(bitmap.width, bitmap.height));
    const canvas = document.createElement("canvas");
    canvas.width = Math.round(bitmap.width * scale);
    canvas.height = Math.round(bitmap.height * scale);
    canvas.getContext("2d").drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    const type = file.type === "image/png" ? "image/png" : "image/jpeg";
    const made = await new Promise((done) => canvas.toBlob(done, type, 0.88));
    return made && made.size < file.size ? made : file;
  };
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = form.querySelector("button");
    if (button.getAttribute("aria-disabled")) return;
    button.setAttribute("aria-disabled", "true");
    const files = [...form.file.files];
    try {
      for (const [i, file] of files.entries()) {
        status.textContent = `${status.dataset.sending} ${i + 1} / ${files.length}`;
        const body = new FormData();
        body.append("file", await smaller(file));
        const answer = await fetch(form.action, { method: "POST", body });
        if (answer.ok && i < files.length - 1) continue;
        // The last answer is the page as it is now, as a refusal is.
        const next = new DOMParser().parseFromString(await answer.text(), "text/html");
        document.querySelector("main").replaceWith(next.querySelector("main"));
        location.hash = "pictures";
        if (answer.ok) return location.reload();
        return;
      }
    } catch {
      form.submit(); // the browser says what is wrong with the network
    }
  });
}

// What is under way is shown as it goes on: the part of the page that is live comes anew each second until it is over.
const follow = async () => {
  const live = document.querySelector("[data-live]");
  if (!live || live.hasAttribute("data-over")) return;
  try {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
    if (!answer.ok || answer.redirected) return;
    const next = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (next.querySelector("[data-live][data-over]")) document.querySelector("main").replaceWith(next.querySelector("main"));
    else live.replaceWith(next.querySelector("[data-live]"));
  } catch { /* the network may be back in a second */ }
  setTimeout(follow, 1000);
};
setTimeout(follow, 1000);
