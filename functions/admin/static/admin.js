// What the admin's pages do better with JavaScript. Each of them works without.
"use strict";

// On a desk the menu is always open.
const menu = document.querySelector("[data-menu]");
if (menu) {
  const wide = matchMedia("(min-width: 60rem)");
  const follow = () => { menu.open = wide.matches; };
  wide.addEventListener("change", follow);
  follow();
}

// A secret that is shown once is copied by a click.
for (const code of document.querySelectorAll("code[data-secret]")) {
  code.addEventListener("click", () => getSelection().selectAllChildren(code));
}
