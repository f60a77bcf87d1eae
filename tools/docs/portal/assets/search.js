// The search: MiniSearch over what search-index.js holds. Both are loaded when the search is first opened.
(() => {
  'use strict';
  const root = document.body.dataset.root ?? '';
  const dialog = document.querySelector('#search');
  const input = dialog.querySelector('input');
  const results = dialog.querySelector('#results');
  const MOST = 30;
  const MOST_ALIKE = 3;
  const WORDS = { page: 'Guide', operation: 'Operation', field: 'Field', error: 'Error', model: 'Model' };
  const WEIGHT = { page: 1.25, operation: 1.4, field: 0.8, error: 1.2, model: 1.3 };

  const script = (name) =>
    new Promise((resolve, reject) => {
      const made = Object.assign(document.createElement('script'), { src: `${root}assets/${name}`, onload: resolve });
      made.onerror = () => reject(new Error(`${name} could not be loaded`));
      document.head.append(made);
    });
  /** Whole words and their parts: `task_not_exist`, `task`, `not`, `exist`; `createVideoTask`, `create`, `video`, `task`. */
  const tokenize = (text) =>
    text.split(/[^\p{L}\p{N}_.-]+/u).flatMap((word) => {
      const parts = word.split(/[_.-]+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u);
      return parts.length > 1 ? [word, ...parts] : [word];
    });
  let index;
  const open = () =>
    (index ??= Promise.all([script('minisearch.js'), script('search-index.js')]).then(() => {
      const made = new window.MiniSearch({
        fields: ['title', 'place', 'text'],
        storeFields: ['kind', 'to', 'title', 'place'],
        tokenize,
      });
      made.addAll(window.SEARCH.map(([kind, to, title, place, text], id) => ({ id, kind, to, title, place, text })));
      return made;
    }));
  const OPTIONS = {
    boost: { title: 5, place: 1.5 },
    prefix: (term) => term.length > 1,
    fuzzy: (term) => (term.length > 3 ? 0.25 : false),
    boostDocument: (_id, _term, { kind }) => WEIGHT[kind],
    tokenize: (text) => text.split(/[^\p{L}\p{N}_.-]+/u).filter(Boolean),
  };

  const find = async () => {
    const made = await open();
    const asked = input.value.trim();
    if (asked === '') {
      results.replaceChildren();
      return;
    }
    const all = made.search(asked, { ...OPTIONS, combineWith: 'AND' });
    const found = all.length > 0 ? all : made.search(asked, OPTIONS);
    show(asked, few(found).slice(0, MOST));
  };
  /** A field of the same name in thirty operations takes the place of three. */
  const few = (found) => {
    const counts = new Map();
    return found.filter(({ kind, title }) => {
      const count = (counts.get(`${kind} ${title}`) ?? 0) + 1;
      counts.set(`${kind} ${title}`, count);
      return count <= MOST_ALIKE;
    });
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
