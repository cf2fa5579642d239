(function () {
  var box = document.getElementById('search');
  var menu = document.getElementById('menu');
  if (menu && matchMedia('(max-width: 52rem)').matches) menu.open = false;
  if (!box) return;
  function search() {
    var words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    var found = 0;
    document.querySelectorAll('[data-words]').forEach(function (el) {
      var text = el.getAttribute('data-words');
      el.hidden = !words.every(function (w) { return text.indexOf(w) >= 0; });
      if (!el.hidden) found++;
    });
    document.querySelectorAll('section, .group').forEach(function (s) { s.hidden = !s.querySelector('[data-words]:not([hidden])'); });
    document.getElementById('none').hidden = found > 0;
  }
  box.addEventListener('input', search);
  document.addEventListener('keydown', function (e) {
    if (e.key === '/' && document.activeElement !== box) { e.preventDefault(); box.focus(); }
    if (e.key === 'Escape' && document.activeElement === box) { box.value = ''; search(); box.blur(); }
  });
})();
