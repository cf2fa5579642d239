// What the admin's pages do better with JavaScript. Each of them works without.
"use strict";

// On a desk the menu and the fields that ask for a list are always open; on a phone they are folded.
const wide = matchMedia("(min-width: 60rem)");
const fold = () => {
  for (const part of document.querySelectorAll("[data-folds]")) part.open = wide.matches;
};
wide.addEventListener("change", fold);
fold();

// A secret that is shown once is copied by a click.
for (const code of document.querySelectorAll("code[data-secret]")) {
  code.addEventListener("click", () => getSelection().selectAllChildren(code));
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
