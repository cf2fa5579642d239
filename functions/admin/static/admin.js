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
// The parts of the page that show the pictures come anew; what is typed elsewhere stays.
const showPictures = async (answer) => {
  const next = new DOMParser().parseFromString(await answer.text(), "text/html");
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
