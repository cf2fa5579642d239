(function () {
  var all = function (selector) { return Array.from(document.querySelectorAll(selector)); };
  var make = function (tag, properties, inner) {
    var el = Object.assign(document.createElement(tag), properties);
    (inner || []).forEach(function (i) { el.append(i); });
    return el;
  };

  // /docs#<operation> leads to the operation's own page.
  function lead() {
    var old = location.pathname === '/docs' && location.hash && document.getElementById(location.hash.slice(1));
    if (old && old.matches('.all li')) location.replace(old.firstElementChild.href);
  }
  addEventListener('hashchange', lead);
  lead();

  // The search box fetches what it looks in when it is first used.
  var finder = document.getElementById('finder'), box = document.getElementById('search'), found = document.getElementById('found');
  var index;
  finder.hidden = false;
  // Words are runs of letters and digits; one like createProduct is also those that it is made of.
  function words(text) {
    return (text + ' ' + text.replace(/([a-z])([A-Z])/g, '$1 $2')).toLowerCase().match(/[\p{L}\p{N}]+/gu) || [];
  }
  // What partners call it elsewhere comes first, then the exact title, then what has all words in its title, then in its
  // text; pages that come late are behind them all. A word that was typed is the beginning of one there.
  function rank(entry, typed) {
    entry.head = entry.head || ' ' + words(entry.title).join(' ');
    entry.text = entry.text || entry.head + ' ' + words(entry.words + ' ' + (entry.also || '')).join(' ');
    var asked = words(typed), has = function (text) { return asked.every(function (w) { return text.includes(' ' + w); }); };
    var also = Math.max.apply(null, [0].concat((entry.also || []).map(function (phrase) {
      var all = phrase.split(' ');
      return all.every(function (w) { return asked.includes(w) || asked.includes(w + 's'); }) ? 4 + all.length : 0;
    })));
    if (also) return also;
    if (!asked.length || !has(entry.text)) return 0;
    var exact = entry.kind !== 'field' && entry.title.toLowerCase() === typed.trim().toLowerCase();
    return (exact ? 3 : has(entry.head) ? 2 : 1) / (entry.late ? 8 : 1);
  }
  function best(entries, typed) {
    return entries.map(function (e) { return { entry: e, rank: rank(e, typed) }; })
      .filter(function (r) { return r.rank; }).sort(function (a, b) { return b.rank - a.rank; }).slice(0, 20);
  }
  async function search() {
    index = index || fetch(finder.dataset.index).then(function (r) { if (!r.ok) throw new Error(r.status); return r.json(); });
    try {
      var entries = await index;
    } catch (fault) {
      index = undefined; // the next key tries again
      found.replaceChildren(make('li', { textContent: 'The search cannot be reached now.' }));
      found.hidden = false;
      return;
    }
    var hits = best(entries, box.value);
    found.replaceChildren.apply(found, hits.map(function (r) {
      var e = r.entry;
      return make('li', {}, [make('a', { href: e.at }, [e.title, make('small', { textContent: e.kind + ' · ' + e.words.slice(0, 80) })])]);
    }));
    if (!hits.length) found.append(make('li', { textContent: 'Nothing has all these words.' }));
    found.hidden = !box.value.trim();
  }
  box.addEventListener('input', search);
  found.addEventListener('click', function () { found.hidden = true; });
  finder.addEventListener('keydown', function (e) {
    var links = Array.from(found.querySelectorAll('a')), at = links.indexOf(document.activeElement);
    if (e.key === 'Enter' && at < 0 && links[0]) links[0].click();
    if (e.key === 'ArrowDown' && links[at + 1]) { e.preventDefault(); links[at + 1].focus(); }
    if (e.key === 'ArrowUp' && at >= 0) { e.preventDefault(); (links[at - 1] || box).focus(); }
    if (e.key === 'Escape') { found.hidden = true; box.value = ''; box.blur(); }
  });
  document.addEventListener('keydown', function (e) {
    if (e.key === '/' && !e.target.closest('input, textarea')) { e.preventDefault(); box.focus(); }
  });

  // One language for all examples, remembered.
  function speak(language) {
    all('.tabs input[type=radio]').forEach(function (i) { i.checked = i.value === language; });
  }
  try { if (localStorage.getItem('docs-language')) speak(localStorage.getItem('docs-language')); } catch (e) { /* no storage */ }
  all('.tabs input[type=radio]').forEach(function (i) {
    i.addEventListener('change', function () {
      var top = i.getBoundingClientRect().top;
      speak(i.value);
      scrollBy(0, i.getBoundingClientRect().top - top);
      try { localStorage.setItem('docs-language', i.value); } catch (e) { /* no storage */ }
    });
  });

  // What is shown as code can be copied, where the browser allows it.
  if (navigator.clipboard) all('pre').forEach(function (pre) {
    var button = make('button', { type: 'button', className: 'second copy', textContent: 'Copy' });
    var holder = make('div', { className: 'copied' });
    Object.assign(holder.dataset, pre.dataset);
    pre.removeAttribute('data-in');
    pre.replaceWith(holder);
    holder.append(button, pre);
    var back;
    button.addEventListener('click', async function () {
      await navigator.clipboard.writeText(pre.textContent);
      button.textContent = 'Copied';
      clearTimeout(back);
      back = setTimeout(function () { button.textContent = 'Copy'; }, 2000);
    });
  });

  // Trying an operation: the token stays in this page and goes nowhere but into the request's head.
  var lastToken = '';
  all('[data-path]').forEach(function (tabs) {
    var opener = make('button', { type: 'button', className: 'second', textContent: 'Try it' });
    tabs.after(opener);
    opener.addEventListener('click', function () { opener.replaceWith(trial(tabs)); });
  });
  all('[data-untried]').forEach(function (tabs) {
    tabs.after(make('p', { className: 'dim', textContent: tabs.dataset.untried }));
  });
  // What an answer's head says to a program; the rest is the transport's.
  function told(headers) {
    return Array.from(headers).filter(function (h) {
      return /^(etag|location|link|retry-after|www-authenticate|idempotent-replayed|deprecation|sunset|api-version|x-request-id|x-ratelimit-.*)$/.test(h[0]);
    }).map(function (h) { return h[0] + ': ' + h[1] + '\n'; }).join('');
  }
  function trial(tabs) {
    var method = tabs.dataset.method, path = tabs.dataset.path;
    var labelled = function (text, el) { return make('label', { textContent: text }, [el]); };
    var token = make('input', { type: 'password', name: 'token', required: true, autocomplete: 'off', value: lastToken });
    var example = (tabs.dataset.example || '').split('/');
    var ids = path.split('/').map(function (p, i) {
      return /^\{/.test(p) && make('input', { name: p.slice(1, -1), required: true, value: example[i] || '' });
    }).filter(Boolean);
    var query = make('input', { name: 'query', placeholder: tabs.dataset.query + '=…' });
    var sent = tabs.dataset.body;
    var body = make('textarea', { name: 'body', rows: 8, value: sent || '' });
    var answer = make('pre', { hidden: true, tabIndex: 0 });
    var form = make('form', { className: 'try' }, [labelled('Token', token)].concat(
      ids.map(function (i) { return labelled(i.name, i); }), 'query' in tabs.dataset ? [labelled('Query', query)] : [], sent ? [labelled('Body', body)] : [],
      [make('button', { className: 'second', textContent: 'Send ' + method }), answer]));
    form.addEventListener('submit', async function (e) {
      e.preventDefault();
      lastToken = token.value;
      var at = ids.reduce(function (p, i) { return p.replace('{' + i.name + '}', encodeURIComponent(i.value)); }, path);
      var headers = { Authorization: 'Bearer ' + token.value, 'Api-Version': document.body.dataset.version };
      if (sent) headers['Content-Type'] = 'application/json';
      answer.hidden = false;
      try {
        var r = await fetch(at + (query.value ? '?' + query.value : ''), { method: method, headers: headers, body: sent ? body.value : undefined, credentials: 'omit' });
        var text = await r.text();
        try { text = JSON.stringify(JSON.parse(text), null, 2); } catch (fault) { /* no JSON */ }
        answer.textContent = r.status + ' ' + r.statusText + '\n' + told(r.headers) + '\n' + text;
      } catch (fault) {
        answer.textContent = String(fault);
      }
    });
    return form;
  }
})();
