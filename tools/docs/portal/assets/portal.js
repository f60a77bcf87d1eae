// The page's own behaviour: menu, theme, tabs, copy, search, where one is. Nothing here talks to the network.
(() => {
  'use strict';
  const root = document.body.dataset.root ?? '';
  const $ = (selector, within = document) => within.querySelector(selector);
  const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];
  const store = {
    get: (name) => {
      try {
        return localStorage.getItem(name);
      } catch {
        return null;
      }
    },
    set: (name, value) => {
      try {
        localStorage.setItem(name, value);
      } catch {
        // Without storage the choice lasts as long as the page.
      }
    },
  };

  // ---- menu and theme
  const menu = $('.menu');
  const setMenu = (open) => {
    document.body.classList.toggle('nav-open', open);
    menu.setAttribute('aria-expanded', String(open));
  };
  menu.addEventListener('click', () => setMenu(!document.body.classList.contains('nav-open')));
  $('#nav').addEventListener('click', (event) => {
    if (event.target.closest('a')) setMenu(false);
  });
  $('.theme').addEventListener('click', () => {
    const now = document.documentElement.dataset.theme;
    const dark = now ? now === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    document.documentElement.dataset.theme = dark ? 'light' : 'dark';
    store.set('theme', dark ? 'light' : 'dark');
  });
  $('nav [aria-current]')?.scrollIntoView({ block: 'center' });
  window.scrollTo({ top: location.hash === '' ? 0 : window.scrollY });

  // ---- the address of the gateway that serves this page stands in every sample
  if (location.protocol.startsWith('http')) {
    const base = location.origin + location.pathname.replace(/\/docs(\/.*)?$/, '');
    const walker = document.createTreeWalker($('main'), NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node.data.includes('http://127.0.0.1:8080')) node.data = node.data.replaceAll('http://127.0.0.1:8080', base);
    }
  }

  // ---- tabs: what is chosen once is chosen everywhere
  const chooseTab = (name) => {
    for (const tabs of $$('.tabs')) {
      const buttons = $$('[role=tab]', tabs);
      if (!buttons.some((button) => button.dataset.tab === name)) continue;
      for (const button of buttons) button.setAttribute('aria-selected', String(button.dataset.tab === name));
      for (const panel of $$('[role=tabpanel]', tabs)) panel.hidden = panel.dataset.tab !== name;
    }
  };
  document.addEventListener('click', (event) => {
    const tab = event.target.closest('[role=tab]');
    if (tab) {
      const before = tab.getBoundingClientRect().top;
      chooseTab(tab.dataset.tab);
      store.set('tab', tab.dataset.tab);
      // Blocks above may have grown or shrunk: what was clicked stays where it is.
      window.scrollBy(0, tab.getBoundingClientRect().top - before);
    }
    const copy = event.target.closest('.copy');
    if (copy) copyCode(copy);
  });
  const remembered = store.get('tab');
  if (remembered) chooseTab(remembered);
  for (const row of $$('.tab-row')) {
    row.addEventListener('keydown', (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const buttons = $$('[role=tab]', row);
      const next = buttons[(buttons.indexOf(document.activeElement) + step + buttons.length) % buttons.length];
      next.focus();
      next.click();
    });
  }
  const copyCode = async (button) => {
    const text = $('code', button.parentElement).textContent;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = document.createElement('textarea');
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand('copy');
      area.remove();
    }
    button.textContent = 'Copied';
    setTimeout(() => (button.textContent = 'Copy'), 1500);
  };
  for (const pick of $$('[data-pick]')) {
    pick.addEventListener('change', () => {
      const examples = pick.closest('.examples');
      for (const panel of $$('[data-example]', examples)) panel.hidden = panel.dataset.example !== pick.value;
      examples.dispatchEvent(new CustomEvent('picked', { bubbles: true, detail: Number(pick.value) }));
    });
  }

  // ---- search
  const input = $('#search');
  const results = $('#results');
  const words = (text) =>
    text
      .toLowerCase()
      .split(/[^\p{L}\p{N}{}_]+/u)
      .filter(Boolean);
  const score = ([, title, place, text], asked) => {
    const where = { title: title.toLowerCase(), place: place.toLowerCase(), text: text.toLowerCase() };
    let sum = 0;
    for (const word of asked) {
      let best = 0;
      if (where.title.startsWith(word)) best = 12;
      else if (where.title.includes(` ${word}`)) best = 9;
      else if (where.title.includes(word)) best = 6;
      else if (where.place.includes(word)) best = 5;
      else if (where.text.includes(word)) best = 2;
      if (best === 0) return 0;
      sum += best;
    }
    return sum + (place === '' ? 3 : 0);
  };
  const search = () => {
    const asked = words(input.value);
    results.hidden = asked.length === 0;
    input.setAttribute('aria-expanded', String(asked.length > 0));
    if (asked.length === 0) return;
    const found = (window.SEARCH ?? [])
      .map((entry) => [score(entry, asked), entry])
      .filter(([points]) => points > 0)
      .sort(([a], [b]) => b - a)
      .slice(0, 12);
    results.replaceChildren(
      ...found.map(([, [to, title, place]], index) => {
        const link = document.createElement('a');
        const [page, hash] = to.split('#');
        link.href = `${root}${page}.html${hash ? `#${hash}` : ''}`;
        link.role = 'option';
        link.setAttribute('aria-selected', String(index === 0));
        link.append(title);
        if (place) {
          const small = document.createElement('small');
          small.textContent = place;
          link.append(small);
        }
        return link;
      }),
    );
    if (found.length === 0) {
      const nothing = document.createElement('p');
      nothing.textContent = 'Nothing found.';
      results.append(nothing);
    }
  };
  const closeSearch = () => {
    results.hidden = true;
  };
  input.addEventListener('input', search);
  input.addEventListener('focus', search);
  input.addEventListener('keydown', (event) => {
    const links = $$('a', results);
    const at = links.findIndex((link) => link.getAttribute('aria-selected') === 'true');
    if (event.key === 'Escape') {
      input.value = '';
      closeSearch();
      input.blur();
    } else if (event.key === 'Enter') links[at]?.click();
    else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      const next = links[(at + (event.key === 'ArrowDown' ? 1 : -1) + links.length) % links.length];
      for (const link of links) link.setAttribute('aria-selected', String(link === next));
      next?.scrollIntoView({ block: 'nearest' });
    }
  });
  results.addEventListener('click', () => {
    closeSearch();
    input.value = '';
  });
  document.addEventListener('click', (event) => {
    if (!event.target.closest('.search')) closeSearch();
  });
  document.addEventListener('keydown', (event) => {
    const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? '');
    if (event.key === '/' && !typing && !event.metaKey && !event.ctrlKey) {
      event.preventDefault();
      input.focus();
    }
  });

  // ---- where one is
  const links = new Map($$('.toc a, nav ul ul a').map((link) => [link.hash.slice(1), link]));
  const marks = $$('h2[id], h3[id], section.operation').filter(({ id }) => links.has(id));
  const mark = () => {
    let near = marks[0];
    for (const each of marks) if (each.getBoundingClientRect().top < 130) near = each;
    for (const link of links.values()) link.classList.toggle('near', link === links.get(near?.id));
  };
  if (marks.length > 0) {
    let waiting = false;
    addEventListener(
      'scroll',
      () => {
        if (waiting) return;
        waiting = true;
        requestAnimationFrame(() => {
          waiting = false;
          mark();
        });
      },
      { passive: true },
    );
    mark();
  }
})();
