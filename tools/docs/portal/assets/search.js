// The search's window. What it finds is decided by search-ranking.js, which is loaded with its index when the search is first opened.
(() => {
  'use strict';
  const root = document.body.dataset.root ?? '';
  const dialog = document.querySelector('#search');
  const input = dialog.querySelector('input');
  const results = dialog.querySelector('#results');
  const MOST = 30;
  const WORDS = { page: 'Guide', operation: 'Operation', field: 'Field', error: 'Error', model: 'Model' };

  const script = (name) =>
    new Promise((resolve, reject) => {
      const made = Object.assign(document.createElement('script'), { src: `${root}assets/${name}`, onload: resolve });
      made.onerror = () => reject(new Error(`${name} could not be loaded`));
      document.head.append(made);
    });
  let index;
  const open = () =>
    (index ??= Promise.all(['minisearch.js', 'search-index.js', 'search-ranking.js'].map(script)).then(() =>
      window.createSearch(window.MiniSearch, window.SEARCH),
    ));

  const find = async () => {
    const search = await open();
    const asked = input.value.trim();
    if (asked === '') {
      results.replaceChildren();
      return;
    }
    show(asked, search(asked).slice(0, MOST));
  };
  const show = (asked, found) => {
    results.replaceChildren(
      ...found.map(({ kind, to, title, place }, at) => {
        const [page, hash] = to.split('#');
        const link = document.createElement('a');
        Object.assign(link, {
          href: `${root}${page}.html${hash ? `#${hash}` : ''}`,
          role: 'option',
          id: `found-${at}`,
        });
        link.tabIndex = -1;
        const word = Object.assign(document.createElement('span'), { className: 'kind', textContent: WORDS[kind] });
        const head = document.createElement(['field', 'error', 'model'].includes(kind) ? 'code' : 'b');
        head.textContent = title;
        const small = Object.assign(document.createElement('small'), { textContent: place });
        link.append(word, head, small);
        return link;
      }),
    );
    if (found.length === 0 && asked !== '') {
      const nothing = document.createElement('p');
      nothing.textContent = `Nothing was found for “${asked}”.`;
      results.append(nothing);
    }
    choose(0);
  };
  const choose = (at) => {
    const links = [...results.querySelectorAll('a')];
    for (const [index, link] of links.entries()) link.setAttribute('aria-selected', String(index === at));
    input.setAttribute('aria-activedescendant', links[at]?.id ?? '');
    links[at]?.scrollIntoView({ block: 'nearest' });
  };
  const move = (step) => {
    const links = [...results.querySelectorAll('a')];
    const at = links.findIndex((link) => link.getAttribute('aria-selected') === 'true');
    if (links.length > 0) choose((at + step + links.length) % links.length);
  };

  const start = () => {
    if (!dialog.open) dialog.showModal();
    input.select();
    if (index === undefined) results.append(Object.assign(document.createElement('p'), { textContent: 'Loading …' }));
    open().then(find, (error) => {
      index = undefined;
      results.textContent = error.message;
    });
  };
  document.querySelector('button.search').addEventListener('click', start);
  input.addEventListener('input', () => void find().catch(() => undefined));
  input.addEventListener('keydown', (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      move(step);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      results.querySelector('[aria-selected=true]')?.click();
    }
  });
  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog || target.closest('a')) dialog.close();
  });
  document.addEventListener('keydown', (event) => {
    const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? '');
    const isKey = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k';
    if (isKey || (event.key === '/' && !typing && !event.metaKey && !event.ctrlKey)) {
      event.preventDefault();
      start();
    }
  });
})();
